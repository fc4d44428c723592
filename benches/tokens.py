"""Compare the estimate of tokens with real tokenizers, on texts of several kinds.

    python benches/tokens.py [--tune]

The tokenizers come from packages (tokens.txt): Claude's, which was part of the package `anthropic` up to 0.38, and
`o200k_base`. The weights are tuned for Claude's tokenizer on every second text of each kind; the table shows the errors
for the other texts. The error of a text is (estimate - tokens) / tokens. `--tune` looks for better weights and prints
them. Kinds whose texts are not on this machine are left out. The texts of the evaluation are in the folder
`CUECARD_EVAL`, by default `../shared/eval` beside the repository.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from cuecard._pure.text.token_estimate import WEIGHTS, estimate_tokens, token_counts

ROOT = Path(__file__).resolve().parent.parent
EVALUATION = Path(os.environ.get("CUECARD_EVAL", ROOT.parent / "shared" / "eval"))
# An underestimate costs more than an overestimate, because a block must not exceed its budget.
UNDER, OVER = 4, 1
# Shorter texts are left out: one token more or less would be a large error.
MIN_CHARS = 60
# A weight is tuned only if at least this many texts have the feature to which it belongs.
MIN_TEXTS = 20

Measured = list[tuple[tuple[int, ...], int]]


def main() -> None:
    """Print the table of errors, or with `--tune` better weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", action="store_true", help="look for better weights")
    is_tuning = parser.parse_args().tune
    tokenizers = read_tokenizers()
    texts = read_texts()
    if is_tuning:
        count = tokenizers["Claude's"]
        print(tune([[(token_counts(text), count(text)) for text in some[::2]] for some in texts.values()]))
        return
    for name, count in tokenizers.items():
        print(f"\n| {name} | texts | characters per token | mean error | mean absolute | 95 of 100 within |")
        print("| --- | --: | --: | --: | --: | --: |")
        for kind, some in texts.items():
            print(f"| {kind} | {row(some[1::2], count)} |")


def row(texts: list[str], count: Callable[[str], int]) -> str:
    """The cells of a table row with the errors of the estimate for some texts."""
    tokens = [count(text) for text in texts]
    errors = [(estimate_tokens(text) - true) / true for text, true in zip(texts, tokens, strict=True)]
    sizes = sorted(map(abs, errors))
    length = sum(map(len, texts)) / sum(tokens)
    mean, size = sum(errors) / len(errors), sum(sizes) / len(sizes)
    return f"{len(texts)} | {length:.1f} | {mean:+.1%} | {size:.1%} | {sizes[(len(sizes) * 95 - 1) // 100]:.1%}"


def read_tokenizers() -> dict[str, Callable[[str], int]]:
    """For each tokenizer, a function that counts the tokens of a text."""
    # These packages are only installed for this benchmark.
    from bpe_openai import get_encoding  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415

    # Only this file of the package is needed, so the package's own dependencies are not installed.
    claude = Tokenizer.from_file(str(distribution("anthropic").locate_file("anthropic/tokenizer.json")))
    o200k = get_encoding("o200k_base")
    return {
        "Claude's": lambda text: len(claude.encode(text, add_special_tokens=False).ids),
        "o200k_base": lambda text: len(o200k.encode(text)),
    }


def read_texts() -> dict[str, list[str]]:
    """The texts of each kind, in the same order on every machine."""
    memories = [*own_memories()]
    judged = [json.loads(line) for path in sorted(EVALUATION.glob("dev/*/memories.jsonl")) for line in path.open()]
    kinds = {
        "memories of this repository": [
            "\n".join(texts_of([memory["title"], memory["content"]])) for memory in memories
        ],
        "memories of the evaluation": ["\n".join(texts_of([memory["title"], memory["content"]])) for memory in judged],
        "index lines, three each": by_three([*map(index_line, memories), *map(index_line, judged)]),
        "sources": [*sources()],
        "commands": by_three([f"{doc['title']}\n{doc['body']}" for doc in documents("nl2bash")[:3000:5]]),
        "bug reports with traces": [
            f"{doc['title']}\n{doc['body']}"[:1500] for doc in documents("gitbugs__hadoop")[:1200:5]
        ],
    }
    for section in (ROOT / "benches" / "token_texts.txt").read_text("utf-8").split("\n## ")[1:]:
        kind, *some = section.strip().split("\n\n")
        kinds[kind] = some
    return {kind: some for kind, all_texts in kinds.items() if len(some := long_enough(all_texts)) > 1}


def long_enough(texts: list[str]) -> list[str]:
    """The texts of at least `MIN_CHARS` characters."""
    return [text for text in texts if len(text) >= MIN_CHARS]


def own_memories() -> Iterator[Any]:
    """The memories of this repository."""
    for path in sorted((ROOT / ".claude" / "memory").glob("*/*.json")):
        yield json.loads(path.read_text("utf-8"))


def sources() -> Iterator[str]:
    """A piece from the middle of each source file of the backends, without tables of words."""
    for path in sorted([*ROOT.glob("rust/core/src/*/*.rs"), *ROOT.glob("python/cuecard/_pure/*.py")]):
        if not path.stem.endswith(("table", "tables", "words", "model", "hangul")):
            text = path.read_text("utf-8")
            yield text[len(text) // 3 :][:1200]


def documents(name: str) -> list[Any]:
    """The documents of a set of the evaluation; empty if the set is not on this machine."""
    path = EVALUATION / "sets" / f"{name}.json"
    found: list[Any] = json.loads(path.read_text("utf-8"))["docs"] if path.exists() else []
    return found


def index_line(memory: dict[str, Any]) -> str:
    """The line for a memory, in roughly the form that `index.md` uses."""
    category = memory["category"].upper()
    path = f".claude/memory/{category.lower().replace('_', '-')}s/{memory['id']}.json"
    return f"- [{category}] {memory['title']} -> {path} #tags:{','.join(memory['tags'])}"


def texts_of(value: object) -> list[str]:
    """All strings in a value, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [value] if isinstance(value, str) else []


def by_three(texts: list[str]) -> list[str]:
    """The texts joined in groups of three."""
    return ["\n".join(texts[place : place + 3]) for place in range(0, len(texts), 3)]


def tune(kinds: list[Measured]) -> tuple[int, ...]:
    """Search better weights by small steps: change one weight, or raise one and lower another.

    It returns when no step reduces the error. The influence of a kind of texts grows with the square root of its number
    of texts.
    """
    counts = [counts for kind in kinds for counts, _ in kind]
    tokens = [true for kind in kinds for _, true in kind]
    shares = [len(kind) ** -0.5 for kind in kinds for _ in kind]
    columns = list(zip(*counts, strict=True))
    tuned = [place for place, column in enumerate(columns) if sum(map(bool, column)) >= MIN_TEXTS]
    weights = list(WEIGHTS)
    totals = [sum(weight * count for weight, count in zip(weights, some, strict=True)) for some in counts]

    def cost(totals: list[int]) -> float:
        sum_of = 0.0
        for total, true, share in zip(totals, tokens, shares, strict=True):
            error = total / (64 * true) - 1
            sum_of += share * error * (OVER if error > 0 else -UNDER)
        return sum_of

    best = cost(totals)
    singles: list[dict[int, int]] = [{place: sign} for place in tuned for sign in (1, -1)]
    pairs = [{up: 1, down: -1} for up in tuned for down in tuned if up != down]
    for size in (16, 4, 1):
        is_better = True
        while is_better:
            is_better = False
            for step in singles + pairs:
                if any(weights[place] + size * sign < 0 for place, sign in step.items()):
                    continue
                moved = totals
                for place, sign in step.items():
                    column = columns[place]
                    moved = [total + size * sign * count for total, count in zip(moved, column, strict=True)]
                found = cost(moved)
                if found < best - 1e-9:
                    best, totals, is_better = found, moved, True
                    for place, sign in step.items():
                        weights[place] += size * sign
    return tuple(weights)


if __name__ == "__main__":
    main()
