"""Finds the memories that are about what was typed in a session."""

from collections.abc import Sequence

from .._backend import Budget, engine
from ..files.environment import Environment
from ..files.root import Project
from .config import Config
from .snapshot_recall import ProjectSnapshot, PromptQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._backend import RecalledMemory

MAX_NEAR = 2
# A memory must pass this setting of the gate for one of the prompts.
SETTING = "precise"
# The most estimated tokens and characters of the block.
MAX_TOKENS, MAX_CHARS = 260, 1800


def find_near(project: Project, prompts: Sequence[str], notes: list[str]) -> str:
    """The block with the main texts of the memories that any of the prompts needs; "" if there are none."""
    config = Config(project[1], Environment(), [])
    loaded = engine.load_snapshot(project[0], config.numbers, Budget())
    if loaded is None:
        return ""
    review = "heeded" if config.recall.reviews_trust else "ignored"
    snapshot = ProjectSnapshot(loaded.snapshot, project, notes)
    found: dict[str, RecalledMemory] = {}
    for prompt in prompts:
        query = PromptQuery(prompt, config, review)
        query.setting = SETTING
        for memory in snapshot.choose(query, MAX_NEAR).memories:
            known = found.get(memory.parts[2])
            # A memory that is withheld from the agent is not listed at all (SPEC 45.5).
            if not memory.is_withheld and (known is None or _sureness(memory) > _sureness(known)):
                found[memory.parts[2]] = memory
    nearest = sorted(found.values(), key=lambda memory: (-_sureness(memory), memory.parts[2]))[:MAX_NEAR]
    return engine.pack_memories(project[0], nearest, MAX_TOKENS, MAX_CHARS)[0] if nearest else ""


def _sureness(memory: "RecalledMemory") -> int:
    return memory.logit or 0
