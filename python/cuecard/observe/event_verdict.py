"""Sentences that say what an event did with a memory, and why an event showed nothing (SPEC 38.4)."""

from ..retrieval.trace import LOSSES, WAYS, unsure
from ..store.log.events import LoggedEvent, LoggedMemory

# Why nothing was shown, by the code in the event.
SILENCES = {
    "short": "the prompt was too short",
    "slash_command": "the prompt was a slash command",
    "machine_made": "the prompt was made by a program",
    "disabled": "recall was switched off",
    "courtesy": "the prompt was nothing but a courtesy",
    "no_match": "no memory matched",
    "gate": "no memory was sure enough",
    "withheld": "what matched was withheld: it is unreviewed and addresses the model, its tools or secrets",
    "verdict": "you have said that what matched is wrong for such a prompt",
    "holdout": "what matched is withheld at random, because `learning.holdout` compares",
    "judge": "the judge kept none of what the gate let through",
    "session": "the session had already been shown what matched",
    "hosted": "the host shows what matched by itself, in a file such as `CLAUDE.md`",
    "budget": "nothing fitted into the budget",
    "no_snapshot": "there were no memories to search",
    "error": "something went wrong; `hook.log` says what",
}
# How a memory was shown, or why it was not.
OUTCOMES = {
    **WAYS,
    "line": "in a line",
    "gate": "the gate was not sure enough",
    "session": "the session had already been shown it, unchanged",
    **LOSSES,
}
# The codes of events that ended before any memory was considered.
EARLY = ("short", "slash_command", "machine_made", "disabled", "courtesy", "no_snapshot", "error")


def describe_silence(event: LoggedEvent) -> str:
    """Why an event shows nothing."""
    code = event.silence or ""
    return SILENCES.get(code, code or "no reason was logged")


def judge(
    event: LoggedEvent, found: LoggedMemory | None, least: int | None, usual: int | None, created: int | None
) -> str:
    """A sentence that says how a memory was shown, or at which stage it was lost and by how much.

    `found` is the memory as the event recorded it, None if the event does not mention it. `least` is the gate's lowest
    logit for the event if it is known, `usual` the one for an event without a surer memory, `created` the time of the
    memory's creation in seconds since 1970.
    """
    shown = event.shown
    if found and found.is_shown:
        because = f", because it forbids `{found.forbids}`" if found.forbids else ""
        return f"shown {OUTCOMES[found.outcome]}: place {shown.index(found) + 1} of {len(shown)}{because}"
    if found and found.outcome == "gate" and found.logit is not None and least is not None and found.logit < least:
        return f"not shown: {unsure(found.logit, least, usual, event.setting)}"
    if found:
        return f"not shown: {OUTCOMES[found.outcome]}"
    if created is not None and created > event.seconds:
        return "not shown: it was made later"
    if event.silence in EARLY or not event.memories:
        return f"not shown: {describe_silence(event)}"
    return f"not shown: it was not among the {len(event.memories)} best"
