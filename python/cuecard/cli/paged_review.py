"""Shows texts page by page on a terminal and asks what to accept: what was not shown is not accepted (SPEC 45.8)."""

import shutil

from . import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

# Rows of the terminal that a page leaves free for the question.
ROWS_OF_A_QUESTION = 3
MIN_ROWS = 8
# The answer of a person who wants to see the whole texts.
WHOLE = "whole"


class ReviewItem:
    """A text that a person accepts as a whole, as lines that are safe for a terminal."""

    def __init__(self, name: str, lines: "list[Text]", *, is_withheld: bool = False) -> None:
        """`name` stands in questions about this item. A withheld item is never accepted together with others."""
        self.name, self.lines, self.is_withheld = name, lines, is_withheld


class Page:
    """Items that are shown together, as parts that fit on the screen. A page with several parts has one item."""

    def __init__(self, items: "list[ReviewItem]", parts: "list[list[Text]]") -> None:
        """`parts` has the rows of each part."""
        self.items, self.parts = items, parts

    @staticmethod
    def all_of(items: "Sequence[ReviewItem]") -> "list[Page]":
        """Return the pages for a terminal of the present size."""
        size = shutil.get_terminal_size()
        width, height = max(size.columns, 20), max(size.lines - ROWS_OF_A_QUESTION, MIN_ROWS)
        pages: list[Page] = []
        is_open = False
        for item in items:
            rows = [*terminal.wrap(item.lines, width), terminal.empty_row()]
            # The empty row that separates items may be cut off at the end of a page.
            if len(rows) > height + 1:
                parts = [rows[begin : begin + height] for begin in range(0, len(rows), height)]
                pages.append(Page([item], parts))
                is_open = False
            elif is_open and not item.is_withheld and len(pages[-1].parts[0]) + len(rows) <= height + 1:
                pages[-1].items.append(item)
                pages[-1].parts[0] += rows
            else:
                pages.append(Page([item], [rows]))
                is_open = not item.is_withheld
        return pages


def choose_on_pages(items: "Sequence[ReviewItem]", noun: str, plural: str) -> list[int]:
    """Show every item and ask about it; return the places of those that the person accepts.

    After `quit` the items that were accepted before stay accepted. The end of the input ends the command.
    """
    pages = Page.all_of(items)
    accepted: list[int] = []
    begin = 0
    for number, page in enumerate(pages, 1):
        where = f"Page {number} of {len(pages)}. " if len(pages) > 1 else ""
        answer = _show(page, noun)
        if answer == "y":
            answer = _ask_page(page, where, noun, plural)
        places = range(begin, begin + len(page.items))
        begin += len(page.items)
        if answer == "y":
            accepted += places
        elif answer == "e":
            chosen, answer = _ask_each(page, noun)
            accepted += [places[place] for place in chosen]
        if answer == "q":
            break
    return accepted


def strike_on_pages(
    items: "Sequence[ReviewItem]", wholes: "Sequence[ReviewItem]" = (), noun: str = "memory"
) -> tuple[list[int], list[int]]:
    """Show the items with numbers, and ask which to strike out.

    `items` have the beginnings of the texts, and `wholes` the texts, which the person can ask for; without them the
    items say all. `noun` is what an item is called. Returns the places of those whose whole text was shown, and of
    those struck out. The end of the input ends the command.
    """
    numbered = [ReviewItem(item.name, _numbered(number, item.lines)) for number, item in enumerate(items, 1)]
    read: list[int] = []
    struck: list[int] = []
    pages = Page.all_of(numbered)
    count = 0
    for number, page in enumerate(pages, 1):
        if _show(page, noun) != "y":
            break
        places = range(count, count + len(page.items))
        count += len(page.items)
        where = f"Page {number} of {len(pages)}. " if len(pages) > 1 else ""
        answer = _ask_numbers(where, count, has_texts=bool(wholes))
        while answer == WHOLE:
            texts = [ReviewItem(wholes[at].name, _numbered(at + 1, wholes[at].lines)) for at in places]
            read += [at for at in _show_whole(texts, places) if at not in read]
            answer = _ask_numbers(where, count, has_texts=bool(wholes))
        if answer is None:
            break
        struck += [place for place in answer if isinstance(place, int) and place not in struck]
    return read, struck


def _show_whole(items: "list[ReviewItem]", places: range) -> list[int]:
    """Show whole texts page by page; return the places of those that were shown."""
    shown: list[int] = []
    pages = Page.all_of(items)
    for number, page in enumerate(pages, 1):
        if _show(page, "memory") != "y":
            break
        shown += places[len(shown) : len(shown) + len(page.items)]
        question = f"Page {number} of {len(pages)} of the texts. [Enter] shows the next page, [q] quits"
        if number < len(pages) and terminal.choose(question, {"": "y", "q": "q", "quit": "q"}) != "y":
            break
    return shown


def _numbered(number: int, lines: "list[Text]") -> "list[Text]":
    from rich.text import Text

    return [Text.assemble((f"{number}  ", "bold cyan"), lines[0]), *lines[1:]] if lines else lines


def _ask_numbers(where: str, count: int, *, has_texts: bool) -> list[int] | str | None:
    """Ask for numbers of the `count` items that were shown so far; return their places.

    None stands for `quit`, and `WHOLE` for the wish to see the whole texts.
    """
    texts = "[t] the whole texts, " if has_texts else ""
    question = f"{where}Strike out which? Numbers, [Enter] none, {texts}[q] no more pages"
    while True:
        words = terminal.ask(question).replace(",", " ").split()
        if words in (["q"], ["quit"]):
            return None
        if has_texts and words in (["t"], ["text"], ["texts"]):
            return WHOLE
        numbers = [int(word) - 1 for word in words if word.isascii() and word.isdecimal()]
        if len(numbers) == len(words) and all(number in range(count) for number in numbers):
            return list(dict.fromkeys(numbers))
        terminal.print_lines([f"Answer with numbers from 1 to {count}."])


def _show(page: Page, noun: str) -> str:
    """Show the parts of a page: `y` when all of them were shown, `n` or `q` if the person has stopped before that."""
    for number, part in enumerate(page.parts, 1):
        terminal.show_rows(part)
        if number < len(page.parts):
            where = f"Part {number} of {len(page.parts)} of this {noun}; nothing is accepted before the last part."
            question = f"{where} [Enter] or [y] shows the next part, [n] leaves it, [q] quits"
            answer = terminal.choose(question, ANSWERS | {"": "y"})
            if answer != "y":
                return answer
    return "y"


ANSWERS = {"y": "y", "yes": "y", "n": "n", "no": "n", "": "n", "q": "q", "quit": "q"}


def _ask_page(page: Page, where: str, noun: str, plural: str) -> str:
    if len(page.items) > 1:
        question = f"{where}Accept these {len(page.items)} {plural}? [y] all of them, [n] none, [e] each, [q] quit"
        return terminal.choose(question, ANSWERS | {"e": "e", "each": "e"})
    question = f"{where}Accept this {noun}? [y] yes, [n] no, [q] quit"
    if page.items[0].is_withheld:
        question = f"{where}This {noun} is withheld from agents: read it. Accept it? [y] yes, [n] no, [q] quit"
    return terminal.choose(question, ANSWERS)


def _ask_each(page: Page, noun: str) -> tuple[list[int], str]:
    """Ask about each item of a page that was shown: the places of the accepted ones, and `q` if the person has quit."""
    chosen: list[int] = []
    for place, item in enumerate(page.items):
        answer = terminal.choose(f"Accept the {noun} `{item.name}`? [y] yes, [n] no, [q] quit", ANSWERS)
        if answer == "q":
            return chosen, "q"
        if answer == "y":
            chosen.append(place)
    return chosen, ""
