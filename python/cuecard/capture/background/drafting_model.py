"""The model that writes drafts: an HTTP endpoint, or the program `claude`, which is started without tools."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass

from ...basics.programs import find_program
from ...errors import ModelError
from ...models.chat import ChatQuestion, ask_chat
from ...models.endpoints.allowed_places import BACKGROUND
from ...models.endpoints.api_key import read_key
from .background_settings import CLAUDE, BackgroundSettings

SECONDS = 300
MAX_ANSWER_TOKENS = 8000
MAX_ANSWER_BYTES = 4 << 20
# An estimate of the characters per token, for models that report no token counts.
CHARS_OF_TOKEN = 3
DISABLE = "CUECARD_DISABLE"


@dataclass(frozen=True)
class ModelAnswer:
    """A model's answer, and the number of tokens that the question and the answer took."""

    text: str
    tokens: int


def estimate_tokens(system: str, message: str) -> int:
    """An upper estimate of the tokens that a question and its answer take."""
    return (len(system) + len(message)) // CHARS_OF_TOKEN + MAX_ANSWER_TOKENS


def ask_model(settings: BackgroundSettings, system: str, message: str) -> ModelAnswer:
    """Ask the configured model. Never starts a program in the project's folder. Raises ModelError."""
    if settings.provider == CLAUDE:
        return _ask_claude(_find_client(), settings.model, system, message)
    question = ChatQuestion(system, message, MAX_ANSWER_TOKENS, "capture", BACKGROUND)
    key = read_key(settings.key_variable, settings.url)
    text = ask_chat(settings.endpoint, key, question, SECONDS)
    return ModelAnswer(text, (len(system) + len(message) + len(text)) // CHARS_OF_TOKEN)


def claude_command(program: str, model: str, system: str) -> list[str]:
    """The command that runs Claude Code once without tools, hooks, plugins, MCP servers, settings or transcript."""
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


def _find_client() -> str:
    """The path of `claude`. Raises ModelError if it is not on PATH; a folder of the project does not count."""
    program = find_program("claude")
    if program is None:
        raise ModelError(
            "`claude` is not on PATH", "install Claude Code, or choose another `capture.background.provider`"
        )
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
        # With the verbose setting the client returns a list of all messages; the last one is the result.
        answer = answer[-1] if isinstance(answer, list) else answer
        text, usage = answer["result"], answer.get("usage", {})
        counts = [usage.get(name, 0) for name in _USAGE]
        if answer.get("is_error") or not isinstance(text, str):
            raise ValueError
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise ModelError(
            f"`claude -p` has failed with status {ran.returncode}", "run `claude -p` by hand to see why"
        ) from None
    return ModelAnswer(text, sum(count for count in counts if isinstance(count, int)))


_USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
