"""Shows the trace of a memory (the result of each stage) as a page for people or as lines for pipes."""

import unicodedata
from collections import Counter

from ....basics.counted import counted
from ....retrieval.trace import limit_for, shows_from
from ... import terminal
from ...terminal import visible
from ..plain_words import CUES, FIELDS, GROUPS, explain_feature, explain_part, percent
from ..trust_marks import WITHHELD, View, is_hidden, mark, shown_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.table import Table

    from ....retrieval.hit import Part
    from ....retrieval.trace import Feature, Ranks, Term, Trace

FULL = 256
ONE = 4096
LEXICAL = (*FIELDS, "description")
# Shown instead of a word of the prompt for terms that come from the project's concept graph.
NEARBY = "nearby"
# The number of related words that are shown for each word of the prompt; `--json` has all of them.
MAX_RELATED = 5


def show(trace: "Trace") -> None:
    """Print the trace of one memory."""
    if terminal.is_person_watching():
        terminal.show(_page(trace))
    else:
        terminal.print_lines(_lines(trace))


def describe_gate(trace: "Trace") -> str:
    """The gate's probability that the memory helps, and the least probability at which a memory is shown."""
    sure = f"{percent(trace.probability or 0)} sure"
    if trace.least is None:
        return f"{sure}; `{trace.setting}` shows everything"
    if trace.subject_logit is not None:
        subject = f"{percent(trace.subject_probability or 0)} of its subject, judged as one memory"
        shows = shows_from(trace.subject_logit, trace.least, trace.usual, trace.setting)
        return f"{sure} of the memory alone, and {subject}; {shows}"
    return f"{sure}; {shows_from(trace.logit, trace.least, trace.usual, trace.setting)}"


def describe_embedder(trace: "Trace") -> str:
    """The embedder that made the vectors, and its note if there is one; "" for the built-in table without a note."""
    if trace.embedder_note:
        return f"{visible(trace.embedder)}: {visible(trace.embedder_note)}"
    return "" if trace.embedder == "static" else visible(trace.embedder)


def embedder_lines(trace: "Trace") -> list[str]:
    """The line about the embedder; empty if `describe_embedder` returns nothing."""
    words = describe_embedder(trace)
    return [f"embedder  {words}"] if words else []


def gate_lines(trace: "Trace") -> list[str]:
    """The lines of the gate: its verdict, each feature with a share other than 0, and the sum. Empty without ranks."""
    if trace.ranks is None:
        return []
    lines = [f"gate  {one.share:>+6}  {one.name:<15}  {explain_feature(one)}" for one in shares(trace)]
    return [f"gate  {describe_gate(trace)}", *lines, f"gate  {trace.logit:>+6}  {_sum_words(trace)}"]


def shares(trace: "Trace") -> "list[Feature]":
    """The features that change the logit: first the bias, then those with the largest share in the logit."""
    found = [feature for feature in trace.features if feature.share]
    return sorted(found, key=lambda feature: (feature.name != "bias", -abs(feature.share)))


def _sum_words(trace: "Trace") -> str:
    if trace.least is None:
        return "sum"
    logit = trace.logit if trace.subject_logit is None else trace.subject_logit
    shows = f"`{trace.setting}` shows from {limit_for(logit, trace.least, trace.usual):+}"
    return f"sum, and {shows}" if trace.subject_logit is None else f"sum; {logit:+} for its subject, and {shows}"


def grouped(features: "list[Feature]") -> "list[tuple[str, list[Feature], int]]":
    """The features by group, with the sum of their shares: first the bias, then the groups with the largest sum.

    The name of a group is "" for a feature without a group.
    """
    names = {name: group for group, members in GROUPS.items() for name in members}
    groups: dict[str, list[Feature]] = {}
    for feature in features:
        groups.setdefault(names.get(feature.name, feature.name), []).append(feature)
    found = [(group, members, sum([feature.share for feature in members])) for group, members in groups.items()]
    found.sort(key=lambda one: (one[0] != "bias", -abs(one[2])))
    return [(group if group in GROUPS else "", members, points) for group, members, points in found]


def gate_table(trace: "Trace") -> "Table":
    """A table of the gate's features with their shares, the sum of each group of features, and the sum of all."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, min_width=6)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for group, members, points in grouped(shares(trace)):
        is_alone = not group or len(members) == 1
        words = explain_feature(members[0]) if is_alone else group
        table.add_row(Text(f"{points:+}", style="green" if points > 0 else "red"), "", words)
        for feature in [] if is_alone else members:
            table.add_row("", Text(f"{feature.share:+}", style="dim"), Text(explain_feature(feature), style="dim"))
    table.add_row(Text(f"{trace.logit:+}", style="bold"), "", _sum_words(trace))
    return table


def parts_table(parts: "tuple[Part, ...]") -> "Table":
    """A table of the parts of a score, and the sum."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, min_width=6)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for part in parts:
        points = Text(f"{part.points:+}", style="green" if part.points > 0 else "red")
        table.add_row(points, part.kind, explain_part(part))
    table.add_row(Text(str(sum([part.points for part in parts])), style="bold"), "sum")
    return table


def _retriever_lines(trace: "Trace", ranks: "Ranks") -> list[tuple[str, str]]:
    """For each retriever its name, and a text with the memory's rank, score and points."""
    lexical = sum([part.points for part in trace.parts if part.kind in LEXICAL])
    semantic = sum([part.points for part in trace.parts if part.kind == "semantic"])
    model = [part for part in trace.parts if part.kind == "embedding"]
    found = "no word matches" if ranks.lexical_rank is None else f"rank {ranks.lexical_rank + 1}, score {ranks.lexical}"
    return [
        ("lexical", f"{found}: {lexical} points"),
        ("semantic", f"rank {ranks.semantic_rank + 1}, cosine {ranks.cosine / ONE:.2f}: {semantic} points"),
        *[("embedding", f"{visible(part.matched)}: {part.points} points") for part in model],
    ]


def _score(ranks: "Ranks") -> str:
    """The score in words: the fused score, the change by the priors, and the rank."""
    moved = ranks.score - ranks.fused
    total = f"{ranks.fused} {moved:+} by priors = {ranks.score}" if moved else str(ranks.score)
    return f"{total} points, rank {ranks.rank + 1}"


def as_document(trace: "Trace") -> dict[str, object]:
    """The trace as an object for `--json`."""
    document = trace.as_dict()
    if is_hidden(View(trace.trust, is_withheld=trace.is_withheld)):
        document |= {"title": WITHHELD, "tags": [], "parts": []}
    return document


def _lines(trace: "Trace") -> list[str]:
    view = View(trace.trust, is_withheld=trace.is_withheld)
    tags = ",".join([visible(tag) for tag in trace.tags])
    suffix = f" #tags:{tags}" if tags and not is_hidden(view) else ""
    shown = choose_terms(trace.terms)
    left_out = len(trace.terms) - len(shown)
    lines = [
        trace.verdict,
        f"memory  - [{trace.category}] {shown_title(trace.title, view)} -> {visible(trace.path)}{suffix}",
        *embedder_lines(trace),
        *[f"cue  {cue}  the prompt {CUES.get(cue, cue)}" for cue in trace.cues],
        *[f"term  {term.weight:>3}  {_pair(term)}" for term in shown],
        *([f"term       {_left_out(left_out)}"] if left_out else []),
    ]
    if trace.ranks is None:
        return lines
    lines += [f"retriever  {name:<8}  {words}" for name, words in _retriever_lines(trace, trace.ranks)]
    lines += [f"part  {part.points:>+6}  {part.kind:<11}  {explain_part(part)}" for part in trace.parts]
    lines.append(f"score  {_score(trace.ranks)}")
    judge = [f"judge  {visible(trace.judge)}"] if trace.judge else []
    return lines + gate_lines(trace) + judge


def choose_terms(terms: "tuple[Term, ...]") -> "list[Term]":
    """The terms to show: the words of the prompt, and for each a few related words in the prompt's scripts."""
    scripts = {script for term in terms for script in _scripts(term.word)}
    counts: Counter[str] = Counter()
    shown = []
    for term in terms:
        if term.term != term.word:
            if counts[term.word] == MAX_RELATED or not scripts.issuperset(_scripts(term.term)):
                continue
            counts[term.word] += 1
        shown.append(term)
    return shown


def _scripts(text: str) -> set[str]:
    """The scripts of the letters of a text by their Unicode names, such as `LATIN` or `HANGUL`."""
    return {unicodedata.name(char, "").partition(" ")[0] for char in text if char.isalpha()}


def _left_out(count: int) -> str:
    return f"and {counted(count, 'more related word')}, which `--json` lists"


def _pair(term: "Term") -> str:
    return visible(term.term) if term.term == term.word else f"{visible(term.word) or NEARBY} ~ {visible(term.term)}"


def _page(trace: "Trace") -> "Table":
    from rich.table import Table
    from rich.text import Text

    page = Table.grid(padding=(0, 2))
    page.add_column(style="dim", no_wrap=True)
    page.add_column(overflow="fold")
    page.add_row("", Text(trace.verdict, style="bold green" if trace.is_shown else "bold red"))
    page.add_row("", "")
    view = View(trace.trust, is_withheld=trace.is_withheld)
    page.add_row("memory", Text(visible(trace.title), style="bold").append(mark(view), "red"))
    marks = Text(trace.category, style="yellow")
    for tag in trace.tags:
        marks.append(f"  #{visible(tag)}", style="cyan")
    page.add_row("", marks)
    page.add_row("", Text(visible(trace.path), style="dim"))
    embedder = describe_embedder(trace)
    if embedder:
        page.add_row("embedder", Text(embedder))
    if trace.cues:
        page.add_row("", "")
        page.add_row("the prompt", ", ".join([CUES.get(cue, cue) for cue in trace.cues]))
    if trace.terms:
        page.add_row("", "")
        page.add_row("looked for", _terms_table(trace.terms))
    if trace.ranks is None:
        return page
    page.add_row("", "")
    for name, words in _retriever_lines(trace, trace.ranks):
        page.add_row(name, words)
    page.add_row("score", _score(trace.ranks))
    page.add_row("", parts_table(trace.parts))
    page.add_row("", "")
    page.add_row("gate", describe_gate(trace))
    page.add_row("", gate_table(trace))
    if trace.judge:
        page.add_row("", "")
        page.add_row("judge", Text(visible(trace.judge)))
    return page


def _terms_table(terms: "tuple[Term, ...]") -> "Table":
    """A table of the terms for each word of the prompt, with their weights in percent."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    words: dict[str, list[str]] = {}
    shown = choose_terms(terms)
    for term in shown:
        words.setdefault(term.word, []).append(f"{visible(term.term)} {percent(term.weight / FULL)}")
    for word, listed in words.items():
        table.add_row(visible(word) or NEARBY, ", ".join(listed))
    if len(shown) < len(terms):
        table.add_row("", _left_out(len(terms) - len(shown)))
    return table
