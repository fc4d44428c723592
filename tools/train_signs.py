"""Learn the weights of the wide concepts in `tools/instruction_signs.txt` (SPEC 46.6).

    python tools/train_signs.py [--check] [--every N]

Needs NumPy and the memories of the evaluation (`CUECARD_EVAL`, or `../shared/eval`). Writes `tools/sign_weights.txt`;
`tools/gen_signs.py` then makes the tables. With `--check` it writes nothing, and prints which payloads are found by
weights that were learned without their language, their style or their file. `--every 20` is a trial with every
twentieth text, which writes nothing.
"""

import argparse
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools" / "gate")]

from logistic import solve  # noqa: E402

from cuecard._pure.memory import sign_search  # noqa: E402
from cuecard._pure.memory.sign_patterns import Pattern, Signs  # noqa: E402
from cuecard._pure.text.sign_words import Words, split_words  # noqa: E402
from cuecard.basics import tables  # noqa: E402
from cuecard.basics.chars import scrub  # noqa: E402
from gen_signs import SOURCE, WEIGHTS, learned_classes, write_tables  # noqa: E402

DATA = ROOT / "tests" / "data"
EVALUATION = Path(os.environ.get("CUECARD_EVAL", ROOT.parent / "shared" / "eval"))
TITLE = """# Learned weights of the wide concepts, in hundredths: for each concept those of its pairs with the concepts
# before it, then its own. Written by `tools/train_signs.py`; do not edit.
"""
# A weight of 1 in the file.
UNIT = 0.01
PENALTY = 1.0
# How much a harmless text counts, and a memory of the evaluation; the windows of a memory share its weight.
HARMLESS_WEIGHT = 2.0
# How much a payload counts that has other signs: the weights are for the payloads without them.
KNOWN_WEIGHT = 0.4
MEMORY_WEIGHT = 2.0
FOLDS = 5
# The largest part of the harmless texts, and of the memories, that weights may withhold that were learned without them.
MOST_WITHHELD = 0.03
# A window of a harmless text is learned as well where it is shorter than the whole window and has a sum above this.
HARD_SUM = -1.0
ROUNDS = 2

# A float64 array of NumPy.
Array: TypeAlias = "np.ndarray[Any, Any]"
# The concepts of one window of words.
Concepts = frozenset[int]


@dataclass
class Example:
    """A text or a memory, with the concepts of its windows."""

    source: str
    is_payload: bool
    language: str
    style: str
    texts: list[str]
    windows: list[Concepts] = field(default_factory=list)
    """The concepts of the widest windows."""
    parts: list[Concepts] = field(default_factory=list)
    """The concepts of all windows that a search looks at."""
    has_signs: bool = False


def read_examples() -> Iterator[Example]:
    """All texts to learn from."""
    folder = DATA / "instruction_payloads"
    for row in _rows(folder / "payloads.jsonl"):
        yield Example("payloads", True, row["lang"], row["family"], [row["text"]])
    for row in _rows(folder / "memories.jsonl"):
        yield Example("memories", True, row["lang"], row["family"], [row["title"], *_texts(row["content"])])
    for row in _rows(folder / "harmless.jsonl"):
        yield Example("harmless", False, "", "", [row["text"]])
    for name in ("blind_signs.tsv", "sign_slots.tsv", "instruction_payloads/styles.tsv"):
        for line in (DATA / name).read_text(encoding="utf-8").splitlines():
            kind, language, style, text = line.split("\t")[-4:]
            yield Example(name, kind == "payload", language, style, [text.replace("\\n", "\n")])
    for row in _rows(DATA / "blind_signs_2.jsonl"):
        yield Example(row["set"], row["kind"] == "payload", row["language"], row["set"], [row["text"]])
    for file in sorted(EVALUATION.glob("dev*/*/memories.jsonl")):
        for row in _rows(file):
            yield Example("dev", False, "en", "", [row["title"], *_texts([row["content"], row.get("cuecard")])])


def _rows(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(member)


def load_signs(classes: list[str]) -> Pattern:
    """Load the signs of the source file with weights of 0, and return the learned pattern."""
    weights = "least 1\n" + "".join(
        f"{name.lstrip('+')} {' '.join(['0'] * count)}\n" for count, name in enumerate(classes, 1)
    )
    made = write_tables(SOURCE.read_text(encoding="utf-8"), weights)
    tables._files["instruction_signs"] = made.encode() + b"\n"
    sign_search._shipped[:] = [Signs()]
    return sign_search.shipped().learned[0]


def add_windows(example: Example, pattern: Pattern) -> None:
    """Find the concepts of the windows of an example."""
    signs = sign_search.shipped()
    seen: dict[Concepts, None] = {}
    for text in example.texts:
        example.has_signs = example.has_signs or bool(sign_search.instruction_signs(text))
        words = sign_search._repair(split_words(scrub(text), signs.letters), signs)
        found = sign_search._drop_harmless(sign_search._find_phrases(words, signs), signs, words)
        seen.update(dict.fromkeys(_parts(pattern, found, words)))
    example.parts = list(seen) or [frozenset()]
    example.windows = [part for part in example.parts if not any(part < other for other in example.parts)]


def _parts(pattern: Pattern, found: dict[int, list[tuple[int, int]]], words: Words) -> Iterator[Concepts]:
    places = [sign_search._places(number, is_undenied, found, words) for number, is_undenied in pattern.kinds]
    # With the weights 1, 2, 4 ... the sum of a window says which concepts it has.
    probe = Pattern(pattern.reason)
    probe.window, probe.least = pattern.window, (0,)
    probe.weights = [(1 << kind,) for kind in range(len(places))]
    for sums in sign_search.sums_of_windows(probe, places, words):
        yield frozenset(kind for kind in range(len(places)) if sums[0] >> kind & 1)


class Learner:
    """Learns weights, and computes sums with them."""

    def __init__(self, examples: list[Example], count: int) -> None:
        """Keep the examples; `count` is the number of the concepts."""
        self.examples = examples
        self._count = count
        self._rows, self._columns = np.tril_indices(count, -1)

    def features(self, windows: list[Concepts]) -> Array:
        """A row for each window: its concepts, then their pairs."""
        single = np.zeros((len(windows), self._count))
        for row, window in enumerate(windows):
            single[row, list(window)] = 1
        return np.hstack([single, single[:, self._rows] * single[:, self._columns]])

    def learn(self, is_used: Callable[[Example], bool]) -> Array:
        """The intercept and the weights, from the examples that are used."""
        used = [example for example in self.examples if is_used(example)]
        windows = [[*example.windows] for example in used]
        for turn in range(ROUNDS):
            pairs = [(example, window, len(own)) for example, own in zip(used, windows, strict=True) for window in own]
            x = self.features([window for _example, window, _count in pairs])
            y = np.array([float(example.is_payload) for example, _window, _count in pairs])
            counts = np.array([_weight(example) / _share(example, count) for example, _window, count in pairs])
            found = solve(x, y, PENALTY, counts)
            if turn + 1 < ROUNDS:
                for example, own in zip(used, windows, strict=True):
                    rest = [] if example.is_payload else [part for part in example.parts if part not in set(own)]
                    own += [part for part, total in zip(rest, self.sums(rest, found), strict=True) if total > HARD_SUM]
        return found

    def sums(self, windows: list[Concepts], found: Array) -> Array:
        """The sum of each window."""
        return found[0] + self.features(windows) @ found[1:] if windows else np.zeros(0)

    def highest(self, example: Example, found: Array) -> float:
        """The highest sum of an example's windows."""
        return float(self.sums(example.parts, found).max())

    def learn_without(self, left_out: list[Example]) -> Array:
        """The intercept and the weights, from all other examples."""
        names = {id(example) for example in left_out}
        return self.learn(lambda example: id(example) not in names)

    def least(self) -> float:
        """The least sum so that few harmless texts reach it with weights that were learned without them."""
        harmless = [example for example in self.examples if not example.is_payload]
        highest: dict[bool, list[float]] = {}
        for fold in range(FOLDS):
            left_out = [example for example in harmless if _fold(example) == fold]
            found = self.learn_without(left_out)
            for example in left_out:
                if not example.has_signs:
                    highest.setdefault(example.source == "dev", []).append(self.highest(example, found))
        return max(sorted(values, reverse=True)[int(MOST_WITHHELD * len(values))] for values in highest.values())


def _weight(example: Example) -> float:
    if example.is_payload:
        return KNOWN_WEIGHT if example.has_signs else 1.0
    return MEMORY_WEIGHT if example.source == "dev" else HARMLESS_WEIGHT


def _share(example: Example, count: int) -> float:
    """What the weight of an example is divided by for each of its windows."""
    return float(count) if example.is_payload else count**0.3


def _fold(example: Example) -> int:
    return zlib.crc32("\n".join(example.texts).encode()) % FOLDS


def write_weights(found: Array, least: float, classes: list[str]) -> str:
    """The content of the file of weights."""
    count = len(classes)
    scaled = [round(float(weight) / UNIT) for weight in found]
    single, pairs = scaled[1 : count + 1], iter(scaled[count + 1 :])
    # The pairs come in the order of the rows of a triangle.
    rows = [[*(next(pairs) for _ in range(place)), single[place]] for place in range(count)]
    lines = [f"least {round(least / UNIT) - scaled[0]}"]
    lines += [f"{name.lstrip('+')} {' '.join(map(str, row))}" for name, row in zip(classes, rows, strict=True)]
    return TITLE + "\n".join(lines) + "\n"


def check(learner: Learner, least: float) -> None:
    """Print how many payloads are found by weights that were learned without others of their kind."""
    for kind in ("source", "language", "style"):
        for value in sorted({getattr(example, kind) for example in learner.examples if example.is_payload}):
            left_out = [example for example in learner.examples if getattr(example, kind) == value]
            payloads = [example for example in left_out if example.is_payload]
            found = learner.learn_without(left_out)
            wide = [learner.highest(example, found) >= least for example in payloads]
            rest = [is_found for is_found, example in zip(wide, payloads, strict=True) if not example.has_signs]
            both = len(payloads) - len(rest) + sum(rest)
            print(
                f"without the {kind} `{value}`: {sum(wide)} of {len(payloads)}, with the other signs {both}; "
                f"{sum(rest)} of the {len(rest)} that have no other sign",
                flush=True,
            )


def main() -> None:
    """Write the file, or check."""
    parser = argparse.ArgumentParser(description="Learn the weights of the wide concepts.")
    parser.add_argument("--check", action="store_true", help="learn without a language, a style or a file in turn")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try it with every Nth text, write nothing")
    given = parser.parse_args()
    if given.every == 1 and not (EVALUATION / "dev").is_dir():
        raise SystemExit("error: the memories of the evaluation are missing\nhint: set CUECARD_EVAL to their folder")
    classes = learned_classes(SOURCE.read_text(encoding="utf-8"))
    pattern = load_signs(classes)
    examples = list(read_examples())[:: given.every]
    for example in examples:
        add_windows(example, pattern)
    learner = Learner(examples, len(classes))
    least = learner.least()
    if given.check:
        check(learner, least)
        return
    found = learner.learn(lambda _example: True)
    if given.every == 1:
        WEIGHTS.write_text(write_weights(found, least, classes), encoding="utf-8")
    for source in sorted({example.source for example in examples}):
        for is_payload in (True, False):
            own = [one for one in examples if one.source == source and one.is_payload == is_payload]
            hits = sum([learner.highest(one, found) >= least for one in own])
            if own:
                print(f"{source}: {hits} of {len(own)} {'payloads' if is_payload else 'harmless texts'}")


if __name__ == "__main__":
    main()
