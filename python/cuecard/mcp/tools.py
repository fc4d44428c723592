"""The list of the seven tools, and the function that calls them (docs/reference/mcp.md, "Tools")."""

import json

from .._backend import check_schema
from ..errors import CuecardError, UsageError
from . import tool_schemas
from .arguments import fit_arguments
from .message import INVALID_PARAMS, Failure
from .result import done, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json
    from .project import OpenProject

MAX_PROBLEMS = 10
# The problem that the schema check reports for arguments that it cannot parse.
NOT_READ = ("", "JSON text", "something else")
MAX_DEPTH = 100
# The name of a tool for hosts, which is not in the list that agents see.
HOOK = "prompt_hook"


class Tool:
    """A tool: its description for clients, and its function."""

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        schemas: "tuple[Json, Json]",
        hints: tuple[bool, bool],
        function: str,
    ) -> None:
        """`schemas` are the schemas of the arguments and of the result.

        `hints` are two facts: whether the tool only reads, and whether it can destroy data. `function` is its module
        in this room and its name.
        """
        self.name = name
        self.is_write = not hints[0]
        self._function = function
        self.input = schemas[0]
        properties = schemas[0]["properties"]
        self.properties = [*properties] if isinstance(properties, dict) else []
        annotations = {
            "title": title,
            "readOnlyHint": hints[0],
            "destructiveHint": hints[1],
            # Every tool can be called again with the same arguments: it reports that nothing is left to do.
            "idempotentHint": True,
            "openWorldHint": False,
        }
        self.listed: Json = {
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": schemas[0],
            "outputSchema": schemas[1],
            "annotations": annotations,
        }

    def run(self, project: "OpenProject", arguments: "Json") -> "Json":
        """Call the tool's function, whose module is loaded only for that."""
        module, _, name = self._function.partition(":")
        result: Json = getattr(__import__(f"{__package__}.{module}", fromlist=[name]), name)(project, arguments)
        return result


TOOLS = (
    Tool(
        "memory_search",
        "Search the project's memories",
        "Find what this project has recorded about something: decisions and their reasons, constraints, preferences, "
        "runbooks for errors, tech debt, summaries of earlier sessions. Use it before you decide, change or debug "
        "something, and before memory_save. Gives short hits, best first; memory_get returns a whole memory.",
        (tool_schemas.SEARCH_INPUT, tool_schemas.SEARCH_OUTPUT),
        (True, False),
        "read_tools:search",
    ),
    Tool(
        "memory_get",
        "Read a memory",
        "Everything about one memory, whatever its status: all fields of its record, its history, and the hash that "
        "memory_update takes.",
        (tool_schemas.GET_INPUT, tool_schemas.GET_OUTPUT),
        (True, False),
        "read_tools:get",
    ),
    Tool(
        "memory_save",
        "Save a new memory",
        "Write a new memory: something decided, learnt, required or put off for good, which a later session should "
        "know. One subject each, in the words that somebody will search for; no secrets, nothing that the code says "
        "by itself. Search first, and change an existing memory with memory_update. Saving the same again changes "
        "nothing. "
        "If the result is `needs_relations`, nothing is written yet: call it again with `relations`.",
        (tool_schemas.SAVE_INPUT, tool_schemas.SAVE_OUTPUT),
        (False, False),
        "write_tools:save",
    ),
    Tool(
        "memory_draft",
        "Propose memories from a document",
        "Only for the prompt `import`: save what you drafted from one section of a document, with the `source` that "
        "the prompt gave. A draft becomes a memory only when the user accepts it with `cuecard review`.",
        (tool_schemas.DRAFT_INPUT, tool_schemas.DRAFT_OUTPUT),
        (False, False),
        "write_tools:draft",
    ),
    Tool(
        "memory_update",
        "Change a memory",
        "Change a memory by a JSON merge patch; its history records the change. Give the `hash` of memory_get as "
        "`expected_hash` if another session may have changed the memory meanwhile.",
        (tool_schemas.UPDATE_INPUT, tool_schemas.WRITTEN_OUTPUT),
        (False, True),
        "write_tools:update",
    ),
    Tool(
        "memory_retire",
        "Retire a memory",
        "Take a memory that no longer holds out of recall. It can be restored during the grace period (30 days) and is "
        "deleted some time after it. If another memory takes its place, call memory_save for that memory with "
        "`cuecard.supersedes` instead.",
        (tool_schemas.RETIRE_INPUT, tool_schemas.WRITTEN_OUTPUT),
        (False, True),
        "write_tools:retire",
    ),
    Tool(
        "memory_status",
        "Check the memories",
        "How many memories there are, whether the store is in good health, the settings of recall, and the last lines "
        "of the hook's log. Reads every memory.",
        (tool_schemas.STATUS_INPUT, tool_schemas.STATUS_OUTPUT),
        (True, False),
        "status_tool:status",
    ),
)


def list_tools(params: "Json") -> "Json":
    """The list of all tools, in one page. Raises Failure if `params` has a cursor, because there is no second page."""
    refuse_cursor(params)
    return {"tools": [tool.listed for tool in TOOLS]}


def call_tool(project: "OpenProject", params: "Json") -> "Json":
    """The result of a tool call; a failed call gives a result with advice. Raises Failure if there is no such tool."""
    name, arguments = params.get("name"), params.get("arguments", {})
    if name == HOOK and isinstance(arguments, dict):
        from .prompt_hook import answer_prompt

        return answer_prompt(project, arguments)
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        names = ", ".join([tool.name for tool in TOOLS])
        raise Failure(INVALID_PARAMS, f"there is no tool `{str(name)[:80]}`", {"tools": names})
    try:
        return done(tool.run(project, _check(tool, arguments)))
    except CuecardError as error:
        return failed(error, tool.is_write)
    except OSError as error:
        what = f"`{error.filename}` cannot be used: {error.strerror or error}" if error.filename else str(error)
        return failed(CuecardError(what, "check that it is there, and its permissions"), tool.is_write)


def refuse_cursor(params: "Json") -> None:
    """Raise Failure if `params` has a cursor. Lists that fit on one page use this. An empty cursor is none."""
    if params.get("cursor") not in (None, ""):
        raise Failure(INVALID_PARAMS, "the cursor is not from this server")


def _check(tool: Tool, arguments: object) -> "Json":
    """Arguments that fit the tool's schema. Raises UsageError with what is wrong."""
    arguments = {} if arguments is None else fit_arguments(arguments, tool.input)
    try:
        problems = check_schema(json.dumps(arguments).encode(), json.dumps(tool.input).encode())
    except RecursionError:
        problems = [NOT_READ]
    if problems[:1] == [NOT_READ]:
        # The arguments were JSON, so the only reason why they cannot be read again is their depth.
        raise UsageError("the arguments are nested too deep", f"stay under {MAX_DEPTH} levels")
    if not problems and isinstance(arguments, dict):
        return arguments
    told = problems[:MAX_PROBLEMS] or [("", "an object", "something else")]
    words = [f"`{field or 'arguments'}` should be {expected} and is {found}" for field, expected, found in told]
    known = ", ".join([f"`{name}`" for name in tool.properties]) or "none"
    raise UsageError("; ".join(words), f"{tool.name} takes: {known}")
