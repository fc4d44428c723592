"""Write `python/cuecard/assets/tables/languages.txt`: the words of `tools/function_words.txt`, spelled as terms."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from cuecard._pure.text.term_words import STOP_WORDS  # noqa: E402
from cuecard._pure.text.terms import split_chunks  # noqa: E402

SOURCE = ROOT / "tools/function_words.txt"
TABLE = ROOT / "python/cuecard/assets/tables/languages.txt"

HEADER = """\
# Function words of languages other than English, each with its languages (SPEC 19.8). Written by
# `tools/gen_languages.py`; do not edit. The rows are sorted by code points; SPEC 2.4 describes the format.

[function_words]
"""


def read_function_words() -> dict[str, list[str]]:
    """The languages of each word, in the order of the file; an empty list for a stop word.

    Words are in lower case and without diacritics.
    """
    languages: dict[str, list[str]] = {}
    language = ""
    for line in SOURCE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            language = line.strip("[]")
        elif language:
            for word in split_chunks(line):
                found = languages.setdefault(word, [])
                if language not in found and word not in STOP_WORDS:
                    found.append(language)
    return languages


def main() -> None:
    """Write the table."""
    rows = [f"{word} {' '.join(languages)}" for word, languages in sorted(read_function_words().items()) if languages]
    TABLE.write_text(HEADER + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
