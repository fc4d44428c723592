#!/usr/bin/env python3
"""Press keys in the real Claude Code client in a terminal, offline, and look at its screen (needs tmux).

Library: drive(steps, ...) -> Driven. The steps run in their order:

    ("type", TEXT)       type a text
    ("key", NAME, ...)   press keys by tmux's names: Enter, Escape, C-x, Tab, Down
    ("until", PATTERN)   wait until a line of the screen matches; fails after a minute
    ("gone", PATTERN)    wait until no line does
    ("show", NAME)       keep the screen, with its colours, under a name
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

import cc_session
import cc_terminal

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST_SECONDS = 60
# The client draws in several steps; a key that is pressed between them can be lost.
SETTLE_SECONDS = 0.5
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Driven:
    """What was seen in a session."""

    screens: dict
    """The screens by name, with escape codes for colours."""
    requests: list
    """The requests to the model that offer tools, in order."""
    all_requests: list
    debug: str

    def text(self, name):
        """A screen without colours."""
        return COLOURS.sub("", self.screens[name])

    def blocks(self, n=-1):
        """How many memory blocks a request has."""
        return json.dumps(self.requests[n]["body"]["messages"]).count("<memory-context")


def drive(
    steps, project, plugins=(), home=None, extra_args=(), extra_env=None, size=(110, 34), client=None, timeout=600
):
    """One session in a terminal. A step that fails raises RuntimeError with the screen."""
    out = tempfile.mkdtemp(prefix="cc-")
    home = os.path.abspath(home) if home else os.path.join(out, "home")
    spec = {
        "client": client or cc_session.client_path(),
        "steps": [list(step) for step in steps],
        "project": os.path.realpath(project),
        "plugins": [os.path.abspath(folder) for folder in plugins],
        "extra_args": list(extra_args),
        "extra_env": dict(extra_env or {}),
        "size": list(size),
    }
    cc_session.run_inside(os.path.abspath(__file__), out, home, spec, timeout)
    return _load(out)


def _load(out):
    with open(os.path.join(out, "screens.json"), encoding="utf-8") as file:
        screens = json.load(file)
    requests = cc_session.read_requests(out)
    with open(os.path.join(out, "debug.log"), encoding="utf-8", errors="replace") as file:
        debug = file.read()
    main = [one for one in requests if isinstance(one["body"], dict) and one["body"].get("tools")]
    return Driven(screens, main, requests, debug)


class Tmux:
    """A terminal in which the client runs."""

    def __init__(self, spec, command, env):
        self.socket = os.path.join(spec["out"], "tmux")
        self.env = {"PATH": env["PATH"], "HOME": spec["home"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        columns, rows = spec["size"]
        words = ["env", "-i", *[f"{name}={value}" for name, value in env.items()], *command]
        self.run("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", spec["project"], *words)
        self.run("set", "-g", "status", "off")
        self.run("set", "-g", "escape-time", "0")

    def run(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, env=self.env)
        return done.stdout

    def screen(self):
        return self.run("capture-pane", "-p", "-e")

    def rest(self):
        """Wait until nothing was drawn for a moment; an animation ends the wait too."""
        last, end = "", time.monotonic() + 8 * SETTLE_SECONDS
        while time.monotonic() < end:
            time.sleep(SETTLE_SECONDS)
            screen = self.screen()
            if screen == last:
                return
            last = screen

    def wait(self, pattern, is_there=True):
        """Wait until a line matches and the screen has stopped changing."""
        wanted, end, last = re.compile(pattern), time.monotonic() + LONGEST_SECONDS, ""
        while time.monotonic() < end:
            time.sleep(SETTLE_SECONDS)
            screen = COLOURS.sub("", self.screen())
            found = any(wanted.search(line) for line in screen.splitlines())
            if found is is_there and screen == last:
                return
            last = screen
        print(f"no line {'matches' if is_there else 'ceases to match'} {pattern!r}:\n{last}")
        raise SystemExit(1)


def inner(spec_file):
    """Runs inside the namespace: stub in a thread, client in tmux."""
    with open(spec_file, encoding="utf-8") as file:
        spec = json.load(file)
    if spec["netns"]:
        cc_session.loopback_up()
    sys.path.insert(0, HERE)
    import stub_messages_api as stub

    out = spec["out"]
    server = stub.make_server(os.path.join(out, "requests"), [], "stub reply", spec["project"])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    env = cc_session.clean_env(spec["home"], os.path.join(out, "t"), {"ANTHROPIC_BASE_URL": url, "TERM": "xterm-256color"})
    env.update(spec["extra_env"])
    cc_terminal.settle_in(spec["home"], spec["project"], env.get("ANTHROPIC_API_KEY", ""))
    command = [spec["client"], "--debug-file", os.path.join(out, "debug.log")]
    for folder in spec["plugins"]:
        command += ["--plugin-dir", folder]
    terminal = Tmux(spec, command + spec["extra_args"], env)
    screens = {}
    try:
        for kind, *values in spec["steps"]:
            if kind == "type":
                terminal.run("send-keys", "-l", values[0])
                # A key that comes before a text was drawn counts as pasted with it.
                terminal.wait(re.escape(values[0][-12:]))
            elif kind == "key":
                for name in values:
                    terminal.run("send-keys", name)
                    terminal.rest()
            elif kind == "show":
                screens[values[0]] = terminal.screen()
            else:
                terminal.wait(values[0], kind == "until")
    finally:
        terminal.run("kill-server")
        server.shutdown()
    with open(os.path.join(out, "screens.json"), "w", encoding="utf-8") as file:
        json.dump(screens, file)


if __name__ == "__main__":
    inner(sys.argv[2])
