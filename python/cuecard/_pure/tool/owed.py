"""Hands over the answer to a prompt that the host may have dropped, at an event that reaches the agent (SPEC 30.7)."""

import os

from ...basics.host_table import CARRIERS
from ...errors import CuecardError
from ...files.environment import Environment
from ...files.root import locate_stores
from ..host.host import read_object, session_of, working_directory, write_tool_context
from ..prompt.answer import Answer
from ..prompt.joined_stores import first_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def answer_owed(payload: bytes, host: str, environment: Environment) -> Answer | None:
    """Return the answer to an event that carries what is owed.

    None if that is nothing, and the event may have another answer because it is about a tool.
    """
    carriers = CARRIERS.get(host, "").split(" ")
    if carriers == [""]:
        return None
    try:
        event = read_object(payload)
        name = event.get("hook_event_name")
        if name not in carriers:
            return None
    except CuecardError:
        return None
    try:
        owed = _take(event, environment)
    except CuecardError:
        owed = ""
    answer = Answer()
    answer.stdout = write_tool_context(host, name, owed)
    return answer if owed or "tool_name" not in event else None


def _take(event: "dict[str, Any]", environment: Environment) -> str:
    """Take the block that the agent of an event's session is owed; "" if there is none."""
    from ..situation.session_file import open_session

    cwd, session_id = working_directory(event), session_of(event)
    located = locate_stores(os.path.abspath(cwd or "."), environment.root, environment.home)
    project = first_project(located)
    session = open_session(project[1], session_id) if project and session_id else None
    return session.take_owed() if session else ""
