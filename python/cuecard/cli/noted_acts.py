"""Remembers what a command did that is no write, so that `cuecard undo` does not pass over it."""

from pathlib import Path

from ..errors import CuecardError


def project_here(root: str | None = None) -> str:
    """The folder of the memories of the project in which the command runs; "" if there is none."""
    from ..files.locate import locate

    try:
        memory_dir = locate(root)[1]
    except CuecardError:
        return ""
    return memory_dir if Path(memory_dir).is_dir() else ""


def note_here(what: str, hint: str, root: str | None = None) -> None:
    """Remember what `cuecard undo` cannot take back, for the project in which the command runs.

    `what` is the command, and `hint` says what takes it back instead.
    """
    from ..actions.acts import Act, note_act

    place = project_here(root)
    if place:
        note_act(place, Act(f"`{what}`", hint=hint))
