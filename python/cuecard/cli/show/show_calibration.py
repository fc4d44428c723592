"""Shows a calibration of the gate in lines."""

from ...cli import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...evaluate.calibrating import Calibration
    from ...evaluate.judged_shift import JudgedShift


def show(found: "Calibration", is_applied: bool) -> None:
    """Print the proposed shift and the shares that it is based on, then notes about the next step."""
    from ...evaluate.calibrating import LEAST_MEMORIES, REFERENCE_PERCENT
    from ...evaluate.engine import OFF, SETTINGS

    if found.hundredths is None or found.proposed_shift is None:
        what = f"too few active memories to calibrate by: {found.memories} of at least {LEAST_MEMORIES}"
        terminal.report("note", what)
        return
    now, then = f"{found.shift / 1024:+.2f}", f"{found.hundredths / 100:+.2f}"
    rows = [("setting", f"now {now}", f"proposed {then}")]
    for setting in SETTINGS:
        before, after = found.shown(setting, found.shift), found.shown(setting, found.proposed_shift)
        rows.append((setting, _percent(before), _percent(after)))
    terminal.print_lines(
        [
            f"{len(found.logits)} titles of {found.memories} memories as prompts, and how many show another memory",
            *[f"  {name:<10}{share:>12}{then_share:>18}".rstrip() for name, share, then_share in rows],
            f"{_meaning(found.hundredths)} (their share at `balanced`: {REFERENCE_PERCENT}%)",
            _line(found.proposal),
        ]
    )
    if is_applied:
        _tell_written(found.problem, found.proposal or "")
    elif found.proposed_shift == found.shift:
        terminal.report("note", "the project already has this setting")
    else:
        hint = "use `--apply` to write the shift; `cuecard eval run` on judged prompts measures its effect"
        terminal.report("note", "nothing was written: titles are only a rough substitute for prompts", hint)
    if found.setting == OFF:
        terminal.report("note", "`retrieval.gate_setting` is `off`: without a gate a shift changes nothing")


def show_judged(found: "JudgedShift", is_applied: bool) -> None:
    """Print the result of the judged prompts and the proposed shift, then notes about the next step."""
    if found.unreviewed:
        terminal.report("note", f"{found.unreviewed} prompts do not count: no person has reviewed them")
    terminal.print_lines(
        [
            f"{found.prompts} judged prompts find {found.memories} memories near the thresholds of the gate",
            f"  helpful by the gate's probabilities  {found.expected:>6.1f}",
            f"  helpful by the judgments             {found.helpful:>6}",
            f"shift now {found.shift / 1024:+.2f}, proposed {found.hundredths / 100:+.2f}, give or take "
            f"{found.deviation:.2f}",
            _line(found.proposal),
        ]
    )
    if is_applied:
        _tell_written(found.problem, found.proposal)
    else:
        terminal.report("note", "nothing was written", "use `--apply` to write the shift")


def _tell_written(problem: str, proposal: str) -> None:
    if problem:
        terminal.report("warning", f"memory-config.json may not survive a crash of the machine: {problem}")
    terminal.report("note", f"`retrieval.gate_shift` of the project is {proposal} now")


def _line(proposal: str | None) -> str:
    return f'memory-config.json: "retrieval": {{"gate_shift": {proposal}}}'


def _meaning(hundredths: int) -> str:
    if hundredths == 0:
        return "the gate is as strict here as in the projects that it was trained on"
    if hundredths < 0:
        return "the shift makes the gate less strict, as it is in the projects that it was trained on"
    return "the shift makes the gate stricter, as it is in the projects that it was trained on"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}%"
