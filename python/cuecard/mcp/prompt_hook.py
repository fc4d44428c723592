"""The prompt hook as a tool: hosts call it, and it is not in the list of tools that agents get.

Rules: docs/reference/mcp.md, "The hook as a tool".
"""

import json
import os

from ..capture.ledger.earlier_prompts import read_earlier_prompts
from ..recall.after_answer import keep
from ..recall.prompt_path import answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .message import Json
    from .project import OpenProject

HOST = "claude-code"
# The environment variable that switches the hook off.
DISABLE = "CUECARD_DISABLE"


def answer_prompt(project: "OpenProject", arguments: "Json") -> "Json":
    """A tool result with the text that `cuecard-hook prompt` prints for a payload with these members."""
    if os.environ.get(DISABLE):
        return {"content": [{"type": "text", "text": ""}]}
    payload = {**({"cwd": project.folder} if project.folder else {}), **arguments}
    found = answer(json.dumps(payload).encode(), HOST, project.environment, "resident", read_earlier_prompts)
    keep(found, project.environment, "prompt")
    return {"content": [{"type": "text", "text": found.stdout.decode().strip()}]}
