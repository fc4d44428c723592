"""Reads the tables of instruction signs: classes of phrases, and patterns of classes (SPEC 46.4)."""

from ...basics.tables import find_row, read_lines, read_rows, read_words
from ..text.look_alikes import read_characters

# The numbers of the classes that the search uses without a pattern.
DENIAL, FILLER, NEUTRAL = 0, 1, 2

_FILE = "instruction_signs"
_SYMBOLS = "!\"#$%&'()+,-./:;<=>?@[\\]^_{|}~"


class Phrase:
    """A sequence of words, with the symbols around them if these belong to the phrase."""

    def __init__(self, text: str) -> None:
        """Parse a phrase, as the row of its first word has it."""
        head, *follow = text.split(" ")
        self.starts_line = head[-1] == "^"
        head = head.removesuffix("^")
        numbers = head.lstrip(_SYMBOLS)
        self.kinds = [int(number) for number in numbers.split(",")]
        """The numbers of its classes."""
        self.lead = head.removesuffix(numbers)
        """The symbols directly before its first word."""
        self.trail = follow.pop() if follow and not follow[-1].strip(_SYMBOLS) else ""
        """The symbols directly after its last word."""
        self.follow: list[tuple[str, str, bool]] = []
        """For each word after the first: the symbols before it, the word, and whether the word stands for every word
        that begins with it."""
        for part in follow:
            word = part.lstrip(_SYMBOLS)
            self.follow.append((part.removesuffix(word), word.removesuffix("*"), word[-1] == "*"))


class Pattern:
    """A set of classes that must be found together in a text."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.kinds: list[tuple[int, bool]] = []
        """The numbers of the classes, each with a flag: whether the class counts only where no denial precedes it."""
        self.weights: list[tuple[int, ...]] = []
        """For a pattern with weights, the weights of each class, one for each sum."""
        self.least: tuple[int, ...] = ()
        """The least value of each sum."""
        self.pairs: list[list[int]] = []
        """For a learned pattern, what the first sum gains where two classes stand together. Row and column are the
        places of the later and the earlier class."""
        self.absent: int | None = None
        """The class that must not follow within the last distance of `gaps`; only for patterns with an order."""
        self.gaps: list[int] = []
        """For patterns with an order, the largest distance before each class but the first, in half words."""
        self.window: tuple[int, bool] | None = None
        """For patterns without an order, the size of the window in half words, and whether it is one sentence."""


class Signs:
    """The instruction signs, as their tables have them."""

    def __init__(self) -> None:
        """Read what every search needs; phrases are read when they are needed."""
        self.letters, self.alike = read_characters(read_lines(_FILE, "characters"))
        self.patterns: list[Pattern] = []
        self.learned: list[Pattern] = []
        """The patterns that count only for texts that nobody vouches for."""
        self.harmless: list[Pattern] = []
        """Pairs of classes: a phrase of the second one does not count near a phrase of the first one."""
        reason = ""
        for line in read_lines(_FILE, "patterns"):
            if line.startswith("reason "):
                reason = line.removeprefix("reason ")
            elif line.startswith("harmless "):
                self.harmless.append(_read_pattern("", line))
            elif line.startswith("learned "):
                self.learned.append(_read_learned(reason, line))
            else:
                self.patterns.append(_read_pattern(reason, line))
        self._openings = dict(line.split(" ", 1) for line in read_lines(_FILE, "openings"))
        self._lengths = sorted({len(word) for word in self._openings})
        self._found: dict[str, list[Phrase]] = {}
        self._words: set[str] = set()

    def knows(self, word: str) -> bool:
        """Whether a phrase has this word."""
        if not self._words:
            self._words.update([line[: line.index(" ")] for line in read_lines(_FILE, "phrases")])
            self._words.update(read_words(_FILE, "other_words"))
        return word in self._words

    def phrases_with(self, word: str) -> list[Phrase]:
        """The phrases that begin with this word."""
        phrases = self._found.get(word)
        if phrases is None:
            # A word may be as long as the whole text, so only the lengths that occur are tried.
            rows = [self._openings.get(word[:length], "") for length in self._lengths if length <= len(word)]
            rows.append(find_row(_FILE, "phrases", word))
            phrases = self._found[word] = [Phrase(text) for row in rows if row for text in row.split(";")]
        return phrases


def _read_pattern(reason: str, line: str) -> Pattern:
    pattern = Pattern(reason)
    head, _, rest = line.rpartition(": ")
    if head:
        scope, size, *least = head.split()
        pattern.window = (2 * int(size), scope == "all")
        pattern.least = tuple([int(number) for number in least])
    gap = 0
    weight: tuple[int, ...] = ()
    for word in rest.split():
        mark, is_class, number = word.partition("@")
        if not is_class:
            if "/" in word:
                of_address, of_risk = map(int, word.split("/"))
                weight = (of_address, of_risk, of_address + of_risk)
            else:
                gap = 2 * int(word)
            continue
        if weight:
            pattern.weights.append(weight)
        if pattern.kinds:
            pattern.gaps.append(gap)
        if mark == "!":
            pattern.absent = int(number)
        else:
            pattern.kinds.append((int(number), mark == "+"))
        gap = 0
    return pattern


def _read_learned(reason: str, line: str) -> Pattern:
    """A pattern whose weights are a table of its own: in the row of a class, its pairs and then its own weight."""
    pattern = _read_pattern(reason, line)
    for *pairs, own in read_rows(_FILE, "weights"):
        pattern.pairs.append(pairs)
        pattern.weights.append((own,))
    return pattern
