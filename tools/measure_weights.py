"""Measure what the words of prompts tell about durable statements, and what the bars of asking cost.

    python tools/measure_weights.py [--curve]

For each weight of a prompt (`capture/ledger/weights.py`): how many prompts of the judged sessions have it, how many of
these state something durable, and between which shares that varies when one project after the other is left out.
`--curve` prints for several bars at how many stops the agent would be asked, all causes together, and how many
statements stand in what it is asked about by the end of the next session. Both are read from previews of the
transcripts, so they differ a little from what `measure_capture.py` measures through the hook, which also counts what an
ask has no room for. The first number of a row is `WAITING`, the second `FULL` (`capture/ledger/moments.py`).
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

from capture_sessions import CaptureSession, read_session_projects, read_sessions, write_transcript  # noqa: E402
from cuecard._backend import is_substantial  # noqa: E402
from cuecard.capture.ledger import moments  # noqa: E402
from cuecard.capture.ledger.ledger_lines import Ask, Entry, Ledger  # noqa: E402
from cuecard.capture.ledger.preview import AT_STOP, preview_sessions  # noqa: E402
from cuecard.capture.ledger.quotes import find_quotes, own_words  # noqa: E402
from cuecard.capture.ledger.weights import MOST, weight_of  # noqa: E402
from measure_capture import CHAIN, LATER, SEED, cut  # noqa: E402

BARS = ((1, 2), (2, 3), (2, 4), (2.75, 4), (3, 4), (3, 6), (4, 6))
EVERY = 8
# With this number no preview asks, so that the parts of a session can be weighed again at other bars.
NEVER = 10**6
Counts = Counter[tuple[str, int, bool]]


def main() -> int:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--curve", action="store_true", help="measure what the bars cost; this takes minutes")
    lines = _curve() if parser.parse_args().curve else _weights()
    for line in lines:
        print(line, flush=True)
    return 0


def _weights() -> Iterator[str]:
    counts: Counts = Counter()
    for session in read_sessions():
        durable = {label.turn for label in session.labels if label.by == "user"}
        for number, turn in enumerate(session.turns):
            if turn.prompt:
                counts[session.project, _weight(turn.prompt), number in durable] += 1
    projects = sorted({project for project, _, _ in counts})
    yield "weight  prompts  durable  with a project left out"
    for weight in sorted({weight for _, weight, _ in counts}):
        shares = [_share(counts, weight, project) for project in projects]
        prompts = sum(number for (_, each, _), number in counts.items() if each == weight)
        yield f"{weight:>6}  {prompts:>7}  {_share(counts, weight):>7.0%}  {min(shares):.0%} to {max(shares):.0%}"


def _share(counts: Counts, weight: int, left_out: str = "") -> float:
    kept = {key: number for key, number in counts.items() if key[1] == weight and key[0] != left_out}
    return sum(number for key, number in kept.items() if key[2]) / max(1, sum(kept.values()))


def _weight(prompt: str) -> int:
    quoted = find_quotes(prompt)
    is_counted = is_substantial(own_words(prompt, quoted))
    entry = {"k": "prompt", "text": prompt, "quoted": quoted, "signs": [], "is_substantial": is_counted}
    return weight_of(entry, MOST)


@dataclass
class Replayed:
    """A session as its preview reads it."""

    session: CaptureSession
    parts: list[tuple[list[Entry], bool]]
    """The new entries of each part, and whether the agent may be asked behind them."""
    ledger: Ledger = field(default_factory=Ledger)
    handed: list[str] = field(default_factory=list)
    """The texts of the entries that an agent was asked about by the end of the next session."""


def _curve() -> Iterator[str]:
    sessions = [session for session in read_sessions() if not session.continues]
    later = replace(sessions[0], id="later", turns=LATER, labels=(), mode="default", fork_of="")
    short = [part for session in read_sessions() if session.mode == "default" for part in cut(session)]
    Random(SEED).shuffle(short)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judged: list[list[Replayed]] = [[_replay(session, folder), _replay(later, folder)] for session in sessions]
        replayed = [_replay(session, folder) for session in short]
        chains = [replayed[begin : begin + CHAIN] for begin in range(0, len(replayed), CHAIN)]
        for moments.WAITING, moments.FULL in BARS:
            yield f"{moments.WAITING} {moments.FULL}: judged {_measure(judged)}; chains {_measure(chains)}"


def _replay(session: CaptureSession, folder: Path) -> Replayed:
    file = folder / "session.jsonl"
    file.write_bytes(write_transcript(session, read_session_projects()[session.project]).as_bytes())
    [preview] = preview_sessions([str(file)], NEVER)
    return Replayed(
        session, [(part.entries, part.event == AT_STOP and not part.is_read_only) for part in preview.parts]
    )


def _measure(projects: Sequence[Sequence[Replayed]]) -> str:
    stops = asks = statements = handed = 0
    for sessions in projects:
        left: list[Replayed] = []
        for place, each in enumerate(sessions):
            each.ledger, each.handed = Ledger(), []
            for entries, may_ask in each.parts:
                start, end = each.ledger.position, each.ledger.position + len(entries)
                new = [{**entry, "at": start + number} for number, entry in enumerate(entries)]
                each.ledger = each.ledger.with_new(new, end, 0)
                stops += may_ask
                moment = moments.Moment(each.ledger, "s", start, [other.ledger for other in left], EVERY)
                cause = moments.decide(moment) if may_ask else ""
                if not cause:
                    continue
                asks += 1
                if cause != moments.EARLIER:
                    each.handed += _texts(moment.own)
                    each.ledger.asks.append(Ask("a", cause, "s", 0, end, how="nothing"))
                for other in left if cause != moments.WORD else ():
                    if other is sessions[place - 1]:
                        other.handed += _texts(other.ledger.left_entries())
                left = left if cause == moments.WORD else []
            left.append(each)
        for each in sessions:
            text = "\n".join(each.handed)
            statements += len(each.session.labels)
            handed += sum(_plain(label.text) in text for label in each.session.labels)
    return f"{asks / stops:.1%} of the stops, {handed / statements:.0%} handed over"


def _texts(entries: Sequence[Entry]) -> list[str]:
    return [_plain(entry[name]) for entry in entries for name in ("text", "asked") if name in entry]


def _plain(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
