"""Gives a subagent the memories for its prompt, by adding them to the prompt before the agent starts (SPEC 37.5)."""

from ...basics.chars import scrub
from ...basics.tables import find_row
from ...errors import PayloadError
from ...files.environment import Environment
from ..host.host import quote, read_object, write_new_input
from ..prompt.answer import Answer

# The beginning of a block. A prompt that has one already gets no other.
BLOCK = "<memory-context"
# The host that takes a block as it is.
PLAIN = "plain"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..prompt.open_models import OpenFunction


def answer_subagent(
    payload: bytes, host: str, environment: Environment, open_models: "OpenFunction"
) -> "Answer | None":
    """Return the answer to the event of a tool that is about to start a subagent; None for all other events."""
    if b'"Agent"' not in payload and b'"Task"' not in payload:
        return None
    try:
        event = read_object(payload)
    except PayloadError:
        return None
    name, given = event.get("tool_name"), event.get("tool_input")
    field = find_row("tool_inputs", "agents", name) if isinstance(name, str) else ""
    if event.get("hook_event_name") != "PreToolUse" or not field:
        return None
    prompt = given.get(field) if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(prompt, str) or BLOCK in prompt:
        return Answer()
    if _write_input(given, field, "") is None or not write_new_input(host, ""):
        return Answer()
    from ..prompt.prompt_path import answer

    cwd = event.get("cwd")
    named = f',"cwd":{quote(scrub(cwd))}' if isinstance(cwd, str) else ""
    found = answer(f'{{"prompt":{quote(scrub(prompt))}{named}}}'.encode(), PLAIN, environment, open_models)
    found.event.host = host
    if found.stdout:
        block = found.stdout.decode().rstrip("\n")
        found.stdout = write_new_input(host, _write_input(given, field, f"{scrub(prompt)}\n\n{block}") or "")
    return found


def _write_input(given: dict[str, object], field: str, text: str) -> str | None:
    """Return the input of a tool as JSON with another text in one member.

    Returns None if a member is neither text, a whole number, a truth value nor null.
    """
    members = []
    for name, value in given.items():
        if name == field:
            written = quote(text)
        elif isinstance(value, str):
            written = quote(scrub(value))
        elif value is None or isinstance(value, bool):
            written = "null" if value is None else str(value).lower()
        elif isinstance(value, int):
            written = str(value)
        else:
            return None
        members.append(f"{quote(scrub(name))}:{written}")
    return "{" + ",".join(members) + "}"
