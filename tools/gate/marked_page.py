"""Tables on a page, each between two marks of its own: `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""

from pathlib import Path


def show(text: str, name: str, page: Path | None) -> None:
    """Put a text between the marks of that name, in the place of what stands there; print it without a page.

    Raises ValueError for a page that lacks one of the marks.
    """
    if page is None:
        print(text)
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    _old, after = rest.split(end)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
