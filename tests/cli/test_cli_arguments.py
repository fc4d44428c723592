"""How the words of a command line become values, and the rules for the table of commands."""

import inspect
import typing

import pytest

from cuecard.basics import options
from cuecard.cli.arguments import Argument, Option, command
from cuecard.cli.command_table import ABOUT, COMMANDS, GROUPS, HEADINGS, find, list_commands, list_headings, load
from cuecard.cli.help_page import page_of_command, page_of_program
from cuecard.errors import UsageError


@command(
    Argument("WHAT", "What to do."),
    Argument("FILE", "Files.", dest="files", is_required=False, is_repeatable=True),
    Option("--limit", "-n", metavar="N", kind=int, default=7, low=1, high=9, help="How many."),
    Option("--tag", "-t", metavar="TAG", dest="tags", is_repeatable=True, help="Tags."),
    Option("--all", "-a", dest="all_", help="All of them."),
    Option("--apply", off="--dry-run", help="Do it."),
)
def example(what: str, files: list[str], limit: int, tags: list[str], all_: bool, apply: bool | None) -> None:
    """Do something.

    It is an example.
    """


DEFAULTS: dict[str, object] = {"what": "x", "files": [], "limit": 7, "tags": [], "all_": False, "apply": None}


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("x", {}),
        ("x a b", {"files": ["a", "b"]}),
        ("--limit 3 x", {"limit": 3}),
        ("x --limit=3", {"limit": 3}),
        ("x -n 3", {"limit": 3}),
        ("x -n3", {"limit": 3}),
        ("x --limit 3 --limit 4", {"limit": 4}),
        ("-t one x -t two a", {"tags": ["one", "two"], "files": ["a"]}),
        ("x --tag --all", {"tags": ["--all"]}),
        ("x --tag=", {"tags": [""]}),
        ("x -an3", {"all_": True, "limit": 3}),
        ("x -at one", {"all_": True, "tags": ["one"]}),
        ("x --apply", {"apply": True}),
        ("x --apply --dry-run", {"apply": False}),
        ("-- x --all", {"files": ["--all"]}),
        ("- -a", {"what": "-", "all_": True}),
    ],
)
def test_words_become_values(line: str, changed: dict[str, object]) -> None:
    assert example.parse(line.split(" "), "cuecard example") == DEFAULTS | changed


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ("--all", "missing argument `WHAT`", "see `cuecard example --help`"),
        ("x --limit", "option `--limit` requires an argument", "see `cuecard example --help`"),
        ("x --limit many", "invalid value for `--limit`: `many` is not a whole number", "see `cuecard example --help`"),
        ("x -n 10", "invalid value for `-n`: 10 is out of its range, 1 to 9", "see `cuecard example --help`"),
        ("x --all=yes", "option `--all` does not take a value", "see `cuecard example --help`"),
        ("x --limt 3", "no such option `--limt`", "did you mean `--limit`? see `cuecard example --help`"),
        ("x --lim 3", "no such option `--lim`", "did you mean `--limit` or `--all`? see `cuecard example --help`"),
        ("x -z", "no such option `-z`", "see `cuecard example --help`"),
        ("x -az", "no such option `-z`", "see `cuecard example --help`"),
    ],
)
def test_wrong_words_are_named(line: str, what: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        example.parse(line.split(" "), "cuecard example")
    assert (raised.value.what, raised.value.hint) == (what, hint)


def test_words_without_a_place_are_named() -> None:
    with pytest.raises(UsageError, match="got unexpected extra arguments `a b`") as raised:
        load("show").parse(["x", "a", "b"], "cuecard show")
    assert raised.value.hint == "put several words into quotes"


def test_a_text_in_quotes_without_a_place_is_sent_to_its_option() -> None:
    with pytest.raises(UsageError) as raised:
        load("why").parse(["memory", "which database do we use"], "cuecard why")
    assert raised.value.hint.startswith("give a text with `--prompt TEXT`")


@pytest.mark.parametrize("line", ["--help", "-h", "x --help", "--all -h", "-ah"])
def test_help_goes_before_what_is_missing(line: str) -> None:
    assert example.parse(line.split(" "), "cuecard example") is None


def test_a_help_page_says_what_a_command_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    assert "\n".join(page_of_command("cuecard example", example)) == (
        """\
Usage: cuecard example [OPTIONS] WHAT [FILE]...

  Do something.

  It is an example.

Arguments:
  WHAT       What to do.
  [FILE]...  Files.

Options:
  -n, --limit N        How many. [default: 7; 1 to
                       9]
  -t, --tag TAG        Tags.
  -a, --all            All of them.
  --apply / --dry-run  Do it.
  -h, --help           Show this message and exit."""
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_has_the_first_sentence_of_each_function(name: str) -> None:
    documentation = load(name).function.__doc__ or ""
    assert " ".join(documentation.split("\n\n")[0].split()) == COMMANDS[name][1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_function_takes_just_what_its_command_declares(name: str) -> None:
    declared = load(name)
    parameters: list[Argument | Option] = [*declared.arguments, *declared.options]
    expected = {parameter.dest: _type_of(parameter) for parameter in parameters}
    found = typing.get_type_hints(declared.function, localns=vars(options))
    assert found.pop("return") in (int, type(None))
    assert list(inspect.signature(declared.function).parameters) == list(found)
    if list(found) == ["given"]:
        found = typing.get_type_hints(found["given"], localns=vars(options))
    assert {name: _without_names(kind) for name, kind in found.items()} == expected


def _without_names(kind: object) -> object:
    """The type with `str` instead of each `Literal` of names."""
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Literal:
        return str
    if typing.get_origin(kind) is list:
        return list[_without_names(arguments[0])]  # type: ignore[misc]
    if type(None) in arguments:
        (some,) = [argument for argument in arguments if argument is not type(None)]
        return _without_names(some) | None  # type: ignore[operator]
    return kind


def _type_of(parameter: Argument | Option) -> object:
    """The type of the values that an option or argument accepts."""
    if isinstance(parameter, Argument):
        return list[str] if parameter.is_repeatable else str if parameter.is_required else str | None
    kind = bool if parameter.is_flag else parameter.kind
    if parameter.is_repeatable:
        return list[str]
    return kind | None if parameter.default is None and not parameter.is_required else kind


@pytest.mark.parametrize("name", COMMANDS)
def test_no_two_parameters_of_a_command_have_one_name(name: str) -> None:
    declared = load(name)
    names = [word for option in declared.options for word in (*option.names, option.off) if word]
    assert len(set(names)) == len(names)
    optional = [argument for argument in declared.arguments if not argument.is_required or argument.is_repeatable]
    # An argument after an optional or repeatable argument could never get a word.
    assert declared.arguments[-len(optional) :] == optional or not optional
    assert not any(argument.is_repeatable for argument in declared.arguments[:-1])


def test_groups_have_commands_of_their_own() -> None:
    assert {name.split()[0] for name in COMMANDS if " " in name} == set(GROUPS)
    assert find("rebuild", "index") == "index rebuild"
    for word, group in (("rebuild", ""), ("index rebuild", ""), ("show", "index"), ("index", "")):
        with pytest.raises(UsageError, match="no such command"):
            find(word, group)
    assert [name for name, _ in list_commands("index")] == ["rebuild", "validate", "query"]


def test_the_help_page_has_every_command_once_on_one_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = [name for shown, further in HEADINGS.values() for name in (*shown, *further)]
    assert sorted(listed) == sorted([name for name, _ in list_commands("")])
    page = page_of_program(ABOUT, list_headings())
    assert len(page) <= 45
    assert all(len(line) <= 80 for line in page)


def test_no_row_of_the_help_page_looks_like_a_command_that_there_is_not() -> None:
    rows = [name for _, rows in list_headings() for name, _ in rows]
    assert all(find(name) for name in rows if not name.endswith(":"))
