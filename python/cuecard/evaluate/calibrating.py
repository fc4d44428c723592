"""How sure the gate should be for one store: a shift of its thresholds, from the store's own memories.

A memory's title is a prompt about something that the other memories do not have. How often the gate would show one of
them all the same says how this store's logits lie, without any judgment; where that is more often than in the stores
that the gate was made with, the thresholds rise, and the other way round. That evens out how ready the gate is in
different stores; on the judged projects it moves along the trade of recall against precision, and gains no more.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backend import engine
from ..configuration.settings_edit import write_setting
from ..errors import StoreError, UsageError
from ..files.environment import Environment
from ..files.locate import locate
from ..files.root import Project
from ..library.loaded_project import LoadedProject
from ..library.trace import JUDGED
from ..protocol.budget import Budget
from ..protocol.request import Request
from ..recall.config import HYBRID, Config
from ..settings.reader import ONE
from .engine import OFF, SETTINGS
from .running import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Snapshot

# The share of titles for which `balanced` would show another memory, in percent: the mean of the two judged projects
# of development that the gate was trained on, 33 and 23, without questions.
REFERENCE_PERCENT = 28
# A share of so few titles says too little.
LEAST_MEMORIES = 30
MOST_MEMORIES = 500
# Titles are no prompts: of what they say only half counts, and no more than one logit. In 1/100.
MOST_HUNDREDTHS = 100
DAY_MICROSECONDS = 86_400_000_000
# The logit where nothing else is found: below all others, whatever the shift.
NOTHING = -(1 << 30)


@dataclass(frozen=True)
class Calibration:
    """What the titles of a store say about its gate."""

    root: str
    memories: int
    """How many active ones there are."""
    logits: tuple[int, ...]
    """For each title that was asked, the best logit of the other memories, in 1/1024, the lowest first."""
    setting: str
    """The gate's for the project."""
    shift: int
    """`retrieval.gate_shift` as it is, in 1/1024."""
    hundredths: int | None
    """The proposed shift, in 1/100; None where there are too few memories."""
    problem: str = ""
    """Why what was written may not survive a crash of the machine."""

    @property
    def proposal(self) -> str | None:
        """The proposed shift as the settings spell it."""
        return None if self.hundredths is None else f"{self.hundredths / 100:g}"

    @property
    def proposed_shift(self) -> int | None:
        """The proposed shift in 1/1024, as the settings are read."""
        return None if self.hundredths is None else (2 * self.hundredths * ONE + 100) // 200

    def shown(self, setting: str, shift: int) -> float | None:
        """The share of titles for which another memory would be shown; None without titles."""
        least = engine.Settings.gate_threshold(setting)
        if not self.logits or least is None:
            return None
        return sum([logit >= least + shift for logit in self.logits]) / len(self.logits)

    def as_dict(self) -> dict[str, object]:
        """Everything by name, ready for JSON; shares are rounded."""
        shifts = {"now": self.shift, "proposed": self.proposed_shift}
        return {
            "root": self.root,
            "memories": self.memories,
            "titles": len(self.logits),
            "setting": self.setting,
            "reference": REFERENCE_PERCENT / 100,
            "gate_shift": {
                "now": round(self.shift / ONE, 4),
                "proposed": None if self.hundredths is None else self.hundredths / 100,
            },
            "shown": {
                name: None if shift is None else {setting: self._rounded(setting, shift) for setting in SETTINGS}
                for name, shift in shifts.items()
            },
        }

    def _rounded(self, setting: str, shift: int) -> float | None:
        share = self.shown(setting, shift)
        return None if share is None else round(share, 4)


def calibrate(
    *, root: "str | os.PathLike[str] | None" = None, is_applied: bool = False, progress: Progress | None = None
) -> Calibration:
    """The shift that the titles of a project's memories speak for; written into its settings with `is_applied`.

    At most 500 titles, evenly spaced in the order of documents, are put to the engine a day after the last change, so
    the same memories always give the same. The memory itself is only left aside: it still counts in the numbers of
    the store and among the features of the others, as it did where the reference was measured.

    Raises `StoreError` where there is no project or it cannot be read, `UsageError` for another strategy than
    `hybrid`, and what `write_setting` does.
    """
    project = locate(Environment(), root)
    config = LoadedProject(project).config()
    snapshot = _load(project, config)
    documents = _active_documents(snapshot)
    picked = _pick(documents)
    now = max([updated for _position, _title, updated in documents], default=0) + DAY_MICROSECONDS
    logits = []
    for done, (position, title, _updated) in enumerate(picked, 1):
        logits.append(_best_other(snapshot, position, title, config, now))
        if progress:
            progress(done, len(picked))
    logits.sort()
    hundredths = propose(logits, engine.Settings.gate_threshold("balanced") or 0) if logits else None
    of_gate = config.recall.gate_setting, config.recall.gate_shift
    found = Calibration(project[0], len(documents), tuple(logits), *of_gate, hundredths)
    if is_applied and found.proposal is not None:
        problem = write_setting(project[1], "retrieval", "gate_shift", found.proposal)
        found = replace(found, problem=problem)
    return found


def propose(logits: Sequence[int], least: int) -> int:
    """The shift, in 1/100, for logits in ascending order and the threshold of `balanced`, all in 1/1024."""
    quantile = logits[min(len(logits) - 1, len(logits) * (100 - REFERENCE_PERCENT) // 100)]
    # Half of the distance, rounded half up.
    hundredths = ((quantile - least) * 100 + ONE) // (2 * ONE)
    return max(-MOST_HUNDREDTHS, min(MOST_HUNDREDTHS, hundredths))


def _load(project: Project, config: Config) -> "Snapshot":
    if config.strategy != HYBRID or config.is_classic:
        raise UsageError(f"`{config.strategy}` has no gate to calibrate", f"use the strategy `{HYBRID}`")
    loaded = engine.load_snapshot(project[0], config.numbers, Budget())
    if loaded is None:
        raise StoreError(f"the memories of `{project[0]}` cannot be listed", "check the permissions")
    return loaded.snapshot


def _active_documents(snapshot: "Snapshot") -> list[tuple[int, str, int]]:
    """Position, title and time of the last change (microseconds since 1970) of each active document, in order."""
    found = []
    for line in snapshot.active_lines():
        parsed = engine.parse_index_line(line)
        position = snapshot.find(parsed[2]) if parsed else None
        document = None if position is None else snapshot.document(position)
        if parsed and position is not None and document:
            found.append((position, parsed[1], document[2] or 0))
    return found


def _pick(documents: list[tuple[int, str, int]]) -> list[tuple[int, str, int]]:
    """Those whose titles are asked: none of too few, of many as many as there is time for."""
    if len(documents) < LEAST_MEMORIES:
        return []
    count = min(len(documents), MOST_MEMORIES)
    return [documents[place * len(documents) // count] for place in range(count)]


def _best_other(snapshot: "Snapshot", position: int, title: str, config: Config, now: int) -> int:
    """The best logit of the first few that are not the document at `position`, for its title as the prompt."""
    asked = Request(title, JUDGED + 1, config.recall, config.descriptions, config.synonyms, now=now)
    found = snapshot.recall(asked, OFF)
    others = [logit for place, _score, logit, _probability in found if place != position]
    return max(others[:JUDGED], default=NOTHING)
