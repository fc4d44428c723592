"""Rows 9 to 22 of the targets (performance reference, section D): target, figure, and whether it is reached."""

from collections.abc import Callable, Iterator
from statistics import median

from peer_corpus import QUERY_SETS
from peer_tables import EXACT, OURS, Engines, middle, overlap, ratio, scaling, write_figure

# The target as text, the measured figure (None if it was not measured), and whether the target is reached.
Judged = tuple[str, "float | None", bool]
Judge = Callable[[dict[str, Engines]], Iterator[Judged]]
FULL, LARGE = "800000", "100000"


def _most(text: str, value: "float | None", limit: float) -> Judged:
    return f"{text} <= {limit:g}", value, value is not None and value <= limit


def _least(text: str, value: "float | None", limit: float) -> Judged:
    return f"{text} >= {limit:g}", value, value is not None and value >= limit


def _judge_cold(results: dict[str, Engines]) -> Iterator[Judged]:
    engines = results.get(FULL, {})
    rows = [engines.get(name, {}).get("cold", []) for name in (OURS, "tantivy")]
    found = [(a["open"] + a["first"]) / (b["open"] + b["first"]) for a, b in zip(*rows, strict=False)]
    yield _most("over tantivy's", median(found) if found else None, 0.5)


def _judge_warm(peer: str, size: str, *limits: float) -> Judge:
    def judge(results: dict[str, Engines]) -> Iterator[Judged]:
        for queries, limit in zip(("short", "prompt", "long"), limits, strict=True):
            yield _least(queries, ratio(results.get(size, {}), peer, OURS, f"warm {queries}", "p50"), limit)

    return judge


def _judge_tail(results: dict[str, Engines]) -> Iterator[Judged]:
    for size in ("10000", LARGE, FULL):
        engines = results.get(size, {})
        for queries in QUERY_SETS:
            shares = [ratio(engines, OURS, peer, f"warm {queries}", "p99") for peer in engines if not _is_ours(peer)]
            known = [share for share in shares if share is not None]
            yield _most(f"{int(size):,} {queries}", max(known) if known else None, 1.0)


def _judge_small(results: dict[str, Engines]) -> Iterator[Judged]:
    for queries, limit in (("short", 4), ("long", 8)):
        yield _most(f"{queries}, us", middle(results.get("600", {}), OURS, f"warm {queries}", "p50"), limit)


def _judge_build(results: dict[str, Engines]) -> Iterator[Judged]:
    cpu = {name: engine["build"]["cpu"] for name, engine in results.get(FULL, {}).items() if "build" in engine}
    for peer, limit in (("tantivy", 1.8), (EXACT, 2.5)):
        yield _least(f"{peer}'s over ours", cpu[peer] / cpu[OURS] if {peer, OURS} <= set(cpu) else None, limit)


def _judge_bytes(results: dict[str, Engines]) -> Iterator[Judged]:
    build = results.get(FULL, {}).get(OURS, {}).get("build")
    yield _most("MB", build["bytes"] / 1e6 if build else None, 100)


def _judge_add(results: dict[str, Engines]) -> Iterator[Judged]:
    for size, engines in results.items():
        yield _most(f"{int(size):,}: over FTS5's", ratio(engines, OURS, "sqlite-fts5", "add", "ms"), 1.0)
        yield _most(f"{int(size):,}: ms without fsync", middle(engines, "cuecard-no-fsync", "add", "ms"), 0.2)


def _judge_threads(results: dict[str, Engines]) -> Iterator[Judged]:
    for size in (LARGE, FULL):
        yield _least(f"{int(size):,}", scaling(results.get(size, {}), OURS), 1.85)


def _judge_overlap(results: dict[str, Engines]) -> Iterator[Judged]:
    for size, engines in results.items():
        yield _least(f"{int(size):,}", overlap(engines, OURS), 0.98)


def _judge_memory(results: dict[str, Engines]) -> Iterator[Judged]:
    yield _most("MB", middle(results.get(FULL, {}), OURS, "memory", "mb"), 90)


def _judge_batch(results: dict[str, Engines]) -> Iterator[Judged]:
    for size, engines in results.items():
        # cuecard is compared with the better of bm25s's two variants.
        found = [ratio(engines, OURS, peer, "batch", "per_second") for peer in (EXACT, "bm25s-numba")]
        known = [value for value in found if value is not None]
        yield _least(f"{int(size):,}", min(known) if known else None, 1.1)


def _is_ours(name: str) -> bool:
    return name.startswith(OURS) or name == "nothing"


ROWS: tuple[tuple[int, str, Judge], ...] = (
    (9, "import, open, first query at 800,000 in a fresh process", _judge_cold),
    (10, "p50 at 800,000, tantivy over ours", _judge_warm("tantivy", FULL, 3, 1.4, 2)),
    (11, "p50 at 800,000, bm25s-numba over ours", _judge_warm("bm25s-numba", FULL, 8, 1.4, 1.3)),
    (12, "p50 at 800,000, bm25-turbo over ours", _judge_warm("bm25-turbo", FULL, 10, 4, 5)),
    (13, "p50 at 100,000, tantivy over ours", _judge_warm("tantivy", LARGE, 3, 3, 3)),
    (13, "p50 at 100,000, bm25s-numba over ours", _judge_warm("bm25s-numba", LARGE, 1.05, 1.05, 1.05)),
    (14, "p99, ours over the best peer", _judge_tail),
    (15, "p50 at 600, called from Python", _judge_small),
    (16, "CPU of a build at 800,000", _judge_build),
    (17, "index on disk at 800,000", _judge_bytes),
    (18, "add one until it is found", _judge_add),
    (19, "two threads over one", _judge_threads),
    (20, "overlap@10 with exact BM25", _judge_overlap),
    (21, "peak memory at 800,000", _judge_memory),
    (22, "batch, queries a CPU second over bm25s's", _judge_batch),
)


def judge_rows(results: dict[str, Engines]) -> None:
    """Print every row with its targets and figures."""
    print("\n### Targets\n\n| row | what | target | found | reached |\n| --: | --- | --- | --: | --- |")
    for number, what, judge in ROWS:
        for target, found, reached in judge(results):
            mark = "not measured" if found is None else "yes" if reached else "NO"
            print(f"| {number} | {what} | {target} | {write_figure(found)} | {mark} |")
