"""The values that options accept, as types for annotations. A test compares them with the values in the code."""

from typing import Literal, TypeAlias

Strategy: TypeAlias = Literal["hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic"]
"""How to search."""

GateSetting: TypeAlias = Literal["precise", "balanced", "eager", "off"]
"""How sure the gate has to be that a memory helps."""

Category: TypeAlias = Literal["session_summary", "decision", "runbook", "constraint", "tech_debt", "preference"]
"""The category of a memory."""

Status: TypeAlias = Literal["active", "retired", "archived", "all"]
"""The status of memories; `all` stands for every status."""

StatusFilter: TypeAlias = Literal["active", "retired", "archived", "other", "all"]
"""The status of memories in a search; `other` stands for every unknown status, and `all` for every status."""

WriteTrust: TypeAlias = Literal["own", "drafted", "accepted", "unreviewed"]
"""Where the text of a write comes from.

`own`: the user of this machine typed it; `drafted`: an agent or a program made it; `accepted`: the user has read and
accepted it; `unreviewed`: it comes from somewhere else.
"""

HostName: TypeAlias = Literal[
    "claude-code",
    "codex",
    "gemini",
    "cursor",
    "copilot",
    "opencode",
    "qwen",
    "kimi",
    "pi",
    "kilo",
    "droid",
    "vibe",
    "cline",
    "plain",
]
"""The agent program that reads a block."""

ImportKind: TypeAlias = Literal[
    "adr",
    "runbook",
    "document",
    "instructions",
    "cursor",
    "auto-memory",
    "basic-memory",
    "memory-bank",
    "mem0",
    "knowledge-graph",
    "memsearch",
    "claude-mem",
    "transcript",
    "cuecard",
]
"""The format of the files that an import reads."""

LifecycleEvent: TypeAlias = Literal["deprecated", "removed", "resolved", "reversed", "superseded"]
"""What ended the thing that a memory describes: for example, a decision was `reversed`, or a problem `resolved`."""

Tokens: TypeAlias = Literal["current", "classic"]
"""How `find_candidate` splits texts: `current` as recall does, `classic` as the claude-memory plugin does."""
