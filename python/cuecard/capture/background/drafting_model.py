"""The model that drafts: the host's own client, started where it can do nothing but answer, or an endpoint."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ...basics.programs import find_program
from ...configuration.api_key import read_key
from ...errors import ModelError
from ...models.chat import ChatQuestion, ask_chat
from ..program import is_below
from .background_settings import CLAUDE, BackgroundSettings

SECONDS = 300
MAX_ANSWER_TOKENS = 8000
MAX_ANSWER_BYTES = 4 << 20
# What a token stands for where nobody counts them.
CHARS_OF_TOKEN = 3
DISABLE = "CUECARD_DISABLE"


@dataclass(frozen=True)
class ModelAnswer:
    """What a model said, and how many tokens it has read and written."""

    text: str
    tokens: int


def estimate_tokens(system: str, message: str) -> int:
    """The most tokens that a question takes with its answer, about."""
    return (len(system) + len(message)) // CHARS_OF_TOKEN + MAX_ANSWER_TOKENS


def ask_model(settings: BackgroundSettings, system: str, message: str, root: str) -> ModelAnswer:
    """The model's answer; no program in the folder of the project is started for it. Raises ModelError."""
    if settings.provider == CLAUDE:
        return _ask_claude(_find_client(root), settings.model, system, message)
    question = ChatQuestion(system, message, MAX_ANSWER_TOKENS, "capture")
    key = read_key(settings.key_variable, settings.url)
    text = ask_chat(settings.endpoint, key, question, SECONDS)
    return ModelAnswer(text, (len(system) + len(message) + len(text)) // CHARS_OF_TOKEN)


def claude_command(program: str, model: str, system: str) -> list[str]:
    """Claude Code in its non-interactive mode: no tools, hooks, plugins, MCP servers, settings and transcript."""
    return [
        program,
        "-p",
        "--safe-mode",
        "--tools",
        "",
        "--strict-mcp-config",
        "--settings",
        '{"disableAllHooks":true}',
        "--no-session-persistence",
        "--disable-slash-commands",
        "--output-format",
        "json",
        "--system-prompt",
        system,
        *(["--model", model] if model else []),
    ]


def _find_client(root: str) -> str:
    """The host's own client. Raises ModelError for none, and for one in the project, which may be a stranger's."""
    program = find_program("claude")
    if program is None:
        raise ModelError(
            "`claude` is not on PATH", "install Claude Code, or choose another `capture.background.provider`"
        )
    if is_below(Path(program), Path(root)):
        raise ModelError("the `claude` on PATH lies in this project", "put another one before it on PATH")
    return program


def _ask_claude(program: str, model: str, system: str, message: str) -> ModelAnswer:
    with tempfile.TemporaryDirectory(prefix="cuecard-") as folder:
        try:
            ran = subprocess.run(
                claude_command(program, model, system),
                input=message.encode(),
                capture_output=True,
                cwd=folder,
                env={**os.environ, DISABLE: "1"},
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ModelError(f"`claude -p` has not answered: {type(error).__name__}") from error
    try:
        answer = json.loads(ran.stdout[:MAX_ANSWER_BYTES])
        # A user who likes to see everything gets all messages, of which the last is the result.
        answer = answer[-1] if isinstance(answer, list) else answer
        text, usage = answer["result"], answer.get("usage", {})
        counts = [usage.get(name, 0) for name in _USAGE]
        if answer.get("is_error") or not isinstance(text, str):
            raise ValueError
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ModelError(f"`claude -p` has failed with status {ran.returncode}", "try it by hand") from None
    return ModelAnswer(text, sum(count for count in counts if isinstance(count, int)))


_USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
