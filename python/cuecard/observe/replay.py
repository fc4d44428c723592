"""Asks logged prompts again with the current memories, and with settings to try (SPEC 38.6)."""

import os
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from .._backend import HOSTS
from ..errors import UsageError
from ..files.environment import Environment
from ..retrieval.config import Config
from ..retrieval.loaded_project import HOST, LoadedProject
from ..retrieval.recall import Recall
from ..store.log.events import LoggedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import GateSetting

# The outcome of a memory that was held back because the session had already been shown it.
SESSION = "session"


@dataclass(frozen=True)
class Moved:
    """A memory that is newly shown, no longer shown, or shown in another form.

    `before` is its outcome in the log and `after` its outcome now, such as "full" or "title". None: it is not shown.
    """

    category: str
    id: str
    path: str
    before: str | None
    after: str | None

    @property
    def change(self) -> str:
        """The kind of change: `in` for a newly shown memory, `out` for one not shown now, `tier` for another form."""
        return "in" if self.before is None else "out" if self.after is None else "tier"


@dataclass(frozen=True)
class ReplayedPrompt:
    """A prompt that was asked again: the number of memories shown `before` and now (`after`), and the changes."""

    event: LoggedEvent
    before: int
    after: int
    moved: list[Moved]

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        event = {"event": self.event.id, "time": self.event.time, "prompt": self.event.prompt}
        return {**event, "before": self.before, "after": self.after, "moved": [asdict(one) for one in self.moved]}


@dataclass(frozen=True)
class Replay:
    """The number of selected prompts of the log, and the results of the prompts whose whole text is in the log."""

    prompts: int
    asked: list[ReplayedPrompt]

    @property
    def without_text(self) -> int:
        """The number of prompts that could not be asked again."""
        return self.prompts - len(self.asked)

    @property
    def changed(self) -> list[ReplayedPrompt]:
        """The prompts for which a memory is newly shown, no longer shown, or shown in another form."""
        return [one for one in self.asked if one.moved]

    @property
    def changes(self) -> dict[str, int]:
        """How many memories are newly shown (`in`), no longer shown (`out`), or shown in another form (`tier`)."""
        counts = Counter([moved.change for one in self.asked for moved in one.moved])
        return {change: counts[change] for change in ("in", "out", "tier")}

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "prompts": self.prompts,
            "replayed": len(self.asked),
            "without_text": self.without_text,
            "answered": {
                "before": sum(one.before > 0 for one in self.asked),
                "after": sum(one.after > 0 for one in self.asked),
            },
            "memories": {
                "before": sum(one.before for one in self.asked),
                "after": sum(one.after for one in self.asked),
            },
            "changes": self.changes,
            "changed": [one.as_dict() for one in self.changed],
        }


def try_config(path: str, notes: list[str]) -> Config:
    """Read settings from a file, which may have any name; problems are added to `notes`.

    Raises UsageError if the file does not exist.
    """
    if not os.path.isfile(path):
        raise UsageError(f"`{path}` is not a file", "name a file with settings, such as memory-config.json")
    return Config("", Environment(), notes, path)


def replay_events(
    events: list[LoggedEvent], limit: int, loaded: LoadedProject, config: Config, setting: "GateSetting | None" = None
) -> Replay:
    """Ask the last `limit` prompts of a log again; `setting` overrides the gate's setting in `config`.

    A memory that was held back because its session had seen it counts as shown, since a repeated prompt has no session.
    Raises StoreError if the memories cannot be read, UsageError for an unknown setting.
    """
    recall = Recall(loaded, config)
    prompts = [event for event in events if event.kind == "prompt"][-limit:]
    return Replay(len(prompts), [_ask(event, recall, setting) for event in prompts if event.is_whole])


def _ask(event: LoggedEvent, recall: Recall, setting: "GateSetting | None") -> ReplayedPrompt:
    host: Any = event.host if event.host in HOSTS else HOST
    injection = recall.inject(event.prompt or "", event.history or (), host, setting=setting)
    before = {memory.path: memory for memory in event.memories if memory.is_shown or memory.outcome == SESSION}
    after = {memory.hit.path: memory for memory in injection.memories if memory.is_shown}
    moved = []
    for path, now in after.items():
        then = before[path].outcome if path in before else None
        # The log does not say in which form the session was shown the memory.
        if then not in (now.outcome, SESSION):
            name = path.rpartition("/")[2].removesuffix(".json")
            moved.append(Moved(now.hit.category, name, path, then, now.outcome))
    for path, memory in before.items():
        if path not in after:
            moved.append(Moved(memory.category, memory.id, path, memory.outcome, None))
    return ReplayedPrompt(event, len(before), len(after), moved)
