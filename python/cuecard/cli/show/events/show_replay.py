"""Shows how the answers to logged prompts change when they are asked again, for people and for pipes."""

from ....basics.counted import counted
from ....observe.replay import SESSION
from ... import terminal
from ...terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.text import Text

    from ....observe.replay import Moved, Replay, ReplayedPrompt

SIGNS = {"in": "+", "out": "-", "tier": "~"}
COLOURS = {"in": "green", "out": "red", "tier": "yellow"}
PROMPT_CHARS = 60


def show(replay: "Replay") -> None:
    """Print the counts, then each prompt whose answer has changed, with the memories that were added or left out."""
    if terminal.is_person_watching():
        terminal.show(_page(replay))
    else:
        terminal.print_lines(_counts(replay))
        for asked in replay.changed:
            terminal.print_lines([_prompt(asked), *[f"  {_words(moved)}" for moved in asked.moved]])
    if replay.without_text:
        count = f"{replay.without_text:,} of {counted(replay.prompts, 'prompt')}"
        what = f"{count} cannot be asked again: the texts were not kept"
        terminal.report("note", what, "`cuecard config log.prompts true --user` keeps the texts of prompts")


def _counts(replay: "Replay") -> list[str]:
    if not replay.asked:
        return []
    before, after = [one.before for one in replay.asked], [one.after for one in replay.asked]
    changes = f"{replay.changes['in']:,} in, {replay.changes['out']:,} out, {replay.changes['tier']:,} in another tier"
    return [
        f"asked again  {counted(len(replay.asked), 'prompt')}, {len(replay.changed):,} with another answer",
        f"answered     {sum(map(bool, before)):,} before, {sum(map(bool, after)):,} now",
        f"memories     {sum(before):,} before, {sum(after):,} now: {changes}",
    ]


def _prompt(asked: "ReplayedPrompt") -> str:
    words = visible(asked.event.prompt or "")
    return f"{asked.event.id}  {words if len(words) <= PROMPT_CHARS else f'{words[: PROMPT_CHARS - 1]}…'}"


def _words(moved: "Moved") -> str:
    before = "shown to the session before" if moved.before == SESSION else moved.before
    tiers = {"in": moved.after, "out": before, "tier": f"{moved.before} -> {moved.after}"}[moved.change]
    return f"{SIGNS[moved.change]} {visible(moved.id)}  [{visible(moved.category)}]  {tiers}"


def _page(replay: "Replay") -> "Text":
    from rich.text import Text

    lines = [Text(line, style="bold" if place == 0 else "") for place, line in enumerate(_counts(replay))]
    for asked in replay.changed:
        lines += [Text(""), Text(_prompt(asked))]
        lines += [Text(f"  {_words(moved)}", style=COLOURS[moved.change]) for moved in asked.moved]
    return Text("\n").join(lines)
