"""The texts and queries of the peers benchmark, which are the same on every machine with the same sources.

The first texts are Debian's package descriptions from `apt-cache dumpavail`, with the long descriptions that `apt-get
update -o Acquire::Languages=en` has fetched. A machine without apt or without long descriptions uses made-up
descriptions with words drawn by Zipf's law. Short generated memories fill up the corpus to the requested size: each
consists of fragments of descriptions and two unique words, so that the vocabulary grows with the corpus as in real
texts. The same sources give the same corpus.

Texts are ASCII, so that every engine's own analyser finds the same terms. A query is a list of terms: lower-cased ASCII
alphanumeric runs, each once, without Lucene's 33 stop words. Queries come from descriptions that are not among the
texts.
"""

import itertools
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SEED = 20261121
QUERIES = 300
SHINGLE = 8
QUERY_SETS = ("short", "prompt", "long")
SHORT_TERMS, LONG_TERMS, PROMPT_WORDS = 4, 25, (4, 30)
# Lucene's English stop words, which are removed from queries only: the texts keep every word.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split(" ")
)
# The text before a description, and the description.
Description = tuple[str, str]
_OPENINGS = ("", "how do we ", "please fix ", "why did we choose ", "can you go on with ")
_SYLLABLES = [first + vowel + last for first in "bdfgklmnprstvz" for vowel in "aeiou" for last in ("", "n", "r", "s")]
_MADE_DESCRIPTIONS, _MADE_VOCABULARY, _MADE_WORDS = 60_000, 200_000, 65


def find_terms(text: str) -> list[str]:
    """The query terms of a text, each once, in the order of the text."""
    return [term for term in dict.fromkeys(re.findall("[a-z0-9]+", text.lower())) if term not in STOP_WORDS]


def _run(*command: str) -> str:
    found = shutil.which(command[0], path="/usr/lib/apt:/usr/bin")
    if found is None:
        return ""
    return subprocess.run([found, *command[1:]], capture_output=True, check=True).stdout.decode("utf-8", "replace")


def _read_stanzas(text: str, *fields: str) -> Iterator[dict[str, str]]:
    """Yield the needed fields of every stanza in Debian's control format, with continuation lines."""
    pattern = re.compile(rf"^({'|'.join(map(re.escape, fields))}): ?(.*(?:\n .*)*)", re.MULTILINE)
    for stanza in text.split("\n\n"):
        found = dict(pattern.findall(stanza))
        yield {field: found.get(field, "") for field in fields}


def _clean(text: str) -> str:
    return " ".join(re.sub(r"[^ -~]", " ", text.replace("\n .\n", "\n")).split())


def read_debian() -> list[Description]:
    """The distinct descriptions of all packages that apt knows, each with name and tags in front; empty without apt."""
    # Without languages in its settings, apt still shows descriptions that were fetched earlier.
    targets = ("apt-get", "-o", "Acquire::Languages=en", "indextargets", "--format", "$(FILENAME)")
    lists = _run(*targets, "Created-By: Translations", "Language: en").split()
    long_texts = {}
    for path in lists:
        for stanza in _read_stanzas(_run("apt-helper", "cat-file", path), "Package", "Description-en"):
            long_texts[stanza["Package"]] = stanza["Description-en"]
    heads: dict[str, str] = {}
    for stanza in _read_stanzas(_run("apt-cache", "dumpavail"), "Package", "Tag", "Description"):
        body = _clean(long_texts.get(stanza["Package"]) or stanza["Description"])
        # Packages of one source share descriptions; only the first is used.
        heads.setdefault(body, _clean(f"{stanza['Package']} {stanza['Tag']}"))
    heads.pop("", None)
    return [(head, body) for body, head in sorted(heads.items())]


def make_descriptions() -> list[Description]:
    """Descriptions of made-up words with frequencies by Zipf's law, for machines without Debian's descriptions."""
    chance = random.Random(SEED)
    words = ["".join(chance.choices(_SYLLABLES, k=2 + number % 3)) for number in range(_MADE_VOCABULARY)]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    drawn = (chance.choices(words, cum_weights=weights, k=_MADE_WORDS) for _ in range(_MADE_DESCRIPTIONS))
    return [(" ".join(text[:3]), " ".join(text[3:])) for text in drawn]


def make_memory(chance: random.Random, sources: list[list[str]]) -> str:
    """A short memory: a title with a unique name, two tags, and a body that repeats the title and adds a few words."""

    def cut(least: int, most: int) -> list[str]:
        words = sources[int(chance.random() * len(sources))]
        length = least + int(chance.random() * (most - least + 1))
        begin = int(chance.random() * max(1, len(words) - length))
        return words[begin : begin + length]

    title, more = cut(4, 8), cut(3, 7)
    name = "".join(_SYLLABLES[int(chance.random() * len(_SYLLABLES))] for _ in range(2))
    unique = f"{name}-{int(chance.random() * 500_000)}"
    return " ".join((unique, *title, title[0], title[-1], *title, *more))


def _shingles(text: str) -> set[int]:
    words = text.lower().split()
    return {hash(tuple(words[begin : begin + SHINGLE])) for begin in range(len(words) - SHINGLE + 1)}


def hold_out(descriptions: list[Description]) -> tuple[list[Description], list[str]]:
    """Split descriptions into descriptions to index, and long descriptions from which queries are drawn.

    No eight consecutive words of a held-out description occur in another description.
    """
    candidates = [body for _, body in descriptions if len(find_terms(body)) >= 2 * LONG_TERMS][: QUERIES * 8]
    wanted = {shingle for body in candidates for shingle in _shingles(body)}
    seen = Counter(shingle for _, body in descriptions for shingle in _shingles(body) & wanted)
    held = [body for body in candidates if all(seen[shingle] == 1 for shingle in _shingles(body))][:QUERIES]
    gone = set(held)
    return [(head, body) for head, body in descriptions if body not in gone], held


def make_queries(held: list[str]) -> dict[str, list[str]]:
    """The queries of each set, as terms separated by spaces.

    A `short` query has 4 terms and a `long` query 25; a `prompt` is made from 4 to 30 words of running text.
    """
    chance = random.Random(SEED)
    queries: dict[str, list[str]] = {name: [] for name in QUERY_SETS}
    for text in held:
        words = text.split()
        terms = find_terms(" ".join(words))
        begin = chance.randrange(max(1, len(terms) - LONG_TERMS))
        queries["long"].append(" ".join(terms[begin : begin + LONG_TERMS]))
        begin = chance.randrange(max(1, len(terms) - SHORT_TERMS))
        queries["short"].append(" ".join(terms[begin : begin + SHORT_TERMS]))
        length = chance.randint(*PROMPT_WORDS)
        begin = chance.randrange(max(1, len(words) - length))
        prompt = chance.choice(_OPENINGS) + " ".join(words[begin : begin + length])
        queries["prompt"].append(" ".join(find_terms(prompt)))
    return queries


def write_corpus(folder: Path, size: int) -> str:
    """Write `texts`, one text in each line, and `queries`; return a description of the corpus.

    Every smaller corpus is a prefix of `texts`.
    """
    chance = random.Random(SEED)
    descriptions, origin = read_debian(), "Debian's"
    chance.shuffle(descriptions)
    kept, held = hold_out(descriptions)
    # Short descriptions alone are too few for held-out queries.
    if len(held) < QUERIES:
        descriptions, origin = make_descriptions(), "made-up"
        chance.shuffle(descriptions)
        kept, held = hold_out(descriptions)
    texts = [f"{head} {body}" for head, body in kept]
    sources = [body.split() for _, body in kept]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "texts").open("w", encoding="ascii") as file:
        file.writelines(f"{text}\n" for text in texts[:size])
        file.writelines(f"{make_memory(chance, sources)}\n" for _ in range(size - len(texts)))
    queries = make_queries(held)
    lines = [f"{name}\t{query}\n" for name in QUERY_SETS for query in queries[name]]
    (folder / "queries").write_text("".join(lines), encoding="ascii")
    return f"{min(len(texts), size)} {origin} descriptions, {max(0, size - len(texts))} generated memories"


def read_texts(folder: Path, size: int) -> list[str]:
    """The first `size` texts of a corpus."""
    with (folder / "texts").open(encoding="ascii") as file:
        return [line.rstrip("\n") for line in itertools.islice(file, size)]


def read_queries(folder: Path, name: str) -> list[str]:
    """The queries of one set, as terms separated by spaces."""
    lines = (folder / "queries").read_text(encoding="ascii").splitlines()
    return [query for found, query in (line.split("\t") for line in lines) if found == name]
