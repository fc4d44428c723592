"""The settings that count, as the vectors describe them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vector_cases import encode

if TYPE_CHECKING:
    from types import ModuleType


def effective(twin: ModuleType, user: str | bytes | None, repository: str | bytes | None) -> list[Any]:
    """The text of the settings that count, and the problems."""
    data, problems = twin.effective_settings(
        None if user is None else encode(user), None if repository is None else encode(repository)
    )
    return [data.decode("utf-8", "replace"), problems]


SETTINGS = {"effective_settings": effective}
