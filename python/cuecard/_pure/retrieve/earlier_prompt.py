"""What a session keeps of an earlier prompt: its terms, as far as a memory has them, and no text (SPEC 27.7)."""

from math import isqrt

from ...basics.chars import read_whole
from ...basics.light_dataclass import dataclass
from ..text.prompt_terms import FULL, RUN
from . import bm25
from .lexical import QueryTerm, query_terms
from .prompt_words import PromptReader, PromptWord, add_concepts, add_related
from .static_table import shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from ..requests.request import Request
    from ..settings.reader import Settings
    from .known_documents import KnownDocuments

    # A term with its weight. An empty term stands for a term that no memory has.
    Weighted = tuple[str, int]

# The number of words of an earlier prompt that are read.
MAX_WORDS = 100
# The number of terms of an earlier prompt that are kept.
MAX_TERMS = 256
# The largest number of unknown words that a line can have.
MAX_UNKNOWN = 1024
# The weights of terms that a word brings, and that of near synonyms, which is also that of syllable pairs.
LEVELS = (32, 48, 64, 80, 112, 128)
# Whether a word is weak, and whether it is a word of letters, by the mark in front of its terms.
KINDS = {"s": (False, True), "w": (True, True), "sr": (False, False), "wr": (True, False)}


@dataclass
class EarlierWord:
    """A word of an earlier prompt of which a memory has a term."""

    # The terms of the word itself, for an identifier its own term first, and those that it only brings.
    own: "list[Weighted]"
    others: "list[Weighted]"
    is_weak: bool
    is_letters: bool

    def to_prompt_word(self, share: int) -> PromptWord:
        """The word, as the gate and the retrievers take it."""
        # The terms of the word itself are parts of its text. No term has a line feed.
        text = "\n".join([term for term, _weight in self.own])
        word = PromptWord(text, share, is_letters=self.is_letters, is_weak=self.is_weak)
        word.terms = self.own + self.others
        return word

    @property
    def main_term(self) -> str:
        """The term that the word is known by; "" if no memory has it."""
        return self.own[0][0] if self.own else ""

    def __str__(self) -> str:
        """The text in a line."""
        kind = next(mark for mark, kind in KINDS.items() if kind == (self.is_weak, self.is_letters))
        own, others = [",".join([f"{term}={weight}" for term, weight in terms]) for terms in (self.own, self.others)]
        return f"{kind}:{own};{others}"


def kept_terms(snapshot: "KnownDocuments", request: "Request") -> str:
    """What a session keeps of a prompt for the prompts after it, in one line without any text of the prompt.

    It has the terms that a memory has, with their weights.
    """
    found = query_terms(snapshot, request.prompt, request.synonyms)
    if request.settings.related_terms:
        found = add_related(found)
    reader = PromptReader()
    for term, weight, word in found:
        reader.add_to_word(word, term, weight)
    frequencies = snapshot.frequencies([term for term, _weight, _word in found])
    known = {term for term, frequency in frequencies.items() if frequency}
    kept: list[str] = []
    unknown = count = 0
    for prompt_word in reader.words[:MAX_WORDS]:
        words = _keep(prompt_word, known)
        unknown += not words and not prompt_word.is_weak
        count += sum([len(word.own) + len(word.others) for word in words])
        if count > MAX_TERMS:
            break
        kept += map(str, words)
    # Sorted, so that the line does not show the order of the prompt.
    return " ".join([str(min(unknown, MAX_UNKNOWN)), *sorted(kept, key=str.encode)])


def add_earlier(snapshot: "KnownDocuments", line: str, share: int, settings: "Settings", reader: PromptReader) -> None:
    """Add the terms and words of an earlier prompt to `reader`, with `share`/256 of their weights.

    `line` is what `kept_terms` returned; a line of another form adds nothing.
    """
    parsed = _parse(line)
    if parsed is None:
        return
    unknown, words = parsed
    by_main: dict[str, PromptWord] = {}
    for known in reader.words:
        if known.terms and known.terms[0][0]:
            by_main.setdefault(known.terms[0][0], known)
    for _ in range(unknown):
        nothing = EarlierWord([("", FULL)], [], is_weak=False, is_letters=True)
        reader.words.append(nothing.to_prompt_word(share))
    found: list[QueryTerm] = []
    for word in words:
        prompt_word, main = word.to_prompt_word(share), word.main_term
        found += [(term, weight, main) for term, weight in prompt_word.terms if term]
        if main in by_main:
            by_main[main].terms += prompt_word.terms
        else:
            if main:
                by_main[main] = prompt_word
            reader.words.append(prompt_word)
        reader.weighted_words += [(text, weight * share >> 8) for text, weight in _vector_words(snapshot, word)]
    if settings.graph:
        found = add_concepts(snapshot, found, settings)
    for term, weight, text in found[: max(bm25.MAX_QUERY_TERMS - len(reader.terms), 0)]:
        reader.terms.setdefault(term, (max(1, weight * share >> 8), text))


def _keep(word: PromptWord, known: "Container[str]") -> list[EarlierWord]:
    """What is kept of a word of a prompt; empty if no memory has a term of it.

    The parts of an identifier that no memory has become words of their own: together they would say too much of it.
    """
    own, others = [], []
    for term, weight in word.terms:
        is_own = weight == word.weight if word.is_letters else term in word.text
        if is_own:
            own.append((term if term in known else "", weight))
        elif term in known:
            others.append((term, _rounded(weight)))
    has_own = any(term for term, _weight in own)
    if not has_own and not others:
        return []
    others.sort(key=_by_bytes)
    if word.is_letters:
        # The first is the identifier's own term, and the others are its parts.
        parts = sorted([(term, weight) for term, weight in own[1:] if term], key=_by_bytes)
        if not own or own[0][0] or not parts:
            lists = [(own[:1] + sorted(own[1:], key=_by_bytes), others)]
        else:
            lists = [([part], [] if place else others) for place, part in enumerate(parts)]
    elif has_own:
        lists = [(sorted([(term, weight) for term, weight in own if term], key=_by_bytes), others)]
    else:
        lists = [([("", max(weight for _term, weight in own))] if own else [], others)]
    return [EarlierWord(own, others, is_weak=word.is_weak, is_letters=word.is_letters) for own, others in lists]


def _rounded(weight: int) -> int:
    """The weight of a term that a word brings. The exact cosine of a related term would say which word that was."""
    return weight if weight == RUN else max([level for level in LEVELS if level <= weight], default=LEVELS[0])


def _by_bytes(term: "Weighted") -> tuple[bytes, int]:
    return term[0].encode(), term[1]


def _vector_words(snapshot: "KnownDocuments", word: EarlierWord) -> "list[Weighted]":
    """The words of the vector that stand for a word of an earlier prompt, each with its weight.

    They are the words of the terms that memories have. Where memories have none of the word's own terms, it is the
    nearest other one.
    """
    full = word.to_prompt_word(FULL).weight
    own = [term for term, _weight in word.own]
    whole = next((term for term in own if len(term) > 2), "")
    if word.is_letters:
        own = own[1:] if len(own) > 1 else own
    elif whole:
        own = [whole]
    own = [term for term in own if term]
    if not own:
        if not word.others:
            return []
        nearest, weight = min(word.others, key=lambda term: (-term[1], term[0].encode()))
        similarity = min(2 * weight * 256 // full, FULL)
        return [(_word_of(nearest), _rarity(snapshot, 0, full) * similarity >> 8)]
    parts = 1 if word.is_letters else len(own)
    frequencies = snapshot.frequencies(own)
    return [(_word_of(term), _rarity(snapshot, frequencies[term], full) // parts) for term in own]


def _rarity(snapshot: "KnownDocuments", frequency: int, full: int) -> int:
    return isqrt(bm25.idf(len(snapshot), frequency) << 8) * full >> 8


def _word_of(term: str) -> str:
    """The word that stands for a term in the table of word vectors; the term itself if there is none."""
    return shipped().word_of(term) or term


def _parse(line: str) -> tuple[int, list[EarlierWord]] | None:
    """The number of unknown words and the other words of a line; None if it has another form."""
    first, *rest = line.split(" ")
    unknown = read_whole(first, MAX_UNKNOWN)
    words = [_parse_word(text) for text in rest]
    if unknown is None:
        return None
    read = [word for word in words if word is not None]
    return (unknown, read) if len(read) == len(words) else None


def _parse_word(text: str) -> EarlierWord | None:
    mark, colon, terms = text.partition(":")
    first, semicolon, second = terms.partition(";")
    own, others = _read_terms(first), _read_terms(second)
    if mark not in KINDS or not colon or not semicolon or own is None or others is None:
        return None
    is_weak, is_letters = KINDS[mark]
    return EarlierWord(own, others, is_weak=is_weak, is_letters=is_letters)


def _read_terms(text: str) -> "list[Weighted] | None":
    found: list[Weighted] = []
    for pair in text.split(",") if text else []:
        term, sign, digits = pair.partition("=")
        weight = read_whole(digits, FULL, least=1) if sign else None
        if weight is None:
            return None
        found.append((term, weight))
    return found
