"""Packs the memories that forbid an act of the agent: each is led in by a sentence that names the act (SPEC 40.4)."""

from ..text.sanitize import escape_frames, remove_hidden
from ..text.token_estimate import estimate_tokens
from .packing import FOOTER, HEADER, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .packing import Packed, PackItem

# The maximal number of characters of the forbidden text in the sentence.
MAX_NAMED_CHARS = 80
# The sentences about a tool that is about to run, and about one that has run.
_SENTENCES = {
    "code": ("you are adding `{}`", "you added `{}`"),
    "import": ("you are adding an import of `{}`", "you added an import of `{}`"),
    "command": ("you are using the command `{}`", "you used the command `{}`"),
    "path": ("you are changing a file of `{}`", "you changed a file of `{}`"),
}


def pack_forbidden(
    forbidding: "list[tuple[PackItem, str]]",
    others: "list[PackItem]",
    is_over: bool,
    budget: tuple[int, int],
) -> "Packed":
    """Pack memories that forbid an act, each behind its sentence, and then others, into a block within both budgets.

    Each of `forbidding` has the entry that the act breaks. `is_over` says whether the tool has run. `budget` has the
    tokens and the characters. The outcomes are those of `forbidding` and then those of `others`.
    """
    frame = estimate_tokens(HEADER) + estimate_tokens(FOOTER)
    tokens, chars = budget
    body, used = "", frame
    outcomes: list[str] = []
    groups = [([item], _lead(entry, is_over=is_over)) for item, entry in forbidding]
    for items, lead in [*groups, (others, "")]:
        of_lead = estimate_tokens(lead)
        block, found, spent = pack(items, max(0, tokens - of_lead), max(0, chars - len(lead)))
        outcomes += found
        if block:
            lines = block.removeprefix(HEADER).removesuffix(FOOTER)
            spent += of_lead - frame
            tokens, used = max(0, tokens - spent), used + spent
            chars = max(0, chars - len(lead) - len(lines))
            body += lead + lines
    return (HEADER + body + FOOTER, outcomes, used) if body else ("", outcomes, 0)


def _lead(entry: str, *, is_over: bool) -> str:
    """The sentence that names an act, with its line feed."""
    kind, _sign, text = entry.partition(": ")
    named = escape_frames(remove_hidden(text.replace("`", ""))[:MAX_NAMED_CHARS])
    return f"{_SENTENCES[kind][is_over].format(named)}; this project forbids it:\n"
