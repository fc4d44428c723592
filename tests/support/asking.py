"""Builds requests to recall for snapshots of either backend."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cuecard._pure.requests.request import Request

if TYPE_CHECKING:
    from types import ModuleType

    from cuecard._pure.engine.snapshot import Snapshot


def ask(snapshot: Snapshot, prompt: str, k: int, **fields: Any) -> Request:  # noqa: ANN401 - the fields of a request
    """A request for the best `k` memories for a prompt.

    Without `settings` it has the default settings of the snapshot's backend.
    """
    if "settings" not in fields:
        fields["settings"] = _backend_of(snapshot).read_settings(None, None)
    return Request(prompt, k, **fields)


def _backend_of(snapshot: Snapshot) -> ModuleType:
    backend = "_native" if type(snapshot).__module__ == "cuecard._native" else "_pure"
    return import_module(f"cuecard.{backend}")
