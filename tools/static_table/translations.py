"""Reads pairs of texts in English and another language from the messages of software in wheels and npm packages.

No code of a package is run. Messages are read from compiled message catalogues, from JSON files with the same keys for
each language, and from the special formats of two Microsoft packages.
"""

from __future__ import annotations

import gettext
import io
import json
import re
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# For languages with several varieties: the names of varieties whose messages are read.
NAMES = {
    "de": ("de", "de_DE"),
    "es": ("es", "es_ES"),
    "fr": ("fr", "fr_FR"),
    "ja": ("ja", "ja_JP"),
    "ko": ("ko", "ko_KR"),
    "pt": ("pt_BR", "pt"),
    "zh": ("zh_CN", "zh_Hans", "zh"),
}

_CATALOGUE = re.compile(r"/locale/(\w+)/LC_MESSAGES/|/translations/(\w+)/LC_MESSAGES/")
_ARGUMENT = re.compile(r"%\(\w+\)[#0\- +]*\d*[sdfr]|%[sdfr]|\{\{?[^}]*\}\}?|<[^>]*>|&(?=\w)|\$t\([^)]*\)")


def read_translations(folder: Path, languages: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """For each language, the distinct pairs of English texts and their translations in the packages of a folder."""
    of_name = {name: language for language in languages for name in NAMES.get(language, (language,))}
    pairs: dict[str, dict[tuple[str, str], None]] = {language: {} for language in languages}
    for path in sorted(folder.iterdir()):
        for name, english, other in _read_package(path):
            language = of_name.get(name.replace("-", "_"))
            cleaned = _clean(english), _clean(other)
            if language and all(cleaned) and cleaned[0] != cleaned[1]:
                pairs[language][cleaned] = None
    return {language: list(found) for language, found in pairs.items()}


def _read_package(path: Path) -> Iterator[tuple[str, str, str]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            files = {name: wheel.read(name) for name in wheel.namelist() if name.endswith((".mo", ".json"))}
    elif path.suffix == ".tgz":
        with tarfile.open(path) as archive:
            wanted = [member for member in archive.getmembers() if member.name.endswith((".json", ".js"))]
            files = {member.name: archive.extractfile(member).read() for member in wanted}  # type: ignore[union-attr]
    else:
        return
    yield from _read_catalogues(files)
    yield from _read_keyed(files)
    yield from _read_typescript(files)
    yield from _read_monaco(files)


def _read_catalogues(files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    for name, data in files.items():
        found = _CATALOGUE.search(name)
        if found and name.endswith(".mo"):
            catalogue = gettext.GNUTranslations(io.BytesIO(data))._catalog  # type: ignore[attr-defined]
            for key, value in catalogue.items():
                english = key[0] if isinstance(key, tuple) else key
                yield found[1] or found[2], english.rpartition("\x04")[2], value


def _read_keyed(files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    """Yield pairs from JSON files, one file or folder for each language, whose nested objects have the same keys."""
    named = {}
    for name, data in files.items():
        found = re.search(r"/locales/([\w-]+)/(\w+\.json)$", name) or re.search(
            r"/translations/(?:(\w+)/)?([\w-]+)-[0-9a-f]{32}\.json$", name
        )
        if found:
            is_airflow = "/locales/" in name
            language, file = (found[1], found[2]) if is_airflow else (found[2], found[1] or "")
            named[language, file] = dict(_flatten(json.loads(data)))
    for (language, file), texts in named.items():
        for key, text in named.get(("en", file), {}).items():
            if language != "en" and key in texts:
                yield language, text, texts[key]


def _flatten(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _flatten(inner, f"{key}.{name}")


def _read_typescript(files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    code = files.get("package/lib/typescript.js", b"").decode()
    english = {
        key: json.loads(f'"{text}"')
        for key, text in re.findall(r'diag\(\d+, \d+ /\* \w+ \*/, "(\w+)", "((?:[^"\\]|\\.)*)"', code)
    }
    for name, data in files.items():
        found = re.fullmatch(r"package/lib/([\w-]+)/diagnosticMessages.generated.json", name)
        if found:
            for key, text in json.loads(data).items():
                if key in english:
                    yield {"pt-br": "pt_BR", "zh-cn": "zh_CN"}.get(found[1], found[1]), english[key], text


def _read_monaco(files: dict[str, bytes]) -> Iterator[tuple[str, str, str]]:
    english: dict[int, str] = {}
    for name, data in files.items():
        if name.startswith("package/esm/vs/"):
            for number, text in re.findall(r'localize2?\((\d+), "((?:[^"\\]|\\.)*)"', data.decode("utf-8", "replace")):
                english[int(number)] = json.loads(f'"{text}"')
    for name, data in files.items():
        found = re.fullmatch(r"package/dev/vs/nls\.messages\.([\w-]+)\.js", name)
        if found:
            text = data.decode()
            messages = json.loads(text[text.index("=[") + 1 : text.index("];") + 1]) if "=[" in text else []
            for number, message in enumerate(messages):
                if message and number in english:
                    yield {"zh-cn": "zh_CN"}.get(found[1], found[1]), english[number], message


def _clean(text: str) -> str:
    return " ".join(_ARGUMENT.sub(" ", text).split())
