"""What the agent is told about what a tool has done (SPEC 16.5)."""

from ..basics.chars import first_line, scrub
from ..protocol.host import quote

# So many problems of a file are told to the agent.
MAX_TOLD = 20
# The characters of names of fields, and of found words, that are repeated to the agent.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_NAME_CHARS = frozenset(_LETTERS + "[]")
_WORD_CHARS = frozenset(_LETTERS + ":+/`")

# Field, what is expected, what was found.
Problem = tuple[str, str, str]


def write_complaint(reason: str, context: str) -> bytes:
    """The bytes for standard output that say what is wrong with what a tool has done, and more about it."""
    return (
        f'{{"decision":"block","reason":{quote(scrub(reason))},"hookSpecificOutput":'
        f'{{"hookEventName":"PostToolUse","additionalContext":{quote(scrub(context))}}}}}\n'
    ).encode()


def describe_problems(file: str, aside: str, problems: list[Problem]) -> tuple[str, str]:
    """What the agent is told about a file that was set aside.

    A sentence with the first problem and what to do, and all problems field by field.
    """
    file, aside = scrub(file), scrub(aside)
    first = ""
    if problems:
        field, expected, found = _plain(problems[0])
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = f"{f'`{field}`' if field else 'the file'} should be {expected} and is {found}{more}; "
    reason = (
        f"`{first_line(file)}` is no valid memory and was renamed to `{aside}`: {first}use `cuecard add`, or "
        "`cuecard update ID` for a memory that is there"
    )
    lines = ["INVALID_MEMORY", f"target: {aside}"]
    for field, expected, found in map(_plain, problems[:MAX_TOLD]):
        lines += [f"field: {field or '.'}", f"expected: {expected}", f"found: {found}"]
    lines.append("fix: `cuecard add`, or `cuecard update ID` for a memory that is there")
    return reason, "\n".join(lines)


def _plain(problem: Problem) -> Problem:
    """A problem without a stranger's words, which stand in no sentence of ours.

    A name of a field that is unusual and a quoted text that is more than a word are not repeated.
    """
    field, expected, found = [scrub(text) for text in problem]
    if not _NAME_CHARS.issuperset(field):
        field = "an unusual name"
    if found.startswith("`") and not _WORD_CHARS.issuperset(found):
        found = "another text"
    return field, expected, found
