"""The tables of the peers benchmark, as Markdown, and the functions that compute the figures."""

from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

from peer_corpus import QUERY_SETS

Engines = dict[str, dict[str, Any]]
OURS = "cuecard"
EXACT = "bm25s"


def middle(engines: Engines, name: str, part: str, field: str) -> "float | None":
    """The median of a figure over the rounds; None if it was not measured."""
    rows = [row for row in engines.get(name, {}).get(part, []) if row]
    return median(row[field] for row in rows) if rows else None


def ratio(engines: Engines, over: str, under: str, part: str, field: str) -> "float | None":
    """The figure of engine `over` divided by that of engine `under`: the median over the rounds.

    None if one of them was not measured.
    """
    pairs = zip(engines.get(over, {}).get(part, []), engines.get(under, {}).get(part, []), strict=False)
    found = [above[field] / max(below[field], 1e-9) for above, below in pairs if above and below]
    return median(found) if found else None


def overlap(engines: Engines, name: str, k: int = 10) -> "float | None":
    """The mean share of the exact engine's k best documents that this engine finds; None if nothing was measured.

    Documents that tie for the last place all count as found, because an engine may return any of them.
    """
    answers, exact = (engines.get(engine, {}).get("answers", [[]])[0] for engine in (name, EXACT))
    pairs = [(set(found[:k]), set(right)) for found, right in zip(answers, exact, strict=False) if found and right]
    if name == EXACT:
        return 1.0 if pairs else None
    shares = [len(found & right) / min(k, len(right)) for found, right in pairs]
    return sum(shares) / len(shares) if shares else None


def scaling(engines: Engines, name: str) -> "float | None":
    """How many times as many prompts two threads answer as one thread in the same time; None if not measured."""
    pairs = zip(engines.get(name, {}).get("threads 2", []), engines.get(name, {}).get("threads 1", []), strict=False)
    found = [two["per_second"] / one["per_second"] for two, one in pairs]
    return median(found) if found else None


def write_figure(value: "float | None") -> str:
    """A figure as text with up to three significant digits; "-" for None."""
    if value is None:
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _print_table(title: str, head: Iterable[str], rows: "Iterable[tuple[str, list[float | None]]]") -> None:
    lines = [
        [name, *map(write_figure, figures)] for name, figures in rows if any(figure is not None for figure in figures)
    ]
    cells = [["engine", *head], *lines]
    widths = [max(len(line[place]) for line in cells) for place in range(len(cells[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    print(f"\n### {title}\n")
    for line in (cells[0], rule, *cells[1:]):
        first, *others = line
        print(
            "|",
            " | ".join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(others, widths[1:], strict=True))]),
            "|",
        )


def show_tables(size: int, engines: Engines) -> None:
    """Print the tables with the measurements at one size."""

    def each(*columns: "Callable[[str], float | None]") -> "list[tuple[str, list[float | None]]]":
        return [(name, [column(name) for column in columns]) for name in engines]

    def built(field: str, unit: float = 1.0) -> "Callable[[str], float | None]":
        return lambda name: engines[name]["build"][field] / unit if "build" in engines[name] else None

    def found(part: str, field: str) -> "Callable[[str], float | None]":
        return lambda name: middle(engines, name, part, field)

    _print_table(
        f"{size:,} documents: build, cold, add",
        ("build s", "CPU s", "MB", "peak MB", "open + first ms", "process ms", "add ms"),
        each(
            *(built("seconds"), built("cpu"), built("bytes", 1e6), built("memory_mb")),
            lambda name: (
                median(row["open"] + row["first"] for row in engines[name]["cold"]) if "cold" in engines[name] else None
            ),
            *(found("cold", "wall"), found("add", "ms")),
        ),
    )
    latencies = [found(f"warm {queries}", share) for queries in QUERY_SETS for share in ("p50", "p99")]
    _print_table(
        f"{size:,} documents: microseconds of a query",
        (
            *(f"{queries} {share}" for queries in QUERY_SETS for share in ("p50", "p99")),
            *("one call: q/CPU s", "batch: q/CPU s", "2 threads x", "process MB", "overlap@10"),
        ),
        each(
            *(*latencies, found("threads 1", "per_cpu_second"), found("batch", "per_second")),
            *(lambda name: scaling(engines, name), found("memory", "mb"), lambda name: overlap(engines, name)),
        ),
    )
