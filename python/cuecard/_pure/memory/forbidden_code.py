"""Finds forbidden code and imports in the text of an edit (SPEC 40.3).

There is no parser: lines, words and quotes are enough.
"""

import re

from .forbids import BLANKS

# Functions that languages have without an import. Behind a dot, another function has the name.
BUILT_IN = frozenset(
    "alert breakpoint confirm eval exec exit fetch input open print printf println prompt quit require".split(" ")
)
# The objects before the dot that have the built-in functions themselves.
OWNERS = ("builtins", "global", "globalThis", "window")
# The words before a name that define it.
DEFINING = ("class", "def", "fn", "fun", "func", "function", "sub")
# The words directly before the quoted name of a module.
QUOTED = frozenset("#include @import from import include include_once require require_once require_relative".split(" "))
# The beginnings of lines that are comments.
COMMENTS = ("# ", "## ", "#!", "//", "/*", "* ", "*/", "-- ", "<!--", "%% ")
# The marks of a comment behind code, and how many of each are looked at in a line.
COMMENT_MARKS = (" // ", " # ")
MAX_MARKS = 4
# How many characters of a line are looked at before and behind a piece of code.
NEAR = 120
# The ends of names of files with prose.
PROSE = (".adoc", ".markdown", ".md", ".mdx", ".org", ".rst", ".txt")

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD_CHARS = frozenset(_LETTERS + "0123456789_")
# Splits where the Rust core splits: at the characters that are no part of a name.
_NO_WORD = re.compile("[^A-Za-z0-9_\x80-\U0010ffff]")
_QUOTES = re.compile("[\"'`]")
_NAME_STARTS = re.compile("[(={},.]")


def is_prose(path: str) -> bool:
    """Whether a file has prose, in which code is only spoken about."""
    return _has_end(path, PROSE)


def _has_end(path: str, ends: tuple[str, ...]) -> bool:
    return "".join([char.lower() if char.isascii() else char for char in path]).endswith(ends)


def count_code(text: str, code: str) -> int:
    """How often a text has a piece of code: whole names only, and not in lines that are comments if the piece can only
    be code."""
    called = code[:-2] if code.endswith("()") else code[:-1] if code.endswith("(") else ""
    called = called.rstrip(" ")
    name = called or code
    is_built_in = name in BUILT_IN
    parts = name.split(".")
    is_member = len(parts) > 1 and all(part and all(map(_is_word, part)) for part in parts)
    skips_comments = bool(called) or is_built_in or is_member
    lines = [line for line in text.split("\n") if name in line]
    if skips_comments:
        lines = list(map(_code_of, lines))
    return sum([_count(line, name, is_call=bool(called), is_built_in=is_built_in) for line in lines])


def _count(line: str, name: str, *, is_call: bool, is_built_in: bool) -> int:
    """How often a line has a piece of code; `is_call` says whether `(` must follow."""
    count, at = 0, line.find(name)
    while at >= 0:
        count += _is_at(
            line[max(0, at - NEAR) : at],
            name,
            line[at + len(name) : at + len(name) + NEAR],
            is_call=is_call,
            is_built_in=is_built_in,
        )
        at = line.find(name, at + len(name))
    return count


def _is_at(before: str, name: str, behind: str, *, is_call: bool, is_built_in: bool) -> bool:
    """Whether a piece of code stands by itself between two texts."""
    if (_is_word(name[0]) and _ends_in_name(before)) or (_is_word(name[-1]) and _begins_in_name(behind)):
        return False
    if is_call and not behind.lstrip(BLANKS).startswith("("):
        return False
    if is_built_in and before[-1:] == ".":
        return _last_word(before[:-1]) in OWNERS
    gap = before.rstrip(BLANKS)
    return gap == before or not (is_call or is_built_in) or _last_word(gap) not in DEFINING


def is_module(name: str, module: str) -> bool:
    """Whether a module is a forbidden module, or a part of it."""
    name, module = name.removeprefix("node:"), module.removeprefix("node:")
    return name.startswith(module) and name[len(module) :][:1] in ("", ".", "/", ":", "\\")


def imported_modules(text: str, path: str) -> list[str]:
    """The modules that the lines of a file import, in their order. `path` is the path of the file."""
    is_go = _has_end(path, (".go",))
    modules: list[str] = []
    for line in text.split("\n"):
        if not _is_comment(line):
            _add_modules(line.strip(" \t\r;"), is_go, modules)
    return modules


def _add_modules(line: str, is_go: bool, modules: list[str]) -> None:
    included = line.removeprefix("#include").lstrip(BLANKS) if line.startswith("#include") else ""
    if included.startswith("<"):
        name, sign, _rest = included[1:].partition(">")
        modules += [name] if sign else []
        return
    parts = _QUOTES.split(line)
    if len(parts) > 2:
        # Every second part stands in quotes.
        for number in range(1, len(parts), 2):
            before = parts[number - 1]
            is_alone = is_go and number == 1 and len(parts) == 3 and len(before.replace("\t", " ").split(" ")) < 3
            if _last_quoting(before.rstrip(" \t(")) in QUOTED or (is_alone and _is_alias(before)):
                modules.append(parts[number])
        return
    words = _words(line)
    if words and (words[0] == "pub" or words[0].startswith("pub(")):
        del words[0]
    head = words[0] if words else ""
    rest = " ".join([word for word in words[1:] if word not in ("static", "type", "crate", "function")])
    if head == "from":
        module, _sign, names = rest.partition(" import ")
        modules.append(module)
        modules += [f"{module}.{name}" for name in _first_words(names.strip("()").split(","))]
    elif head in ("import", "extern"):
        modules += map(_without_star, _first_words(rest.strip("()").split(",")))
    elif head == "use":
        module, _sign, listed = rest.lstrip(":\\").partition("{")
        used = _first_words(listed.replace("{", ",").replace("}", ",").split(","))
        modules += [_without_star(module + name) for name in used] or map(_without_star, _first_words([module]))
    elif head == "using":
        modules += _first_words([rest.partition("=")[2] if "=" in rest else rest])


def _without_star(name: str) -> str:
    """A module's name without `.*`, `::*` and `;` at its end."""
    return name.rstrip(";*").rstrip(".:")


def _last_quoting(text: str) -> str:
    """The last word of a text; for `import name` it is `import`, because a name may stand between."""
    words = _words(text)
    if len(words) == 2 and words[0] == "import":
        return "import"
    return _NAME_STARTS.split(words[-1])[-1] if words else ""


def _is_alias(text: str) -> bool:
    """Whether the text before the quotes of a line is nothing or one name, as in a list of imports of Go."""
    return all(_is_word(char) or char == "." for char in text.strip(BLANKS))


def _words(text: str) -> list[str]:
    return [word for word in text.replace("\t", " ").split(" ") if word]


def _first_words(texts: list[str]) -> list[str]:
    """The first word of each text that has one."""
    return [words[0] for words in map(_words, texts) if words]


def _code_of(line: str) -> str:
    """A line without its comment: nothing of a line that is one, and what stands before `//` or `#` between blanks,
    unless that stands in quotes."""
    if _is_comment(line):
        return ""
    ends = []
    for mark in COMMENT_MARKS:
        begin = line.find(mark)
        for _number in range(MAX_MARKS):
            if begin < 0:
                break
            if line.count('"', 0, begin) % 2 == line.count("'", 0, begin) % 2 == 0:
                ends.append(begin)
            begin = line.find(mark, begin + len(mark))
    return line[: min(ends)] if ends else line


def _is_comment(line: str) -> bool:
    line = line.lstrip(BLANKS)
    return line in ("#", "*", "--") or line.startswith(COMMENTS)


def _is_word(char: str) -> bool:
    """Whether a character is a letter, a digit, `_`, or beyond ASCII."""
    return char in _WORD_CHARS or char > "\x7f"


def _ends_in_name(before: str) -> bool:
    """Whether a name goes on behind a text: with a word character, or with a hyphen that joins words."""
    if before[-1:] == "-":
        return before[-2:-1] == "-" or (before[-2:-1] != "" and before[-2:-1] in _LETTERS)
    return before != "" and _is_word(before[-1])


def _begins_in_name(behind: str) -> bool:
    if behind[:1] == "-":
        return behind[1:2] != "" and behind[1:2] in _LETTERS
    return behind != "" and _is_word(behind[0])


def _last_word(text: str) -> str:
    return _NO_WORD.split(text)[-1]


def names_in(text: str) -> set[str]:
    """The names in a text, and ""."""
    return set(_NO_WORD.split(text))


def first_name(code: str) -> str:
    """The first name in a piece of code: a text that has the piece has this word. Empty if the piece has no name."""
    return next((word for word in _NO_WORD.split(code) if word), "")
