"""The prompt hook as a tool: hosts call it, and it is not in the list of tools that agents get.

Rules: docs/reference/mcp.md, "The hook as a tool".
"""

import json
import os

from .._backend import engine
from ..capture.ledger.earlier_prompts import read_earlier_prompts
from ..models.prompt_models import PromptModels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import OpenModels
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
    text = engine.answer_prompt(json.dumps(payload).encode(), HOST, _open_models)
    return {"content": [{"type": "text", "text": text.strip()}]}


def _open_models(memory_dir: str, cwd: str | None, prompt: str, transcript: str | None) -> "OpenModels":
    models = PromptModels(memory_dir, cwd, prompt, "resident")
    return models.read_texts_with(lambda: read_earlier_prompts(transcript, prompt)) if transcript else models
