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


class Owed:
    """What the agent of an event's session is owed."""

    def __init__(self, event: str = "", block: str = "", *, is_of_tool: bool = True) -> None:
        """`is_of_tool` says that the event is about a tool, and so may have an answer of its own."""
        self._event, self._block, self.is_of_tool = event, block, is_of_tool

    def answer(self, host: str) -> Answer:
        """Return the answer to an event that brings the block alone."""
        answer = Answer()
        answer.stdout = self.behind("", "", host)
        return answer

    def behind(self, event: str, block: str, host: str) -> bytes:
        """Return the bytes for standard output with what is owed behind the block of an event."""
        return write_tool_context(host, self._event or event, block + self._block)


def take_owed(payload: bytes, host: str, environment: Environment) -> Owed:
    """Take what is owed at an event that carries it; nothing at any other event."""
    carriers = CARRIERS.get(host, "").split(" ")
    if carriers == [""]:
        return Owed()
    try:
        event = read_object(payload)
        name = event.get("hook_event_name")
        if name not in carriers:
            return Owed()
    except CuecardError:
        return Owed()
    try:
        block = _take(event, environment)
    except CuecardError:
        block = ""
    return Owed(str(name), block, is_of_tool="tool_name" in event)


def _take(event: "dict[str, Any]", environment: Environment) -> str:
    """Take the block that the agent of an event's session is owed; "" if there is none."""
    from ..situation.session_file import open_session

    cwd, session_id = working_directory(event), session_of(event)
    located = locate_stores(os.path.abspath(cwd or "."), environment.root, environment.home)
    project = first_project(located)
    session = open_session(project[1], session_id) if project and session_id else None
    return session.take_owed() if session else ""
