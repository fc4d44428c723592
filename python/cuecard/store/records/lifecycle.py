"""Changes the status of a memory: retire, archive and restore."""

from dataclasses import dataclass

from ...errors import StatusError
from . import history
from .record_file import Fields, status_of
from .record_limits import MAX_SUMMARY_CHARS

NO_REASON = "No reason provided"


@dataclass(frozen=True)
class StatusStep:
    """A change of status: its name, the statuses it is allowed in, and the status it leads to."""

    name: str
    sources: tuple[str, ...]
    target: str
    done: str
    """The past tense of the name, which is the `status` of the result."""
    instead: dict[str, str]
    """For a status in which the step is not allowed: the hint what to do first."""


STEPS = {
    step.name: step
    for step in (
        StatusStep("retire", ("active",), "retired", "retired", {"archived": "`cuecard restore` it first"}),
        StatusStep("archive", ("active",), "archived", "archived", {"retired": "`cuecard restore` it first"}),
        StatusStep("restore", ("retired", "archived"), "active", "restored", {}),
    )
}
_LIFE_FIELDS = ("retired_at", "retired_reason", "archived_at", "archived_reason")


def apply(name: str, record: Fields, reason: str, now: str) -> Fields | None:
    """Return the record after a step at the time `now`; None if it already has the status that the step leads to.

    Raises `StatusError` if the record's status does not allow the step.
    """
    step = STEPS[name]
    status = status_of(record)
    if status == step.target:
        return None
    if status not in step.sources:
        raise StatusError(
            f"`{record.get('id')}` is {status} and cannot be {step.done}",
            step.instead.get(status, f"make its `record_status` {' or '.join(step.sources)} again"),
            field="record_status",
            expected=" or ".join([f"`{source}`" for source in step.sources]),
            found=f"`{status}`",
        )
    stepped = {field: value for field, value in record.items() if field not in _LIFE_FIELDS}
    stepped.update(record_status=step.target, updated_at=now)
    reason = " ".join(reason.split())
    if step.target != "active":
        # The schema of the claude-memory plugin allows this many characters.
        stepped[f"{step.target}_at"] = now
        stepped[f"{step.target}_reason"] = history.shorten(reason or NO_REASON, MAX_SUMMARY_CHARS)
    summary = f"{step.done}: {reason}" if reason else step.done
    history.append(stepped, history.change(now, summary, "record_status", status, step.target))
    return stepped
