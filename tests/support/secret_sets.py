"""The judged sets of secret detection: texts with a secret, and texts that only look as if they had one.

`secrets` and `harmless` belong to the rules. `later_*` and `typed_*` were written without looking at the rules:
`typed_*` has texts as people type and paste them into prompts, notes and shells, in two halves. The rules were improved
with the first half; the second half says what they find in texts that nobody tuned them on. `developer_texts` are
memories about agents, prompts, tools, secrets and policies of passwords, in which nothing is a secret.

A line of a file is one case. In its text, `⟦` and `⟧` enclose each part that must not be stored. `¦` is removed when a
case is read; it is there so that other secret scanners do not report this repository. Every value is made up, except
the examples that vendors document.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuecard.store.intake.redaction import redact

FOLDER = Path(__file__).parents[1] / "data" / "secrets"
# The least length of a piece that counts; shorter pieces of a secret can also occur in ordinary text.
TELLING_CHARS = 8


@dataclass(frozen=True)
class SecretCase:
    """A memory, and the secrets that it contains."""

    name: str
    record: dict[str, object]
    secrets: list[str]
    half: str = ""
    """`first` or `second` in a set that has two halves."""


def read_set(name: str) -> list[SecretCase]:
    """The cases of the set `name`, such as `secrets` or `harmless`."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    return [_case(json.loads(line)) for line in lines if line]


def what_is_left(case: SecretCase) -> list[str]:
    """The secrets that are still recognisable after redaction, because a long piece of them remains."""
    redacted, _ = redact(case.record)
    text = json.dumps(redacted, ensure_ascii=False)
    around = json.dumps(case.record, ensure_ascii=False)
    for secret in case.secrets:
        around = around.replace(json.dumps(secret, ensure_ascii=False)[1:-1], "")
    return [
        secret for secret in case.secrets if any(piece in text and piece not in around for piece in _pieces(secret))
    ]


def is_changed(case: SecretCase) -> bool:
    """Whether redaction changes a memory."""
    return redact(case.record)[0] != case.record


def _case(row: dict[str, Any]) -> SecretCase:
    texts = row["text"] if isinstance(row["text"], list) else [row["text"]]
    texts = [text.replace("¦", "") for text in texts]
    secrets = [secret for text in texts for secret in re.findall("⟦([^⟧]*)⟧", text)]
    plain = [re.sub("[⟦⟧]", "", text) for text in texts]
    record: dict[str, object] = {"id": "a-memory", "title": "A memory", "content": {"steps": ["first", *plain, "last"]}}
    if row.get("place") == "id":
        record["id"] = plain[0]
        record["content"] = {}
    return SecretCase(row["name"], record, secrets, row.get("half", ""))


def _pieces(secret: str) -> list[str]:
    escaped = json.dumps(secret, ensure_ascii=False)[1:-1]
    return [escaped[start : start + TELLING_CHARS] for start in range(max(1, len(escaped) - TELLING_CHARS + 1))]
