"""The cases of `tests/vectors`, and how they write values that TOML does not have (see the README there)."""

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# The module is imported by name, because `tomllib` exists only since Python 3.11.
toml_reader = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

# A value as TOML writes it, and the value that it stands for.
Form = Any
Value = Any

FOLDER = Path(__file__).parents[1] / "vectors"


@dataclass(frozen=True)
class Case:
    """One case of a file; its values have the form that they have in TOML."""

    file: str
    function: str
    table: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.file}-{self.function}-{self.table['name']}"


def read_cases(*, prompts: bool) -> list[Case]:
    """With `prompts`, all cases of whole prompts; else all cases of single functions."""
    cases = [case for path in sorted(FOLDER.glob("*.toml")) for case in read_file_cases(path)]
    return [case for case in cases if (case.function == "prompt") == prompts]


def read_file_cases(path: Path) -> list[Case]:
    """The cases of one file in this form."""
    with path.open("rb") as file:
        tables = toml_reader.load(file)
    return [Case(path.stem, function, table) for function in tables for table in tables[function]]


def decode(form: Form) -> Value:
    """The value that a form in TOML stands for."""
    if isinstance(form, list):
        return [decode(item) for item in form]
    if not isinstance(form, dict):
        return form
    ((kind, content),) = form.items()
    if kind == "none":
        return None
    if kind == "hex":
        return bytes.fromhex(content)
    if kind == "points":
        return "".join(map(chr, content))
    if kind == "repeat":
        return decode(content[0]) * content[1]
    if kind == "numbers":
        return "".join(f"{number} " for number in range(content[0], content[1] + 1))
    if kind == "join":
        parts = decode(content)
        if any(isinstance(part, bytes) for part in parts):
            return b"".join(encode(part) for part in parts)
        return "".join(parts)
    raise ValueError(f"no form of a value: {form}")


def encode(value: str | bytes) -> bytes:
    """Text as UTF-8 bytes; bytes are returned unchanged."""
    return value.encode() if isinstance(value, str) else value


def as_lists(value: object) -> object:
    """The value with lists in place of tuples, because TOML has no tuples."""
    return [as_lists(item) for item in value] if isinstance(value, (list, tuple)) else value
