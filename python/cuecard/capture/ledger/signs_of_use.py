"""Finds signs that an agent has used a memory that it was shown (docs/reference/verdicts.md, "Signs of use").

A sign is found in what the agent does and says after the memory was shown. What the agent would have done anyway is no
sign: the edit of a file for which the memory was shown, and words that stand in a prompt or in what the agent has read.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..._backend import anchors_file
from ...basics.light_dataclass import dataclass
from ...basics.tables import read_words
from ..comparing.contradictions import count_negations
from ..comparing.similarity import split_words
from .entries import OWN_PROGRAMS
from .transcripts.record import CALLED, COMMAND, EDIT, ENDED, OPENED, PROMPT, SAID, Action, Item

EDITED, PASSED, SHOWED, WORDS, CITED = "edited", "passed", "opened", "words", "cited"
# How much each sign says. A citation says little: models cite what they do not use.
STRENGTHS = {EDITED: 1.0, PASSED: 1.0, SHOWED: 0.8, WORDS: 0.4, CITED: 0.2}
# A memory was shown for a failure if the failure was recorded at most this many seconds before or after it.
NEAR_SECONDS = 10
# Words with a digit, a sign inside, or a capital inside are names of code. One long name, or two names, are a sign.
MIN_NAME_CHARS, LONG_NAME_CHARS, ENOUGH_NAMES = 6, 14, 2
MAX_NAMES = 64
MIN_TITLE_WORDS, MIN_ID_PARTS = 3, 2
DISMISSALS = frozenset(read_words("contradictions", "dismissals"))
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NAME = re.compile(r"[^\W_][\w./:-]+\w")
_PARTS = re.compile(r"[;|&\n]")

# A line's time in seconds since 1970, None if it is not known, and an item of the line.
Act = tuple[int | None, Item]


@dataclass(frozen=True)
class ShownText:
    """A memory that a session was shown, with its text and the reason why it was shown.

    `seconds` is the time at which it was shown, since 1970. `anchors` name one file each.
    """

    id: str
    path: str
    title: str
    text: str
    anchors: tuple[str, ...]
    seconds: int
    is_for_file: bool = False
    is_for_failure: bool = False


def find_signs(
    shown: Sequence[ShownText],
    acts: Iterable[Act],
    folders: tuple[str, str],
    read_before: Callable[[], list[str] | None],
) -> list[tuple[ShownText, str]]:
    """The signs that `acts` give for the memories that were shown, each once.

    `folders` are those of the project and of the session. `read_before` returns what was typed and read before the
    acts, or None if that is not known; it is called at most once.
    """
    search = _Search(shown, folders, read_before)
    for moment, item in acts:
        search.add(moment, item)
    return list(search.found)


class _Search:
    def __init__(
        self, shown: Sequence[ShownText], folders: tuple[str, str], read_before: Callable[[], list[str] | None]
    ) -> None:
        self._shown = shown
        self._folders = folders
        self._read_before = read_before
        self._before: list[str] | None = []
        self._has_read = False
        self._known: set[str] = set()
        self._calls: dict[str, Action] = {}
        self._failures: list[tuple[int, str]] = []
        # What was typed and read so far, in lower case.
        self._texts: list[str] = []
        self._names = {one.path: _names_of(one.text) for one in shown}
        self._used: dict[str, set[str]] = {one.path: set() for one in shown}
        # A dict keeps the order, and each sign once.
        self.found: dict[tuple[ShownText, str], None] = {}

    def add(self, moment: int | None, item: Item) -> None:
        if item.kind == CALLED:
            self._calls[item.key] = item.action
        elif item.kind == PROMPT:
            self._texts.append(item.text.lower())
        elif item.kind == SAID:
            self._add_said(moment, item.text)
        elif item.kind == ENDED:
            action = self._calls.pop(item.key, None)
            if action:
                self._end(moment, action, has_failed=item.is_set)
            self._texts.append(item.text.lower())

    def _after(self, moment: int | None) -> list[ShownText]:
        """The memories that were shown before a moment; none if the moment is not known."""
        return [one for one in self._shown if moment is not None and one.seconds <= moment]

    def _end(self, moment: int | None, action: Action, *, has_failed: bool) -> None:
        shown = self._after(moment)
        if action.kind == COMMAND and has_failed and moment is not None:
            self._failures.append((moment, action.text))
        if has_failed:
            return
        for one in shown:
            if action.kind == EDIT and not one.is_for_file and self._edits_anchored(one, action):
                self.found[one, EDITED] = None
            elif action.kind == COMMAND and one.is_for_failure and action.text in self._failures_of(one):
                self.found[one, PASSED] = None
            elif _opens(action, one):
                self.found[one, SHOWED] = None
        if action.kind == EDIT:
            for edit in (action, *action.others):
                self._note_names(shown, edit.new)

    def _edits_anchored(self, one: ShownText, action: Action) -> bool:
        return any(self._is_anchored(one, edit.text) for edit in (action, *action.others))

    def _is_anchored(self, one: ShownText, path: str) -> bool:
        root, cwd = self._folders
        whole = os.path.normpath(Path(cwd or root, path)).replace(os.sep, "/")
        return anchors_file([*one.anchors], whole.removeprefix(root.replace(os.sep, "/").rstrip("/") + "/"))

    def _failures_of(self, one: ShownText) -> list[str]:
        """The command that failed when a memory was shown; empty if it is not known."""
        near = [(abs(at - one.seconds), text) for at, text in self._failures if abs(at - one.seconds) <= NEAR_SECONDS]
        return [min(near)[1]] if near else []

    def _add_said(self, moment: int | None, text: str) -> None:
        shown = self._after(moment)
        for sentence in _SENTENCE.split(text) if shown else ():
            words = split_words(sentence)
            if count_negations(words) or not DISMISSALS.isdisjoint(words):
                continue
            self._note_names(shown, sentence)
            for one in shown:
                if _cites(words, sentence, one):
                    self.found[one, CITED] = None

    def _note_names(self, shown: list[ShownText], text: str) -> None:
        """Note the names of code in a text of the agent that it can have from a memory only."""
        if not text or not any(self._names[one.path] for one in shown):
            return
        said = _names_of(text)
        for one in shown:
            used = self._used[one.path]
            used |= {name for name in self._names[one.path] & said - used if not self._is_known(name)}
            if len(used) >= ENOUGH_NAMES or any(len(name) >= LONG_NAME_CHARS for name in used):
                self.found[one, WORDS] = None

    def _is_known(self, name: str) -> bool:
        if name in self._known:
            return True
        is_known = any(name in text for text in self._texts)
        if not is_known and not self._has_read:
            before, self._has_read = self._read_before(), True
            self._before = None if before is None else [text.lower() for text in before]
        if is_known or self._before is None or any(name in text for text in self._before):
            self._known.add(name)
        return name in self._known


def _names_of(text: str) -> set[str]:
    """The names of code in a text, in lower case: a digit, a sign or a capital stands inside."""
    names: dict[str, None] = {}
    for word in _NAME.findall(text):
        is_mixed = word[1:] != word[1:].lower() and word != word.upper()
        is_name = is_mixed or not word.isalpha()
        if is_name and len(word) >= MIN_NAME_CHARS and any(char.isalpha() for char in word):
            names[word.lower()] = None
        if len(names) == MAX_NAMES:
            break
    return set(names)


def _opens(action: Action, one: ShownText) -> bool:
    """Whether an action shows the whole text of a memory."""
    if action.kind == OPENED:
        return action.text == one.id or action.text.replace("\\", "/").endswith(one.path)
    if action.kind != COMMAND:
        return False
    for part in _PARTS.split(action.text):
        words = [word.strip("'\"") for word in part.split()]
        program = words[0].replace("\\", "/").rpartition("/")[2] if words else ""
        if program in OWN_PROGRAMS and words[1:2] == ["show"] and any(_is_named(word, one) for word in words[2:]):
            return True
    return False


def _is_named(word: str, one: ShownText) -> bool:
    return word in (one.id, one.path) or word.endswith(f"/{one.id}")


def _cites(words: list[str], sentence: str, one: ShownText) -> bool:
    """Whether a sentence names a memory by its title or its id."""
    title = split_words(one.title)
    has_title = len(title) >= MIN_TITLE_WORDS and f" {' '.join(title)} " in f" {' '.join(words)} "
    return has_title or (one.id.count("-") + 1 >= MIN_ID_PARTS and one.id in sentence)
