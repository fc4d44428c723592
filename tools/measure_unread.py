"""Measure what a search in the typed prompts of an unread session would give the first prompt of the next session.

    python tools/measure_unread.py [--weight N]

For each judged session that `tests/data/capture/next_prompts.tsv` names, a store gets the session's prompts as
preferences that nobody has reviewed, if they weigh at least so much. Then the prompt of the file is asked, which needs
a statement of the session, and three ordinary prompts of other sessions of the same project, which need nothing.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

from capture_sessions import CaptureSession, read_sessions  # noqa: E402
from cuecard._backend import is_substantial  # noqa: E402
from cuecard.api import Store  # noqa: E402
from cuecard.capture.ledger.quotes import find_quotes, own_words  # noqa: E402
from cuecard.capture.ledger.weights import MOST, weight_of  # noqa: E402

NEXT = ROOT / "tests" / "data" / "capture" / "next_prompts.tsv"
TITLE_CHARS = 120
OTHERS = 3


@dataclass
class Counts:
    """What the prompts found."""

    asked: int = 0
    found: int = 0
    """Prompts to which the needed statement was shown."""
    wrong: int = 0
    """Prompts to which only others were shown."""
    quiet: int = 0
    noisy: int = 0
    """Prompts that need nothing to which something was shown."""


def main() -> int:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--weight", type=int, default=1, help="take prompts that weigh at least so much")
    least = parser.parse_args().weight
    sessions = {session.id: session for session in read_sessions()}
    counts = Counts()
    for row in NEXT.read_text("utf-8").splitlines():
        name, _, prompt = row.partition("\t")
        with tempfile.TemporaryDirectory() as folder:
            _measure(sessions[name], prompt, list(sessions.values()), least, Path(folder), counts)
    print(f"the needed statement is shown to {counts.found} of {counts.asked} prompts, only others to {counts.wrong}")
    print(f"something is shown to {counts.noisy} of {counts.quiet} prompts that need nothing")
    return 0


def _measure(
    session: CaptureSession, prompt: str, others: list[CaptureSession], least: int, folder: Path, counts: Counts
) -> None:
    memory_dir = folder / ".claude" / "memory" / "preferences"
    memory_dir.mkdir(parents=True)
    for number, typed in enumerate(_prompts(session, least)):
        record = {"title": typed[:TITLE_CHARS], "category": "preference", "tags": ["session"]}
        content = {"topic": typed[:TITLE_CHARS], "value": typed, "reason": "", "strength": "soft"}
        (memory_dir / f"prompt-{number}.json").write_text(json.dumps({**record, "content": content}), "utf-8")
    needed = [label.text for label in session.labels if label.by == "user"]
    store = Store(folder)
    shown = [hit.title for hit in store.recall(prompt)]
    is_found = any(title in text or text[:TITLE_CHARS] in title for title in shown for text in needed)
    counts.asked, counts.found = counts.asked + 1, counts.found + is_found
    counts.wrong += bool(shown) and not is_found
    quiet = [
        turn.prompt
        for other in others
        if other.project == session.project and other.language == session.language and other.id != session.id
        for turn in other.turns[:1]
        if turn.prompt
    ]
    for each in quiet[:OTHERS]:
        counts.quiet, counts.noisy = counts.quiet + 1, counts.noisy + bool(store.recall(each))


def _prompts(session: CaptureSession, least: int) -> Iterator[str]:
    for turn in session.turns:
        quoted = find_quotes(turn.prompt)
        own = own_words(turn.prompt, quoted)
        entry = {
            "k": "prompt",
            "text": turn.prompt,
            "quoted": quoted,
            "signs": [],
            "is_substantial": is_substantial(own),
        }
        if weight_of(entry, MOST) >= least:
            yield " ".join(own.split())


if __name__ == "__main__":
    sys.exit(main())
