"""Finds foreign words to link to English words, in translations and in the teacher's vocabulary."""

from __future__ import annotations

import json
import math
import re
import struct
import subprocess
import tarfile
from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from cuecard._pure.text.letters import IDEOGRAPHS
from cuecard._pure.text.other_words import MAX_CHARS
from cuecard._pure.text.term_words import STOP_WORDS
from cuecard._pure.text.terms import hangul_word, ideograph_words, kind_of, split_chunks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# The languages with alphabets, which are told apart by their letters.
LETTERED = ("de", "es", "fr", "it", "nl", "pt", "ru")
MIN_COUNT = 2
MIN_LETTERS = 4
MAX_KEY_BYTES = 48
_CONTENT = ("名詞", "動詞", "形容詞", "副詞")
# Endings that an English word may have after the form in a dictionary.
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "r", "ers", "rs")


class Candidate(NamedTuple):
    """A foreign word that may be linked to English words.

    `spelling` is its usual spelling. `often` says how many times it occurs in translations into its language; 0 for a
    word that only the teacher's vocabulary has.
    """

    spelling: str
    often: int


class Segmenter:
    """Splits texts into words, by language."""

    def __init__(self) -> None:
        """Load the segmenters for Japanese and Chinese."""
        # Imported here, because the step `pack` needs neither module.
        import jieba  # noqa: PLC0415
        from janome.tokenizer import Tokenizer  # noqa: PLC0415

        self._japanese = Tokenizer()
        self._cut_chinese = jieba.cut

    def words(self, language: str, text: str) -> list[str]:
        """The words of a text in lower case, with repetition; a Korean word with an ending is also given without it."""
        if language == "zh":
            return [word for word in self._cut_chinese(text) if re.fullmatch(r"[\u3400-\u9fff]+", word)]
        if language == "ja":
            tokens = [token for token in self._japanese.tokenize(text) if token.part_of_speech.startswith(_CONTENT)]
            return [token.surface for token in tokens if re.fullmatch(r"[\u3005-\u9fffー]+", token.surface)]
        if language == "ko":
            return [word for run in re.findall("[가-힣]+", text) for word in sorted({run, hangul_word(run) or run})]
        return [word.lower() for word in re.findall(r"[^\W\d_]+", text)]


class English:
    """The words that count as English, which are left out of the other languages."""

    def __init__(self, pieces: Iterable[str], wordnet: Path, counts: Counter[str]) -> None:
        """Collect the static table's pieces, WordNet's lemmas, and frequent words of English texts."""
        often = {word for word, count in counts.items() if count >= MIN_COUNT}
        self._words = {*pieces, *_read_lemmas(wordnet), *often, *STOP_WORDS}

    def has(self, word: str) -> bool:
        """Whether a word, its base form, or its American spelling is English."""
        if not word.isascii():
            return False
        forms = [word, word.replace("is", "iz")]
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= MIN_LETTERS:
                forms += [word.removesuffix(ending)]
                forms += [word.removesuffix(ending) + "e"] if word.endswith("ing") else []
        return any(form in self._words for form in forms)


def key_of(word: str) -> str:
    """The form in which a word is looked up; "" if the word is not a single chunk (`split_chunks`), or is too long.

    The form of a Japanese word is its only piece of Han or of katakana.
    """
    chunks = split_chunks(word.lower())
    key = chunks[0] if len(chunks) == 1 else ""
    if key and kind_of(key) == IDEOGRAPHS:
        pieces = ideograph_words(key)
        key = pieces[0] if len(pieces) == 1 and len(pieces[0]) <= MAX_CHARS else ""
    return key if len(key.encode()) <= MAX_KEY_BYTES else ""


def find_candidates(
    counts: dict[str, Counter[str]], others: dict[str, Counter[str]], vocabulary: list[str], english: Counter[str]
) -> dict[str, dict[str, Candidate]]:
    """The candidate words of each language by key (`key_of`): first from translations, then from the vocabulary.

    `counts` has the words of texts translated into each wanted language, and `others` those of texts translated into
    other languages. Both say how often each word occurs.
    """
    found: dict[str, dict[str, Candidate]] = {language: {} for language in counts}
    for language, words in counts.items():
        for word, count in words.items():
            if count >= MIN_COUNT or language not in LETTERED:
                _keep(found[language], word, count)
    wanted = {language: words for language, words in counts.items() if language in LETTERED}
    guess = Guesser({**wanted, "en": english, **others})
    for piece in vocabulary:
        word = piece.removeprefix("▁")
        if re.fullmatch("[가-힣]{2,}", word):
            if word != piece:
                _keep(found["ko"], word, 0)
        elif re.fullmatch(r"[\u30a1-\u30fcー]{2,}", word) or _is_mixed_japanese(word):
            _keep(found["ja"], word, 0)
        elif re.fullmatch(r"[\u4e00-\u9fff]{2,}", word):
            _keep(found["zh"], word, 0)
        elif word != piece and re.fullmatch(r"[a-zA-Z\u00c0-\u024f\u0400-\u04ff]{4,}", word):
            language = guess.language(word.lower()) if english[word.lower()] < MIN_COUNT else "en"
            if language in wanted:
                _keep(found[language], word.lower(), 0)
    return found


class Guesser:
    """Guesses the language of a word from its letters: naive Bayes over runs of two to four letters."""

    def __init__(self, words: dict[str, Counter[str]]) -> None:
        """Count the runs of letters in the words of each language."""
        self._runs: dict[str, Counter[str]] = {}
        self._totals = {}
        for language, counts in words.items():
            runs: Counter[str] = Counter()
            for word, count in counts.items():
                for run in _runs_of(word):
                    runs[run] += 1 + math.log(count)  # type: ignore[assignment]
            self._runs[language], self._totals[language] = runs, sum(runs.values()) + 5_000

    def language(self, word: str) -> str:
        """The most probable language of a word."""
        return max(
            self._runs,
            key=lambda language: sum(
                math.log((self._runs[language][run] + 0.1) / self._totals[language]) for run in _runs_of(word)
            ),
        )


def read_vocabulary(model: Path) -> list[str]:
    """The pieces of words in the teacher's vocabulary, most probable first.

    A piece at the beginning of a word starts with U+2581.
    """
    data = model.read_bytes()
    (count,) = struct.unpack_from("<i", data, 44)
    (length,) = struct.unpack_from("<Q", data, 64)
    places = struct.unpack_from(f"<{count + 1}I", data, 72)
    scores = struct.unpack_from(f"<{count}f", data, 76 + 4 * count)
    begin = 76 + 8 * count
    texts = data[begin : begin + length]
    pieces = [texts[places[number] : places[number + 1]].decode("utf-8", "replace") for number in range(count)]
    return [piece for _, piece in sorted(zip(scores, pieces, strict=True), reverse=True)]


def _keep(found: dict[str, Candidate], word: str, count: int) -> None:
    key = key_of(word)
    known = found.get(key)
    is_short = key.isascii() and len(key) < MIN_LETTERS
    if len(key) > 1 and not is_short and (known is None or count > known.often):
        found[key] = Candidate(word, count)


def _is_mixed_japanese(word: str) -> bool:
    has_all = re.fullmatch(r"[\u3041-\u30fc\u4e00-\u9fffー々]{2,}", word)
    return bool(has_all and re.search(r"[\u3041-\u3096]", word) and re.search(r"[\u30a1-\u30fc\u4e00-\u9fff]", word))


def _runs_of(word: str) -> Iterator[str]:
    word = f"<{word}>"
    for length in (2, 3, 4):
        for place in range(len(word) - length + 1):
            yield word[place : place + length]


def _read_lemmas(package: Path) -> set[str]:
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(package)], check=True, stdout=subprocess.PIPE).stdout
    lemmas: set[str] = set()
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for member in files.getmembers():
            opened = files.extractfile(member) if re.search(r"/index\.(noun|verb|adj|adv)$", member.name) else None
            for line in opened.read().decode("utf-8", "replace").splitlines() if opened else ():
                if not line.startswith(" "):
                    lemmas.update(re.findall("[a-z]+", line.split(" ", 1)[0]))
    return lemmas


def write_json(path: Path, value: object) -> None:
    """Write a JSON file for the next step."""
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
