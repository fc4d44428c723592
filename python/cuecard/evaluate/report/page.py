"""The report as one self-contained HTML page, without scripts, fonts or network access.

The markup is short. For this page alone `jinja2` would add 2 MB and 5 times the start-up time of an empty Python.
"""

import re
from html import escape

from ...basics.version import __version__
from ..calibration import reliability, tradeoff
from ..measures import MEANINGS
from ..scoring import score
from . import page_tables, plots
from .page_style import CSS
from .report_data import Report
from .svg import draw_mark

SHOWN_PROMPTS = 20
_CODE = re.compile("`([^`]*)`")
_TILES = (
    ("R@5", "wanted memories found (recall@5)"),
    ("prec", "injected memories that help (precision)"),
    ("false", "prompts without an answer that got a memory"),
    ("silent", "prompts with an answer that got no memory"),
)


def render_page(report: Report) -> str:
    """The report as the text of an HTML page."""
    title = f"Recall on {len(report.prompts)} judged prompts"
    body = "".join(
        [
            _header(report, title),
            "<main>",
            _tiles(report),
            *[f'<p class="note">{_with_code(note)}</p>' for note in report.notes],
            _gate(report),
            _kinds(report),
            _strategies(report),
            _costs(report),
            _prompts(report),
            _method(report),
            "</main>",
            _footer(report),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style></head><body>{body}</body></html>\n"
    )


def _header(report: Report, title: str) -> str:
    listed = ", ".join(
        [
            f"<b>{escape(name)}</b> ({count} {'memory' if count == 1 else 'memories'})"
            for name, count in report.projects.items()
        ]
    )
    return (
        f"<header><h1>{escape(title)}</h1>"
        f'<p class="quiet">{listed}. Measured {escape(report.made_at)} with cuecard {escape(__version__)}.</p></header>'
    )


def _tiles(report: Report) -> str:
    summary = report.shipped.score.all
    tiles = []
    for name, words in _TILES:
        value, limits = summary.measures[name], summary.intervals[name]
        shown = "-" if value is None else f"{value:.2f}"
        span = f'<span class="range">95%: {limits[0]:.2f} to {limits[1]:.2f}</span>' if limits else ""
        tiles.append(f'<div class="tile"><dt>{escape(words)}</dt><dd>{shown}{span}</dd></div>')
    tokens = report.shipped.spread("tokens")
    if tokens:
        span = f'<span class="range">9 of 10 prompts: at most {tokens["p90"]:.0f}</span>'
        tiles.append(f'<div class="tile"><dt>tokens a prompt (estimate)</dt><dd>{tokens["mean"]:.0f}{span}</dd></div>')
    name = escape(report.shipped.name)
    return f'<h2>In short: <code>{name}</code></h2><dl class="tiles">{"".join(tiles)}</dl>'


def _gate(report: Report) -> str:
    ungated = report.main[0]
    found = reliability(ungated.run, report.prompts)
    curve = tradeoff(ungated.run, report.prompts)
    words = (
        "Up and to the right is better. The line shows the results of all other thresholds on the gate's probability, "
        "applied to the memories found without a gate; whiskers are 95% intervals."
        if curve
        else "Up and to the right is better; whiskers are 95% intervals."
    )
    figures = [
        _figure(
            "Precision by recall",
            plots.tradeoff_plot(report, curve),
            words,
            legend=_legend(report, with_baselines=True),
        )
    ]
    drawing = plots.reliability_plot(found)
    if found and drawing:
        caption = (
            f"The share of memories that are wanted or acceptable, by the probability that the gate gives them. On the "
            f"dashed line both are equal. Mean distance from the line: {found.gap:.3f}; Brier score: "
            f"{found.brier:.3f}; {found.count} memories found without a gate."
        )
        table = page_tables.reliability_table(found)
        figures.append(_figure("Reliability of the gate's probabilities", drawing, caption, table))
    table = f'<div class="card">{page_tables.variants_table(report)}</div>'
    return _section("Recall and precision of the settings", figures) + table


def _kinds(report: Report) -> str:
    table = "".join([page_tables.groups_table(f"By kind: {variant.name}", variant.score) for variant in report.main])
    found = plots.kinds_plot(report, "R@5", "recall@5", "Recall by kind of prompt", "kinds-recall")
    wrong = plots.kinds_plot(
        report, "false", "share with something injected", "Injected by mistake, by kind of prompt", "kinds-false"
    )
    figures = []
    if found:
        words = "Prompts that a memory answers; the number of prompts is behind each kind. Further right is better."
        figures.append(_figure("Recall by kind", found, words, table, _legend(report)))
    if wrong:
        words = "Prompts for which no memory should be injected. Further left is better."
        figures.append(_figure("Injected by mistake, by kind", wrong, words, "", _legend(report)))
    return _section("By kind of prompt", figures)


def _strategies(report: Report) -> str:
    words = "Recall and ranking of each strategy without a gate; whiskers are 95% intervals."
    table = ""
    if len(report.projects) > 1:
        rows = [
            page_tables.groups_table(
                f"By project: {variant.name}",
                score(variant.run, report.prompts, by="project", resamples=report.resamples),
            )
            for variant in (report.shipped, *[each for each in report.ungated if each is not report.shipped])
        ]
        table = "".join(rows)
    drawing = plots.strategies_plot(report)
    alone = _figure("Strategies without a gate", drawing, words, table, summary="Numbers by project")
    words = (
        "Both strategies answered the same prompts. If an interval does not reach the dashed line, the difference is "
        "unlikely to vanish with other prompts of this sort."
    )
    first = report.variants[0].strategy
    gaps = _figure(f"Difference of {first} to each baseline", plots.differences_plot(report), words)
    return _section("Comparison with the baselines", [alone, gaps])


def _costs(report: Report) -> str:
    tokens = _figure(
        "Tokens a prompt",
        plots.tokens_plot(report),
        "What the printed block adds to the context, over all prompts. Four ASCII characters, or one other character, "
        "count as a token. Box: the middle 80%; line in the box: median; mark and number: mean; whisker: 99%.",
        page_tables.spread_table("Tokens a prompt", report.variants, "tokens"),
    )
    latency = _figure(
        "Latency",
        plots.latency_plot(report),
        "The time of the recall alone, in a process that has read the memories. The first prompt of a process also "
        "reads the memories; its time is listed in the numbers.",
        page_tables.spread_table("Milliseconds a prompt", report.variants, "ms")
        + page_tables.first_table(report.variants),
    )
    return _section("What it costs", [tokens, latency])


def _prompts(report: Report) -> str:
    mistakes = plots.injected_by_mistake(report, SHOWN_PROMPTS)
    missed = plots.missed(report, SHOWN_PROMPTS)
    parts = [f"<p>With <code>{escape(report.shipped.name)}</code>, at most {SHOWN_PROMPTS} of each.</p>"]
    if mistakes:
        table = page_tables.mistakes_table(mistakes)
        parts.append(f"<details><summary>Injected by mistake, the surest first</summary>{table}</details>")
    if missed:
        table = page_tables.missed_table(missed)
        parts.append(f"<details><summary>No wanted memory injected</summary>{table}</details>")
    return f"<h2>Prompts to look at</h2>{''.join(parts)}" if len(parts) > 1 else ""


def _method(report: Report) -> str:
    meanings = [f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in MEANINGS.items()]
    return (
        "<h2>How it was measured</h2>"
        "<p>The engine answered each prompt together with its session's previous prompts, with at most "
        f"{report.limit} memories. If more memories are wanted than a measure looks at, finding as many as it looks at "
        "counts as 1. For nDCG@5 a wanted memory counts 3 and an acceptable one 1, less at lower ranks. "
        f"Intervals are the middle 95% of {report.resamples} bootstrap samples of the prompts, in which each kind "
        "keeps its number of prompts; the intervals of the reliability diagram are Wilson's.</p>"
        f'<dl class="words">{"".join(meanings)}</dl>'
    )


def _footer(report: Report) -> str:
    unreviewed = sum([not prompt.is_reviewed for prompt in report.prompts])
    words = f" The judgments of {unreviewed} prompts were made by a program." if unreviewed else ""
    return f"<footer><p>Made by <code>cuecard eval report</code>, offline.{words}</p></footer>"


def _section(title: str, figures: list[str]) -> str:
    shown = [figure for figure in figures if figure]
    return f'<h2>{escape(title)}</h2><div class="figures">{"".join(shown)}</div>' if shown else ""


def _figure(title: str, drawing: str, words: str, table: str = "", legend: str = "", summary: str = "Numbers") -> str:
    if not drawing:
        return ""
    numbers = f"<details><summary>{escape(summary)}</summary>{table}</details>" if table else ""
    return (
        f"<figure><h3>{escape(title)}</h3>{legend}{drawing}<figcaption>{escape(words)}</figcaption>{numbers}</figure>"
    )


def _legend(report: Report, with_baselines: bool = False) -> str:
    series = plots.legend(report)
    if with_baselines and len(report.ungated) > 1:
        series = [*series, plots.series_of(report.ungated[-1], report)]
    if len(series) < 2:
        return ""
    items = []
    for each in series:
        image = draw_mark(each.shape, f"mark {each.kind}")
        items.append(f"<li>{image}{escape(each.name)}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _with_code(note: str) -> str:
    """A note as HTML, escaped; text in backticks becomes code."""
    return _CODE.sub(r"<code>\1</code>", escape(note))
