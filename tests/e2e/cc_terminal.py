#!/usr/bin/env python3
"""Type prompts into the real Claude Code client in a terminal, offline, against the stub API.

Library: type_prompts(...) -> cc_session.Result. Each prompt is typed once the client has been silent for a while, and one
that begins with `+ ` while the client still works on the prompt before it; a session in a terminal is interactive, unlike
one with `-p`.
"""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time

import cc_session

HERE = os.path.dirname(os.path.abspath(__file__))
# The client is ready once nothing was drawn, and nothing requested, for so long.
QUIET_SECONDS = 2.0
LONGEST_TURN_SECONDS = 60
# A prompt that begins so is typed while the client works.
MEANWHILE = "+ "
# Commands that the client answers without the model.
LOCAL = ("/exit", "/branch")


def type_prompts(
    prompts,
    project,
    plugins=(),
    script=(),
    out=None,
    home=None,
    extra_args=(),
    extra_env=None,
    selected=(),
    timeout=300,
):
    """One session in a terminal; `/exit` is typed at its end.

    `selected` is a file and the text in it that the user has selected in an editor.
    """
    out = out or tempfile.mkdtemp(prefix="cc-")
    home = os.path.abspath(home) if home else os.path.join(out, "home")
    spec = {
        "client": cc_session.client_path(),
        "prompts": list(prompts),
        "project": os.path.realpath(project),
        "plugins": [os.path.abspath(folder) for folder in plugins],
        "script": list(script),
        "extra_args": list(extra_args),
        "extra_env": dict(extra_env or {}),
        "selected": list(selected),
    }
    cc_session.run_inside(os.path.abspath(__file__), out, home, spec, timeout)
    return cc_session.load(out, home)


def settle_in(home, project, key):
    """Answer what the client asks a new user: the theme, the folder, the key."""
    file = os.path.join(home, ".claude.json")
    known = {}
    if os.path.exists(file):
        with open(file, encoding="utf-8") as opened:
            known = json.load(opened)
    known.update(
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "hasSeenTasksHint": True,
            "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
        }
    )
    known.setdefault("projects", {})[project] = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    with open(file, "w", encoding="utf-8") as opened:
        json.dump(known, opened)


class Terminal:
    """The client in a pseudo-terminal."""

    def __init__(self, command, cwd, env):
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(command[0], command, env)
        self.screen = b""

    def wait(self, is_busy, has_begun=lambda: True):
        """Read until what was typed has begun, nothing was drawn for a while, and nothing is under way."""
        end = time.monotonic() + LONGEST_TURN_SECONDS
        quiet_since = time.monotonic()
        while time.monotonic() < end:
            ready, _, _ = select.select([self.handle], [], [], 0.2)
            if ready:
                try:
                    data = os.read(self.handle, 1 << 16)
                except OSError:
                    return
                self.screen += data
                quiet_since = time.monotonic()
            if is_busy() or not self.screen or not has_begun():
                quiet_since = time.monotonic()
            if time.monotonic() - quiet_since > QUIET_SECONDS:
                return

    def wait_for(self, has_begun):
        """Read until what was typed has begun."""
        end = time.monotonic() + LONGEST_TURN_SECONDS
        while time.monotonic() < end and not has_begun():
            if select.select([self.handle], [], [], 0.2)[0]:
                self.screen += os.read(self.handle, 1 << 16)

    def type(self, text):
        for char in text:
            os.write(self.handle, char.encode())
            time.sleep(0.004)
        time.sleep(0.3)
        os.write(self.handle, b"\r")


def inner(spec_file):
    """Runs inside the namespace: stub in a thread, client in a terminal."""
    with open(spec_file, encoding="utf-8") as file:
        spec = json.load(file)
    if spec["netns"]:
        cc_session.loopback_up()
    sys.path.insert(0, HERE)
    import stub_messages_api as stub

    out, requests = spec["out"], os.path.join(spec["out"], "requests")
    server = stub.make_server(requests, spec["script"], "stub reply", spec["project"])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = cc_session.clean_env(
        spec["home"],
        os.path.join(out, "t"),
        {
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:%d" % server.server_address[1],
            "TERM": "xterm-256color",
            "COLUMNS": "120",
            "LINES": "40",
        },
    )
    env.update(spec["extra_env"])
    settle_in(spec["home"], spec["project"], env.get("ANTHROPIC_API_KEY", ""))
    command = [spec["client"], "--debug-file", os.path.join(out, "debug.log")]
    for folder in spec["plugins"]:
        command += ["--plugin-dir", folder]
    editor = None
    if spec["selected"]:
        ide = [sys.executable, os.path.join(HERE, "cc_ide.py"), spec["home"], *spec["selected"]]
        editor = subprocess.Popen(ide, stdout=subprocess.PIPE, text=True)
        env["CLAUDE_CODE_SSE_PORT"] = editor.stdout.readline().strip()
        command.append("--ide")
    start = time.monotonic()
    terminal = Terminal(command + spec["extra_args"], spec["project"], env)
    seen = [len(os.listdir(requests))]

    def is_busy():
        before, seen[0] = seen[0], len(os.listdir(requests))
        return seen[0] != before

    terminal.wait(is_busy)
    prompts = [*spec["prompts"], "/exit"]
    for prompt, following in zip(prompts, [*prompts[1:], ""]):
        before = len(os.listdir(requests))
        try:
            terminal.type(prompt.removeprefix(MEANWHILE))
        except OSError:
            break

        def has_begun(before=before, prompt=prompt):
            return prompt in LOCAL or len(os.listdir(requests)) > before

        if following.startswith(MEANWHILE):
            terminal.wait_for(has_begun)
        else:
            # A prompt that is typed while the client is busy would be joined with the one before it.
            terminal.wait(is_busy, has_begun)
    try:
        os.kill(terminal.pid, signal.SIGTERM)
        os.waitpid(terminal.pid, 0)
    except (ChildProcessError, ProcessLookupError):
        pass
    if editor:
        editor.kill()
    server.shutdown()
    transcripts = [
        os.path.join(root, name)
        for root, _, files in os.walk(os.path.join(spec["home"], ".claude", "projects"))
        for name in files
        if name.endswith(".jsonl") and "subagents" not in root
    ]
    transcript = max(transcripts, key=os.path.getmtime) if transcripts else None
    with open(os.path.join(out, "screen"), "wb") as file:
        file.write(terminal.screen)
    with open(os.path.join(out, "result.json"), "w", encoding="utf-8") as file:
        json.dump(
            {
                "rc": 0,
                "seconds": time.monotonic() - start,
                "stdout": "",
                "stderr": "",
                "session": None,
                "transcript": transcript,
            },
            file,
        )


if __name__ == "__main__":
    inner(sys.argv[2])
