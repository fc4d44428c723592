"""Declares the arguments and options of a command, and reads their values from the words of a command line.

This replaces typer and argparse. Loading typer takes several times as long as starting Python, which is too much for a
command that reads one file. argparse is fast, but it refuses a value that begins with a dash, and its help page differs
between versions of Python.
"""

from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, NoReturn

    from typing_extensions import NotRequired, TypedDict, Unpack

    class OptionDetails(TypedDict):
        """What an `Option` may be given beside its names."""

        help: str
        metavar: NotRequired[str]
        dest: NotRequired[str]
        off: NotRequired[str]
        kind: NotRequired[type]
        default: NotRequired[object]
        low: NotRequired[int]
        high: NotRequired[int]
        is_required: NotRequired[bool]
        is_repeatable: NotRequired[bool]


PROGRAM = "cuecard"
HELP_NAMES = ("-h", "--help")
# The metavar of an option that takes a text of several words.
TEXT = "TEXT"
# The command that the scripts of `cuecard completion` call; no help page lists it.
COMPLETE = "__complete"


class Argument:
    """A positional argument. `metavar` is its name in help and messages, and selects how a shell completes it."""

    def __init__(
        self,
        metavar: str,
        help: str,
        *,
        dest: str = "",
        is_required: bool = True,
        is_repeatable: bool = False,
    ) -> None:
        self.metavar, self.help = metavar, help
        self.dest = dest or metavar.lower()
        self.is_required, self.is_repeatable = is_required, is_repeatable

    @property
    def usage(self) -> str:
        """The argument as the usage line of the help page shows it."""
        word = self.metavar if self.is_required else f"[{self.metavar}]"
        return f"{word}..." if self.is_repeatable else word


class Option:
    """An option: a flag, or an option that takes a value, whose name in help is `metavar`.

    `off` is the name that switches a flag off, if there is one. Values of the kind `int` must be from `low` to `high`.
    """

    def __init__(self, *names: str, **details: "Unpack[OptionDetails]") -> None:
        self.names, self.help = names, details["help"]
        self.off, self.metavar = details.get("off", ""), details.get("metavar", "")
        self.dest = details.get("dest", "") or names[0].lstrip("-").replace("-", "_")
        self.kind, self.low, self.high = details.get("kind", str), details.get("low"), details.get("high")
        self.default = details.get("default") if self.metavar or self.off else False
        self.is_required = details.get("is_required", False)
        self.is_repeatable = details.get("is_repeatable", False)

    @property
    def is_flag(self) -> bool:
        """Whether the option takes no value."""
        return not self.metavar

    def read(self, value: str) -> object:
        """Convert a word to the option's value. Raises `ValueError` with a message for the user."""
        if self.kind is not int:
            return value
        try:
            number = int(value)
        except ValueError:
            raise ValueError(f"`{value[:40]}` is not a whole number") from None
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise ValueError(f"{number} is out of its range, {self.range}")
        return number

    @property
    def range(self) -> str:
        """The range of the value in words, such as `1 to 100`; "" without limits."""
        if self.low is None:
            return "" if self.high is None else f"{self.high} or less"
        return f"{self.low} or more" if self.high is None else f"{self.low} to {self.high}"


def argument(
    metavar: str, help: str, *, dest: str = "", is_required: bool = True, is_repeatable: bool = False
) -> "Any":  # noqa: ANN401 - as `option`
    """An `Argument`, as the value of the field of a request that gets what is given."""
    return Argument(metavar, help, dest=dest, is_required=is_required, is_repeatable=is_repeatable)


def option(*names: str, **details: "Unpack[OptionDetails]") -> "Any":  # noqa: ANN401 - the field has the option's type
    """An `Option`, as the value of the field of a request that gets what is given."""
    return Option(*names, **details)


class Command:
    """A function that can be called from the command line; its docstring is the help page."""

    def __init__(
        self,
        function: "Callable[..., int | None]",
        parameters: "Sequence[Argument | Option]",
        request: "type | None" = None,
    ) -> None:
        self.function, self._request = function, request
        self.arguments = [one for one in parameters if isinstance(one, Argument)]
        self.options = [one for one in parameters if isinstance(one, Option)]

    def run(self, values: "dict[str, object]") -> int:
        """Call the function with these values, by name or as one request, and return the exit status."""
        if self._request:
            return self.function(self._request(**values)) or 0
        return self.function(**values) or 0

    def parse(self, words: "Sequence[str]", path: str) -> "dict[str, object] | None":
        """The function's arguments by name; None if help is asked for. Raises `UsageError` with `path` in the hint."""
        return _Reader(self, path).read(words)


def command(
    *parameters: "Argument | Option", request: "type | None" = None
) -> "Callable[[Callable[..., int | None]], Command]":
    """Make a function a command with these parameters. The function returns the exit status, or None for 0.

    The function gets the values by name, or as one object of the class `request`, whose fields are the parameters.
    Those of its base class come first.
    """
    classes = reversed(request.__mro__) if request else ()
    fields = [value for each in classes for value in vars(each).values() if isinstance(value, (Argument, Option))]

    def make(function: "Callable[..., int | None]") -> Command:
        return Command(function, [*parameters, *fields], request)

    return make


class _Reader:
    """Reads the words of one command line."""

    def __init__(self, command: Command, path: str) -> None:
        self._command, self._path = command, path
        self._by_name: dict[str, tuple[Option, bool]] = {}
        for option in command.options:
            self._by_name |= dict.fromkeys(option.names, (option, True))
            if option.off:
                self._by_name[option.off] = option, False
        self._given: dict[str, list[object]] = {}
        self._positional: list[str] = []

    def read(self, words: "Sequence[str]") -> "dict[str, object] | None":
        rest = iter(words)
        for word in rest:
            if word == "--":
                self._positional += rest
            elif word.startswith("--"):
                name, has_value, value = word.partition("=")
                if name in HELP_NAMES:
                    return None
                self._take(name, value if has_value else None, rest)
            elif word.startswith("-") and len(word) > 1:
                if self._take_letters(word, rest):
                    return None
            else:
                self._positional.append(word)
        return {**self._positional_values(), **self._option_values()}

    def _take(self, name: str, value: "str | None", rest: "Iterator[str]") -> None:
        option, is_on = self._by_name.get(name) or self._refuse_option(name)
        if option.is_flag:
            if value is not None:
                self._fail(f"option `{name}` does not take a value")
            self._given[option.dest] = [is_on]
            return
        if value is None:
            value = next(rest, None)
        if value is None:
            self._fail(f"option `{name}` requires an argument")
        try:
            self._given.setdefault(option.dest, []).append(option.read(value))
        except ValueError as error:
            self._fail(f"invalid value for `{name}`: {error}")

    def _take_letters(self, word: str, rest: "Iterator[str]") -> bool:
        """Read a group of short options such as `-yc VALUE` or `-ycVALUE`. Returns whether one of them means help."""
        for place, letter in enumerate(word[1:], 2):
            name = f"-{letter}"
            if name in HELP_NAMES:
                return True
            option, _ = self._by_name.get(name) or self._refuse_option(name)
            if not option.is_flag:
                self._take(name, word[place:] or None, rest)
                break
            self._take(name, None, rest)
        return False

    def _positional_values(self) -> "dict[str, object]":
        values: dict[str, object] = {}
        words = self._positional
        for argument in self._command.arguments:
            if argument.is_required and not words:
                self._fail(f"missing argument `{argument.metavar}`")
            if argument.is_repeatable:
                values[argument.dest], words = words, []
            else:
                values[argument.dest], words = (words[0] if words else None), words[1:]
        if words:
            plural = "s" if len(words) > 1 else ""
            what = f"got unexpected extra argument{plural} `{' '.join(words)[:200]}`"
            raise UsageError(what, self._hint_for(words))
        return values

    def _hint_for(self, words: "Sequence[str]") -> str:
        """What to do with words that have no place: a text in quotes may be meant for an option."""
        named = [f"`{option.names[0]} {option.metavar}`" for option in self._command.options if option.metavar == TEXT]
        if named and any(" " in word for word in words):
            return f"give a text with {' or '.join(named)}"
        return "put several words into quotes"

    def _option_values(self) -> "dict[str, object]":
        values: dict[str, object] = {}
        for option in self._command.options:
            given = self._given.get(option.dest)
            if given is None and option.is_required:
                self._fail(f"missing option `{option.names[0]}`")
            if option.is_repeatable:
                values[option.dest] = given or []
            else:
                values[option.dest] = given[-1] if given else option.default
        return values

    def _refuse_option(self, name: str) -> "NoReturn":
        raise no_such("option", name, [*self._by_name, *HELP_NAMES], self._path)

    def _fail(self, what: str) -> "NoReturn":
        raise UsageError(what, f"see `{self._path} --help`")


def no_such(what: str, name: str, names: "Sequence[str]", path: str) -> UsageError:
    """The error for an unknown option or command; its hint lists the most similar names."""
    import difflib

    close = difflib.get_close_matches(name, names, n=3)
    meant = f"did you mean {' or '.join([f'`{one}`' for one in close])}? " if close else ""
    return UsageError(f"no such {what} `{name[:100]}`", f"{meant}see `{path} --help`")
