"""Builds requests to snapshots of either backend."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cuecard.protocol.request import Request

if TYPE_CHECKING:
    from cuecard import _pure as pure
    from cuecard._pure.engine.snapshot import Snapshot


def ask(snapshot: Snapshot, prompt: str, k: int, **fields: Any) -> Request:  # noqa: ANN401 - the fields of a request
    """A request to a snapshot, with the default settings of its backend unless `settings` is given."""
    if "settings" not in fields:
        fields["settings"] = _settings_class(snapshot)()
    return Request(prompt, k, **fields)


def _settings_class(snapshot: Snapshot) -> type[pure.Settings]:
    backend = "_native" if type(snapshot).__module__ == "cuecard._native" else "_pure"
    settings: type[pure.Settings] = import_module(f"cuecard.{backend}").Settings
    return settings
