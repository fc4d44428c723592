"""Finds the completions of a command line. The scripts of `cuecard completion` call it at every press of Tab.

The first line of an answer is `words`, or `files` or `folders`, which the shell completes itself. Each further line is
a word and, after a tab, its description. No line contains text that could control a terminal: names of files with
characters that ids cannot have are left out, and titles are cleaned and withheld as in other commands.
"""

from ..errors import CuecardError, StoreError
from . import command_table as commands
from .arguments import HELP_NAMES
from .terminal import print_lines, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .arguments import Command, Option

CompletionWords = list[tuple[str, str]]
SHELLS = ("bash", "zsh", "fish")
MAX_ABOUT_CHARS = 80
ID_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.")


def answer(words: "Sequence[str]") -> None:
    """Print the completions of the last word, which may be empty. After an error nothing is printed."""
    try:
        kind, found = complete(words)
    except (CuecardError, OSError):
        return
    lines = [f"{word}\t{visible(about)[:MAX_ABOUT_CHARS]}" for word, about in found if word.startswith(words[-1])]
    print_lines([kind, *lines])


def complete(words: "Sequence[str]") -> tuple[str, CompletionWords]:
    """The kind of the last word (`words`, `files` or `folders`) and its completions.

    `words` are the words after the name of the program.
    """
    *before, current = words
    group = before.pop(0) if before and before[0] in commands.GROUPS else ""
    if not before:
        flags = [("--help", ""), *([] if group else [("--version", "")])]
        return "words", flags if current.startswith("-") else commands.list_commands(group)
    name = commands.find(before[0], group)
    return _complete_parameter(commands.load(name), before[1:], current)


def _complete_parameter(command: "Command", before: "Sequence[str]", current: str) -> tuple[str, CompletionWords]:
    """Complete the word `current` after a command and the words `before`: an option, its value, or an argument."""
    by_name = {name: option for option in command.options for name in option.names}
    given: list[Option] = []
    root, positional, is_over = None, 0, False
    rest = iter(before)
    for word in rest:
        option = None if is_over else by_name.get(word.partition("=")[0])
        if option is None:
            is_over = is_over or word == "--"
            positional += is_over or not word.startswith("-")
            positional -= word == "--"
            continue
        given.append(option)
        value = None if option.is_flag or "=" in word else next(rest, None)
        if value is None and not option.is_flag and "=" not in word:
            return _values_of(option.metavar, current, root)
        if option.dest == "root":
            root = value or word.partition("=")[2]
    if current.startswith("-") and not is_over:
        open_options = [option for option in command.options if option.is_repeatable or option not in given]
        names = [(name, option.help) for option in open_options for name in (option.names[0], option.off) if name]
        return "words", [*names, (HELP_NAMES[-1], "Show this message and exit.")]
    arguments = command.arguments
    if arguments and positional >= len(arguments) and arguments[-1].is_repeatable:
        positional = len(arguments) - 1
    return _values_of(arguments[positional].metavar, current, root) if positional < len(arguments) else ("words", [])


def _values_of(metavar: str, current: str, root: "str | None") -> tuple[str, CompletionWords]:
    """The completions for a parameter with this `metavar`."""
    if metavar in FILES:
        return "files", []
    if metavar == "FOLDER":
        return "folders", []
    find = FINDERS.get(metavar)
    return "words", find(current, root) if find else []


def _memories(current: str, root: "str | None") -> CompletionWords:
    """The ids of memories that begin with `current`, with titles; CATEGORY/ID if `current` has a slash."""
    from ..files.memory_files import list_records
    from ..store.records.memory import read_memory
    from ..store.records.store_reader import StoreReader
    from .show.trust_marks import Marks, shown_title

    store = StoreReader(root)
    memories = []
    for category, path in list_records(store.memory_dir):
        stem = path.rpartition("/")[2].removesuffix(".json")
        if ID_SIGNS.issuperset(stem) and (f"{category}/{stem}" if "/" in current else stem).startswith(current):
            try:
                memories.append(read_memory(store.root, store.memory_dir, category, path))
            except StoreError:
                continue
    marks = Marks(store.memory_dir, memories)
    titles = [shown_title(memory.title, marks[memory.path]) for memory in memories]
    names = [memory.name if "/" in current else memory.id for memory in memories]
    return list(zip(names, titles, strict=True))


def _settings(_current: str, _root: "str | None") -> CompletionWords:
    from .._backend import settings_table

    return [(name, "") for name in settings_table().rows if "*" not in name]


def _categories(_current: str, _root: "str | None") -> CompletionWords:
    from ..store.records.store_reader import CATEGORIES

    return _plain(CATEGORIES)


def _statuses(_current: str, _root: "str | None") -> CompletionWords:
    from ..store.records.store_reader import STATUSES

    return _plain(STATUSES)


def _strategies(_current: str, _root: "str | None") -> CompletionWords:
    from .._backend import STRATEGIES

    return _plain(STRATEGIES)


def _levels(_current: str, _root: "str | None") -> CompletionWords:
    from .._backend import GATE_SETTINGS

    return _plain(GATE_SETTINGS)


def _hosts(_current: str, _root: "str | None") -> CompletionWords:
    from ..hosts.registry import HOSTS

    return [(host.name, host.title) for host in HOSTS]


def _plain(words: "Iterable[str]") -> CompletionWords:
    return [(word, "") for word in words]


FILES = ("DIR", "FILE", "PATH", "RUN", "SOURCE")
FINDERS: "dict[str, Callable[[str, str | None], CompletionWords]]" = {
    "ACTION": lambda _current, _root: _plain(("list", "show", "edit", "accept", "reject")),
    "CATEGORY": _categories,
    "HOST": _hosts,
    "LEVEL": _levels,
    "MEMORY": _memories,
    "SCOPE": lambda _current, _root: _plain(("user", "project")),
    "SETTING": _settings,
    "SHELL": lambda _current, _root: _plain(SHELLS),
    "STATUS": _statuses,
    "STRATEGY": _strategies,
}
