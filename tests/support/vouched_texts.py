"""A text in each member that the trust hash of a memory covers, so that a test sees which of them is not shown."""

from typing import Any

# Besides title, category and content.
HASHED: dict[str, Any] = {
    "tags": ["a-tag-of-a-stranger"],
    "related_files": ["src/of/a/stranger.c"],
    "cuecard": {
        "gist": "gist of a stranger",
        "questions": ["question of a stranger?"],
        "anchors": ["anchor/of/a/stranger.c"],
        "evidence": ["evidence of a stranger"],
        "valid_until": "2031-02-03",
        "applies_to": ["place of a stranger"],
        "supersedes": ["decision/taken-by-a-stranger"],
        "subject": "subject of a stranger",
        "forbids": ["command: forbidden by-a-stranger"],
    },
}


def texts_of(value: Any) -> list[str]:  # noqa: ANN401
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if parts is None else [text for part in parts for text in texts_of(part)]
