"""No function of the package has more parameters than a reader can keep in mind."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "cuecard"
# A function that needs more takes a request. Rust has the same limit (`clippy.toml`).
MOST = 6


def test_no_function_has_more_than_six_parameters() -> None:
    wide = [
        f"{file.relative_to(PACKAGE)}:{function.lineno} {function.name}"
        for file in sorted(PACKAGE.rglob("*.py*"))
        if file.suffix in (".py", ".pyi")
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and _count(function) > MOST
    ]
    assert wide == []


def _count(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))
