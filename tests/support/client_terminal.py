"""Types into a client in a terminal, as a user does, with a scripted model behind the client."""

import json
import os
import re
import select
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

from test_capture_client import PROMPTS

ASK = "cuecard: before you stop"
COMMAND = re.compile(r"(\S*cuecard'? capture commit .*) <<'CUECARD'")
LONGEST_TURN_SECONDS = 40
# A busy client may take the key for a part of what was pasted: after so long without a request it is pressed again.
PRESS_AGAIN_SECONDS = 8
COLUMNS, ROWS = 160, 50
# Clients ask a terminal these questions, and wait for the answers.
ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b]10;?": b"\x1b]10;rgb:ff/ff/ff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:00/00/00\x1b\\",
    b"\x1b[c": b"\x1b[?62;c",
}
# What an agent says to each of `PROMPTS` before it is asked for memories.
REPLIES = (
    "Written.",
    "Added.",
    "Sorry, the clock is passed in now.",
    "All of them pass.",
    "Sorry, one place was left out. Renamed everywhere.",
    "You are right, amounts are cents now.",
    "Added.",
    "The imports and the names.",
)
assert len(REPLIES) < len(PROMPTS)


@dataclass(frozen=True)
class Reply:
    """What a model answers: a text, or a command that the client is to run."""

    text: str = ""
    command: str = ""


Script = list[str | Callable[[str], Reply]]
"""The replies of a model, in order: texts, and functions of the texts in a request."""


class ScriptedModel:
    """A server that plays a script, and then says "Done." to everything."""

    def __init__(self, script: Script) -> None:
        """Start the server; its address is `url`."""
        self.asked: list[str] = []
        """The texts of each request."""
        left = list(script)
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_error(404)

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
                # Some clients write brackets as entities.
                said = unescape("\n".join(_texts(request)))
                reply: str | Callable[[str], Reply] = "A title."
                # A request for a title or a summary has no tools.
                if request.get("tools"):
                    model.asked.append(said)
                    reply = left.pop(0) if left else "Done."
                made = model.encode(Reply(reply) if isinstance(reply, str) else reply(said), self.path)
                self.send_response(200)
                self.send_header("content-type", "application/json" if made.startswith("{") else "text/event-stream")
                self.end_headers()
                self.wfile.write(made.encode())

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def encode(self, reply: Reply, path: str) -> str:
        """A reply in the protocol of the client; `path` is the path of the HTTP request."""
        raise NotImplementedError


@dataclass
class ClientTerminal:
    """A terminal in which a client runs."""

    command: list[str]
    folder: Path
    variables: dict[str, str]
    asked: list[str]
    """The requests to the model so far; another thread extends it."""
    quiet_seconds: float = 1.5
    """How long a client at rest says nothing."""
    first_seconds: float = 0
    """How long the client needs before it reads keys."""
    first_keys: str = ""
    """What is pressed before the first prompt, to answer a question of the client."""

    def type_prompts(self, prompts: Iterable[str], *, quits: str = "/quit") -> None:
        """Run a session in which each prompt is typed when the client has printed nothing for a while."""
        import pty  # noqa: PLC0415 - no such module on Windows

        pid, handle = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(self.command[0], self.command, self.variables)
        try:
            self._set_size(handle)
            self._wait(handle, least_seconds=self.first_seconds)
            if self.first_keys:
                os.write(handle, self.first_keys.encode())
                self._wait(handle)
            for prompt in prompts:
                # A command of the client may ask the model nothing.
                least = len(self.asked) + (not prompt.startswith("/"))
                self._type(handle, prompt)
                self._wait(handle, requests=least)
            self._type(handle, quits)
            self._wait(handle)
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(handle)

    @staticmethod
    def _set_size(handle: int) -> None:
        import fcntl  # noqa: PLC0415 - as above
        import termios  # noqa: PLC0415 - as above

        fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def _type(self, handle: int, text: str) -> None:
        for char in text:
            os.write(handle, char.encode())
            time.sleep(0.05 if text.startswith("/") else 0.01)
        # What comes at once counts as pasted, and then so does the key: it is pressed once the text is on the screen.
        self._wait(handle, quiet_seconds=0.5)
        os.write(handle, b"\r")

    def _wait(
        self, handle: int, *, requests: int = 0, least_seconds: float = 0, quiet_seconds: float | None = None
    ) -> None:
        """Read until `requests` requests were made in total, then until nothing came for `quiet_seconds`."""
        quiet = self.quiet_seconds if quiet_seconds is None else quiet_seconds
        begin = quiet_since = pressed = time.monotonic()
        seen = -1
        while time.monotonic() < begin + least_seconds + LONGEST_TURN_SECONDS:
            if time.monotonic() > max(quiet_since + quiet, begin + least_seconds):
                return
            if select.select([handle], [], [], 0.1)[0]:
                try:
                    data = os.read(handle, 1 << 16)
                except OSError:
                    return
                for question, answer in ANSWERS.items():
                    if question in data:
                        os.write(handle, answer)
                quiet_since = time.monotonic()
            if len(self.asked) != seen or seen < requests:
                seen, quiet_since = len(self.asked), time.monotonic()
            if seen < requests and time.monotonic() > pressed + PRESS_AGAIN_SECONDS:
                os.write(handle, b"\r")
                pressed = time.monotonic()


def find_asks(asked: list[str]) -> list[int]:
    """The positions in `asked`, the texts of model requests, at which there is a new request of our hook."""
    counts = [0, *[said.count(ASK) for said in asked]]
    return [place for place, (before, after) in enumerate(pairwise(counts)) if after > before]


def hand_in(drafts: str) -> Callable[[str], Reply]:
    """A function from the text of our hook's request to a reply: the command in the request, with `drafts` as input."""

    def make(said: str) -> Reply:
        found = COMMAND.search(said)
        assert found, said[-2000:]
        return Reply(command=f"{found[1]} <<'CUECARD'\n{drafts}\nCUECARD")

    return make


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)
