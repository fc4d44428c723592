"""Renders hits as the block of lines that the agent reads (SPEC 10)."""

from ...basics.chars import fold, scrub
from ...errors import UsageError
from ..text.sanitize import MAX_TITLE_CHARS, escape_text, remove_hidden, sanitize_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS = ("safe", "classic")
_KEY_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz_")


def render(
    entries: "Sequence[tuple[str, str, str, list[str]]]",
    descriptions: list[tuple[str, str]],
    form: str,
    budget_chars: int,
    labels: "Sequence[str]" = (),
) -> str:
    """Return the block for entries `(category, title, path, tags)`, best first; "" if no entry fits.

    The form `classic` gives the same bytes as the claude-memory plugin (seed 003); the form `safe` also removes hidden
    characters from titles, tags and paths. The first entry that would exceed `budget_chars`, and all entries after it,
    are left out. If the descriptions leave no room for any entry, they are left out first. In the form `safe` an
    entry's label follows its title; "" means no label.
    """
    if form not in FORMS:
        raise UsageError(f"unknown form `{scrub(form)}`", "use `safe` or `classic`")
    footer = "</memory-context>\n"
    labels = [*labels, *[""] * len(entries)]
    lines = [_render_entry(*entry, form, label) for entry, label in zip(entries, labels, strict=False)]
    for header in dict.fromkeys((_render_header(descriptions, form), _render_header([], form))):
        used = len(header) + len(footer)
        kept = []
        for line in lines:
            used += len(line)
            if used > budget_chars:
                break
            kept.append(line)
        if kept:
            return header + "".join(kept) + footer
    return ""


def _render_header(descriptions: list[tuple[str, str]], form: str) -> str:
    listed = []
    for key, text in sorted([(scrub(key), text) for key, text in descriptions]):
        safe_key = "".join([char for char in fold(key) if char in _KEY_CHARS])
        if safe_key:
            text = remove_hidden(text) if form == "safe" else text
            listed.append(f"{safe_key}={sanitize_title(text)}")
    attribute = f' descriptions="{"; ".join(listed)}"' if listed else ""
    return f'<memory-context source=".claude/memory/"{attribute}>\n'


def _render_entry(category: str, title: str, path: str, tags: list[str], form: str, label: str) -> str:
    category, path, tags = scrub(category), scrub(path), [scrub(tag) for tag in tags]
    if form == "safe":
        title, path = remove_hidden(title), remove_hidden(path)
        tags = [remove_hidden(tag)[:MAX_TITLE_CHARS] for tag in tags]
    listed = ",".join(sorted([escape_text(tag) for tag in tags if tag]))
    suffix = f" #tags:{listed}" if listed else ""
    note = ""
    if label and form == "safe":
        note = f" ({escape_text(remove_hidden(scrub(label))[:MAX_TITLE_CHARS])})"
    return f"- [{category}] {sanitize_title(title)}{note} -> {escape_text(path)}{suffix}\n"
