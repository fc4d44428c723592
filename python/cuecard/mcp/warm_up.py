"""The model of the settings brought into memory before the first prompt asks for it (SPEC 46.7)."""

import os
from threading import Thread

from ..errors import CuecardError
from ..store.files import Unread, read_bounded

MAX_CONFIG_BYTES = 1 << 20


def warm_up(root: str | None) -> None:
    """Begin to load what the prompt hook of a project needs, in a thread; nothing where its settings name no model."""
    Thread(target=_warm_up, args=(root,), name="cuecard-warm-up", daemon=True).start()


def _warm_up(root: str | None) -> None:
    from ..store.root import locate_project

    try:
        _folder, memory_dir = locate_project(root, os.environ.get("CUECARD_ROOT", ""), os.path.expanduser("~"))
        data = read_bounded(os.path.join(memory_dir, "memory-config.json"), MAX_CONFIG_BYTES)
    except (CuecardError, OSError, Unread):
        # There is nothing to warm.
        return
    if b'"embedding"' not in data:
        return
    from ..models.embedders import open_embedder
    from ..models.embedding_settings import read_embedding_settings
    from ..models.query import load_now

    settings = read_embedding_settings(data, [])
    if settings:
        load_now(open_embedder(settings))
