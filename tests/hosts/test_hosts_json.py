"""Edits of JSON with comments change only what was requested."""

import json
import re
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from cuecard.hosts import json_settings
from cuecard.hosts.json_settings import Path
from cuecard.hosts.jsonc import JsoncValue, MalformedText, parse

BLANKS = st.sampled_from(
    [
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\r\n\t",
        ' // a "note" {,\n',
        "/* x */",
        "// {\n",
        "// [\n",
        "/* // , */ ",
        "\n// http://y\r\n",
        "/* a\n b */",
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-99, 99), st.sampled_from([1.5, -2e30]), st.text(max_size=5)
).filter(lambda value: not isinstance(value, str) or value.isprintable())
KEYS = st.sampled_from(["a", "hooks", "é", "", 'quo"te', "// no comment", "/*"])


@cache
def values() -> SearchStrategy[object]:
    return st.recursive(
        SCALARS,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
        max_leaves=8,
    )


@st.composite
def documents(draw: DrawFn) -> tuple[str, object]:
    """A text with comments, blanks and trailing commas in any place, and the value of this JSON text."""
    plain = draw(st.dictionaries(KEYS, values(), max_size=4))

    def write(value: object) -> str:
        if not isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        items = [draw(BLANKS)]
        for number, item in enumerate(value):
            if number:
                items += [",", draw(BLANKS)]
            if isinstance(value, dict):
                items += [json.dumps(item), draw(BLANKS), ":", draw(BLANKS), write(value[item]), draw(BLANKS)]
            else:
                items += [write(item), draw(BLANKS)]
        if value and draw(st.integers(0, 3)) == 0:
            items += [",", draw(BLANKS)]
        return "".join(["{" if isinstance(value, dict) else "[", *items, "}" if isinstance(value, dict) else "]"])

    return draw(BLANKS) + write(plain) + draw(BLANKS), plain


_TOKEN = re.compile(r'//[^\r\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|[{}\[\]:]|[^\s,{}\[\]:"/]+', re.DOTALL)


def tokens(text: str) -> list[str]:
    """The comments, strings, brackets, colons and scalars of a text, without blanks and commas."""
    return [token.rstrip() for token in _TOKEN.findall(text)]


def is_one_slice_longer(short: list[str], long: list[str], slice_: list[str]) -> bool:
    """Whether `short` becomes `long` if `slice_` is inserted at some place."""
    return any(short[:place] + slice_ + short[place:] == long for place in range(len(short) + 1))


def containers(value: JsoncValue, path: Path = ()) -> list[Path]:
    """The paths of all objects and lists in a value, at any depth."""
    if not (value.is_object or value.is_list):
        return []
    found = [path]
    for number, part in enumerate(value.parts):
        found += containers(part.value, (*path, part.key if value.is_object else number))
    return found


def parts(value: JsoncValue) -> list[Path]:
    """The paths of all members and items in a value, at any depth."""
    found: list[Path] = []
    for path in containers(value):
        container = json_settings.find(value, path)
        assert container
        found += [(*path, part.key if container.is_object else number) for number, part in enumerate(container.parts)]
    return found


def holder(plain: object, path: Path) -> object:
    for step in path:
        plain = plain[step]  # type: ignore[index]
    return plain


@given(documents())
def test_a_text_is_read_as_what_it_says(document: tuple[str, object]) -> None:
    text, plain = document
    assert parse(text).to_plain() == plain


@given(documents(), values(), st.data())
@example(('{"a": 1 // c\n}', {"a": 1}), {}, None)
@example(("{// c\n}", {}), {}, None)
def test_what_is_appended_is_all_that_comes_and_goes_again(
    document: tuple[str, object], value: object, data: st.DataObject | None
) -> None:
    text, plain = document
    path = data.draw(st.sampled_from(containers(parse(text)))) if data else ()
    after = json_settings.append(text, path, value, "new")
    target = holder(plain, path)
    if isinstance(target, dict):
        target["new"] = value
        slice_ = ['"new"', ":", *tokens(json.dumps(value, ensure_ascii=False))]
        new: str | int = "new"
    else:
        assert isinstance(target, list)
        target.append(value)
        slice_ = tokens(json.dumps(value, ensure_ascii=False))
        new = len(target) - 1
    assert parse(after).to_plain() == plain
    assert is_one_slice_longer(tokens(text), tokens(after), slice_)
    again = json_settings.remove(after, (*path, new))
    assert tokens(again) == tokens(text)
    del target[new]  # type: ignore[arg-type]
    assert parse(again).to_plain() == plain


@given(documents(), st.data())
def test_what_is_removed_is_all_that_goes(document: tuple[str, object], data: st.DataObject) -> None:
    text, plain = document
    paths = parts(parse(text))
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    removed = json_settings.find(parse(text), path)
    assert removed
    after = json_settings.remove(text, path)
    target = holder(plain, path[:-1])
    del target[path[-1]]  # type: ignore[attr-defined]
    assert parse(after).to_plain() == plain
    kept = tokens(text[removed.end :])
    assert tokens(after)[len(tokens(after)) - len(kept) :] == kept


@given(documents(), values(), st.data())
def test_what_is_replaced_is_all_that_changes(document: tuple[str, object], value: object, data: st.DataObject) -> None:
    text, plain = document
    paths = parts(parse(text))
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    old = json_settings.find(parse(text), path)
    assert old
    after = json_settings.replace(text, path, value)
    assert after.startswith(text[: old.start])
    assert after.endswith(text[old.end :])
    holder(plain, path[:-1])[path[-1]] = value  # type: ignore[index]
    assert parse(after).to_plain() == plain


@given(st.text(alphabet='{}[]":,/*\\ntrue1.e-"\n ', max_size=30))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    problem = None
    try:
        parse(text)
    except MalformedText as error:
        problem = error
    if problem:
        assert 1 <= problem.line <= text.count("\n") + 1
        assert problem.column >= 1
    elif "/" not in text and not re.search(r",\s*[}\]]", text):
        json.loads(text)


@given(values())
def test_plain_json_is_read_as_python_does(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent="\t", ensure_ascii=False)):
        assert parse(text).to_plain() == value


LAID_OUT = [
    ("four blanks", '{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "n": {\n        "x": 1\n    }\n}\n'),
    ("tabs", '{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"n": {\n\t\t"x": 1\n\t}\n}'),
    ("CRLF", '{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "n": {\r\n    "x": 1\r\n  }\r\n}\r\n'),
    ("one line", '{"a": 1}', '{"a": 1, "n": {"x": 1}}'),
    ("nothing", "{}", '{\n  "n": {\n    "x": 1\n  }\n}'),
    ("a comment behind", '{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "n": {\n    "x": 1\n  }\n}'),
    ("a trailing comma", '{\n  "a": 1,\n}', '{\n  "a": 1,\n  "n": {\n    "x": 1\n  }\n}'),
]


@pytest.mark.parametrize(("before", "after"), [(case[1], case[2]) for case in LAID_OUT], ids=[c[0] for c in LAID_OUT])
def test_a_member_is_laid_out_as_its_file(before: str, after: str) -> None:
    appended = json_settings.append(before, (), {"x": 1}, "n")
    assert appended == after
    if "1,\n}" not in before:
        assert json_settings.remove(appended, ("n",)) == before


def test_of_members_with_one_name_the_last_counts() -> None:
    text = '{"a": [1], "a": [2]}'
    assert parse(text).to_plain() == {"a": [2]}
    assert json_settings.append(text, ("a",), 3) == '{"a": [1], "a": [2, 3]}'


def test_a_text_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(MalformedText, match="nests too deep"):
        parse("[" * 100_000)
