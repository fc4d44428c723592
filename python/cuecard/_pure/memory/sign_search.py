"""Finds text that addresses the model, its tools or secrets, or that asks for hidden actions (SPEC 46)."""

from bisect import bisect_left

from ...basics.chars import scrub
from ..text.sign_words import Words, split_words
from .sign_patterns import DENIAL, FILLER, NEUTRAL, Pattern, Phrase, Signs

MAX_CHARS = 1 << 18
TOO_LONG = "is longer than the text that is searched for instructions"
# At least this number of single letters in a row is read as spelled words.
MIN_SPELLED_LETTERS = 5
# Only words of at least this length are split, and only into at least this number of words.
MIN_GLUED_CHARS = 12
MIN_GLUED_WORDS = 3
# The largest number of fillers between a denial and the denied phrase.
MAX_DENIAL_GAP = 8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LEET = str.maketrans("0134578", "oieastb")


def instruction_signs(text: str, *, learned: bool = False) -> list[str]:
    """The reasons why a text seems to address the model; empty for ordinary text.

    With `learned`, for a text that nobody vouches for, a text without another reason may have a learned one.
    """
    reasons, found, words = _search(text)
    if learned and not reasons:
        reasons = [pattern.reason for pattern in shipped().learned if _is_found(pattern, found, words)]
    return reasons


def _search(text: str) -> "tuple[list[str], dict[int, list[_Span]], Words]":
    """The reasons of `instruction_signs`, the places of each class, and the words of the text."""
    signs = shipped()
    text = scrub(text)
    reasons = [TOO_LONG] if len(text) > MAX_CHARS else []
    words = _repair(split_words(text[:MAX_CHARS], signs.letters), signs)
    found = _drop_harmless(_find_phrases(words, signs), signs, words)
    for pattern in signs.patterns:
        if (
            pattern.reason not in reasons
            and (pattern.weights or all(number in found for number, _ in pattern.kinds))
            and _is_found(pattern, found, words)
        ):
            reasons.append(pattern.reason)
    return reasons, found, words


def _is_found(pattern: Pattern, found: "dict[int, list[_Span]]", words: Words) -> bool:
    places = [_places(number, is_undenied, found, words) for number, is_undenied in pattern.kinds]
    absent = found.get(pattern.absent, []) if pattern.absent is not None else []
    return _matches(pattern, places, absent, words)


def shipped() -> Signs:
    """The signs that are shipped with the package, read at the first call."""
    if not _shipped:
        _shipped.append(Signs())
    return _shipped[0]


_shipped: list[Signs] = []
_Span = tuple[int, int]


def _repair(words: Words, signs: Signs) -> Words:
    """The words after undoing tricks: digits in place of letters, spelled words, and words without blanks."""
    repaired = Words()
    position, count = 0, len(words.texts)
    while position < count:
        end = position
        while end < count and len(words.texts[end]) == 1 and "a" <= words.texts[end] <= "z":
            end += 1
        if end - position >= MIN_SPELLED_LETTERS:
            parts, _ = _take_apart("".join(words.texts[position:end]), signs)
            made = parts or words.texts[position:end]
        else:
            end = position + 1
            made = _read_word(words.texts[position], signs)
        separator, is_line_start = words.separators[position], words.line_starts[position]
        for text in made:
            repaired.add(text, separator, is_line_start, words.sentences[position])
            separator, is_line_start = "", False
        position = end
    repaired.separators.append(words.separators[-1])
    return repaired


def _read_word(word: str, signs: Signs) -> list[str]:
    is_plain = word.isascii() and word.isalpha()
    if (is_plain and len(word) < MIN_GLUED_CHARS) or signs.knows(word):
        return [word]
    if is_plain:
        parts, is_whole = _take_apart(word, signs, only_whole=True)
        return parts if is_whole and len(parts) >= MIN_GLUED_WORDS else [word]
    plain = word.translate(signs.alike)
    return [next((each for each in (plain, plain.translate(_LEET)) if signs.knows(each)), word)]


def _take_apart(letters: str, signs: Signs, *, only_whole: bool = False) -> tuple[list[str], bool]:
    """The longest known words from left to right, and whether they cover all letters.

    With `only_whole`, the search ends at the first letter that belongs to no known word.
    """
    longest = 20
    parts, position, is_whole = [], 0, True
    while position < len(letters):
        for length in range(min(longest, len(letters) - position), 1, -1):
            word = letters[position : position + length]
            if signs.knows(word):
                parts.append(word)
                position += length
                break
        else:
            is_whole = False
            if only_whole:
                break
            position += 1
    return parts, is_whole


def _find_phrases(words: Words, signs: Signs) -> dict[int, list[_Span]]:
    """For each class the places of its phrases, in order: the positions of the first word and after the last word.

    Phrases inside a neutral phrase do not count.
    """
    found: dict[int, list[_Span]] = {}
    behind_neutral = 0
    for position, word in enumerate(words.texts):
        here = [phrase for phrase in signs.phrases_with(word) if _stands_at(phrase, position, words)]
        for phrase in here:
            if NEUTRAL in phrase.kinds and _is_unbroken(phrase, position, words):
                behind_neutral = max(behind_neutral, position + 1 + len(phrase.follow))
        if position >= behind_neutral:
            for phrase in here:
                for kind in phrase.kinds:
                    found.setdefault(kind, []).append((position, position + 1 + len(phrase.follow)))
    return found


def _drop_harmless(found: dict[int, list[_Span]], signs: Signs, words: Words) -> dict[int, list[_Span]]:
    """The places without those that a phrase near them makes harmless: `must not delete` before `without asking`."""
    dropped: set[int] = set()
    for pattern in signs.harmless:
        (near, _), (kind, _) = pattern.kinds
        size = pattern.window[0] if pattern.window else 0
        others = sorted(found.get(near, []))
        for start, end in found.get(kind, []) if others else []:
            after = bisect_left(others, (start, end))
            for first, last in others[max(after - 1, 0) : after + 1]:
                room = words.offsets[max(end, last)] - words.offsets[min(start, first)]
                if room <= size and words.sentences[first] == words.sentences[start]:
                    dropped.update(range(start, end))
    if not dropped:
        return found
    return {kind: [span for span in spans if span[0] not in dropped] for kind, spans in found.items()}


def _stands_at(phrase: Phrase, position: int, words: Words) -> bool:
    """Whether a phrase occurs at `position`; its first word is known to match."""
    end = position + 1 + len(phrase.follow)
    if end > len(words.texts):
        return False
    for place, (separator, word, is_open) in enumerate(phrase.follow, position + 1):
        text = words.texts[place]
        if not (text.startswith(word) if is_open else text == word):
            return False
        if separator and separator != words.separators[place]:
            return False
    return (
        (not phrase.starts_line or words.line_starts[position])
        and (not phrase.lead or words.separators[position].endswith(phrase.lead))
        and (not phrase.trail or words.separators[end].startswith(phrase.trail))
    )


def _is_unbroken(phrase: Phrase, position: int, words: Words) -> bool:
    """Whether the words of a phrase have exactly the symbols of the phrase between them."""
    return all(
        words.separators[place] == separator for place, (separator, _, _) in enumerate(phrase.follow, position + 1)
    )


def _places(number: int, is_undenied: bool, found: dict[int, list[_Span]], words: Words) -> list[_Span]:
    """The places of a class; with `is_undenied` only the places that no denial precedes."""
    spans = found.get(number, [])
    denials = found.get(DENIAL)
    if not is_undenied or not denials:
        return spans
    fillers = {start for start, _ in found.get(FILLER, ())}
    ends = {end for _, end in denials}
    return [span for span in spans if not _is_denied(span[0], ends, fillers, words)]


def _is_denied(start: int, ends: set[int], fillers: set[int], words: Words) -> bool:
    """Whether a denial precedes the word at `start`, with only fillers between them."""
    for before in range(start, max(start - MAX_DENIAL_GAP, 0) - 1, -1):
        if before in ends:
            return words.sentences[before - 1] == words.sentences[start]
        if before - 1 not in fillers:
            return False
    return False


def _matches(pattern: Pattern, places: list[list[_Span]], absent: list[_Span], words: Words) -> bool:
    if pattern.weights:
        return _outweighs(pattern, places, words)
    if pattern.window:
        return _stand_together(pattern.window, places, words)
    ends = _follow(pattern.gaps, places, words)
    if not absent:
        return bool(ends)
    starts, last = {start for start, _ in absent}, pattern.gaps[-1] // 2
    return any(all(end + gap not in starts for gap in range(last + 1)) for end in ends)


def _follow(gaps: list[int], places: list[list[_Span]], words: Words) -> list[int]:
    """The ends of all places where the classes follow each other in order, within the allowed gaps."""
    sentences, offsets = words.sentences, words.offsets
    ends = sorted(end for _, end in places[0])
    for gap, spans in zip(gaps, places[1:], strict=False):
        reached, place = [], 0
        for start, end in spans:
            while place < len(ends) and ends[place] <= start:
                place += 1
            before = ends[place - 1] if place else -1
            if place and offsets[start] - offsets[before] <= gap and sentences[before - 1] == sentences[start]:
                reached.append(end)
        ends = sorted(reached)
    return ends


def _stand_together(window: tuple[int, bool], places: list[list[_Span]], words: Words) -> bool:
    """Whether some part of the text within the window has a place of each class, with different first words."""
    (size, is_one_sentence), sentences, offsets = window, words.sentences, words.offsets
    last = [-1] * len(places)
    for start, end, kind in sorted((start, end, kind) for kind, spans in enumerate(places) for start, end in spans):
        last[kind] = start
        first = min(last)
        if (
            first >= 0
            and offsets[end] - offsets[first] <= size
            and len(set(last)) == len(last)
            and (not is_one_sentence or sentences[first] == sentences[start])
        ):
            return True
    return False


def _outweighs(pattern: Pattern, places: list[list[_Span]], words: Words) -> bool:
    """Whether the classes in some part of the text, each counted once, reach the least sums of the pattern."""
    return any(
        all(one >= least for one, least in zip(sums, pattern.least, strict=True))
        for sums in sums_of_windows(pattern, places, words)
    )


def sums_of_windows(pattern: Pattern, places: list[list[_Span]], words: Words) -> "Iterator[list[int]]":
    """For each phrase of the pattern's classes, the sums of the weights in the window that ends with this phrase.

    Each is the same list, which changes.
    """
    size = pattern.window[0] if pattern.window else 0
    events = sorted((start, end, kind) for kind, spans in enumerate(places) for start, end in spans)
    counts = [0] * len(places)
    sums = [0] * len(pattern.least)
    first = 0
    for start, end, kind in events:
        counts[kind] += 1
        if counts[kind] == 1:
            _add_weights(pattern, kind, counts, sums, 1)
        while words.offsets[end] - words.offsets[events[first][0]] > size and events[first][0] < start:
            left = events[first][2]
            counts[left] -= 1
            if not counts[left]:
                _add_weights(pattern, left, counts, sums, -1)
            first += 1
        yield sums


def _add_weights(pattern: Pattern, kind: int, counts: list[int], sums: list[int], sign: int) -> None:
    """Add the weights of a class that came into the window, or with the sign -1 take away those of one that left."""
    for place, weight in enumerate(pattern.weights[kind]):
        sums[place] += sign * weight
    if pattern.pairs:
        pairs = pattern.pairs
        earlier = sum([pairs[kind][other] for other in range(kind) if counts[other]])
        later = sum([pairs[other][kind] for other in range(kind + 1, len(counts)) if counts[other]])
        sums[0] += sign * (earlier + later)
