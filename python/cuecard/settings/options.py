"""The names that options take, for annotations; a test holds them equal to the names that the code accepts."""

from typing import Literal, TypeAlias

Strategy: TypeAlias = Literal["hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic"]
"""How to search."""

GateSetting: TypeAlias = Literal["precise", "balanced", "eager", "off"]
"""How sure the gate has to be that a memory helps."""

Category: TypeAlias = Literal["session_summary", "decision", "runbook", "constraint", "tech_debt", "preference"]
"""What kind of memory it is."""

Status: TypeAlias = Literal["active", "retired", "archived", "all"]
"""The status of memories, or every one."""

StatusFilter: TypeAlias = Literal["active", "retired", "archived", "other", "all"]
"""The status of memories in a search; `other` stands for every status that is not known."""

WriteTrust: TypeAlias = Literal["own", "unreviewed"]
"""Who vouches for what is written: the user of this machine, or nobody yet."""

HostName: TypeAlias = Literal["claude-code", "codex", "gemini", "cursor", "copilot", "opencode", "cline", "plain"]
"""The agent program that a block is for."""

ImportKind: TypeAlias = Literal[
    "adr",
    "runbook",
    "instructions",
    "cursor",
    "auto-memory",
    "basic-memory",
    "memsearch",
    "claude-mem",
    "transcript",
]
"""What an import reads."""

LifecycleEvent: TypeAlias = Literal["deprecated", "removed", "resolved", "reversed", "superseded"]
"""What has happened to the subject of a memory."""

Tokens: TypeAlias = Literal["current", "classic"]
"""How `find_candidate` splits texts: as recall does, or as the claude-memory plugin does."""
