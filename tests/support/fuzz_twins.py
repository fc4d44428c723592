"""Compares both backends on random stores and prompts, with every strategy and setting (`make fuzz-twins`).

The arguments are the number of stores, the seed, and the number of the first store. If the backends differ, the run
ends and prints all data that reproduces the difference. After an interruption, the last line of progress gives the
number of the store with which to continue.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from asking import ask
from backends import load_native, outcome
from cuecard import _pure as pure
from cuecard._pure.requests.request import Request
from cuecard._pure.retrieve.earlier_prompt import kept_terms
from cuecard.basics.category import FOLDERS
from cuecard.basics.light_dataclass import replace
from recall_strategies import (
    CATEGORIES,
    DATES,
    ENDINGS,
    LIMITS,
    NOW,
    OPENINGS,
    SETTINGS,
    STATES,
    WORDS,
    extension_of,
    memory,
)
from scratch_home import use_scratch_home
from snapshot_strategies import STORE, STRATEGIES
from snapshots import build_changed, by_path, embedded_in, path_at, position_of

if TYPE_CHECKING:
    from types import ModuleType

    from snapshot_strategies import File
    from snapshots import Change

NUMBERS = (2.0, (3.0, 4.0, 2.0, 1.0), (0.75, 0.75, 0.75, 0.75))
PROMPTS_EACH = 2
# The number of stores between two lines of progress.
PROGRESS = 250


def run(native: ModuleType, stores: int, seed: int, first: int = 0) -> Counter[str]:
    """Compare both backends, and return how many comparisons of each kind were made.

    Raises AssertionError if the backends differ.
    """
    counts: Counter[str] = Counter()
    for number in range(first, first + stores):
        if counts["stores"] and not counts["stores"] % PROGRESS:
            print(f"no difference before store {number} of seed {seed}", file=sys.stderr, flush=True)
        chance = random.Random(f"{seed}-{number}")
        files = make_store(chance)
        change: Change = files, [], []
        if chance.random() < 0.4:
            changed = make_store(chance)[:3]
            removed = [file[1] for file in files[:2] if file[1] not in {other[1] for other in changed}]
            change = files, changed, removed
            counts["deltas"] += 1
        counts["stores"] += 1
        counts["memories"] += len(files)
        for _ in range(PROMPTS_EACH):
            counts["prompts"] += 1
            compare(native, change, chance, counts, f"store {number} of seed {seed}")
    return counts


def compare(native: ModuleType, change: Change, chance: random.Random, counts: Counter[str], name: str) -> None:
    """Send a random prompt to both backends with every strategy and setting, and compare the answers."""
    ours, theirs = (build_changed(engine, change, NUMBERS) for engine in (native, pure))
    prompt = make_prompt(chance)
    history = [make_prompt(chance) for _ in range(chance.choice([0, 0, 1, 3, 6]))]
    described = [("runbook", "deploy and restore"), ("OWN", "how to test")] if chance.random() < 0.2 else []
    synonyms = [["blorp", "database", "배포"]] if chance.random() < 0.2 else []
    k = chance.choice([1, 3, 10, 60])
    for strategy in STRATEGIES:
        asked = [ask(each, prompt, k, descriptions=described, synonyms=synonyms) for each in (ours, theirs)]
        found = theirs.search(asked[1], strategy)
        hits = ours.search(asked[0], strategy)
        assert by_path(ours, hits) == by_path(theirs, found), (name, strategy, asked)
        counts["found"] += len(found)
        counts["searches"] += 1
        for (position, _score), (place, _same) in list(zip(found, hits, strict=True))[:2]:
            explained = theirs.explain(position, asked[1], strategy)
            assert ours.explain(place, asked[0], strategy) == explained, (name, position, strategy, asked)
            counts["explained"] += 1
    config = make_config(chance)
    asked = [
        Request(prompt, k, engine.read_settings(config, None), described, synonyms, history, NOW)
        for engine in (native, pure)
    ]
    embedded = make_embedded(chance)
    asked = [
        replace(request, embedded=embedded_in(theirs, snapshot, embedded))
        for snapshot, request in zip((ours, theirs), asked, strict=True)
    ]
    # What a session has kept of the same prompts says the same as their texts.
    kept = [kept_terms(theirs, replace(asked[1], prompt=text)) for text in history]
    if history and chance.random() < 0.5:
        asked = [replace(request, history=[], earlier=kept) for request in asked]
    for setting in SETTINGS:
        chosen = theirs.recall(asked[1], setting)
        recalled = ours.recall(asked[0], setting)
        assert by_path(ours, recalled) == by_path(theirs, chosen), (name, asked, config, setting)
        counts["recalls"] += 1
        counts["chosen" if chosen else "silent"] += 1
    for position in range(6):
        traced = outcome(theirs.trace, position, asked[1])
        place = position_of(ours, path_at(theirs, position)) if position < len(theirs) else len(change[0]) + 3
        assert outcome(ours.trace, place, asked[0]) == traced, (name, position, asked, config)
        counts["traced"] += not traced.startswith("IndexError")


def make_store(chance: random.Random) -> list[File]:
    """The files of a store with up to forty memories; sometimes these are enough for a concept graph."""
    files: dict[str, File] = {}
    pool = chance.sample(WORDS, chance.choice([12, 30, len(WORDS)]))
    for number in range(chance.choice([0, 1, 3, 6, 6, 12, 12, 25, 40])):
        folder, category = chance.choice(FOLDERS)
        words = chance.choices(pool, k=20)
        counts = (chance.randint(0, 5), chance.randint(0, 3), chance.randint(0, 12))
        status = chance.choice(["", "", "", "", "", "retired", "archived"])
        updated_at = chance.choice([None, *DATES])
        data = memory(words, counts, status, updated_at, chance.choice(STATES), make_extension(chance, pool))
        path = f"{STORE}{folder}/{chance.randint(0, 60)}.json"
        files[path] = (category, path, data, len(data), number)
    return list(files.values())


def make_extension(chance: random.Random, pool: list[str]) -> dict[str, object]:
    """Random questions and dates for a memory; about half of the memories get questions."""
    asked = [
        " ".join(chance.choices(pool, k=chance.randint(1, 6))) for _ in range(chance.choice([0, 0, 0, 1, 3, 4, 6]))
    ]
    return extension_of(asked, (chance.choice(LIMITS), chance.choice(LIMITS)))


def make_embedded(chance: random.Random) -> list[tuple[int, int]] | None:
    """Random cosines between a prompt and model vectors, by position; None in half of the cases."""
    if chance.random() < 0.5:
        return None
    positions = chance.sample(range(-1, 45), chance.choice([1, 6, 12, 46]))
    return [(position, chance.choice([0, 300, 301, chance.randint(-5000, 5000)])) for position in positions]


def make_prompt(chance: random.Random) -> str:
    """A random prompt of a few words, mostly in the form of a question or a task."""
    words = chance.choices(WORDS, k=chance.choice([0, 1, 2, 3, 4, 6, 9, 40]))
    return f"{chance.choice(OPENINGS)} {' '.join(words)}{chance.choice(ENDINGS)}"


def make_config(chance: random.Random) -> bytes:
    """Random settings; the defaults in half of the cases."""
    if chance.random() < 0.5:
        return b"{}"
    weights = {name: chance.choice([0, 0.5, 1, 1.75, 16]) for name in ("lexical", "semantic", "graph")}
    retrieval = {
        "fusion": chance.choice(["score", "rrf"]),
        "rrf_k": chance.choice([1, 60, 1000]),
        "candidate_pool": chance.choice([10, 50, 200]),
        "related_terms": chance.random() < 0.5,
        "graph": chance.random() < 0.5,
        "priors": chance.random() < 0.7,
        "weights": weights if chance.random() < 0.5 else {},
        "decay": {"half_life_days": chance.choice([0, 1, 30]), "categories": [chance.choice(CATEGORIES)]},
    }
    return json.dumps({"retrieval": retrieval}).encode()


if __name__ == "__main__":
    use_scratch_home()
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    begun = time.monotonic()
    seed, first = (int(argument) for argument in [*sys.argv[2:4], "0", "0"][:2])
    result = run(load_native(), wanted, seed, first)
    listed = ", ".join([f"{count:,} {what}" for what, count in result.items()])
    print(f"{listed}: no difference in {time.monotonic() - begun:.0f} s")
