"""What a host puts around a prompt changes nothing of the answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hook_process import Hook

CODE = 'def resize(image, width):\n    """Resize an uploaded product image once."""'
WRAPPERS = {
    "editor": f"<ide_selection>The user selected lines of resize.py:\n{CODE}</ide_selection>\nPROMPT",
    "opened": "<ide_opened_file>The user opened resize.py, product images.</ide_opened_file>\nPROMPT",
    "codex": f"# Context from my IDE setup:\n\n## Active file: resize.py\n\n{CODE}\n\n## My request for Codex:\nPROMPT",
    "cline": f'PROMPT\n\n<file_content path="app/images/resize.py">\n{CODE}\n</file_content>',
    "gemini": f"PROMPT\n--- Content from referenced files ---\nContent from @app/images/resize.py:\n{CODE}",
    "reminder": f"<system-reminder>{CODE}</system-reminder>\nPROMPT",
    "picture": "[Image #1] PROMPT",
    "command": "/feature PROMPT",
}
PROMPTS = ("how long is stock reserved?", "write a haiku about the sea please", "rename the function resize to scale")


MEMORIES = {
    "images": ("Product images are resized once, at upload", "Resizing an image at each request took too long"),
    "stock": ("Stock is reserved for fifteen minutes", "Baskets that nobody pays for must not block stock"),
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with two memories."""
    root = tmp_path / "shop"
    folder = root / ".claude" / "memory" / "decisions"
    folder.mkdir(parents=True)
    for name, (title, why) in MEMORIES.items():
        content = {"status": "accepted", "context": why, "decision": title, "rationale": [why]}
        record = {"title": title, "category": "decision", "tags": [name], "content": content}
        (folder / f"{name}.json").write_text(json.dumps(record))
    lines = [f"- [DECISION] {title} -> .claude/memory/decisions/{name}.json" for name, (title, _) in MEMORIES.items()]
    (root / ".claude" / "memory" / "index.md").write_text("\n".join(["# Memory Index", "", *lines, ""]))
    return root


def blocks_of(hook: Hook, shop: Path, prompts: Iterable[str]) -> list[bytes]:
    payloads = [json.dumps({"prompt": prompt, "cwd": str(shop)}).encode() for prompt in prompts]
    return [hook.run("prompt", "--host", "plain", stdin=payload, cwd=shop).stdout for payload in payloads]


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_what_a_host_adds_is_not_searched_for(hook: Hook, shop: Path, wrapper: str) -> None:
    bare = blocks_of(hook, shop, PROMPTS)
    assert b"fifteen minutes" in bare[0]
    assert bare[1] == b""
    assert blocks_of(hook, shop, [wrapper.replace("PROMPT", prompt) for prompt in PROMPTS]) == bare


@pytest.mark.parametrize(
    "prompt",
    [
        "This session is being continued from a previous conversation.\nStock is reserved.",
        "/compact how long is stock reserved",
    ],
)
def test_what_nobody_typed_is_not_answered(hook: Hook, shop: Path, prompt: str) -> None:
    assert blocks_of(hook, shop, [prompt]) == [b""]
