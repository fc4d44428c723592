"""Turns the new lines of a transcript into ledger entries (docs/reference/ledger.md)."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..._backend import is_substantial, remove_hidden
from ...basics.chars import WHITESPACE
from .ledger_lines import Entry, Ledger
from .quotes import find_quotes, own_words, shorten_quotes, without_middle
from .same_prompt import plain_words
from .substance import is_apology, says_nothing_to_save
from .transcripts.read_record import read_timed
from .transcripts.record import (
    CALLED,
    COMMAND,
    COMPACTED,
    EDIT,
    ENDED,
    INTERRUPTED,
    NOT_INTERACTIVE,
    PROMPT,
    QUESTION,
    READ_ONLY,
    SAID,
    STOPPING,
    TURN_NOT_INTERACTIVE,
    Action,
    Item,
)

MAX_TYPED_CHARS = 20_000
# The beginning and the end of a longer prompt are read.
MAX_READ_CHARS = 100_000
MAX_PROMPT_CHARS = 8000
MAX_AGENT_CHARS = 1200
MAX_CHOICE_CHARS = 1200
MAX_COMMAND_CHARS = 200
MAX_FAILING = 16
# A message up to this length that says that nothing is worth keeping is only an answer to a request of ours.
MAX_ANSWER_CHARS = 160
MAX_REVERTED = 3
MAX_FOLDERS = 50
OWN_PROGRAMS = ("cuecard", "cuecard.exe", "cuecard-hook", "cuecard-hook.exe")
LIST_MARKS = ("- ", "* ", "\u2022 ")
_LIST_NUMBER = re.compile(r"[A-Za-z0-9]{1,2}[.)]")
_CONTROLS = dict.fromkeys([point for point in (*range(32), 127) if chr(point) not in "\n\t"], " ")
_PARTS = re.compile(r"[;|&\n]")


@dataclass(frozen=True)
class Batch:
    """The input for `read_batch`: the new lines at one event of the host."""

    ledger: Ledger
    session: str
    lines: Sequence[tuple[int, bytes]]
    """The new lines, each with its position."""
    end: int
    """The position behind the last line."""
    redact: Callable[[str], str]
    """Replaces secrets; raises if a secret might remain."""
    last_said: str = ""
    """The agent's last message, as the host reports it; "" if the host does not report it."""
    is_restart: bool = False
    """Whether another transcript is read than before, which may repeat prompts that the ledger has."""
    typed: Sequence[str] | None = None
    """The prompts that were typed in a terminal: a program has written all others. None if the host does not say."""


@dataclass
class NewEntries:
    """The entries of a batch, and what the lines of the batch say about the session."""

    entries: list[Entry] = field(default_factory=list)
    is_not_interactive: bool = False
    """Whether a program, and not a user, reads the agent's answer."""
    is_audience_known: bool = False
    """Whether the lines say who reads the agent's answer."""
    is_read_only: bool | None = None
    """True if the agent may not change anything, False if it may; None if the transcript does not say."""
    is_behind: bool = False
    """Whether the transcript lacks the agent's last message because the host has not written it yet."""
    is_at_stop: bool = False
    """Whether the lines end where the host calls the hooks for the end of a turn; few hosts say so."""
    last_said: str = ""
    """The agent's message with which the lines end; "" if they end with something else."""
    acts: list[tuple[int | None, Item]] = field(default_factory=list)
    """The items of all lines, each with the time of its line in seconds since 1970, for the signs of use."""
    edited: list[str] = field(default_factory=list)
    """The folders of the files that were edited."""


@dataclass
class _Failing:
    """A command whose last run failed."""

    at: int
    tries: int
    is_changed: bool = False


def read_batch(batch: Batch) -> NewEntries:
    """Turn the new lines of a batch into entries."""
    builder = _Builder(batch)
    acts: list[tuple[int | None, Item]] = []
    for at, line in batch.lines:
        moment, items = read_timed(line)
        for item in items:
            builder.add(at, item)
            acts.append((moment, item))
    found = builder.finish()
    found.acts = acts
    return found


class _Builder:
    def __init__(self, batch: Batch) -> None:
        ledger = batch.ledger
        self._batch = batch
        self._found = NewEntries()
        self._last_agent, self._offers_choice, edits = ledger.last_agent()
        self._has_edited_before = edits > 0
        # Whether the agent's messages answer a request for drafts. They are then not written to the ledger.
        self._drops_said = ledger.is_answering(batch.session)
        # The agent's text since the last prompt or call, and the position of its beginning.
        self._said: tuple[int, str] | None = None
        self._is_said_open = False
        self._edits = 0
        self._is_interrupted = False
        # The last prompt, until the next item tells whether a user typed it.
        self._held: tuple[int, Item] | None = None
        self._keys: list[str] = []
        # The prompts that were typed while the agent worked.
        self._queued: list[str] = []
        self._calls: list[tuple[str, Action]] = []
        self._edited: list[Action] = []
        self._failing = {command: _Failing(0, tries) for command, tries in ledger.failing().items()}

    def add(self, at: int, item: Item) -> None:
        if item.kind == TURN_NOT_INTERACTIVE:
            self._note_audience(item)
        if item.kind == STOPPING:
            self._found.is_at_stop = item.is_set
        self._add_held()
        # What was typed while the agent worked stands in no list, and belongs to the turn in which it was typed.
        if item.kind == PROMPT and self._batch.typed is not None and not item.is_queued:
            self._found.is_not_interactive = plain_words(item.text) not in self._typed
        if self._found.is_not_interactive and item.kind not in (NOT_INTERACTIVE, READ_ONLY, PROMPT):
            return
        if item.kind == PROMPT:
            self._held = (at, item)
        elif item.kind == SAID:
            self._add_said(at, item.text)
        elif item.kind == CALLED:
            self._is_said_open = False
            self._edits += item.action.kind == EDIT
            self._calls.append((item.key, item.action))
        elif item.kind == ENDED:
            self._end_call(at, item)
        elif item.kind == INTERRUPTED:
            self._is_interrupted = True
        elif item.kind == COMPACTED:
            is_noted = bool(self._found.entries) and self._found.entries[-1]["k"] == "compaction"
            # A host may write a conversation again, together with its compaction.
            if not is_noted and not self._has_compaction(item.key):
                self._push({"k": "compaction", "at": at, "id": item.key})
        elif item.kind == NOT_INTERACTIVE:
            self._note_audience(item)
        elif item.kind == READ_ONLY:
            self._found.is_read_only = item.is_set

    @cached_property
    def _typed(self) -> set[tuple[str, ...]]:
        """The words of the prompts that were typed in a terminal."""
        return {plain_words(message) for message in self._batch.typed or ()}

    def _note_audience(self, item: Item) -> None:
        self._found.is_not_interactive = item.is_set
        self._found.is_audience_known = True

    def _add_held(self) -> None:
        """Add the prompt that was held back, unless a program waits for its answer."""
        held, self._held = self._held, None
        if held and not self._found.is_not_interactive:
            self._add_prompt(*held)

    def finish(self) -> NewEntries:
        self._add_held()
        if self._said and self._is_said_open:
            self._found.last_said = self._said[1]
        last_said = self._batch.last_said.strip(WHITESPACE)
        if last_said and not (self._said and self._said[1].endswith(last_said)):
            self._found.is_behind = True
            self._said = (max(self._batch.end - 1, 0), last_said)
        self._note_said()
        for command, failing in self._failing.items():
            if failing.is_changed:
                self._push({"k": "failed", "at": failing.at, "command": command, "tries": failing.tries})
        self._found.entries.sort(key=lambda entry: entry["at"])
        return self._found

    def _push(self, entry: Entry) -> None:
        self._found.entries.append(entry)

    def _has_compaction(self, key: str) -> bool:
        """Whether the ledger has a compaction with the id `key`; false if the id is ""."""
        entries = [*self._batch.ledger.entries, *self._found.entries]
        return key != "" and any(entry["k"] == "compaction" and entry["id"] == key for entry in entries)

    def _add_said(self, at: int, text: str) -> None:
        if self._said and self._is_said_open:
            if not self._said[1].endswith(text):
                self._said = (self._said[0], f"{self._said[1]}\n{text}")
        else:
            self._said, self._is_said_open = (at, text), True

    def _add_prompt(self, at: int, item: Item) -> None:
        if item.key and item.key in self._keys:
            return
        if item.text in self._queued and not item.is_queued:
            self._queued.remove(item.text)
            return
        if item.is_queued:
            self._queued.append(item.text)
        self._keys.append(item.key)
        self._note_said()
        text = self._redacted(without_middle(item.text, MAX_READ_CHARS))
        text, quoted = shorten_quotes(text, find_quotes(text), MAX_PROMPT_CHARS)
        held = {
            "answers_choice": self._offers_choice,
            "after_edit": self._edits > 0 or self._has_edited_before,
            "refusal": item.is_set,
            "interrupts": self._is_interrupted,
        }
        self._offers_choice = self._has_edited_before = self._is_interrupted = self._drops_said = False
        self._edits, self._last_agent = 0, ""
        if self._batch.is_restart and self._batch.ledger.has_prompt(text):
            return
        self._push(
            {
                "k": "prompt",
                "at": at,
                "text": text,
                "quoted": [list(span) for span in quoted],
                "signs": [sign for sign, holds in held.items() if holds],
                "is_substantial": is_substantial(own_words(text, quoted)),
            }
        )

    def _note_said(self) -> None:
        """Add an entry for the agent's last text, unless it answers a request for drafts or repeats the last entry."""
        self._is_said_open = False
        said, self._said = self._said, None
        if said is None or self._drops_said:
            return
        text = self._redacted(said[1][-MAX_TYPED_CHARS:])[-MAX_AGENT_CHARS:]
        if not text or text == self._last_agent or (len(text) <= MAX_ANSWER_CHARS and says_nothing_to_save(text)):
            return
        self._last_agent, self._offers_choice = text, _offers_choice(text)
        held = {"offers_choice": self._offers_choice, "apology": is_apology(text)}
        signs = [sign for sign, holds in held.items() if holds]
        self._push({"k": "agent", "at": said[0], "text": text, "signs": signs, "edits": self._edits})

    def _end_call(self, at: int, item: Item) -> None:
        places = [place for place, (key, _) in enumerate(self._calls) if key == item.key]
        if not places:
            return
        # Remove the call as the Rust engine does: the last call moves to its position.
        action = self._calls[places[0]][1]
        last = self._calls.pop()
        if places[0] < len(self._calls):
            self._calls[places[0]] = last
        if action.kind == COMMAND and (self._drops_said or _is_own(action.text)):
            # The command that sends the drafts, and any other of ours, is not part of the session's work.
            return
        if action.kind == COMMAND:
            if not item.is_set:
                for file in _files_put_back(action.text):
                    self._push({"k": "reverted", "at": at, "file": self._short(file)})
            self._note_outcome(at, action.text, has_failed=item.is_set)
        elif action.kind == QUESTION and not item.is_set and item.text:
            asked, text = (
                self._redacted(each[:MAX_TYPED_CHARS])[:MAX_CHOICE_CHARS] for each in (action.text, item.text)
            )
            self._push({"k": "choice", "at": at, "asked": asked, "text": text})
        elif action.kind == EDIT and not item.is_set:
            for edit in (replace(action, others=()), *action.others):
                self._note_edit(at, edit)

    def _note_edit(self, at: int, action: Action) -> None:
        """Record the folder of an edited file, and an edit that takes back an earlier one."""
        folder = self._short(os.path.dirname(action.text))
        if action.text and folder not in self._found.edited and len(self._found.edited) < MAX_FOLDERS:
            self._found.edited.append(folder)
        if action.old:
            undone = Action(EDIT, action.text, action.new, action.old)
            if undone in self._edited:
                self._edited.remove(undone)
                self._push({"k": "reverted", "at": at, "file": self._short(action.text)})
            else:
                self._edited.append(action)

    def _note_outcome(self, at: int, command: str, *, has_failed: bool) -> None:
        """Record that a command failed, or that it passed after it had failed."""
        if not has_failed and not self._failing:
            return
        command = self._short(command)
        failing = self._failing.get(command)
        if has_failed and failing:
            failing.at, failing.tries, failing.is_changed = at, failing.tries + 1, True
        elif has_failed:
            if len(self._failing) == MAX_FAILING:
                del self._failing[next(iter(self._failing))]
            self._failing[command] = _Failing(at, 1, is_changed=True)
        elif failing:
            del self._failing[command]
            self._push({"k": "passed", "at": at, "command": command, "tries": failing.tries})

    def _redacted(self, text: str) -> str:
        """The text without secrets, control characters and invisible characters."""
        text = text.translate(_CONTROLS)
        # Invisible characters inside a secret would keep it from being recognised.
        lines = ["\t".join(map(remove_hidden, line.split("\t"))) for line in text.split("\n")]
        return self._batch.redact("\n".join(lines))

    def _short(self, text: str) -> str:
        """The first line of a command or a file name without secrets, cut to `MAX_COMMAND_CHARS` characters."""
        line = self._redacted(text[:MAX_TYPED_CHARS]).strip(WHITESPACE).partition("\n")[0]
        return line[:MAX_COMMAND_CHARS]


def _offers_choice(text: str) -> bool:
    """Whether a text asks a question and lists at least two answers, or asks a question in its last line."""
    lines = text.split("\n")
    last = next((line for line in reversed(lines) if line.strip(WHITESPACE)), "")
    listed = sum(_is_item(line.lstrip(WHITESPACE)) for line in lines)
    return _is_question(last) or (listed >= 2 and _is_question(text))


def _is_question(text: str) -> bool:
    return "?" in text or "\uff1f" in text


def _is_item(line: str) -> bool:
    """Whether a line is a list item: `- x`, `2. x`, `b) x`."""
    return line.startswith(LIST_MARKS) or _LIST_NUMBER.match(line) is not None


def _is_own(command: str) -> bool:
    """Whether a command runs cuecard."""
    programs = [words[0] for part in _PARTS.split(command) if (words := _split_words(part))]
    return any(program.replace("\\", "/").rpartition("/")[2].strip("'\"") in OWN_PROGRAMS for program in programs)


def _files_put_back(command: str) -> list[str]:
    """The files that `git checkout -- FILE` and `git restore FILE` restore; at most three."""
    files: list[str] = []
    for part in _PARTS.split(command):
        words = _split_words(part)
        if words[:2] == ["git", "restore"] and not {"--staged", "-S"}.intersection(words):
            files += [word for word in words[2:] if not word.startswith("-")]
        elif words[:2] == ["git", "checkout"] and "--" in words:
            files += [word for word in words[words.index("--") :] if not word.startswith("-")]
    return files[:MAX_REVERTED]


def _split_words(text: str) -> list[str]:
    words, word = [], ""
    for char in text + " ":
        if char not in WHITESPACE:
            word += char
        elif word:
            words.append(word)
            word = ""
    return words
