"""Texts as a person may see them: without characters that control a terminal, or that hide or reorder others."""


def visible(text: str) -> str:
    """The text on one line, without control, escape, direction and zero-width characters."""
    if text.isascii() and text.isprintable():
        return text
    shown = (char if char.isprintable() else " " if char.isspace() else "" for char in text)
    return " ".join("".join(shown).split())


def visible_lines(text: str) -> list[str]:
    """The lines of a text as they are, without such characters. Tabs stay."""
    lines = text.split("\n")
    return ["".join([char for char in line if char.isprintable() or char == "\t"]) for line in lines]
