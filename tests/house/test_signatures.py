"""No function of the package has more parameters than a reader can keep in mind, and the seam stays small."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "cuecard"
# A function that needs more takes a request. Rust has the same limit (`clippy.toml`).
MOST = 6
# Functions and methods that Python may ask its backend for.
MOST_ENTRIES = 40


def test_no_function_has_more_than_six_parameters() -> None:
    wide = [
        f"{file.relative_to(PACKAGE)}:{function.lineno} {function.name}"
        for file in sorted(PACKAGE.rglob("*.py*"))
        if file.suffix in (".py", ".pyi")
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and _count(function) > MOST
    ]
    assert wide == []


def test_the_seam_has_few_entries_and_none_for_tests_alone() -> None:
    stub = ast.parse((PACKAGE / "_native.pyi").read_text(encoding="utf-8"))
    owners: list[ast.Module | ast.ClassDef] = [stub, *[node for node in stub.body if isinstance(node, ast.ClassDef)]]
    entries = {
        f"{getattr(owner, 'name', '')}.{node.name}"
        for owner in owners
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and not any(_named(each) == "property" for each in node.decorator_list)
    }
    assert len(entries) <= MOST_ENTRIES
    named = [_named(target) for node in stub.body if isinstance(node, ast.AnnAssign) for target in (node.target,)]
    assert named == ["__version__"], "a module of inner rules is no part of the seam"


def test_no_answer_of_the_seam_is_a_row_without_names() -> None:
    stub = ast.parse((PACKAGE / "_native.pyi").read_text(encoding="utf-8"))
    answers = [(node.name, node.returns) for node in ast.walk(stub) if isinstance(node, ast.FunctionDef)]
    rows = [
        name
        for name, answer in answers
        for part in (ast.walk(answer) if answer else ())
        if isinstance(part, ast.Subscript) and _named(part.value) == "tuple" and _fields(part.slice) > 2
    ]
    assert rows == []


def _named(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _fields(node: ast.AST) -> int:
    return len(node.elts) if isinstance(node, ast.Tuple) else 1


def _count(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))
