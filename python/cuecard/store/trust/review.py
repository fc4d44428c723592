"""Lists the memories of a store with their trust, and accepts chosen memories (SPEC 45.8)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..._backend import engine
from ...errors import UsageError
from ...files.trust_levels import REVIEWED, UNREVIEWED, grant, past_levels_of, revoke
from ..records.find_memory import find_memory
from ..records.memory import Memory, read_memories
from ..records.record import CATEGORIES
from .agent_view import levels_of_files, printed_signs
from .commits import GitCommit, last_commits
from .history import History
from .safe_git import SafeGit
from .signatures import is_signed_by, read_key

Project = tuple[str, str]


@dataclass(frozen=True)
class Reviewed:
    """A memory with the facts that a review shows."""

    memory: Memory
    trust_hash: str
    level: str
    """`own`, `reviewed` or `unreviewed`."""
    signs: tuple[str, ...]
    """The reasons why the text seems to address the model, its tools or secrets; empty for most memories."""
    is_past: bool = False
    """Whether the user vouched for this text until it was replaced, retired or deleted in this store."""
    commit: GitCommit | None = None
    """The commit that last changed the memory; None if the choice did not need Git."""

    @property
    def is_withheld(self) -> bool:
        """Whether the memory's text is withheld from agents."""
        return self.level == UNREVIEWED and bool(self.signs)

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints. It lacks the text of a withheld memory, because an agent may read the output."""
        return {
            "id": self.memory.id,
            "category": self.memory.category,
            "path": self.memory.path,
            "status": self.memory.status,
            "title": None if self.is_withheld else self.memory.title,
            "trust": self.level,
            "withheld": list(self.signs) if self.is_withheld else [],
            "trust_hash": self.trust_hash,
            "author": self.commit.author if self.commit else None,
            "date": self.commit.day if self.commit else None,
        }


@dataclass(frozen=True)
class Choice:
    """Conditions for choosing memories; a memory is chosen if it meets every given condition."""

    names: Sequence[str] = ()
    categories: Sequence[str] = ()
    author: str = ""
    """A part of the author's name or address. Authors can be forged, so this only narrows the list."""
    since: str = ""
    """The earliest day of the last commit, as `YYYY-MM-DD`."""
    signed_by: Sequence[str] = ()

    @property
    def needs_git(self) -> bool:
        """Whether the choice depends on the Git history."""
        return bool(self.author or self.since or self.signed_by)


def review(project: Project, chosen: "Sequence[Memory] | None" = None) -> list[Reviewed]:
    """Return every readable memory of a store with its trust, or only the `chosen` ones."""
    memories = read_memories(*project) if chosen is None else chosen
    hashes = [engine.trust_hash(memory.data) or "" for memory in memories]
    levels = levels_of_files(project[1], [memory.data for memory in memories])
    past = past_levels_of(project[1], [trust_hash for trust_hash in hashes if trust_hash])
    found = []
    for memory, trust_hash, level in zip(memories, hashes, levels, strict=True):
        is_unreviewed = level == UNREVIEWED
        signs = signs_of(memory) if is_unreviewed else ()
        found.append(Reviewed(memory, trust_hash, level, signs, is_past=is_unreviewed and trust_hash in past))
    return found


def signs_of(memory: Memory) -> tuple[str, ...]:
    """Return the reasons why the text of an unreviewed memory is withheld from agents."""
    return printed_signs(memory.data, memory.id)


def choose(project: Project, found: list[Reviewed], choice: Choice) -> list[Reviewed]:
    """Return the memories that a choice selects, with their commits if it needs Git. Raises UsageError, StoreError."""
    for category in choice.categories:
        if category not in CATEGORIES:
            names = ", ".join([f"`{name}`" for name in CATEGORIES])
            raise UsageError(f"unknown category `{category}`", f"use {names}", field="category", found=f"`{category}`")
    chosen = found
    if choice.names:
        paths = {find_memory(*project, name)[1] for name in choice.names}
        chosen = [one for one in chosen if one.memory.path in paths]
    if choice.categories:
        chosen = [one for one in chosen if one.memory.category in choice.categories]
    if choice.needs_git:
        chosen = _by_history(project, chosen, choice)
    return chosen


def accept(chosen: list[Reviewed]) -> None:
    """Vouch for memories as `reviewed`, by the hash of what was read. Raises OSError if the trust cannot be stored."""
    grant([one.trust_hash for one in chosen if one.level == UNREVIEWED], REVIEWED)


def split_changed(project: Project, chosen: list[Reviewed]) -> tuple[list[Reviewed], list[Reviewed]]:
    """Return the memories whose files still have the text that was read, and the others."""
    now = {memory.path: engine.trust_hash(memory.data) for memory in read_memories(*project)}
    same = [one for one in chosen if now.get(one.memory.path) == one.trust_hash]
    return same, [one for one in chosen if one not in same]


def withdraw(chosen: list[Reviewed]) -> None:
    """Stop vouching for memories. Raises OSError if that cannot be stored."""
    revoke([one.trust_hash for one in chosen if one.level != UNREVIEWED])


def _by_history(project: Project, found: list[Reviewed], choice: Choice) -> list[Reviewed]:
    git = SafeGit(project[0])
    keys = [read_key(name) for name in choice.signed_by]
    history = History(git) if keys else None
    commits = last_commits(git)
    signed: dict[str, bool] = {}
    chosen = []
    for one in found:
        commit = commits.get(one.memory.path)
        if commit is None or (choice.since and commit.day < choice.since):
            continue
        if choice.author.casefold() not in commit.author.casefold():
            continue
        if history is not None:
            choosers = history.choosers(one.memory.path, one.trust_hash)
            for chooser in choosers:
                if chooser.name not in signed:
                    signed[chooser.name] = is_signed_by(git, chooser, keys)
            if not choosers or not all(signed[chooser.name] for chooser in choosers):
                continue
        chosen.append(replace(one, commit=commit))
    return chosen
