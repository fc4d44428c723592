"""Counts the code of this repository, and how much of it is written twice: `python tools/measure_house.py`.

A line counts with its comments and blank lines. Rust's tests inside a module, from `#[cfg(test)]` to the end of the
file, count as tests. `_pure` is the reference of what Rust does at every prompt. A module of Python outside of it that
has the functions of a module of Rust, by their names, is listed, because it may be such a repetition too.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "cuecard"
RUST = ROOT / "rust"
# A module is listed if it shares at least this many names of functions with one of Rust, and this share of its own.
LEAST_SHARED, LEAST_SHARE = 3, 0.4
# `files` is written in both languages, because Python writes through it; it holds no rule of recall.
EXCEPTED = ("_pure", "files")


class House(NamedTuple):
    """Lines by kind, and the entries of the seam."""

    python: int
    rust: int
    tests: int
    reference: int
    seam: int
    repeated: list[tuple[str, str, int]]
    """Each module of Python outside of the reference with the module of Rust that has the same functions, and lines."""


def measure() -> House:
    """Count the tree in which this script is."""
    python = {path: _lines(path) for path in sorted(PACKAGE.rglob("*.py")) + sorted(PACKAGE.rglob("*.pyi"))}
    rust = [_split(path) for path in sorted(RUST.rglob("*.rs")) if "tests" not in path.relative_to(RUST).parts[1:2]]
    of_tests = [path for path in (ROOT / "tests").rglob("*") if path.suffix in (".py", ".rs") and path.is_file()]
    of_tests += RUST.glob("*/tests/**/*.rs")
    return House(
        sum(python.values()),
        sum(code for code, _test in rust),
        sum(test for _code, test in rust) + sum(map(_lines, of_tests)),
        sum(lines for path, lines in python.items() if path.relative_to(PACKAGE).parts[0] == "_pure"),
        _count_seam((PACKAGE / "_native.pyi").read_text("utf-8")),
        _find_repeated(),
    )


def _lines(path: Path) -> int:
    return path.read_text("utf-8").count("\n")


def _split(path: Path) -> tuple[int, int]:
    """The lines of code and of tests of a file of Rust."""
    text = path.read_text("utf-8")
    if path.stem == "tests" or path.stem.endswith("_tests"):
        return 0, text.count("\n")
    code = re.split(r"^#\[cfg\(test\)\]\nmod tests \{", text, maxsplit=1, flags=re.MULTILINE)[0]
    return code.count("\n"), text.count("\n") - code.count("\n")


def _count_seam(stub: str) -> int:
    """How many functions and methods Python can call; fields of results are no calls."""
    count = 0
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            count += 1
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            count += sum(not _is_property(method) for method in methods)
    return count


def _is_property(method: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "property" for each in method.decorator_list)


def _find_repeated() -> list[tuple[str, str, int]]:
    of_rust: dict[str, set[str]] = {}
    for path in RUST.glob("*/src/**/*.rs"):
        if path.relative_to(RUST).parts[0] != "python":
            named = set(re.findall(r"\bfn (\w{4,})", path.read_text("utf-8")))
            of_rust[path.relative_to(RUST).as_posix()] = named
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in EXCEPTED:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        own = {node.name.lstrip("_") for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        own = {name for name in own if len(name) >= 4 and not name.startswith("_")}
        best = max(of_rust, key=lambda name: len(own & of_rust[name]))
        shared = len(own & of_rust[best])
        if shared >= LEAST_SHARED and shared >= LEAST_SHARE * len(own):
            found.append((path.relative_to(PACKAGE).as_posix(), best, _lines(path)))
    return found


def main() -> None:
    """Print the counts."""
    house = measure()
    print(f"code     {house.python + house.rust:7,}  (Python {house.python:,}, Rust {house.rust:,})")
    print(f"tests    {house.tests:7,}")
    print(f"_pure    {house.reference:7,}  (the reference of what Rust does)")
    print(f"the seam {house.seam:7,}  functions and methods")
    beside = sum(lines for _python, _rust, lines in house.repeated)
    print(f"beside   {beside:7,}  lines of Python outside of _pure that share their functions with Rust:")
    for python, rust, lines in house.repeated:
        print(f"           {lines:5}  {python}  ({rust})")


if __name__ == "__main__":
    main()
