"""Finds what the user typed in a text that a host submits or records (SPEC 12.5)."""

from ...basics import host_table
from ...basics.chars import WHITESPACE, scrub

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

# The tags in which Claude Code records a command, its name and its text.
COMMAND_TAGS = ("<command-message>", "<command-name>")
MAX_PLACEHOLDER_BYTES = 300
# The patterns, which few prompts need.
_compiled: "dict[str, re.Pattern[str]]" = {}


def typed_text(text: str) -> str:
    """What the user typed; "" if that is nothing, as in a notice of the host or a bare command."""
    text = scrub(text).strip(WHITESPACE)
    if text.startswith(COMMAND_TAGS):
        return _text_of_record(text)
    if _is_notice(text):
        return ""
    text = without_inserted(_before_references(_behind_heading(text)))
    text = _without_placeholders(text).strip(WHITESPACE)
    return "" if _is_notice(text) else _without_command(text)


def without_inserted(text: str) -> str:
    """The text with a blank in place of each block that a host or a hook inserted.

    A block ends at the last end of its tag, because what stands in it may have such an end too.
    """
    text = scrub(text)
    kept, place, searched = list[str](), 0, set[str]()
    for opening in _openings().finditer(text) if "<" in text else ():
        opened, tag = opening.start(), opening[1]
        # Behind the last end of a tag there is no other one, so each tag is searched once.
        if opened < place or tag in searched:
            continue
        searched.add(tag)
        closing = f"</{tag}>"
        end = text.rfind(closing, opened)
        if end >= 0:
            kept += [text[place:opened], " "]
            place = end + len(closing)
    return "".join([*kept, text[place:]])


def _openings() -> "re.Pattern[str]":
    """Matches the beginning of a tag of an inserted block; its name is the first group."""
    return _compile("openings", lambda escape: f"<({'|'.join(host_table.INSERTED_TAGS)})[>{escape(WHITESPACE)}]")


def _compile(name: str, pattern: "Callable[[Callable[[str], str]], str]") -> "re.Pattern[str]":
    if name not in _compiled:
        # Most prompts need no pattern, and importing this costs more than the rest of the rule.
        import re

        _compiled[name] = re.compile(pattern(re.escape))
    return _compiled[name]


def is_slash_command(prompt: str) -> bool:
    """Whether a prompt is a command to the host: `/` and a name. A first word with a second `/` is a path instead."""
    text = prompt.strip(WHITESPACE)
    if not text.startswith("/"):
        return False
    name, _ = _split_name(text)
    initial = name[:1]
    return "/" not in name and (initial.isalpha() or not initial.isascii())


def _split_name(command: str) -> tuple[str, str]:
    """The name of a command without its slash, and what follows the name."""
    for position, char in enumerate(command):
        if char in WHITESPACE:
            return command[1:position], command[position:].strip(WHITESPACE)
    return command[1:], ""


def _is_notice(text: str) -> bool:
    """Whether a stripped text begins as one that a host, a hook or cuecard has written."""
    if text.startswith(host_table.NOTICES) or text.startswith(host_table.REQUEST):
        return True
    if not text.startswith("<"):
        return False
    tag = _tag_of(host_table.INSERTED_TAGS, text, 0)
    # A block that never ends is the host's as a whole.
    return _tag_of(host_table.MACHINE_TAGS, text, 0) != "" or (tag != "" and f"</{tag}>" not in text)


def _tag_of(tags: tuple[str, ...], text: str, opened: int) -> str:
    """The tag of the table that stands at `opened`; "" if none does."""
    for tag in tags:
        if text.startswith(tag, opened + 1):
            end = text[opened + 1 + len(tag) : opened + 2 + len(tag)]
            if end == ">" or (end != "" and end in WHITESPACE):
                return tag
    return ""


def _text_of_record(text: str) -> str:
    """The text of the command that a record of Claude Code names."""
    name, named, _ = text.partition("<command-name>")[2].partition("</command-name>")
    given, closed, _ = text.partition("<command-args>")[2].rpartition("</command-args>")
    name = name.strip(WHITESPACE) if named else ""
    arguments = given.strip(WHITESPACE) if closed else ""
    return _without_command(f"{name} {arguments}") if is_slash_command(name) else ""


def _without_command(text: str) -> str:
    """A stripped text without the command at its beginning; "" if the command's text is not for the agent."""
    if not is_slash_command(text):
        return text
    name, rest = _split_name(text)
    for command in host_table.COMMANDS_WITHOUT_TEXT:
        if name == command or (command.endswith(":") and name.startswith(command)):
            return ""
    return rest


def _behind_heading(text: str) -> str:
    """What stands behind the last heading, in a text that begins as Codex introduces a prompt."""
    if not text.startswith(host_table.INTRODUCTIONS):
        return text
    ends = [place + len(line) for line in host_table.REQUEST_HEADINGS if (place := text.rfind(f"\n{line}") + 1)]
    return text[max(ends) :] if ends else ""


def _before_references(text: str) -> str:
    """What stands before the contents of files that Gemini CLI appends."""
    before, _, _ = f"\n{text}".partition(f"\n{host_table.REFERENCES}")
    return before[1:]


def _without_placeholders(text: str) -> str:
    """The text with a blank in place of each placeholder."""
    kept, place = list[str](), 0
    for beginning in _placeholders().finditer(text) if "[" in text or "(" in text else ():
        opened = beginning.start()
        if opened < place:
            continue
        closing = "]" if text[opened] == "[" else ")"
        end = text.find(closing, opened, opened + MAX_PLACEHOLDER_BYTES)
        inside = text[opened : end + 1]
        if end >= 0 and "\n" not in inside and len(inside.encode()) <= MAX_PLACEHOLDER_BYTES:
            kept += [_without_name(text[place:opened]), " "]
            place = end + 1
    return "".join([*kept, text[place:]])


def _without_name(text: str) -> str:
    """The text before a placeholder without the quoted name that Cline writes there in place of a file's `@name`."""
    before, quoted, name = text[:-2].rpartition("'") if text.endswith("' ") else ("", "", "")
    return before if quoted and "\n" not in name else text


def _placeholders() -> "re.Pattern[str]":
    """Matches the beginning of a placeholder, and no more of it than its bracket."""
    return _compile("placeholders", lambda escape: f"(?={'|'.join(map(escape, host_table.PLACEHOLDERS))})[\\[(]")
