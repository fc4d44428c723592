"""Opens the local page in a real browser: Debian's `chromium-headless-shell`, driven by playwright."""

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cuecard import Store

TOKEN = "the-token-of-this-browser"


@contextmanager
def served(store: Store, *, is_read_only: bool = False) -> Iterator[str]:
    """Serve the page of a store on a free port; the value is its address without the token."""
    uvicorn = pytest.importorskip("uvicorn")
    from cuecard.viewer.app import make_app  # noqa: PLC0415 - the extra may be missing

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        app = make_app(store, TOKEN, port, is_read_only=is_read_only)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, args=([taken],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(10)


@contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window."""
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if program is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()
