"""Reads the file of instruction signs, which has classes of phrases and patterns of classes (SPEC 53.3)."""

from ...text.sign_words import split_words

# Classes that the code of the search uses by name.
DENIAL = "@not"
FILLER = "@filler"
NEUTRAL = "@neutral"


class Phrase:
    """A sequence of words, with the symbols around them if these belong to the phrase."""

    def __init__(self, item: str, kind: int, letters: dict[str, str]) -> None:
        """Parse a phrase of the file; `kind` is the number of its class."""
        self.kind = kind
        self.starts_line = item[:1] == "^"
        # A word with a star at its end matches all words that begin with it.
        self.ends_open = item[-1:] == "*"
        item = item.removeprefix("^").removesuffix("*")
        self.words: list[tuple[str, bool]] = []
        self.separators: list[str] = []
        if item.isascii() and item.islower() and item.replace(" ", "").isalpha():
            # The fast way for nearly all phrases: only lower-case ASCII letters and blanks.
            texts = item.split()
            self.words += [(word, False) for word in texts[:-1]]
            self.words.append((texts[-1], self.ends_open))
            self.separators += [""] * len(texts)
            self.trail = self.lead = ""
            return
        parts = item.split("* ")
        for number, part in enumerate(parts):
            found = split_words(part, letters)
            self.words += [(word, False) for word in found.texts]
            self.separators += found.separators[:-1]
            if number + 1 < len(parts) or self.ends_open:
                self.words[-1] = (found.texts[-1], True)
        self.trail = found.separators[-1]
        self.lead = self.separators[0]


class Pattern:
    """A set of classes that must be found together in a text."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.kinds: list[tuple[int, bool]] = []
        """The numbers of the classes, each with a flag: whether the class counts only where no denial precedes it."""
        self.weights: list[tuple[int, int]] = []
        """For a pattern with weights, two weights of each class: for addressing the model, and for risk."""
        self.least = (0, 0, 0)
        """The least sums of the weights of address, of the weights of risk, and of both together."""
        self.absent: int | None = None
        """The class that must not follow within the last distance of `gaps`; only for patterns with an order."""
        self.gaps: list[int] = []
        """For patterns with an order, the largest distance before each class but the first, in half words."""
        self.window: tuple[int, bool] | None = None
        """For patterns without an order, the size of the window in half words, and whether it is one sentence."""


class Signs:
    """The content of the file of instruction signs."""

    def __init__(self, data: str) -> None:
        """Parse the text of the file."""
        self.letters: dict[str, str] = {}
        """The ASCII letters and symbols that replace other characters."""
        self.alike: dict[int, str] = {}
        """The ASCII letters that replace similar letters of other scripts, by code point."""
        self.numbers: dict[str, int] = {}
        """The number of each class."""
        self.patterns: list[Pattern] = []
        self.vocabulary: set[str] = set()
        """The words of all phrases."""
        self._exact: dict[str, list[Phrase]] = {}
        self._opening: dict[str, list[Phrase]] = {}
        classes: dict[str, list[str]] = {}
        reason = ""
        for line in _logical_lines(data):
            head, _, rest = line.partition(" ")
            if head == "letters":
                first, last = (int(point, 16) for point in rest.split("-"))
                self.letters.update((chr(point), chr(97 + (point - first) % 26)) for point in range(first, last + 1))
            elif head == "symbol":
                self.letters.update(dict.fromkeys(rest[2:], rest[0]))
            elif head == "alike":
                letter, _, others = rest.partition(" ")
                self.alike.update(dict.fromkeys(map(ord, others.replace(" ", "")), letter))
            elif head == "reason":
                reason = rest
            elif rest.startswith("= "):
                items = [item.strip() for item in rest[2:].split(",")]
                whole = [inner for item in items for inner in (classes[item] if item[0] == "@" else [item])]
                classes[head] = whole
            else:
                self._add_pattern(reason, line, classes)
        for name in (DENIAL, FILLER, NEUTRAL):
            self._number(name, classes)
        self._lengths = sorted({len(word) for word in self._opening})

    def phrases_with(self, word: str) -> list[Phrase]:
        """The phrases that begin with this word."""
        # A word may be as long as the whole text, so only the lengths that occur are tried.
        opening = [self._opening.get(word[:length], []) for length in self._lengths if length <= len(word)]
        return [phrase for phrases in (self._exact.get(word, []), *opening) for phrase in phrases]

    def _add_pattern(self, reason: str, line: str, classes: dict[str, list[str]]) -> None:
        pattern = Pattern(reason)
        head, colon, rest = line.partition(": ")
        words = line.split()
        if colon and head.partition(" ")[0] in ("all", "near", "weigh"):
            scope, size, *least = head.split()
            pattern.window = (2 * int(size), scope == "all")
            if least:
                address, risk, both = map(int, least)
                pattern.least = (address, risk, both)
            words = rest.split()
        gap, weight = 0, (0, 0)
        for word in words:
            if word.isdigit():
                gap = 2 * int(word)
                continue
            if "/" in word:
                of_address, _, of_risk = word.partition("/")
                weight = (int(of_address), int(of_risk))
                continue
            if pattern.least[2]:
                pattern.weights.append(weight)
            if pattern.kinds:
                pattern.gaps.append(gap)
            if word[0] == "!":
                pattern.absent = self._number(word[1:], classes)
            else:
                pattern.kinds.append((self._number(word.removeprefix("+"), classes), word[0] == "+"))
            gap = 0
        self.patterns.append(pattern)

    def _number(self, name: str, classes: dict[str, list[str]]) -> int:
        """The number of a class. Its phrases are parsed when a pattern first uses the class."""
        number = self.numbers.get(name)
        if number is None:
            number = self.numbers[name] = len(self.numbers)
            for item in classes[name] if name[0] == "@" else [name]:
                phrase = Phrase(item, number, self.letters)
                self.vocabulary.update(word for word, _ in phrase.words)
                word, is_open = phrase.words[0]
                (self._opening if is_open else self._exact).setdefault(word, []).append(phrase)
        return number


def _logical_lines(data: str) -> list[str]:
    """The lines without comments; an indented line continues the line before it."""
    lines: list[str] = []
    for line in data.split("\n"):
        if line[:1] == " " and line.strip():
            lines[-1] += " " + line.strip()
        elif line.strip() and line[0] != "#":
            lines.append(line.strip())
    return lines
