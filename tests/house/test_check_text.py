"""`tools/check_text.py` finds texts that break STYLE's rules for plain English, but only in texts for people."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    check_text = import_module("check_text")
finally:
    sys.path.remove(str(ROOT / "tools"))


def found(name: str, content: str) -> list[str]:
    """The place and the kind of each finding in a file."""
    return [line.partition('" ')[0].partition(" in ")[0] for line in check_text.findings(name, content)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("# Whoever asks is told.\n", ["a.py:1: `Whoever`"]),
        ('"""Makes it anew."""\n', ["a.py:1: `anew`"]),
        ('x = 1\nprint("mend the file and try again")\n', ["a.py:2: `mend`"]),
        ('x = 1\nprint(f"{x} mends it")\n', []),
        ('x = 1\nprint(f"the command {x} mends it")\n', ["a.py:2: `mends`"]),
        ("# A first line, and\n# as it were a second.\n", ["a.py:2: `as it were`"]),
        ("# Of the prompt.\nLIMIT = 1\n", ["a.py:1: `Of`"]),
        ('def f() -> None:\n    """By name."""\n', ["a.py:2: `By`"]),
        ("# It is no longer asked.\n", ["a.py:1: `no longer`"]),
        ("# This used to be slow.\n", ["a.py:1: `used to be`", "a.py:1: `This used to`"]),
    ],
)
def test_python(content: str, expected: list[str]) -> None:
    assert found("a.py", content) == expected


@pytest.mark.parametrize(
    "content",
    [
        "anew = mend(whoever)\n",
        "# The name `whoever` is an argument.\n",
        '"""A buffer that is used to answer."""\n',
        'KEYS = ("anew", "mend")\n',
        'raise ValueError("the memory is no longer there")\n',
    ],
)
def test_names_literals_and_plain_words_pass(content: str) -> None:
    assert found("a.py", content) == []


def test_rust() -> None:
    content = '//! Makes it anew.\n\n/// Of a file.\nfn f() { fail("mend the file and ask"); }\n'
    assert found("a.rs", content) == ["a.rs:1: `anew`", "a.rs:3: `Of`", "a.rs:4: `mend`"]
    assert found("a.rs", "let anew = 1; // fine\n") == []


def test_markdown_without_code() -> None:
    assert found("a.md", "```sh\nmend it anew\n```\nWhoever reads `lest` stops.\n") == ["a.md:4: `Whoever`"]


def test_shell_and_settings() -> None:
    assert found("a.sh", "#!/bin/sh\n# Else it waits for ever.\necho mend\n") == ["a.sh:2: `for ever`"]
    assert found("a.toml", "# Written anew.\nname = 1\n") == ["a.toml:1: `anew`"]


def test_an_exception_is_for_its_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(check_text.EXCEPTIONS, "a.py", (("quoted anew", "a quotation"),))
    assert found("a.py", "# It is quoted anew.\n") == []
    assert found("b.py", "# It is quoted anew.\n") == ["b.py:1: `anew`"]


def test_every_exception_is_needed() -> None:
    for name, parts in check_text.EXCEPTIONS.items():
        for part, reason in parts:
            assert part in (ROOT / name).read_text("utf-8")
            assert reason


def test_the_exit_status_tells_whether_something_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check_text, "ROOT", tmp_path)
    (tmp_path / "good.md").write_text("Plain words.\n", encoding="utf-8")
    (tmp_path / "bad.md").write_text("Plain words.\n\nWritten anew.\n", encoding="utf-8")
    assert check_text.main([str(tmp_path / "good.md")]) == 0
    assert capsys.readouterr().out == "1 texts read, 0 to be reworded\n"
    assert check_text.main([str(tmp_path / "bad.md")]) == 1
    assert capsys.readouterr().err == 'bad.md:3: `anew` in "Written anew.": write `again`\n'
