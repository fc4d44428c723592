"""Logged prompts asked again, with the memories as they are now and settings to try (SPEC 38.6)."""

import os
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import UsageError
from ..files.environment import Environment
from ..library.loaded_project import HOST, LoadedProject
from ..library.recall import Recall
from ..protocol.host import HOSTS
from ..recall.config import Config
from .events import LoggedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..settings.options import GateSetting

# The outcome of what was kept back because the session had it.
SESSION = "session"


@dataclass(frozen=True)
class Moved:
    """A memory whose tier is another; `before` is None where it was not shown, `after` where it no longer is."""

    category: str
    id: str
    path: str
    before: str | None
    after: str | None

    @property
    def change(self) -> str:
        """`in`, `out` or `tier`."""
        return "in" if self.before is None else "out" if self.after is None else "tier"


@dataclass(frozen=True)
class ReplayedPrompt:
    """A prompt that was asked again: how many memories its agent had of it, and has now, and which are other ones."""

    event: LoggedEvent
    before: int
    after: int
    moved: list[Moved]

    def as_dict(self) -> dict[str, object]:
        """The values by name, ready for JSON."""
        event = {"event": self.event.id, "time": self.event.time, "prompt": self.event.prompt}
        return {**event, "before": self.before, "after": self.after, "moved": [asdict(one) for one in self.moved]}


@dataclass(frozen=True)
class Replay:
    """The last prompts of a log, and what is other about those whose text was kept whole."""

    prompts: int
    asked: list[ReplayedPrompt]

    @property
    def without_text(self) -> int:
        """How many could not be asked again."""
        return self.prompts - len(self.asked)

    @property
    def changed(self) -> list[ReplayedPrompt]:
        """Those about which something is other."""
        return [one for one in self.asked if one.moved]

    @property
    def changes(self) -> dict[str, int]:
        """How many memories come `in`, go `out`, and get another `tier`."""
        counts = Counter([moved.change for one in self.asked for moved in one.moved])
        return {change: counts[change] for change in ("in", "out", "tier")}

    def as_dict(self) -> dict[str, object]:
        """The values by name, ready for JSON."""
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
    """The valid settings of a file, which may have any name. Raises UsageError where there is no file."""
    if not os.path.isfile(path):
        raise UsageError(f"`{path}` is not a file", "name settings such as those of memory-config.json")
    return Config("", Environment(), notes, path)


def replay_events(
    events: list[LoggedEvent], limit: int, loaded: LoadedProject, config: Config, setting: "GateSetting | None" = None
) -> Replay:
    """The last prompts of a log asked again; `setting` goes before that of `config`.

    What a session had been shown before counts as shown: a prompt that is asked again has no session. Raises StoreError
    where the memories cannot be read, UsageError for an unknown setting.
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
        # In which tier the session was shown it before is not known.
        if then not in (now.outcome, SESSION):
            name = path.rpartition("/")[2].removesuffix(".json")
            moved.append(Moved(now.hit.category, name, path, then, now.outcome))
    for path, memory in before.items():
        if path not in after:
            moved.append(Moved(memory.category, memory.id, path, memory.outcome, None))
    return ReplayedPrompt(event, len(before), len(after), moved)
