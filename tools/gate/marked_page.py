"""Writes tables into a page, each between two comments: `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""

from pathlib import Path


def show(text: str, name: str, page: Path | None) -> None:
    """Replace the text between the two comments with this name on a page; print the text if `page` is None.

    Raises ValueError if the page does not have both comments once.
    """
    if page is None:
        print(text)
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, rest = page.read_text(encoding="utf-8").split(begin)
    _old, after = rest.split(end)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
