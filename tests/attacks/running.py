"""Runs one attack at one entry point and returns the harms that it did."""

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attacks import preparations
from attacks.attack import ENTRY_POINTS, LAUNCHER, Attack
from attacks.entry_points import calls_of
from attacks.harms import OPENING, find_harms
from attacks.scene import Scene
from fork_launcher import SECONDS, Launcher
from hook_process import find_executable
from memory_folder import disk_folder
from model_server import ModelServer


class Listener:
    """A port on loopback that accepts data and never answers."""

    def __init__(self) -> None:
        """Listen on loopback, in a thread."""
        self.heard: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _address = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2)
                self.heard.append("")
                try:
                    while data := connection.recv(1 << 16):
                        self.heard[-1] += data.decode("utf-8", "replace")
                except OSError:
                    continue

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


class Endpoint:
    """A server on loopback that, unlike `Listener`, answers like a model's endpoint."""

    def __init__(self) -> None:
        """Serve on loopback."""
        self._server = ModelServer()
        self._server.__enter__()
        self.port = int(self._server.url.rpartition(":")[2])

    @property
    def heard(self) -> list[str]:
        """The requests that the server has received so far, as texts."""
        return [f"{asked.path} {asked.headers} {asked.body}" for asked in self._server.requests]

    def forget(self) -> None:
        """Forget the requests that were received so far."""
        self._server.requests.clear()

    def close(self) -> None:
        """Stop the server."""
        self._server.__exit__(None, None, None)


@cache
def executable() -> str:
    """The path of the native `cuecard-hook`, or "" if it is not installed."""
    return find_executable() or ""


def entry_points_here() -> list[str]:
    """The entry points that can be run on this machine; `executable` needs the native package."""
    named = [*ENTRY_POINTS, *([LAUNCHER] if os.name == "posix" else [])]
    return [entry_point for entry_point in named if entry_point != "executable" or executable()]


def backend_of(entry_point: str) -> str:
    """The backend that runs the programs of an entry point."""
    if entry_point == "pure" or not executable():
        return "pure"
    return "native"


def run_attack(attack: Attack, entry_point: str, launcher: Launcher, scratch: Path | None = None) -> list[str]:
    """The harms that an attack does at an entry point; empty if the attack fails.

    After the first call that does harm, no further call is run. `launcher` must have the backend of the entry point.

    One process runs all commands of an attack, because forking took more than half of the time. That is enough: the
    repository stays as it is between two commands, and each command opens, reads and writes as it does in a process of
    its own; only what the first command has read may be remembered. Harms are looked for after each command.
    """
    with _scratch(attack, scratch) as folder, _listener(attack) as listener:
        scene = Scene(folder, attack, listener.port if listener else 0)
        if attack.prepare:
            getattr(preparations, attack.prepare)(scene, launcher)
            scene.settle()
        if isinstance(listener, Endpoint):
            listener.forget()
        environment = scene.environment(**{name: scene.fill(value) for name, value in attack.environment.items()})
        links = [(str(scene.clone / link), str(scene.victim / "id_rsa")) for link in attack.pid_links]
        stays = entry_point == "cli" and not links and not attack.has_terminal and not attack.stdin
        launcher.leave()
        for number, call in enumerate(calls_of(entry_point, attack, scene)):
            programs = {"executable": executable(), LAUNCHER: "/bin/sh", "pure": "hook", "stop": "hook"}
            program = programs.get(entry_point, "cli")
            cwd = scene.clone / attack.cwd
            ran = launcher.run(
                program,
                call.arguments,
                call.stdin,
                cwd=cwd,
                environment=environment,
                links=links,
                has_terminal=attack.has_terminal,
                is_endless=attack.stdin == "endless",
                stays=stays,
                seconds=attack.seconds or SECONDS,
            )
            harms = find_harms(attack, call.what, ran) + scene.differences()
            harms += [f"stored {text!r}" for text in attack.never_stored if scene.is_stored(text)]
            if attack.is_answered and number == 0 and OPENING not in ran.stdout:
                harms.append("took the answer away")
            if listener and listener.heard:
                harms.append(f"sent {listener.heard[0][:60]!r} to a port that the repository chose")
            if harms:
                return [f"{' '.join(call.arguments[:2])}: {harm}" for harm in harms]
    return []


@contextmanager
def _scratch(attack: Attack, given: Path | None) -> Iterator[Path]:
    if attack.is_on_disk:
        with disk_folder() as folder:
            yield folder
        return
    if given:
        yield given
        return
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _listener(attack: Attack) -> Iterator[Listener | Endpoint | None]:
    """A listener for an attack whose layout names `{port}`; None for any other attack."""
    if not any("{port}" in step.text for step in attack.layout):
        yield None
        return
    listener = Endpoint() if attack.prepare == "vectors_of_the_endpoint" else Listener()
    try:
        yield listener
    finally:
        listener.close()
