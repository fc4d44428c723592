"""The tables of a report. They have all numbers that the plots show."""

from collections.abc import Sequence
from html import escape

from ..bootstrap import Interval
from ..calibration import Reliability
from ..judged_prompts import JudgedPrompt
from ..measures import MEASURES
from ..scoring import Score
from .report_data import Report, Variant

MAX_WORDS = 300


def variants_table(report: Report) -> str:
    """A table of all measures of all variants, with intervals."""
    rows = []
    for variant in report.variants:
        summary = variant.score.all
        cells = [_with_range(summary.measures[name], summary.intervals[name]) for name in MEASURES]
        rows.append((variant.name, cells, variant is report.shipped))
    return _table("All prompts, with 95% intervals", ["variant", *MEASURES], rows)


def groups_table(caption: str, score: Score) -> str:
    """A table of the measures of one variant, with a row for each group of prompts."""
    rows = [
        (name, [str(summary.prompts), *[_shown(summary.measures[measure]) for measure in MEASURES]], False)
        for name, summary in score.groups.items()
    ]
    return _table(caption, ["group", "prompts", *MEASURES], rows)


def spread_table(caption: str, variants: Sequence[Variant], field: str) -> str:
    """A table with mean and quantiles of a cost (`ms` or `tokens`), with a row for each variant."""
    names = ("mean", "p10", "p50", "p90", "p99", "max")
    rows = []
    for variant in variants:
        values = variant.spread(field)
        if values:
            rows.append((variant.name, [f"{values[name]:.3g}" for name in names], False))
    return _table(caption, ["variant", *names], rows)


def first_table(variants: Sequence[Variant]) -> str:
    """A table of the time of the first prompt of a process, which also reads the memories."""
    rows = [
        (variant.name, [f"{min(variant.first_ms):.1f}", f"{max(variant.first_ms):.1f}"], False)
        for variant in variants
        if variant.first_ms
    ]
    return _table("The first prompt of a process, milliseconds", ["variant", "least", "most"], rows)


def reliability_table(found: Reliability) -> str:
    """A table of the bins of the reliability diagram."""
    rows = [
        (
            f"{part.low:.1f} to {part.high:.1f}",
            [str(part.count), f"{part.expected:.3f}", _with_range(part.found, part.interval)],
            False,
        )
        for part in found.bins
    ]
    return _table("Injected memories by probability", ["probability", "memories", "mean", "share right"], rows)


def mistakes_table(mistakes: Sequence[tuple[JudgedPrompt, tuple[str, ...], float]]) -> str:
    """A table of prompts that got memories although they have no answer."""
    rows = [
        (prompt.text, [prompt.kind, f"{chance:.2f}" if chance else "-", ", ".join(memories)], False)
        for prompt, memories, chance in mistakes
    ]
    return _table("", ["prompt", "kind", "highest probability", "injected"], rows, words=("prompt", "injected"))


def missed_table(missed: Sequence[tuple[JudgedPrompt, tuple[str, ...]]]) -> str:
    """A table of prompts for which no wanted memory was injected."""
    rows = [
        (prompt.text, [prompt.kind, ", ".join(sorted(prompt.wanted)), ", ".join(memories) or "nothing"], False)
        for prompt, memories in missed
    ]
    heads = ["prompt", "kind", "wanted", "injected"]
    return _table("", heads, rows, words=("prompt", "wanted", "injected"))


def _table(
    caption: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str], bool]], words: Sequence[str] = ()
) -> str:
    """The HTML of a table. Cells are escaped, except the markup that `_with_range` returns."""
    parts = ['<div class="scroll" tabindex="0" role="region" aria-label="table"><table>']
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    named = [f'<th scope="col"{_words_class(name, words)}>{escape(name)}</th>' for name in heads]
    parts.append(f"<thead><tr>{''.join(named)}</tr></thead><tbody>")
    for first, cells, is_shipped in rows:
        mark = ' class="shipped"' if is_shipped else ""
        parts.append(f'<tr{mark}><th scope="row"{_words_class(heads[0], words)}>{escape(_cut(first))}</th>')
        for name, cell in zip(heads[1:], cells, strict=True):
            shown = cell if isinstance(cell, _Markup) else escape(_cut(cell))
            parts.append(f"<td{_words_class(name, words)}>{shown}</td>")
        parts.append("</tr>")
    return "".join([*parts, "</tbody></table></div>"])


class _Markup(str):
    """A text that is already safe markup and must not be escaped."""

    __slots__ = ()


def _with_range(value: float | None, limits: Interval | None) -> str:
    if value is None:
        return "-"
    span = f'<span class="range">{limits[0]:.2f} to {limits[1]:.2f}</span>' if limits else ""
    return _Markup(f"{value:.3f}{span}")


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _words_class(name: str, words: Sequence[str]) -> str:
    return ' class="words"' if name in words else ""


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[:MAX_WORDS]}…"
