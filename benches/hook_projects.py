"""The projects for timing the hook. Their snapshot can be deleted, and their files evicted from the page cache."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from cuecard.files.user_folder import store_path
from made_projects import PROMPT, write_project
from reviewed_home import TEAMS

# The end of the name of a project whose memories have questions.
QUESTIONS = "-questions"

# The number of files in the working tree that Git tracks.
TRACKED_FILES = 300


class ScopedProject:
    """A package with memories in its own store, in that of its root, in the user's store and in the pack of a team."""

    def __init__(self, folder: Path, size: int) -> None:
        root, self.data = folder / "scoped", (folder / "scoped-data").resolve()
        package = root / "packages" / "api"
        self.size = size
        self.payload = folder / "payload-scoped.json"
        self._roots = [package, root, self.data / "user", self.data / "packs" / TEAMS[0] / "1"]
        if not self.payload.exists():
            for place, each in enumerate(self._roots):
                write_project(each, size, first=place * size)
            (root / ".git").mkdir()
            (self.data / "packs" / TEAMS[0] / "current").write_text("1\n", encoding="utf-8")
            time.sleep(2.1)
            payload = {"prompt": PROMPT, "user_prompt": PROMPT, "cwd": str(package), "session_id": "bench"}
            self.payload.write_text(json.dumps(payload), encoding="utf-8")

    def rebuild(self) -> None:
        """Build the snapshot of each store."""
        for root in self._roots:
            command = [sys.executable, "-m", "cuecard.cli", "index", "rebuild", "--root", str(root)]
            environment = os.environ | {"CUECARD_HOME": str(self.data)}
            subprocess.run(command, check=True, capture_output=True, env=environment)

    def forget_session(self, _answer: bytes) -> None:
        """Remove the sessions, so that the next prompt is the first of its session."""
        for folder in self.data.glob("stores/*/sessions"):
            shutil.rmtree(folder)


class TeamProject:
    """A project with and without the packs of three teams: the same store with two data folders of a user."""

    def __init__(self, folder: Path, size: int, pack_size: int) -> None:
        self.size = size
        self.root = folder / "team-project"
        self.payload = folder / "payload-team.json"
        self.alone, self.data = [(folder / name).resolve() for name in ("team-alone", "team-data")]
        self._packs = [self.data / "packs" / team / "1" for team in TEAMS]
        if not self.payload.exists():
            write_project(self.root, size, first=0)
            (self.root / ".git").mkdir()
            for number, pack in enumerate(self._packs):
                write_project(pack, pack_size, first=size + number * pack_size)
                (pack.parent / "current").write_text("1\n", encoding="utf-8")
            time.sleep(2.1)
            payload = {"prompt": PROMPT, "user_prompt": PROMPT, "cwd": str(self.root), "session_id": "bench"}
            self.payload.write_text(json.dumps(payload), encoding="utf-8")

    def rebuild(self) -> None:
        """Build the snapshot of each store for each data folder that reads it."""
        for root, data in [(self.root, self.alone), *[(root, self.data) for root in (self.root, *self._packs)]]:
            command = [sys.executable, "-m", "cuecard.cli", "index", "rebuild", "--root", str(root)]
            environment = os.environ | {"CUECARD_HOME": str(data)}
            subprocess.run(command, check=True, capture_output=True, env=environment)

    def forget_session(self, _answer: bytes) -> None:
        """Remove the sessions, so that the next prompt is the first of its session."""
        for folder in [*self.alone.glob("stores/*/sessions"), *self.data.glob("stores/*/sessions")]:
            shutil.rmtree(folder)


class Project:
    """A generated project, and the payload with which a host calls the hook in it."""

    def __init__(self, folder: Path, size: int, name: str = "") -> None:
        self.size = size
        self.root = folder / f"project-{size}{name}"
        self.payload = folder / f"payload-{size}{name}.json"
        made = folder / f"answered-{size}{name}"
        if not made.exists():
            shutil.rmtree(self.root, ignore_errors=True)
            write_project(self.root, size, has_questions=name == QUESTIONS)
            # cuecard does not trust the modification time of a folder that has just changed.
            time.sleep(2.1)
            made.touch()
        payload = {"prompt": PROMPT, "user_prompt": PROMPT, "cwd": str(self.root)}
        self.payload.write_text(json.dumps(payload), encoding="utf-8")
        # The same payload with a session id.
        self.session_payload = folder / f"session-payload-{size}{name}.json"
        self.session_payload.write_text(json.dumps({**payload, "session_id": "bench"}), encoding="utf-8")

    def write_payload(self, what: str, prompt: str, **more: str) -> Path:
        """Write the payload of another prompt in this project; `what` is part of the file's name."""
        payload = self.payload.with_name(f"{what}-{self.payload.name}")
        given = {"prompt": prompt, "user_prompt": prompt, "cwd": str(self.root), **more}
        payload.write_text(json.dumps(given), encoding="utf-8")
        return payload

    def begin_session(self, command: list[str], payload: Path) -> "Callable[[bytes], None]":
        """A function to call before each run; it starts a new session in which one earlier prompt was asked."""

        def begin(_answer: bytes) -> None:
            self.forget_session(_answer)
            with payload.open("rb") as given:
                subprocess.run(command, stdin=given, stdout=subprocess.DEVNULL, check=True)

        return begin

    def switch_everything_on(self) -> None:
        """Set a focus and switch on the Git part of the situation, in a working tree with many files."""
        settings = {"retrieval": {"situation": {"git": True}}}
        (self.root / ".claude" / "memory" / "memory-config.json").write_text(json.dumps(settings), encoding="utf-8")
        focus = [sys.executable, "-m", "cuecard.cli", "focus", "tag:payments", "--root", str(self.root)]
        subprocess.run(focus, capture_output=True, check=True)
        if (self.root / ".git").exists():
            return
        for number in range(TRACKED_FILES):
            file = self.root / "src" / f"part{number % 10}" / f"unit{number}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"NUMBER = {number}\n", encoding="utf-8")
        for command in (["init", "-q", "-b", "feature/payments-retry"], ["add", "src"]):
            subprocess.run(["git", "-C", str(self.root), *command], check=True)

    @property
    def derived(self) -> Path:
        """The folder with the derived files, such as the snapshot."""
        return self.root / ".claude" / "memory" / ".cuecard"

    @property
    def kept(self) -> Path:
        """The folder with the store's sessions, focus and logs in the user's data folder."""
        return Path(store_path(str(self.root / ".claude" / "memory")))

    def rebuild(self, backend: str = "auto") -> float:
        """Rebuild the index and sync everything to disk, so that it can be evicted; return the rebuild's seconds."""
        begin = time.perf_counter()
        command = [sys.executable, "-m", "cuecard.cli", "index", "rebuild", "--root", str(self.root)]
        environment = {**os.environ, "CUECARD_BACKEND": backend}
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        taken = time.perf_counter() - begin
        os.sync()
        return taken

    def forget_session(self, _answer: bytes) -> None:
        """Delete the sessions, so that the hook shows the same memories again."""
        shutil.rmtree(self.kept / "sessions", ignore_errors=True)

    def forget_earlier_session(self, _answer: bytes) -> None:
        """Delete the sessions, also in the store, where the executable of an earlier version may keep them."""
        shutil.rmtree(self.derived / "sessions", ignore_errors=True)
        self.forget_session(_answer)

    def prepare_stop(self, mebibytes: int, prompt: list[str]) -> "tuple[Path, Callable[[bytes], None]]":
        """The payload of a stop in a session with a transcript of `mebibytes`, and a function to call before each run.

        Nothing is due at this stop, as at nearly every stop: the function starts a new session, in which the command
        `prompt` has answered one typed prompt.
        """
        transcript = self.root.with_name(f"{self.root.name}-{mebibytes}.jsonl")
        result = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x" * 20_000}]}}
        line = json.dumps(result).encode() + b"\n"
        turn = b"".join(
            json.dumps({"type": side, "message": {"role": side, "content": text}}).encode() + b"\n"
            for side, text in (("user", PROMPT), ("assistant", "Because the gateway counts each call."))
        )
        transcript.write_bytes(line * ((mebibytes << 20) // len(line)) + turn + line * 4)
        event = {"session_id": f"stop-{mebibytes}", "cwd": str(self.root), "transcript_path": str(transcript)}
        payloads = {
            name: transcript.with_name(f"{transcript.stem}-{name}.json") for name in ("UserPromptSubmit", "Stop")
        }
        for name, payload in payloads.items():
            more = {"prompt": PROMPT} if name == "UserPromptSubmit" else {"stop_hook_active": False}
            payload.write_text(json.dumps({"hook_event_name": name, **event, **more}), encoding="utf-8")
        return payloads["Stop"], self.begin_session(prompt, payloads["UserPromptSubmit"])

    def reviewing(self) -> "tuple[tuple[str, str], ...]":
        """The environment variables of a user whose settings review memories."""
        return (("XDG_CONFIG_HOME", str(self.root.with_name("empty-config").resolve())),)

    def accept(self, *chosen: str) -> None:
        """Accept the memories that options of `cuecard trust` choose, as a user whose settings review memories."""
        command = [sys.executable, "-m", "cuecard.cli", "trust", *chosen, "--yes", "--root", str(self.root)]
        subprocess.run(command, env={**os.environ, **dict(self.reviewing())}, stdout=subprocess.DEVNULL, check=True)

    def forget_snapshot(self, _answer: bytes) -> None:
        """Delete the snapshot, so that only memories and `index.md` are there, as after a checkout."""
        for path in [*self.derived.glob("snapshot*"), *self.derived.glob("documents.json")]:
            path.unlink()

    def evict(self, answer: bytes) -> None:
        """Drop snapshot, index, settings and the memories that the hook showed from the page cache."""
        memory_dir = self.root / ".claude" / "memory"
        # The last event of the log names the memories that were shown.
        event = json.loads((self.kept / "log" / "events.jsonl").read_text(encoding="utf-8").splitlines()[-1])
        shown = [self.root / memory["path"] for memory in event["memories"] if answer]
        for path in (
            *self.derived.glob("snapshot*"),
            *self.derived.glob("documents.json"),
            memory_dir / "index.md",
            memory_dir / "memory-config.json",
            *shown,
        ):
            if path.exists():
                handle = os.open(path, os.O_RDONLY)
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(handle)
