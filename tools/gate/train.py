"""Train the gate on judged prompts and write its coefficients into both twins.

    python tools/gate/train.py ../shared/eval/dev/*  [--check]

Thresholds are chosen on logits of models that have not seen the project that they judge, so that the figures printed
first are what other projects may expect. `--check` measures and writes nothing.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from judged import read_project
from model import SETTINGS, Measures, by_fold, by_project, choose, cross_fit, fit, measure, write

from cuecard._pure.gate import FEATURES


def show(label: str, found: Measures) -> None:
    """Print one line."""
    false = ", ".join(f"{kind} {share:.2f}" for kind, share in sorted(found.false.items()))
    print(f"{label:26} R@5 {found.recall:.3f}  precision {found.precision:.3f}  false: {false}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    cases = [case for folder in options.projects for case in read_project(folder)]
    model = fit(cases)
    seen = [[model.logit(example.features) for example in case.examples] for case in cases]
    thresholds: dict[str, list[int]] = {}
    for label, group_of in (("unseen projects", by_project), ("unseen prompts", by_fold)):
        logits = cross_fit(cases, group_of)
        for name, (precision, false) in SETTINGS.items():
            found = choose(cases, logits, precision, false)
            show(f"{label}, {name}", found)
            thresholds.setdefault(name, []).append(found.threshold)
    chosen = {name: sum(found) // len(found) for name, found in thresholds.items()}
    for name, threshold in chosen.items():
        show(f"seen, {name} {threshold}", measure(cases, seen, threshold))
    for feature, knots, slopes in zip(FEATURES, model.knots, model.slopes, strict=True):
        bends = "".join(
            f"  from {knot / 1024:+.2f} {slope / 1024:+.2f}" for knot, slope in zip(knots, slopes[1:], strict=True)
        )
        print(f"{feature:20} {slopes[0] / 1024:+.2f}{bends}")
    if not options.check:
        write(model, chosen)


if __name__ == "__main__":
    main()
