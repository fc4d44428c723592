"""Lists every string value of a decoded JSON record with its path."""

import copy
from typing import Any


class TextField:
    """One string value of a record. Setting `text` changes the record."""

    def __init__(self, holder: dict[str, Any] | list[Any], key: str | int, path: str, name: str) -> None:
        """Create the field for the value `holder[key]`."""
        self._holder: Any = holder
        self._key = key
        self.path = path
        """The path of the value, such as `content.steps[2]`."""
        self.key = name
        """The name of the nearest member that contains the value."""

    @property
    def text(self) -> str:
        """The current text."""
        text: str = self._holder[self._key]
        return text

    @text.setter
    def text(self, text: str) -> None:
        self._holder[self._key] = text


def copy_with_fields(record: dict[str, object]) -> tuple[dict[str, object], list[TextField]]:
    """Return a deep copy of a record and its string values in document order, without the names of members."""
    copied = copy.deepcopy(record)
    fields: list[TextField] = []
    for key, value in copied.items():
        _collect(copied, key, value, key, key, fields)
    return copied, fields


def _collect(
    holder: dict[str, Any] | list[Any], key: str | int, value: object, path: str, name: str, fields: list[TextField]
) -> None:
    if isinstance(value, str):
        fields.append(TextField(holder, key, path, name))
    elif isinstance(value, dict):
        for inner, member in value.items():
            _collect(value, inner, member, f"{path}.{inner}", inner, fields)
    elif isinstance(value, list):
        for position, item in enumerate(value):
            _collect(value, position, item, f"{path}[{position}]", name, fields)
