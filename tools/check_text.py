"""Finds words and phrases in the texts of this tree that make a reader read a sentence twice.

Usage: `python tools/check_text.py [FILE...]`, by default for every tracked file. Reads comments, docstrings and
messages of Python and Rust, comments of shell scripts and settings, and Markdown without code. Prints one line for
each finding; exits 1 if there is one. `EXCEPTIONS` lists the texts that may stay as they are, with reasons.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Texts by other authors, texts that tools write, and data.
NOT_READ = (
    *("tests/data/", "tests/vectors/", "tests/attacks/", "tests/e2e/", "python/cuecard/assets/", ".claude/"),
    *("docs/attacks.md", "tools/check_text.py", "tests/house/test_check_text.py"),
)


@dataclass(frozen=True)
class Rule:
    """A phrase to avoid, and advice on what to write instead."""

    pattern: re.Pattern[str]
    advice: str
    # The kinds of text that are searched: `comment`, `docstring`, `message` and `prose`, which is Markdown.
    kinds: frozenset[str] = frozenset({"comment", "docstring", "message", "prose"})


def _words(pattern: str, advice: str, *kinds: str) -> Rule:
    compiled = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    return Rule(compiled, advice, frozenset(kinds)) if kinds else Rule(compiled, advice)


RULES = (
    _words(r"mend(?:s|ed|ing)?", "write `fix` or `repair`"),
    _words(r"anew|afresh", "write `again`"),
    _words(r"who(?:ever|soever|mever)", "name who it is"),
    _words(r"n[ao]ught", "write `nothing`"),
    _words(r"lest", "write `so that ... not`"),
    _words(r"as it were|by word|at all events|next to (?:always|never|nothing)|makes? do", "say it in plain words"),
    _words(r"whilst|amongst|hitherto|henceforth|albeit|forthwith|where(?:of|upon)", "use the everyday word"),
    _words(r"there(?:of|in|upon|to)|whence|thence|hence", "say `of it`, `in it`, `from there`, `so`"),
    _words(r"ere|nay|oft|betwixt|unto|perchance|behold", "use the everyday word"),
    _words(r"for ever", "write `forever`"),
    _words(r"but for", "write `except`"),
    _words(r"be it (?:an?|the|empty)", "write `also`, or say both cases"),
    _words(r"on the average", "write `on average`"),
    # History belongs in the changelog and the commit.
    _words(r"formerly|previously|used to be|in former times", "say what is, not what was", "comment", "docstring"),
    _words(r"(?:it|they|this|that|we|which) used to", "say what is, not what was", "comment", "docstring"),
    _words(r"no longer|(?:not|n't)\b[^.]{0,40}\bany ?more", "say what is, not what was", "comment"),
    # Without a subject and a verb a sentence has to be decoded.
    Rule(re.compile(r"\A(?:Of|By)\b"), "begin with the subject", frozenset({"comment", "docstring"})),
)

# For each file, texts that may stay although a rule finds them, each with the reason.
EXCEPTIONS: dict[str, tuple[tuple[str, str], ...]] = {}


@dataclass(frozen=True)
class Text:
    """A piece of text for people, and the line on which it begins."""

    line: int
    kind: str
    words: str


def read_texts(name: str, content: str) -> list[Text]:
    """The texts for people in a file; an empty list for an unknown kind of file."""
    if name.endswith((".py", ".pyi")):
        return _python(content, is_test=name.startswith("tests/"))
    if name.endswith(".rs"):
        return _rust(content, is_test="/tests/" in name)
    if name.endswith(".md"):
        return _markdown(content)
    if name.endswith((".sh", ".toml", ".yml", ".yaml", ".cff")) or name in ("Makefile", ".ci/run", "bin/cuecard"):
        return _joined([(number, line) for number, line in _numbered(content, r"^\s*(?:@)?#(?!!)\s?(.*)$")])
    return []


def findings(name: str, content: str) -> list[str]:
    """The places in a file that need rewording, one line of text each."""
    found = []
    for text in read_texts(name, content):
        plain = re.sub(r"`[^`]*`", "``", text.words)
        for rule in RULES:
            if text.kind not in rule.kinds:
                continue
            for match in rule.pattern.finditer(plain):
                around = plain[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ").strip()
                if any(part in plain.replace("\n", " ") for part, _reason in EXCEPTIONS.get(name, ())):
                    continue
                line = text.line + plain.count("\n", 0, match.start())
                found.append(f'{name}:{line}: `{match[0].strip()}` in "{around}": {rule.advice}')
    return found


def _python(content: str, *, is_test: bool) -> list[Text]:
    comments = [
        (token.start[0], token.string.lstrip("#").strip())
        for token in tokenize.generate_tokens(io.StringIO(content).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(("#!", "# type:", "# noqa"))
    ]
    tree, texts = ast.parse(content), _joined(comments)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            value = first.value if isinstance(first, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                docstrings.add(id(value))
                texts.append(Text(first.lineno, "docstring", value.value))
    if not is_test:
        # An f-string is one message, with `_` in the place of each value.
        joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        messages = [(node.lineno, "".join([_words_of(part) for part in node.values])) for node in joined]
        parts = {id(part) for node in joined for part in node.values}
        messages += [
            (node.lineno, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | parts
        ]
        texts += [Text(line, "message", words) for line, words in messages if words.count(" ") > 2]
    return texts


def _words_of(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "_"


def _rust(content: str, *, is_test: bool) -> list[Text]:
    texts = _joined(_numbered(content, r"^\s*//[/!]?\s?(.*)$"))
    if not is_test:
        # Tests are at the end of their module.
        code = content.partition("#[cfg(test)]\nmod ")[0]
        for number, line in enumerate(code.splitlines(), 1):
            if not line.lstrip().startswith("//"):
                found = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
                texts += [Text(number, "message", words) for words in found if words.count(" ") > 2]
    return texts


def _markdown(content: str) -> list[Text]:
    plain = re.sub(r"^```.*?^```$", lambda match: "\n" * match[0].count("\n"), content, flags=re.DOTALL | re.MULTILINE)
    return [Text(number, "prose", line) for number, line in enumerate(plain.splitlines(), 1) if line.strip()]


def _numbered(content: str, pattern: str) -> list[tuple[int, str]]:
    return [
        (number, match[1]) for number, line in enumerate(content.splitlines(), 1) if (match := re.match(pattern, line))
    ]


def _joined(lines: list[tuple[int, str]]) -> list[Text]:
    """Join comments on consecutive lines into one text."""
    texts: list[Text] = []
    last = -1
    for number, words in lines:
        if texts and number == last + 1:
            texts[-1] = Text(texts[-1].line, "comment", f"{texts[-1].words}\n{words}")
        else:
            texts.append(Text(number, "comment", words))
        last = number
    return texts


def main(arguments: list[str]) -> int:
    """Check the named files, or all tracked files; return the exit status."""
    if arguments:
        names = [Path(argument).resolve().relative_to(ROOT).as_posix() for argument in arguments]
    else:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
        names = listed.stdout.decode().split("\0")
    found, read = [], 0
    for name in sorted(names):
        path = ROOT / name
        if name and not name.startswith(NOT_READ) and path.is_file() and not path.is_symlink():
            try:
                content = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
            texts = read_texts(name, content)
            read += len(texts)
            found += findings(name, content) if texts else []
    print(*found, sep="\n", file=sys.stderr)
    print(f"{read:,} texts read, {len(found)} to be reworded")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
