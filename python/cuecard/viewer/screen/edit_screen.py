"""The screen in which a memory or a draft is edited as JSON; an invalid text stays with the problem below it."""

import json
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, TextArea

from ...errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

HELP = "Ctrl+S saves, Escape leaves it as it was"


class EditScreen(ModalScreen[None]):
    """Shows a text to edit. It closes when the text is saved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        Binding("escape", "leave", "Leave", priority=True),
    ]

    def __init__(self, text: str, save: "Callable[[str], str]") -> None:
        """`save` takes the edited text, and returns what is wrong with it, or ""."""
        super().__init__()
        self._text, self._save = text, save

    def compose(self) -> "ComposeResult":
        """Make the field and the line below it."""
        with Vertical(id="editor"):
            yield TextArea(self._text, id="text")
            yield Label(HELP, id="problem", markup=False)

    def action_save(self) -> None:
        """Save the text, or say what is wrong."""
        problem = self._save(self.query_one(TextArea).text)
        if problem:
            self.query_one("#problem", Label).update(f"{problem} ({HELP})")
        else:
            self.dismiss()

    def action_leave(self) -> None:
        """Close the screen without saving."""
        self.dismiss()


def read_object(text: str) -> "dict[str, Any]":
    """The JSON object of an edited text. Raises `InputError`."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"this is not JSON: {error}", "correct it") from None
    if not isinstance(found, dict):
        raise InputError("this is no JSON object", "keep the braces around it")
    return found
