"""Finds memories that are related to the text of a session."""

from ..._backend import Budget, engine
from ...files.environment import Environment
from ...files.root import Project
from ...files.trust_levels import UNREVIEWED
from ...library.config import Config
from ...library.snapshot_recall import ProjectSnapshot, PromptQuery
from .request import Near

MAX_NEAR = 6


def find_near(project: Project, text: str, notes: list[str]) -> list[Near]:
    """The memories most similar to a text; empty if there is no snapshot or no similar memory."""
    config = Config(project[1], Environment(), [])
    loaded = engine.load_snapshot(project[0], config.numbers, Budget())
    if loaded is None:
        return []
    review = "heeded" if config.recall.reviews_trust else "ignored"
    found = ProjectSnapshot(loaded.snapshot, project, notes).choose(PromptQuery(text, config, review), MAX_NEAR)
    # A memory that is withheld from the agent is not listed at all (SPEC 52.5).
    shown = [memory for memory in found.memories if not memory.is_withheld]
    return [Near(*memory.parts[:3], is_unreviewed=memory.level == UNREVIEWED) for memory in shown]
