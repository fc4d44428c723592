"""Fits the gate to one store: proposes a shift of its thresholds, computed from the store's own memories.

The title of a memory is used as a prompt that the other memories should not answer. The share of titles for which the
gate would still show another memory says how high this store's logits are; no judgments are needed. If the share is
higher than in the stores on which the gate was trained, the thresholds rise; if the share is lower, the thresholds
fall. So the gate shows memories about equally often in every store. On the judged projects the shift only trades
recall against precision.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._backend import FIXED_ONE as ONE
from .._backend import Budget, Request, engine, gate_threshold
from ..errors import StoreError, UsageError
from ..files.locate import locate
from ..files.root import Project
from ..retrieval.config import HYBRID, Config
from ..retrieval.loaded_project import LoadedProject
from ..retrieval.trace import JUDGED
from ..store.settings.settings_edit import write_setting
from .engine import OFF, SETTINGS
from .running import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import Snapshot

# The share of titles, in percent, for which `balanced` would show another memory: the mean of six judged projects on
# which the gate was trained (16 to 43), measured without the questions of memories. It is measured again whenever the
# gate is trained; `tests/evaluate/test_evaluation.py` compares it.
REFERENCE_PERCENT = 26
# With fewer memories the share is too uncertain, and no shift is proposed.
LEAST_MEMORIES = 30
MOST_MEMORIES = 500
# The largest shift, in 1/100 of a logit. Titles differ from prompts, so only half of the measured distance is proposed,
# and at most one logit.
MOST_HUNDREDTHS = 100
DAY_MICROSECONDS = 86_400_000_000
# The logit of a title for which no other memory is found; it stays below the threshold for every shift.
NOTHING = -(1 << 30)


@dataclass(frozen=True)
class Calibration:
    """The result of a calibration: the logits of a store's titles, and the shift that they suggest."""

    root: str
    memories: int
    """The number of active memories."""
    logits: tuple[int, ...]
    """For each title used as a prompt, the best logit of the other memories, in units of 1/1024, in ascending order."""
    setting: str
    """The setting of the gate in the project."""
    shift: int
    """The present `retrieval.gate_shift`, in units of 1/1024."""
    hundredths: int | None
    """The proposed shift, in units of 1/100; None if there are too few memories."""
    problem: str = ""
    """Why the written setting may be lost if the machine crashes; "" otherwise."""

    @property
    def proposal(self) -> str | None:
        """The proposed shift as JSON text for the settings; None if there is no proposal."""
        return None if self.hundredths is None else f"{self.hundredths / 100:g}"

    @property
    def proposed_shift(self) -> int | None:
        """The proposed shift in units of 1/1024, rounded as in the settings; None if there is no proposal."""
        return None if self.hundredths is None else (2 * self.hundredths * ONE + 100) // 200

    def shown(self, setting: str, shift: int) -> float | None:
        """The share of titles for which the gate, with this setting and shift, would show another memory.

        `shift` is in units of 1/1024. None if there are no titles, or if the setting has no threshold.
        """
        least = gate_threshold(setting)
        if not self.logits or least is None:
            return None
        return sum([logit >= least + shift for logit in self.logits]) / len(self.logits)

    def as_dict(self) -> dict[str, object]:
        """The calibration as an object for JSON; shares are rounded to 4 digits."""
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
    """Propose a shift from the titles of a project's memories; with `is_applied` also write it into the settings.

    At most 500 titles, evenly spaced in the order of documents, are used as prompts. The clock is set to a day after
    the last change, so that the same memories always give the same result. The memory of the title is only left out of
    the answer: it still counts in the statistics of the store, as when the reference share was measured.

    Raises `StoreError` if there is no project or it cannot be read, `UsageError` for another strategy than `hybrid`,
    and the errors of `write_setting`.
    """
    project, config = locate_gated(root)
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
    hundredths = propose(logits, gate_threshold("balanced") or 0) if logits else None
    of_gate = config.recall.gate_setting, config.recall.gate_shift
    found = Calibration(project[0], len(documents), tuple(logits), *of_gate, hundredths)
    if is_applied and found.proposal is not None:
        problem = write_setting(project[1], "retrieval", "gate_shift", found.proposal)
        found = replace(found, problem=problem)
    return found


def propose(logits: Sequence[int], least: int) -> int:
    """The shift to propose, in units of 1/100.

    `logits`, in ascending order, and `least`, the threshold of `balanced`, are in units of 1/1024.
    """
    quantile = logits[min(len(logits) - 1, len(logits) * (100 - REFERENCE_PERCENT) // 100)]
    # Half of the distance between quantile and threshold, rounded half up.
    hundredths = ((quantile - least) * 100 + ONE) // (2 * ONE)
    return max(-MOST_HUNDREDTHS, min(MOST_HUNDREDTHS, hundredths))


def locate_gated(root: "str | os.PathLike[str] | None") -> tuple[Project, Config]:
    """The project at `root` and its settings. Raises `StoreError` without a project, `UsageError` without a gate."""
    project = locate(root)
    config = LoadedProject(project).config()
    if config.strategy != HYBRID or config.is_classic:
        raise UsageError(f"`{config.strategy}` has no gate to calibrate", f"use the strategy `{HYBRID}`")
    return project, config


def _load(project: Project, config: Config) -> "Snapshot":
    loaded = engine.load_snapshot(project[0], config.numbers, Budget())
    if loaded is None:
        raise StoreError(f"the memories of `{project[0]}` cannot be listed", "check the permissions")
    return loaded.snapshot


def _active_documents(snapshot: "Snapshot") -> list[tuple[int, str, int]]:
    """Position, title and last change (microseconds since 1970) of each active document, in the order of documents."""
    found = []
    for line in snapshot.active_lines:
        parsed = engine.parse_index_line(line)
        position = snapshot.find(parsed.path) if parsed else None
        document = None if position is None else snapshot.document(position)
        if parsed and position is not None and document:
            found.append((position, parsed.title, document.updated_at or 0))
    return found


def _pick(documents: list[tuple[int, str, int]]) -> list[tuple[int, str, int]]:
    """The documents whose titles are used as prompts: none if there are too few, and at most `MOST_MEMORIES`."""
    if len(documents) < LEAST_MEMORIES:
        return []
    count = min(len(documents), MOST_MEMORIES)
    return [documents[place * len(documents) // count] for place in range(count)]


def _best_other(snapshot: "Snapshot", position: int, title: str, config: Config, now: int) -> int:
    """The best logit of the first `JUDGED` other documents if the title of the document at `position` is the prompt."""
    asked = Request(title, JUDGED + 1, config.recall, config.descriptions, config.synonyms, now=now)
    found = snapshot.recall(asked, OFF)
    others = [memory.logit for memory in found if memory.position != position]
    return max(others[:JUDGED], default=NOTHING)
