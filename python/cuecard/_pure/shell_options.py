"""The options and operands of a command (SPEC 16.3)."""


class Syntax:
    """Which of a program's options take a value."""

    __slots__ = ("attached", "long", "valued")

    def __init__(self, valued: str, attached: str = "", long: tuple[str, ...] = ()) -> None:
        """Tell them by letter and by long name.

        The value of a `valued` letter is the rest of its word, or else the next word; that of an `attached` one can
        only be the rest of its word. That of a `long` name is the next word where no `=` brings it.
        """
        self.valued = valued
        self.attached = attached
        self.long = long

    def read(self, words: list[str], is_wrapper: bool = False) -> "Arguments":
        """The arguments of a program; `--` ends its options, as does a wrapper's first operand."""
        arguments = Arguments()
        options, operands = arguments.options, arguments.operands
        place, end = 0, len(words)
        while place < end:
            word = words[place]
            place += 1
            if word == "--":
                operands += words[place:]
                break
            if word[:2] == "--":
                name, sign, value = word[2:].partition("=")
                if not sign and name in self.long:
                    value = words[place] if place < end else ""
                    place += 1
                options.append((name, value))
            elif word[:1] == "-" and word != "-":
                for at in range(1, len(word)):
                    letter, behind = word[at], word[at + 1 :]
                    is_valued = letter in self.valued
                    if is_valued and not behind:
                        behind = words[place] if place < end else ""
                        place += 1
                    if is_valued or letter in self.attached:
                        options.append((letter, behind))
                        break
                    options.append((letter, ""))
            else:
                operands.append(word)
                if is_wrapper:
                    operands += words[place:]
                    break
        arguments.leading = end - len(operands)
        return arguments


class Arguments:
    """Options with their values, and the other words."""

    __slots__ = ("leading", "operands", "options")

    def __init__(self) -> None:
        """None yet; `leading` is how many words stand before the first operand."""
        self.options: list[tuple[str, str]] = []
        self.operands: list[str] = []
        self.leading = 0

    def has(self, *names: str) -> bool:
        """Whether one of the options stands there."""
        return any(name in names for name, _ in self.options)

    def value(self, *names: str) -> str | None:
        """The value of the first of the options that stands there."""
        for name, value in self.options:
            if name in names:
                return value
        return None
