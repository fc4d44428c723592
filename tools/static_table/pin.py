"""Write `tests/vectors/static_table_shipped.toml`: results that both backends must compute with the package's table."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from cuecard._pure.retrieve.static_table import shipped  # noqa: E402
from cuecard._pure.retrieve.vectors import quantize, row_of_words, sum_rows  # noqa: E402
from cuecard._pure.text.other_words import shipped as other_words  # noqa: E402

VECTORS = ROOT / "tests/vectors/static_table_shipped.toml"
TERMS = "deploy throttl cach kubernet 배포 장애 인증 nosuchterm".split()
WORDS = "fehler uberweisungen contrasena sauvegarde 削除 备份 데이터셋 error nosuchword".split()
TEXTS = ["how do we roll back a kubernetes deployment", "oauth2 token 만료", "결제 실패를 재시도", "é"]


def main() -> None:
    """Write the file."""
    pairs = [[list(pair) for pair in shipped().related(term)] for term in TERMS]
    file = "# SPEC 24; the shipped table. Written by `tools/static_table/pin.py`; do not edit.\n"
    file += _case("shipped_related", "the related terms of the shipped table", "terms", TERMS, pairs)
    vectors = [_vector(text) for text in TEXTS]
    file += _case("shipped_vectors", "vectors of texts by the shipped table", "texts", TEXTS, vectors)
    words = [[list(map(list, other_words().find(word))), row_of_words([(word, 1)])[0]] for word in WORDS]
    file += _case("shipped_other_words", "words of other languages, and rows of their own", "words", WORDS, words)
    VECTORS.write_text(file, encoding="utf-8")


def _vector(text: str) -> tuple[list[int], int]:
    rows = [shipped().row(number) for word in text.split(" ") for number in shipped().word_rows(word)]
    return quantize(sum_rows((found, 1) for found in rows if found is not None))


def _case(function: str, name: str, parameter: str, given: object, value: object) -> str:
    given, value = (json.dumps(form, ensure_ascii=False) for form in (given, value))
    return f'\n[[{function}]]\nname = "{name}"\nspec = "24"\ninput = {{ {parameter} = {given} }}\nvalue = {value}\n'


if __name__ == "__main__":
    main()
