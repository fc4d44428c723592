"""Turns text into the terms of the lexical retriever (SPEC 19)."""

from itertools import groupby

from ...basics.chars import scrub
from .clusters import cluster_pairs, split_clusters
from .full_forms import full_forms
from .hangul import STOP_WORDS as HANGUL_STOP_WORDS
from .hangul import strip_ending
from .identifier import JOINERS, split_identifier
from .letters import HANGUL, LETTER, SEPARATOR, UNSPACED, classify, is_hiragana, is_katakana, plain
from .stem import stem
from .term_words import STOP_WORDS

MAX_TERM_BYTES = 64
# A longer piece of Han or katakana is a sentence, not a word. The same holds for a run with more clusters of another
# script without blanks.
MAX_IDEOGRAPHS = 12
# A syllable followed by one of these particles may be a word of one syllable.
SHORT_PARTICLES = "은는을를에"

_SEPARATE = {point: " " for point in range(128) if not chr(point).isalnum() and chr(point) not in JOINERS}
_MAX_REMEMBERED = 32_768
# The terms of chunks are cached, because the same chunks occur again and again.
_remembered: dict[str, list[str]] = {}


def document_terms(text: str) -> list[str]:
    """Return the terms of a document's text in order, with repetitions."""
    terms: list[str] = []
    for chunk in split_chunks(text):
        found = _remembered.get(chunk)
        if found is None:
            if len(_remembered) == _MAX_REMEMBERED:
                _remembered.clear()
            found = _remembered[chunk] = _chunk_terms(chunk)
        terms += found
    return terms


def split_chunks(text: str) -> list[str]:
    """Split a text into runs of one kind: letters, digits and joiners; Hangul syllables; Han and kana; or another
    script without blanks.

    `kind_of` tells the kind of a run by its first character.
    """
    if text.isascii():
        chunks = text.translate(_SEPARATE).split()
        return [chunk for word in chunks if (chunk := word.strip(JOINERS))]
    text = full_forms(scrub(text))
    table: dict[int, str] = dict(_SEPARATE)
    for char in set(text):
        if char >= "\x80":
            kind = classify(char)
            table[ord(char)] = " " if kind == SEPARATOR else plain(char) if kind == LETTER else char
    chunks = []
    for word in text.translate(table).split():
        chunks += [word] if word.isascii() else _split_scripts(word)
    return [chunk for word in chunks if (chunk := word.strip(JOINERS))]


def kind_of(chunk: str) -> str:
    """Return the kind of a chunk: `LETTER`, `HANGUL`, `IDEOGRAPHS` or `UNSPACED`."""
    return LETTER if chunk[0] < "\x80" else classify(chunk[0])


def word_terms(chunk: str) -> tuple[str, list[str]]:
    """Return the term of a chunk of letters, "" for a stop word, and the terms of the chunk's parts."""
    whole, parts = split_identifier(chunk)
    if not parts:
        return "" if whole in STOP_WORDS else fit(stem(whole)), []
    return fit(stem(whole)), [term for part in parts if part not in STOP_WORDS and (term := fit(stem(part)))]


def fit(term: str) -> str:
    """Return the term; "" if it is longer than `MAX_TERM_BYTES`."""
    return term if len(term) <= MAX_TERM_BYTES // 4 or len(term.encode()) <= MAX_TERM_BYTES else ""


def lower_ascii(chunk: str) -> str:
    """Return an ASCII chunk in lower case, and any other chunk unchanged."""
    return chunk.lower() if chunk.isascii() else chunk


def hangul_word(run: str) -> str:
    """Return a run of syllables without its ending; "" for a stop word."""
    if run in HANGUL_STOP_WORDS:
        return ""
    word = strip_ending(run)
    return "" if word in HANGUL_STOP_WORDS else word


def short_word(run: str) -> str:
    """Return the first of two syllables if the second may be a particle; otherwise ""."""
    if len(run) == 2 and run[1] in SHORT_PARTICLES and run[0] not in HANGUL_STOP_WORDS:
        return run[0]
    return ""


def bigrams(run: str) -> list[str]:
    """Return the pairs of neighbouring characters in a run; a run of one character is returned itself."""
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


def ideograph_words(run: str) -> list[str]:
    """Return the words of a run of Han and kana: its longest pieces of Han and of katakana.

    Hiragana are endings and are left out. A run of hiragana alone is a word if it has more than two characters.
    """
    if all(map(is_hiragana, run)):
        return [run] if len(run) > 2 else []
    return ["".join(word) for script, word in groupby(run, _script_of) if script != "hiragana"]


def _script_of(char: str) -> str:
    return "hiragana" if is_hiragana(char) else "katakana" if is_katakana(char) else "han"


def unspaced_word(run: str) -> str:
    """Return a run of a script without blanks, other than Han and kana; "" if it is too long for a word."""
    return run if fit(run) and len(split_clusters(run)) <= MAX_IDEOGRAPHS else ""


def _chunk_terms(chunk: str) -> list[str]:
    kind = kind_of(chunk)
    if kind == LETTER:
        whole, parts = word_terms(chunk)
        return [whole, *parts] if whole else parts
    if kind == HANGUL:
        word = hangul_word(chunk)
        if not word:
            return []
        whole = short_word(chunk) or (fit(word) if len(word) > 2 else "")
        return [whole, *bigrams(chunk)] if whole else bigrams(chunk)
    if kind == UNSPACED:
        whole = unspaced_word(chunk) if len(split_clusters(chunk)) > 2 else ""
        return [whole, *cluster_pairs(chunk)] if whole else cluster_pairs(chunk)
    terms = []
    for word in ideograph_words(chunk):
        terms += [word, *bigrams(word)] if 2 < len(word) <= MAX_IDEOGRAPHS else bigrams(word)
    return terms


def _split_scripts(word: str) -> list[str]:
    return ["".join(run) for _kind, run in groupby(word, kind_of)]
