"""Messages to the agent about an invalid memory file that a tool has written (SPEC 16.5)."""

from ...basics.chars import scrub
from ..host.host import quote
from ..memory.schema import Problem, plain_problem

# The agent is told at most this number of problems of a file.
MAX_TOLD = 20
# Longer names of files are not repeated: the longest id, and what is added to it when a file is renamed.
MAX_FILE_NAME_CHARS = 120
_FILE_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")


def write_complaint(reason: str, context: str) -> bytes:
    """The hook's output that tells the agent what is wrong with a written file (`reason`), and details (`context`)."""
    return (
        f'{{"decision":"block","reason":{quote(scrub(reason))},"hookSpecificOutput":'
        f'{{"hookEventName":"PostToolUse","additionalContext":{quote(scrub(context))}}}}}\n'
    ).encode()


def describe_problems(file: str, aside: str, problems: list[Problem]) -> tuple[str, str]:
    """The reason and the context for `write_complaint` about `file`, which was renamed to `aside`.

    The reason is one sentence with the first problem and a remedy. The context lists the problems field by field.
    """
    file, aside = scrub(file), scrub(aside)
    folder, _, name = aside.rpartition("/")
    if folder and not _is_plain_name(name):
        aside = f"{folder}/..."
    named = f"`{file}`" if _is_plain_name(file) else "a file with an unusual name"
    first = ""
    if problems:
        field, expected, found = plain_problem(problems[0])
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        first = f"{f'`{field}`' if field else 'the file'} should be {expected} and is {found}{more}; "
    reason = (
        f"{named} is not a valid memory and was renamed to `{aside}`: {first}use `cuecard add`, or "
        "`cuecard update ID` for an existing memory"
    )
    lines = ["INVALID_MEMORY", f"target: {aside}"]
    for field, expected, found in map(plain_problem, problems[:MAX_TOLD]):
        lines += [f"field: {field or '.'}", f"expected: {expected}", f"found: {found}"]
    lines.append("fix: `cuecard add`, or `cuecard update ID` for an existing memory")
    return reason, "\n".join(lines)


def _is_plain_name(name: str) -> bool:
    """Whether a message may contain the name of a file, which a repository can choose.

    Such a name is short, has no other characters than `_FILE_CHARS`, and does not address the model.
    """
    from ..memory.sign_search import instruction_signs

    is_plain = 0 < len(name) <= MAX_FILE_NAME_CHARS and _FILE_CHARS.issuperset(name)
    # The words around a name count as well: with them, a part of a sentence becomes a whole one.
    return is_plain and not instruction_signs(f"`{name}` is not a valid memory and was renamed to `{name}`")
