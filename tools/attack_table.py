"""Runs the attack set and writes `docs/attacks.md`: each attack, its entry point, and whether it succeeded.

    python tools/attack_table.py [--out FILE] [--without-slow] [--every N]

The attacks are in `tests/attacks`; the tests run the same attacks. The exit status is 1 if any attack succeeds.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "tests" / "support")]

from attacks.attack import ENTRY_POINTS, LAUNCHER, Attack, read_attacks  # noqa: E402
from attacks.payloads import VARIANTS, Poisoned, block_for, harms_of, read_payloads  # noqa: E402
from attacks.racing import as_attack, read_races, run_race  # noqa: E402
from attacks.running import backend_of, entry_points_here, run_attack  # noqa: E402
from fork_launcher import Launcher  # noqa: E402

TITLES = {
    "executable": "executable",
    "pure": "pure hook",
    "stop": "Stop hook",
    "cli": "command",
    "mcp": "MCP server",
    "launcher": "launchers",
}
GROUPS = {
    "links": "Links, pipes, devices and other things that are not files",
    "races": "Races: a link that is swapped in between a check and the use",
    "repository": "Nested stores, worktrees, sizes and names",
    "scopes": "Stores of other scopes: enclosing projects, superprojects, the user's own",
    "settings": "Settings of the repository",
    "environment": "Variables of the environment, and the programs that are started",
    "derived": "Derived state that was committed",
    "frame": "Texts that try to leave their frame, and anchors",
}
HEAD = """\
# What a hostile repository was tried with

`tools/attack_table.py` runs the attacks of `tests/attacks` and writes this page. Each attack is a repository in a
temporary home folder. An attack succeeds if a file outside of the store was created, changed, deleted or copied; if a
secret or another project's memory was printed; if something was sent or looked up in DNS; if a program hung or crashed;
if text left its frame; or if a memory was shown that should not be shown.
`SECURITY.md` says what is defended, and what is not.

"""


@dataclass(frozen=True)
class Result:
    """The result of one attack at one entry point."""

    attack: Attack
    entry_point: str
    harms: list[str]


def main() -> int:
    """Run every attack and write the page."""
    options = _read_options()
    launchers = {
        backend: Launcher(backend)
        for backend in sorted({backend_of(entry_point) for entry_point in entry_points_here()})
    }
    results = []
    for result in run_all(launchers, with_slow=not options.without_slow, every=options.every):
        results.append(result)
        for harm in result.harms:
            print(f"{result.attack.name} ({result.entry_point}): {harm}", file=sys.stderr)
    payloads = count_payloads(launchers, options.every)
    for launcher in launchers.values():
        launcher.close()
    options.out.write_text(write_page(results, payloads), encoding="utf-8")
    return 1 if any(result.harms for result in results) else 0


def run_all(launchers: dict[str, Launcher], *, with_slow: bool, every: int) -> Iterator[Result]:
    """Yield the result of each `every`-th attack and race at every entry point."""
    here = entry_points_here()
    for attack in read_attacks()[::every]:
        for entry_point in attack.entry_points:
            if entry_point in here and (with_slow or not attack.is_slow):
                yield Result(attack, entry_point, run_attack(attack, entry_point, launchers[backend_of(entry_point)]))
    for race in read_races()[::every] if with_slow else []:
        for entry_point in race.entry_points:
            if entry_point in here:
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
                    harms = run_race(race, entry_point, launchers[backend_of(entry_point)], Path(scratch))
                yield Result(as_attack(race), entry_point, harms)


def count_payloads(launchers: dict[str, Launcher], every: int) -> dict[tuple[str, str], Counter[str]]:
    """Try each `every`-th payload in each hook and variant, and count the results.

    The counts are `tried`; `bad`, if the memory was shown unmarked or in full; `addressing`, if the payload addresses
    somebody; and `withheld`, if such a payload was not shown.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for entry_point in ("executable", "pure"):
        if entry_point not in entry_points_here():
            continue
        for variant in VARIANTS:
            count = counts[entry_point, variant] = Counter()
            for payload in read_payloads()[::every]:
                with tempfile.TemporaryDirectory() as scratch:
                    block = block_for(
                        Poisoned(payload, variant), entry_point, launchers[backend_of(entry_point)], Path(scratch)
                    )
                count["tried"] += 1
                count["bad"] += bool(harms_of(block))
                count["addressing"] += payload.addresses != "none"
                count["withheld"] += payload.addresses != "none" and not block
    return counts


def write_page(results: Iterable[Result], payloads: dict[tuple[str, str], Counter[str]]) -> str:
    """The Markdown of the page with the results."""
    results = list(results)
    attacks = {result.attack.name for result in results}
    won = [result for result in results if result.harms]
    lines = [
        f"{len(attacks)} attacks in {len(results)} runs; {len(won)} succeeded. PLACE stands for the part "
        "that differs between the variants of an attack."
    ]
    for group, title in GROUPS.items():
        families: dict[str, list[Result]] = {}
        for result in results:
            if result.attack.group == group:
                families.setdefault(result.attack.family, []).append(result)
        lines += [
            "",
            f"## {title}",
            "",
            "| attack | what is tried | finding | variants | tried against | runs | succeeded |",
        ]
        lines.append("| --- | --- | --- | ---: | --- | ---: | ---: |")
        lines += [_row(family, found) for family, found in families.items()]
    lines += ["", "## Memories that carry instructions", ""]
    lines.append(
        "Each payload of `tests/attacks/payloads.jsonl` is the content, the gist or the title of a memory that nobody "
        "has reviewed and that fits the prompt. It succeeds if the memory is shown without the mark `unreviewed`, or "
        "in full. Payloads that address the model, its tools or secrets, or ask for hidden actions, should be withheld."
    )
    lines += ["", "| hook | where | payloads | unmarked or in full | addressing | of these withheld |"]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: |")
    for (entry_point, variant), count in payloads.items():
        share = f"{count['withheld']} ({100 * count['withheld'] // max(count['addressing'], 1)} %)"
        cells = [TITLES[entry_point], variant, count["tried"], count["bad"], count["addressing"], share]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return HEAD + "\n".join(lines) + "\n"


def _row(family: str, found: list[Result]) -> str:
    says = found[0].attack.of_family.replace("|", "\\|")
    entry_points = [
        TITLES[entry_point]
        for entry_point in (*ENTRY_POINTS, LAUNCHER)
        if any(result.entry_point == entry_point for result in found)
    ]
    variants = len({result.attack.name for result in found})
    won = sum(bool(result.harms) for result in found)
    cells = [family, says, found[0].attack.finding, variants, ", ".join(entry_points), len(found), won]
    return f"| {' | '.join(map(str, cells))} |"


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "docs" / "attacks.md")
    parser.add_argument("--without-slow", action="store_true", help="leave out races and slow attacks")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run only each N-th attack and payload")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
