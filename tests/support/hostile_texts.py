"""Sixty kinds of text that take a careless reader long: each is a unit repeated up to a size, in a file of some kind.

    for name, text in hostile_texts(25_000):
        ...

A reader whose time grows faster than the size of one of them can be made to hang by a repository.
"""

import json
from collections.abc import Callable, Iterator

_UNITS = {
    "sentences": "Never a. ",
    "reasons": "We must do it because x. ",
    "headings": "# a\n",
    "carriage returns": "\r",
    "carriage returns after text": "Never a.\r",
    "blank lines": "\n",
    "numbered steps": "1. run it\n",
    "bullets": "- Never a.\n",
    "nested bullets in one line": "- ",
    "nested quotes in one line": "> ",
    "quotes": "> Never a.\n",
    "opening brackets": "[",
    "closing brackets": "]",
    "brackets": "[a](",
    "reference brackets": "[a][",
    "images": "![a](",
    "parentheses": "(",
    "stars": "*",
    "stars with words": "*a ",
    "double stars": "**a ",
    "mixed emphasis": "*a **b _c __d ",
    "underscores": "_a ",
    "strikes": "~~a ",
    "back-ticks": "`",
    "growing back-ticks": "` a `` b ``` c ",
    "code spans": "Never `a`. ",
    "open code": "`a ",
    "quotation marks": 'Never "a. ',
    "tags": "<a ",
    "closed tags": "<a b='c'>",
    "open comments": "<!-- a ",
    "comments": "<!-- a -->",
    "declarations": "<!A ",
    "instructions of processors": "<? ",
    "entities": "&a;",
    "backslashes": "\\",
    "escaped": "\\[",
    "table rows": "| a | b |\n",
    "table cells": "| a ",
    "definitions": "[a]: b\n",
    "open fences": "```\na\n",
    "tabs": "\t",
    "blanks": " ",
    "blanks in a word": "a                    ",
    "one word": "a",
    "words": "word ",
    "slashes": "a/",
    "dots": "a.b.",
    "dashes": "a - ",
    "colons": "a: ",
    "colons and lines": "Name: never a\n",
    "commas": "a, ",
    "semicolons": "never a; ",
    "digits": "1.",
    "because": "because ",
    "abbreviations": "e.g. a. ",
    "conditions": "If a, never b. ",
    "wide": "決して a。",
    "hangul": "절대 하지 않는다. ",
    "conjunctions": "never a and must b or ",
    "exclamations": "!",
    "placeholders": "<a> {{b}} [C] ",
    "paths": "src/a.py src/b.py ",
    "links": "https://a.example/b ",
    "letters apart": "a b ",
    "assignments": "key=value ",
    "keys": "api_key: abcd1234efgh5678 ",
    "base64": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0",
    "hexadecimal": "deadbeef",
    "equals lines": "a\n=\n",
    "rules between": "Never a.\n\n---\n\n",
}


def hostile_texts(size: int) -> Iterator[tuple[str, str]]:
    """The name of each kind, and a text of about `size` characters of that kind."""
    for name, unit in _UNITS.items():
        yield name, (unit * (size // len(unit) + 1))[:size]


# How a text stands in a file: the name of the file, and a function that makes the file's text.
PLACES: dict[str, tuple[str, Callable[[str], str]]] = {
    "instructions": ("CLAUDE.md", lambda text: f"# Rules\n\n{text}\n"),
    "instructions item": ("AGENTS.md", lambda text: f"# Rules\n\n- Never {text}\n"),
    "heading": ("GEMINI.md", lambda text: f"# {text}\n\nNever a thing that one does.\n"),
    "decision": (
        "docs/adr/0001-a.md",
        lambda text: (
            f"# 1. A\n\n## Status\n\naccepted\n\n## Context\n\n{text}\n\n## Decision\n\nWe do {text}\n"
            f"\n## Consequences\n\n{text}\n"
        ),
    ),
    "runbook": ("docs/runbooks/a.md", lambda text: f"# Runbook: a\n\n## Steps\n\n1. Run\n\n{text}\n"),
    "note": ("memory/a.md", lambda text: f"---\nname: a\ndescription: {text}\ntype: feedback\n---\n\n{text}\n"),
    "transcript": ("a.jsonl", lambda text: transcript_of(text)),
}


def transcript_of(text: str, cwd: str = "/project") -> str:
    """A session of Claude Code in which the user typed a text and the agent answered with it."""
    common = {"sessionId": "s", "cwd": cwd, "timestamp": "2026-01-01T00:00:00Z"}
    asked = {"type": "user", "message": {"role": "user", "content": text}, **common}
    said = {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        **common,
    }
    return f"{json.dumps(asked)}\n{json.dumps(said)}\n"
