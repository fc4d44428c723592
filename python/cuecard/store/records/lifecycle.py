"""The steps of a memory's life: active, retired, archived, and back."""

from dataclasses import dataclass

from ...errors import StatusError
from . import history
from .record_file import Fields, status_of
from .record_limits import MAX_SUMMARY_CHARS

NO_REASON = "No reason provided"


@dataclass(frozen=True)
class StatusStep:
    """From which statuses a step leads to which, and what it is called."""

    name: str
    sources: tuple[str, ...]
    target: str
    done: str
    """What happened, as the result's `status`."""
    instead: dict[str, str]
    """For the other statuses: what to do first."""


STEPS = {
    step.name: step
    for step in (
        StatusStep("retire", ("active",), "retired", "retired", {"archived": "`cuecard unarchive` it first"}),
        StatusStep("archive", ("active",), "archived", "archived", {"retired": "`cuecard restore` it first"}),
        StatusStep("unarchive", ("archived",), "active", "unarchived", {"retired": "use `cuecard restore`"}),
        StatusStep("restore", ("retired",), "active", "restored", {"archived": "use `cuecard unarchive`"}),
    )
}
_LIFE_FIELDS = ("retired_at", "retired_reason", "archived_at", "archived_reason")


def apply(name: str, record: Fields, reason: str, now: str) -> Fields | None:
    """The record after a step, at the time `now`; None where it is there already.

    Raises `StatusError` where its status does not allow the step.
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
        # The claude-memory plugin's schema has room for so much.
        stepped[f"{step.target}_at"] = now
        stepped[f"{step.target}_reason"] = history.shorten(reason or NO_REASON, MAX_SUMMARY_CHARS)
    summary = f"{step.done}: {reason}" if reason else step.done
    history.append(stepped, history.change(now, summary, "record_status", status, step.target))
    return stepped
