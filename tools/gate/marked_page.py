"""Tables on a page, each between two marks with its name: `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""

from pathlib import Path


def show(text: str, name: str, page: Path | None) -> None:
    """Replace what is between the marks `name` on a page with a text; print the text if `page` is None.

    Raises ValueError for a page that lacks one of the marks.
    """
    if page is None:
        print(text)
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    _old, after = rest.split(end)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
