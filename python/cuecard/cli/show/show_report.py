"""Shows what every setting and baseline reaches on judged prompts, as tables."""

from ...cli import terminal
from ...evaluate.calibration import reliability
from ..terminal import visible
from .show_scores import FEWER, figure, print_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...evaluate.report import Report

SHOWN_PROMPTS = 20
MAX_PROMPT_CHARS = 60
COSTS = {"tokens": "tokens a prompt", "ms": "milliseconds a prompt"}
SPREAD = ("mean", "p50", "p90", "p99", "max")


def show(report: "Report") -> None:
    """Print the measures and costs of each variant, the measures by kind, and the prompts to look at."""
    for note in report.notes:
        terminal.report("warning", note)
    rows = []
    for variant in report.variants:
        summary = variant.score.all
        rows.append([variant.name, *[figure(summary.measures[name]) for name in FEWER]])
    print_table(["all prompts", *FEWER], rows)
    shipped = report.shipped
    rows = [
        [visible(name), str(summary.prompts), *[figure(summary.measures[measure]) for measure in FEWER]]
        for name, summary in shipped.score.groups.items()
    ]
    print_table([shipped.name, "prompts", *FEWER], rows)
    for field, words in COSTS.items():
        spreads = [(variant.name, variant.spread(field)) for variant in report.variants]
        rows = [[name, *[f"{spread[part]:.3g}" for part in SPREAD]] for name, spread in spreads if spread]
        print_table([words, *SPREAD], rows)
    found = reliability(report.main[0].run, report.prompts)
    if found:
        rows = [
            [f"{part.low:.1f} to {part.high:.1f}", str(part.count), f"{part.expected:.3f}", f"{part.found:.3f}"]
            for part in found.bins
        ]
        print_table(["probability", "memories", "mean", "share right"], rows)
    wrong = [
        [_cut(prompt.text), prompt.kind, f"{chance:.2f}"]
        for prompt, _memories, chance in report.injected_by_mistake(SHOWN_PROMPTS)
    ]
    print_table(["injected by mistake", "kind", "probability"], wrong)
    missed = [[_cut(prompt.text), prompt.kind] for prompt, _memories in report.missed(SHOWN_PROMPTS)]
    print_table(["no wanted memory injected", "kind"], missed)


def _cut(text: str) -> str:
    words = visible(" ".join(text.split()))
    return words if len(words) <= MAX_PROMPT_CHARS else f"{words[: MAX_PROMPT_CHARS - 1]}…"
