"""Reads the training texts: the documentation in wheels, and the WordNet package.

A wheel is read as a zip file and its Python code with `ast`; no code is imported or run.
"""

from __future__ import annotations

import ast
import gzip
import html
import json
import random
import re
import subprocess
import tarfile
import warnings
import zipfile
from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MIN_LETTERS = 25
MAX_TEXT = 500
MAX_HEADING = 300
MAX_SOURCE_BYTES = 400_000
MAX_OPERATION = 400
# The most texts of one kind from one package; without this limit a few huge packages would dominate the corpus.
DEFAULT_CAP = 4_000
CAPS = {
    "wordnet/gloss": 22_000,
    "botocore/operation": 6_000,
    "botocore/summary": 500,
    "botocore/detail": 500,
    "twisted/detail": 2_500,
}

_FOLDERS_LEFT_OUT = re.compile(r"(^|/)(tests?|testing|_vendor|vendor|vendored|node_modules)/")
_MARKUP = re.compile(r":\w+:`~?([^`]+)`|`{1,2}([^`]+)`{1,2}")
_DIRECTIVE = re.compile(r"\s*(>>>|\.\. |[-=~^]{3,}|\||@\w+|:\w+)")
_SYNSET = re.compile(r"\d{8} \d\d \w ([0-9a-f]{2}) (.*?) \| (.*)")


class Text(NamedTuple):
    """A paragraph, its heading and its source."""

    source: str
    """The package and the kind of text, separated by a slash."""
    text: str
    heading: str
    """A heading, summary or name above the paragraph; "" for most paragraphs."""


def read_corpus(wheels: Path, wordnet: Path) -> list[Text]:
    """The distinct texts from the wheels in a folder and from WordNet's Debian package."""
    texts: dict[str, Text] = {}
    for found in (*map(_read_wheel, sorted(wheels.glob("*.whl"))), _read_wordnet(wordnet)):
        for text in found:
            cut = text._replace(text=text.text[:MAX_TEXT], heading=text.heading[:MAX_HEADING])
            texts.setdefault(cut.text.lower(), cut)
    return list(texts.values())


def sample(texts: list[Text], count: int) -> list[Text]:
    """At most `count` of the texts, in random order; no source contributes more than its limit."""
    shuffled = list(texts)
    random.Random(0).shuffle(shuffled)
    counts: Counter[str] = Counter()
    kept = []
    for text in shuffled:
        counts[text.source] += 1
        if counts[text.source] <= CAPS.get(text.source, DEFAULT_CAP):
            kept.append(text)
    return kept[:count]


def _read_wheel(path: Path) -> Iterator[Text]:
    package = path.name.split("-")[0]
    with zipfile.ZipFile(path) as wheel:
        for entry in sorted(wheel.infolist(), key=lambda entry: entry.filename):
            name = entry.filename
            if name.endswith(".py"):
                if entry.file_size < MAX_SOURCE_BYTES and not _FOLDERS_LEFT_OUT.search(name):
                    yield from _read_docstrings(package, wheel.read(name))
            elif name.endswith(".dist-info/METADATA"):
                _, _, readme = wheel.read(name).decode("utf-8", "replace").partition("\n\n")
                yield from _read_markdown(package, readme)
            elif package == "botocore" and name.endswith("service-2.json.gz"):
                yield from _read_operations(package, wheel.read(name))


def _read_docstrings(package: str, source: bytes) -> Iterator[Text]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            continue
        paragraphs = list(_paragraphs(ast.get_docstring(node) or ""))
        if not paragraphs:
            continue
        summary, *details = paragraphs
        name = "" if isinstance(node, ast.Module) else _spaced(node.name)
        yield Text(f"{package}/summary", summary, details[0] if details else name)
        for detail in details[:3]:
            yield Text(f"{package}/detail", detail, summary)


def _read_markdown(package: str, text: str) -> Iterator[Text]:
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|<[^>]+>", " ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    heading = ""
    for block in re.split(r"\n\s*\n", text):
        found = re.match(r"\s*#+\s*(.+)", block)
        if found:
            heading = _clean(found[1])
        paragraph = _clean(block[found.end() :] if found else block)
        if _is_prose(paragraph):
            yield Text(f"{package}/readme", paragraph, heading)


def _read_operations(package: str, data: bytes) -> Iterator[Text]:
    for name, operation in json.loads(gzip.decompress(data)).get("operations", {}).items():
        text = _clean(html.unescape(re.sub(r"<[^>]+>", " ", operation.get("documentation") or "")))
        if _is_prose(text):
            yield Text(f"{package}/operation", text[:MAX_OPERATION], _spaced(name))


def _read_wordnet(package: Path) -> Iterator[Text]:
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(package)], check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        for member in sorted(files.getmembers(), key=lambda member: member.name):
            opened = files.extractfile(member) if "/data." in member.name else None
            for line in opened.read().decode("utf-8", "replace").splitlines() if opened else ():
                found = _SYNSET.match(line)
                if found:
                    lemmas = found[2].split()[: 2 * int(found[1], 16) : 2]
                    gloss = _clean(found[3].split('; "')[0])
                    if len(gloss) >= 12:
                        yield Text("wordnet/gloss", gloss, " ".join(lemmas).replace("_", " "))


def _paragraphs(docstring: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", docstring):
        paragraph = "" if _DIRECTIVE.match(block) else _clean(block)
        if _is_prose(paragraph):
            yield paragraph


def _is_prose(text: str) -> bool:
    letters = sum(char.isalpha() or char == " " for char in text)
    return len(text) >= MIN_LETTERS and 4 * letters > 3 * len(text)


def _clean(text: str) -> str:
    return " ".join(_MARKUP.sub(lambda found: found[1] or found[2], text).split())


def _spaced(name: str) -> str:
    """The name of a code object as separate words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " ")).strip()
