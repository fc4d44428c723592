"""The file of instruction signs: classes of phrases, and patterns of classes (SPEC 53.3)."""

from ...text.sign_words import split_words

# Classes that the search itself asks for.
DENIAL = "@not"
FILLER = "@filler"
NEUTRAL = "@neutral"


class Phrase:
    """Words that follow one another, with the symbols around them where these are part of the phrase."""

    def __init__(self, item: str, kind: int, letters: dict[str, str]) -> None:
        """Read a phrase as it stands in the file, for the class with the number `kind`."""
        self.kind = kind
        self.starts_line = item[:1] == "^"
        # A word with a star at its end stands for all that begin with it.
        self.ends_open = item[-1:] == "*"
        item = item.removeprefix("^").removesuffix("*")
        self.words: list[tuple[str, bool]] = []
        self.separators: list[str] = []
        if item.isascii() and item.islower() and item.replace(" ", "").isalpha():
            # Nearly all of the file: no symbols, and nothing to be read as something else.
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
    """Classes that must be found together."""

    def __init__(self, reason: str) -> None:
        """A pattern without classes yet."""
        self.reason = reason
        self.kinds: list[tuple[int, bool]] = []
        """The numbers of the classes, each with whether it counts only where it is not denied."""
        self.weights: list[tuple[int, int]] = []
        """Two weights of each class that is weighed: how much it addresses somebody, and how much it risks."""
        self.least = (0, 0, 0)
        """How much a stretch must address somebody, how much it must risk, and how much both are together."""
        self.absent: int | None = None
        """The class that must not follow, with the last of `gaps` before it; only where the order counts."""
        self.gaps: list[int] = []
        """How much room there may be before each class but the first, where their order counts; in half words."""
        self.window: tuple[int, bool] | None = None
        """Where it does not: how much room holds them all, in half words, and whether this is one sentence."""


class Signs:
    """What the file says."""

    def __init__(self, data: str) -> None:
        """Read the file's text."""
        self.letters: dict[str, str] = {}
        """The letters and symbols of ASCII that other characters are read as."""
        self.alike: dict[int, str] = {}
        """Letters of other scripts that look like one of ASCII, by their code points."""
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

    def phrases_with(self, word: str) -> list[Phrase]:
        """The phrases whose first word this is."""
        opening = [self._opening.get(word[:length], []) for length in range(1, len(word) + 1)]
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
        """The number of a class, whose phrases are read when a pattern first needs it."""
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
    """The lines without comments; an indented one goes on with the line before it."""
    lines: list[str] = []
    for line in data.split("\n"):
        if line[:1] == " " and line.strip():
            lines[-1] += " " + line.strip()
        elif line.strip() and line[0] != "#":
            lines.append(line.strip())
    return lines
