"""Shows what was exchanged with teams."""

import time

from ...basics.counted import counted
from ...basics.timestamp import utc_stamp
from ...errors import UsageError
from .. import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, Protocol

    from ...sync.exchange import Pull, Push
    from ...sync.postgres_remote import Proposal
    from ...sync.team_status import TeamStatus
    from ...sync.teams import OutOfPlace, Team

    class Administered(Protocol):
        """What a person has asked of a server."""

        scope: str
        member: str
        right: str
        forget: int | None


MOST = 20


def check_category(name: str) -> None:
    """Raise UsageError for a category that does not exist, or that is never shared."""
    from ...store.records.store_reader import CATEGORIES
    from ...sync.door import PRIVATE

    allowed = [category for category in CATEGORIES if category != PRIVATE]
    if name and name not in allowed:
        listed = ", ".join([f"`{category}`" for category in allowed])
        raise UsageError(f"`{name[:40]}` cannot be shared", f"use {listed}", field="category", found=f"`{name[:40]}`")


def describe_rule(category: str, pattern: str) -> str:
    """What a rule shares, in words."""
    parts = [f"of the category `{category}`"] if category else []
    parts += [f"about files that match `{pattern}`"] if pattern else []
    return f"{' and '.join(parts)} in this project"


def pull_as_dict(done: "Pull") -> dict[str, object]:
    """The members of `--json` for a pull."""
    return {
        "changed": done.changed,
        "memories": done.total,
        "resync": done.resync,
        "reverted": done.reverted,
        "left_out": _pairs(done.left_out),
        "redacted": done.redacted,
        "shared_again": done.taken_up,
        "problems": done.problems,
    }


def push_as_dict(done: "Push") -> dict[str, object]:
    """The members of `--json` for a push."""
    return {
        "pushed": done.accepted,
        "proposed": done.proposed,
        "merged": done.merged,
        "dropped": done.dropped,
        "refused": done.refused | done.offered.refused,
    }


def status_as_dict(found: "TeamStatus") -> dict[str, object]:
    """The members of `--json` for the state of a team."""
    return {
        "team": found.team.name,
        "url": found.team.place,
        "scope": found.team.scope,
        "trusted": found.team.is_trusted,
        "version": found.version,
        "memories": found.memories,
        "last_pull": _time(found.last_pull),
        "last_error": found.last_error,
        "to_pull": found.to_pull,
        "more": found.is_more,
        "resync": found.resync,
        "to_push": found.to_push,
        "refused": found.refused,
        "left_out": _pairs(found.left_out),
        "redacted": found.redacted,
        "reverted": found.reverted,
        "conflicts": found.undecided,
        "repeated": found.repeated,
        "tampered": {
            "changed": list(found.tampered.changed),
            "missing": list(found.tampered.missing),
            "added": list(found.tampered.added),
        },
        "problems": found.problems,
    }


def show_pull(team: "Team", done: "Pull") -> None:
    """Show what a pull did."""
    what = counted(done.changed, "change") if done.changed else "no changes"
    total = counted(done.total, "memory", "memories")
    terminal.print_lines([f"pulled    {team.name}: {what}; prompts find {total} of it"])
    if done.resync:
        terminal.report("warning", f"`{team.name}` was read again from the beginning: {done.resync}")
    _list("note", f"`{team.name}`: memories that went back to an older version", done.reverted)
    _list("note", f"`{team.name}`: left out of the pack", [f"{path}: {why}" for path, why in done.left_out])
    _list("note", f"`{team.name}`: secrets or hidden text removed", done.redacted)
    _list("note", f"`{team.name}`: shared again, as before you left", done.taken_up)
    for problem in done.problems:
        terminal.report("warning", problem)


def show_push(team: "Team", done: "Push") -> None:
    """Show what a push did."""
    lines = [f"pushed    {visible(path)}" for path in done.accepted]
    lines += [f"proposed  {visible(path)}: it waits until somebody accepts it" for path in done.proposed]
    lines += [f"merged    {visible(path)}" for path in done.merged]
    lines += [f"dropped   {visible(path)}: the team's version counts" for path in done.dropped]
    terminal.print_lines(lines or [f"unchanged  nothing waits for {team.name}"])
    for path, fields in done.merged.items():
        if fields:
            what = f"both sides changed {', '.join([f'`{visible(name)}`' for name in fields])} of `{visible(path)}`"
            terminal.report("note", what, "the later value counts; the memory has the other one under `conflicts`")
    refused = done.refused | done.offered.refused
    _list("warning", f"`{team.name}`: not shared", [f"{path}: {why}" for path, why in refused.items()])


def show_status(found: "TeamStatus") -> None:
    """Show the state of a team."""
    from ...sync.team_status import describe_tampered

    team = found.team
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.last_pull)) if found.last_pull else "never"
    trust = "trusted" if team.is_trusted else "signatures count" if team.signed_by else "unreviewed"
    lines = [
        f"{team.name}  {visible(team.place)}{f' scope {visible(team.scope)}' if team.scope else ''}",
        f"  pack      {counted(found.memories, 'memory', 'memories')}, {trust}, pulled {when}",
    ]
    if found.to_pull is not None:
        next_step = ", with `cuecard sync pull`" if found.to_pull else ""
        lines.append(f"  to pull   {found.to_pull}{' or more' if found.is_more else ''}{next_step}")
    if found.resync:
        lines.append(f"  to pull   everything, because {visible(found.resync)}")
    lines.append(f"  to push   {len(found.to_push)}{', with `cuecard sync push`' if found.to_push else ''}")
    lines += [f"    {visible(path)}" for path in found.to_push[:MOST]]
    terminal.print_lines(lines)
    for problem in [*found.problems, *([f"the last exchange failed: {found.last_error}"] if found.last_error else [])]:
        terminal.report("warning", f"`{team.name}`: {problem}")
    if found.tampered:
        hint = "`cuecard sync pull` writes the pack again"
        details = describe_tampered(found.tampered)
        terminal.report("error", f"somebody has changed the files of the pack of `{team.name}`", hint, details)
    _list("warning", f"`{team.name}`: not shared", [f"{path}: {why}" for path, why in found.refused.items()])
    _list("note", f"`{team.name}`: left out of the pack", [f"{path}: {why}" for path, why in found.left_out])
    _list("note", f"`{team.name}`: secrets or hidden text removed", found.redacted)
    _list("warning", f"`{team.name}`: memories that went back to an older version", found.reverted)
    undecided = [f"{path}: {', '.join(fields)}" for path, fields in found.undecided.items()]
    _list("warning", f"`{team.name}`: memories with a conflict, which `cuecard show` shows", undecided)
    for other, paths in found.repeated.items():
        _list("warning", f"`{team.name}`: memories that `{other}` has too", paths)


def show_out_of_place(others: "Sequence[OutOfPlace]") -> None:
    """Show the teams and packs that do not count as the configuration says."""
    for one in others:
        terminal.report("warning", f"`{one.name}`: {one.reason}", one.hint)


def show_proposals(waiting: "Sequence[Proposal]") -> None:
    """Show what waits on a server: the number, who proposed it, and the text, which comes from others."""
    from ...sync.door import admit_pulled

    for one in waiting:
        what = "delete" if one.data is None else "change"
        terminal.print_lines([f"{one.number}  {visible(one.login)}  {what} {visible(one.path)}"])
        if one.data is not None and terminal.is_person_watching() and not admit_pulled(one.path, one.data).problem:
            terminal.print_lines([f"    {line}" for line in terminal.visible_lines(one.data.decode())])
    if not waiting:
        terminal.print_lines(["no proposal waits"])


def show_decision(number: int, *, is_accepted: bool, is_done: bool) -> None:
    """Show what became of a proposal."""
    if not is_done:
        terminal.report("error", "the memory has changed since it was proposed", "`--reject` removes the proposal")
    elif is_accepted:
        terminal.print_lines([f"accepted  proposal {number}"])
        terminal.report("note", "the team has it now", "`cuecard sync pull` brings it to your prompts")
    else:
        terminal.print_lines([f"rejected  proposal {number}"])


def show_server(given: "Administered", done: "dict[str, object]") -> None:
    """Show what was changed on a server, and what comes next."""
    lines = ["tables    created or updated" if done["migrated"] else "tables    up to date"]
    lines += [f"scope     {given.scope}{' created' if done.get('created') else ''}"] if given.scope else []
    lines += [f"member    {given.member}: {given.right}"] if given.member else []
    if given.forget is not None:
        last = done["forgotten_to"]
        what = f"deletions up to change {last}" if last else f"nothing: no deletion is older than {given.forget} days"
        lines.append(f"forgot    {what}")
    terminal.print_lines([visible(line) for line in lines])
    if not given.scope:
        terminal.report("note", "the server is ready", "`--scope NAME` creates a scope for a team")
    elif given.member and given.right != "none":
        what = f"`{given.member}` can join"
        terminal.report("note", what, f"`cuecard sync join URL --scope {given.scope}`, with their own login")
    elif done.get("created"):
        terminal.report("note", "nobody can read the scope yet", "`--member LOGIN --right RIGHT` lets somebody in")


def _list(kind: "Literal['warning', 'note']", what: str, rows: list[str]) -> None:
    if rows:
        more = [f"and {len(rows) - MOST} more"] if len(rows) > MOST else []
        terminal.report(kind, f"{what}: {len(rows)}", details=[*rows[:MOST], *more])


def _pairs(rows: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in rows]


def _time(seconds: int) -> str | None:
    return utc_stamp(seconds) if seconds else None
