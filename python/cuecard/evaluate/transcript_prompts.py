"""Makes judged prompts from transcripts: the memories that the agent read or cited after a prompt are wanted.

Prompts after which the agent used no memory must be judged by a person, because a fitting memory may exist.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..basics.chars import fold
from ..basics.timestamp import parse_timestamp
from ..store.intake.redaction import redact
from ..store.records.memory import Memory
from .judged_prompts import WANTED, JudgedPrompt
from .query_templates import language_of
from .transcript import Turn, find_transcripts, read_turns

USED, UNUSED = "transcript-used", "transcript-unused"
MAX_PROMPT_CHARS = 4000
MAX_HISTORY = 3
# Shorter titles also occur by chance, so they are no sign that the memory was cited.
MIN_TITLE_CHARS, MIN_TITLE_WORDS = 16, 3
_READING = re.compile(r"Read|Grep|Glob|Bash|PowerShell|mcp__.*(?:recall|search|show|get|read).*")
# A command that writes a memory; its use does not mean that the memory answered the prompt.
_WRITING = re.compile(r"cuecard\s+(?:add|update|retire|restore|gc|index)\b")


def prompts_of_transcripts(
    paths: Iterable["str | os.PathLike[str]"], memories: Mapping[str, Memory], *, root: str, project: str, limit: int
) -> tuple[list[JudgedPrompt], list[str]]:
    """Make prompts from the sessions at `paths`. Returns the prompts, and notes for the user.

    First come the latest `limit` prompts after which a memory was used, then the latest `limit` prompts after which no
    memory was used. If a path is a folder, only sessions of the project count; if it is a file, its session always
    counts. Secrets in the texts are replaced. Raises InputError for a path without transcripts.
    """
    marks = [_Marks(name, memory) for name, memory in memories.items()]
    used: list[tuple[str, JudgedPrompt]] = []
    unused: list[tuple[str, JudgedPrompt]] = []
    seen: set[str] = set()
    foreign = 0
    for path in paths:
        for file in find_transcripts(path):
            turns = read_turns(file)
            is_named = Path(path) == file
            own = [turn for turn in turns if is_named or _is_inside(turn.cwd, root)]
            foreign += bool(turns and not own)
            for turn in own:
                key = fold(" ".join(turn.prompt.split()))
                if key in seen:
                    continue
                seen.add(key)
                found = [mark.name for mark in marks if mark.is_used(turn)]
                prompt = _prompt(turn, turns, found, project)
                (used if found else unused).append((turn.time, prompt))
    notes = [f"{foreign} session(s) of other projects were left out"] if foreign else []
    for sort, which in ((used, "after which a memory was used"), (unused, "after which none was used")):
        sort.sort(key=lambda timed: timed[0])
        if len(sort) > limit:
            notes.append(f"of {len(sort)} prompts {which} only the latest {limit} were taken")
            del sort[:-limit]
    return [prompt for _time, prompt in used + unused], notes


class _Marks:
    """A memory's path, id and title. If they occur in a transcript, the agent has used the memory."""

    def __init__(self, name: str, memory: Memory) -> None:
        self.name = name
        self._path = memory.path.removeprefix(".claude/memory/")
        created = memory.record.get("created_at")
        self._created = parse_timestamp(created) if isinstance(created, str) else None
        # The id must not be a part of a longer id.
        self._id = re.compile(rf"(?<![\w-]){re.escape(memory.id)}(?![\w-])")
        title = fold(" ".join(memory.title.split()))
        is_telling = len(title) >= MIN_TITLE_CHARS and len(title.split()) >= MIN_TITLE_WORDS
        self._title = title if is_telling else ""

    def is_used(self, turn: Turn) -> bool:
        """Whether the agent read or cited the memory after a prompt; False for a memory created after the prompt."""
        asked = parse_timestamp(turn.time) if turn.time else None
        if asked is not None and self._created is not None and self._created > asked:
            return False
        return self._is_read(turn.tools) or self._is_cited(turn.said)

    def _is_read(self, tools: list[tuple[str, str]]) -> bool:
        for tool, given in tools:
            if not _READING.fullmatch(tool) or _WRITING.search(given):
                continue
            shown = given.replace("\\\\", "/")
            if self._path in shown or ("cuecard show" in shown and self._id.search(shown)):
                return True
        return False

    def _is_cited(self, said: list[str]) -> bool:
        if any(self._path in text for text in said):
            return True
        return bool(self._title) and any(self._title in fold(" ".join(text.split())) for text in said)


def _prompt(turn: Turn, turns: list[Turn], found: list[str], project: str) -> JudgedPrompt:
    before = turns[max(0, turn.number - 1 - MAX_HISTORY) : turn.number - 1]
    texts = _redacted([turn.prompt, *[earlier.prompt for earlier in before]])
    return JudgedPrompt(
        project=project,
        id="",
        text=texts[0],
        kind=USED if found else UNUSED,
        lang=language_of(texts[0]),
        history=tuple(texts[1:]),
        judgments=dict.fromkeys(found, WANTED),
        source=f"{turn.session}, prompt {turn.number}",
        is_reviewed=False,
    )


def _redacted(texts: list[str]) -> list[str]:
    cut = [text[:MAX_PROMPT_CHARS] for text in texts]
    content = redact({"content": {"steps": cut}})[0]["content"]
    return content["steps"] if isinstance(content, dict) else []


def _is_inside(cwd: str, root: str) -> bool:
    if not cwd:
        return False
    folder, project = os.path.realpath(cwd), os.path.realpath(root)
    return folder == project or folder.startswith(project.rstrip(os.sep) + os.sep)
