"""Checks the teams that the user has joined: the last exchange, what waits, and the files of the packs."""

from ..._backend import Values, read_effective_settings
from ...basics.counted import counted
from ...errors import CuecardError
from .finding import Finding


def examine_teams() -> list[Finding]:
    """A finding for each team; none for a user without a team, for whom nothing of `sync` is loaded."""
    if not Values(read_effective_settings("").settings.members, []).given("sync.teams"):
        return []
    from ...sync.teams import list_out_of_place, read_teams

    others = [Finding(f"sync {one.name}", "warn", one.reason, one.hint) for one in list_out_of_place()]
    return [_examine(team.name) for team in read_teams()] + others


def _examine(name: str) -> Finding:
    from ...sync.team_status import describe_tampered, read_status
    from ...sync.teams import find_team

    label, hint = f"sync {name}", f"`cuecard sync status {name}` says more"
    try:
        found = read_status(find_team(name))
    except CuecardError as error:
        return Finding(label, "warn", error.what, error.hint)
    facts: dict[str, object] = {"memories": found.memories, "to_push": len(found.to_push), "version": found.version}
    if found.tampered:
        details = describe_tampered(found.tampered)
        words = "somebody has changed the files of the pack"
        return Finding(label, "fail", words, f"`cuecard sync pull {name}` writes the pack again", details, facts)
    if found.last_error:
        return Finding(label, "warn", f"the last exchange failed: {found.last_error}", hint, facts=facts)
    if found.refused or found.reverted or found.repeated or found.undecided:
        details = [
            *[f"not shared: {path}: {why}" for path, why in found.refused.items()],
            *[f"went back to an older version: {path}" for path in found.reverted],
            *[f"two people changed {', '.join(fields)}: {path}" for path, fields in found.undecided.items()],
            *[f"`{other}` has it too: {path}" for other, paths in found.repeated.items() for path in paths],
        ]
        return Finding(label, "warn", f"{counted(len(details), 'thing')} to look at", hint, details[:20], facts)
    waiting = f"; to push, with `cuecard sync push`: {len(found.to_push)}" if found.to_push else ""
    shared = f"prompts find {counted(found.memories, 'memory', 'memories')} that the team shares"
    return Finding(label, "ok", f"{shared}{waiting}", facts=facts)
