"""Tells which commands of cuecard are for people, because they widen what is trusted (SPEC 16.6)."""

from ...basics.tables import find_row, read_words
from ..host.host import write_refusal

_TABLES = "commands_for_people"
# Stands in a word for a value that only the shell knows.
_UNKNOWN = "\0"
_HELP = ("-h", "--help")


def find_command(words: list[str]) -> tuple[str, list[str]]:
    """The name of the command in the words after `cuecard`, if the table has it or it is unknown, and its arguments.

    The name is "" for other commands, and without one.
    """
    for at, word in enumerate(words):
        # A program can hand on several arguments as one word: `Start-Process cuecard -ArgumentList "trust --all"`.
        name, *more = word.split(" ")
        if _UNKNOWN in name or find_row(_TABLES, "commands", name):
            return name, more + words[at + 1 :]
        if word[:1] != "-":
            break
    return "", []


def is_for_people(name: str, arguments: list[str]) -> bool:
    """Whether a command with these arguments widens what is trusted. An unknown name or operand counts as if it did."""
    if _UNKNOWN in name:
        return True
    options, operands = _split(arguments)
    if any(option in _HELP for option in options):
        return False
    first = "".join(operands[:1])
    for condition in find_row(_TABLES, "commands", name).split(" "):
        if condition[:1] == "!":
            holds = condition[1:] not in options
        elif condition[:2] == "--":
            # Every word counts here, also one that seems to be the value of an option.
            pairs = [f"{arguments[at]}={arguments[at + 1]}" for at in range(len(arguments) - 1)]
            holds = any(option in arguments or option in pairs for option in condition.split("|"))
        elif condition == "OPERAND":
            holds = bool(operands)
        elif condition == "SETTING":
            holds = len(operands) > 1 and (_UNKNOWN in first or _is_widening(first))
        else:
            holds = condition == "*" or first in condition.split("|") or _UNKNOWN in first
        if not holds:
            return False
    return True


def strip_version(name: str) -> str:
    """`cuecard` for `cuecard@latest`, `cuecard[extra]`, `cuecard==1.0` and `cuecard.cli`; else the name as it is."""
    behind = name[7:] if name[:7] == "cuecard" else "-"
    return "cuecard" if behind[:1] in (*"@[=<>~!",) or behind in (".cli", ".__main__", ".cli.__main__") else name


def write_answer(command: str, host: str, *, can_ask: bool) -> bytes:
    """The hook's output for a command that is for people: a question to the user, or a denial without one."""
    asked = "confirm it only if you want that" if can_ask else "ask the user to run it in a terminal"
    decision = "ask" if can_ask else "deny"
    named = "cuecard" if command == "cuecard" else f"cuecard {command}"
    reason = f"`{named}` can widen what is trusted on this machine, which only a person decides: {asked}"
    return write_refusal(host, decision, reason)


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The options and the operands of a command line."""
    flags = read_words(_TABLES, "flags")
    options: list[str] = []
    operands: list[str] = []
    is_value = False
    for at, word in enumerate(arguments):
        if word == "--" and not is_value:
            return options, operands + arguments[at + 1 :]
        is_option = not is_value and len(word) > 1 and word[0] == "-"
        if is_option:
            options.append(word)
        elif not is_value:
            operands.append(word)
        is_value = is_option and word[:2] == "--" and "=" not in word and word not in flags and word not in _HELP
        is_value = is_value or (is_option and word in ("-c", "-f"))
    return options, operands


def _is_widening(setting: str) -> bool:
    return any(setting == name or setting.startswith(f"{name}.") for name in read_words(_TABLES, "settings"))
