"""The place of an attack: a scratch home with files that must not change, and in it the clone of a hostile repository.

home/.ssh/                the victim's files: one for every file name that cuecard uses, a month old
home/work/other/          another project, with a memory about the same subject
home/work/clone/          the hostile repository
home/.claude/projects/    the transcript of a session, as the host wrote it
"""

import hashlib
import json
import os
import socket
import stat
import sys
import time
from pathlib import Path
from typing import Any

from attacks.attack import Attack, Step

MONTH_SECONDS = 30 * 24 * 60 * 60
# Some files are gigabytes large and nearly empty (sparse), so only their first part is compared.
MOST_COMPARED = 1 << 20
LONG_AGO = "2020-01-01T00:00:00Z"
# Secret words; an attack has succeeded if one of them was printed, stored or sent.
VICTIM, OTHER, VARIABLE = "CANARY-VICTIM", "CANARY-OTHER", "CANARY-VARIABLE"
VICTIM_FILES = (
    "id_rsa",
    "known_hosts",
    ".index.md.1.tmp",
    ".snapshot.1.tmp",
    ".documents.json.1.tmp",
    "documents.json",
    "snapshot.1.tmp",
    "snapshot",
    "snapshot.delta",
    "handled-5",
    "context-decision.txt",
    "triage.json",
    "notice",
    "focus",
    "changed",
    "hook.log",
    "events.jsonl",
    "s-1.focus",
    "write.lock",
    "index.md",
    "old/deep/file.txt",
    "s-9/context-decision.txt",
)
SAID = "We decided to use PostgreSQL instead of SQLite, because two writers block each other."


class Scene:
    """A scratch folder with the home of the user, laid out for one attack."""

    def __init__(self, scratch: Path, attack: Attack, port: int = 0) -> None:
        """Create everything in the empty folder `scratch`; `port` is the port of the listener."""
        self.scratch = scratch.resolve()
        self.home = self.scratch / "home"
        self.clone = self.home / "work" / "clone"
        self.other = self.home / "work" / "other"
        self.victim = self.home / ".ssh"
        # The working directory that the host names in the event. It may differ from the program's own working
        # directory.
        self.cwd = str(self.clone / attack.cwd)
        self.transcript = self.home / ".claude" / "projects" / "clone" / "s-1.jsonl"
        self._names = {
            "victim": str(self.victim),
            "other": str(self.other),
            "clone": str(self.clone),
            "home": str(self.home),
            "port": str(port),
        }
        self._make_home()
        self._make_clone(attack)
        self._before = self._manifest()

    @property
    def memory_dir(self) -> Path:
        """The clone's folder of memories."""
        return self.clone / ".claude" / "memory"

    def environment(self, **more: str) -> dict[str, str]:
        """The environment variables of the programs that are run, with `more` added."""
        (self.scratch / "tmp").mkdir(exist_ok=True)
        path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        own = {"HOME": str(self.home), "PATH": path, "TMPDIR": str(self.scratch / "tmp"), "VICTIM_API_KEY": VARIABLE}
        return own | more

    def fill(self, text: str) -> str:
        """Replace `{victim}`, `{other}`, `{clone}`, `{home}` and `{port}` in a text with the scene's values."""
        for name, value in self._names.items():
            text = text.replace("{" + name + "}", value)
        return text

    def settle(self) -> None:
        """Record the present state of the files, which must not change from now on."""
        self._before = self._manifest()

    def differences(self, ignored: str = "/nowhere") -> list[str]:
        """The changes since `settle` outside of cuecard's own files, and copies of the victim's data in the clone.

        Changes of paths that contain `ignored` do not count.
        """
        now = self._manifest()
        found = [f"deleted {path}" for path in sorted(self._before.keys() - now.keys())]
        found += [f"created {path}" for path in sorted(now.keys() - self._before.keys())]
        found += [
            f"changed {path}" for path in sorted(now.keys() & self._before.keys()) if now[path] != self._before[path]
        ]
        return [each for each in found if ignored not in str(self.scratch / each.partition(" ")[2])] + self._copies()

    def is_stored(self, text: str) -> bool:
        """Whether a text is in a file that cuecard writes."""
        folders = [self.memory_dir, self.home / ".local"]
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
        return any(text.encode() in path.read_bytes() for path in files)

    def _copies(self) -> list[str]:
        """The files in the clone's `.claude` that contain a secret word of the victim's files."""
        found = []
        folder = self.clone / ".claude"
        if folder.is_symlink() or self.memory_dir.is_symlink():
            return []
        for above, _folders, names in os.walk(folder):
            for name in names:
                path = f"{above}/{name}"
                status = os.lstat(path)
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size < 1 << 24:
                    data = _read(path, status.st_size)
                    found += [
                        f"copied {word} into {name}" for word in (VICTIM, OTHER, VARIABLE) if word.encode() in data
                    ]
        return found

    def _make_home(self) -> None:
        for name in VICTIM_FILES:
            self._write(self.victim / name, f"{VICTIM} {name}\n")
        self._write(self.victim / "secret.json", json.dumps(_record("decision", "secret", f"Ledger {VICTIM}")))
        write_memory(self.other, "decision", "ledger-store", f"The ledger is stored in PostgreSQL {OTHER}")
        self._write(self.other / ".git" / "HEAD", "ref: refs/heads/main\n")
        self._write(self.home / ".bashrc", f"# {VICTIM}\n")
        self._write(self.home / ".config" / "git" / "config", f"# {VICTIM}\n")
        records = [
            {"type": "user", "message": {"role": "user", "content": "Which database does the ledger use?"}},
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": SAID}]}},
        ]
        self._write(self.transcript, "".join([json.dumps(record) + "\n" for record in records]))
        then = time.time() - MONTH_SECONDS
        for folder in (self.victim, self.other):
            for above, folders, names in os.walk(folder, topdown=False):
                for name in [*folders, *names]:
                    os.utime(Path(above, name), (then, then))
            os.utime(folder, (then, then))

    def _make_clone(self, attack: Attack) -> None:
        self._write(self.clone / ".git" / "HEAD", "ref: refs/heads/main\n")
        self._write(self.clone / "src" / "ledger.py", "LEDGER = 1\n")
        if attack.has_memories:
            write_memory(self.clone, "decision", "ledger-store", "The ledger is stored in PostgreSQL")
            write_memory(
                self.clone, "constraint", "ledger-locks", "No ledger lock may last a second", anchors=["src/ledger.py"]
            )
            write_memory(self.clone, "runbook", "ledger-deadlock", "Deadlock in the ledger: restart the writer")
        for step in attack.layout:
            self._lay(step)

    def _lay(self, step: Step) -> None:
        path = Path(self.fill(step.path))
        path = path if path.is_absolute() else self.clone / path
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink() and step.kind in ("link", "file", "fifo"):
            _remove_tree(path)
        elif path.is_symlink() or (path.exists() and not path.is_dir()):
            path.unlink()
        target = self.fill(step.text)
        if step.kind == "link":
            path.symlink_to(target)
        elif step.kind == "hardlink":
            os.link(target, path)
        elif step.kind == "fifo":
            os.mkfifo(path)
        elif step.kind == "socket":
            self._bind(path)
        elif step.kind == "folder":
            path.mkdir(exist_ok=True)
            for number in range(step.count):
                path.joinpath(f"{number}.json").write_text(target)
        elif step.kind == "sparse":
            with path.open("wb") as file:
                file.truncate(step.count)
        elif step.kind == "nested":
            path.write_text(target.replace("[]", "[" * step.count + "]" * step.count))
        elif step.kind == "repeated":
            path.write_text(target * step.count)
        else:
            path.write_text(target, encoding="utf-8", errors="surrogateescape")
            if step.count:
                path.chmod(step.count)

    def _bind(self, path: Path) -> None:
        with socket.socket(socket.AF_UNIX) as bound:
            here = Path.cwd()
            os.chdir(path.parent)
            try:
                bound.bind(path.name)
            finally:
                os.chdir(here)

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _manifest(self) -> dict[str, tuple[object, ...]]:
        """The state of every file in the scratch folder, except memories and cuecard's own folders.

        It is made after each program, so it works with names and not with `Path`.
        """
        home, above = str(self.home), len(str(self.scratch)) + 1
        own = {f"{home}/.local/share/cuecard", f"{home}/.local/state/cuecard", str(self.scratch / "tmp")}
        if not self.memory_dir.is_symlink():
            own.add(str(self.memory_dir))
        # Folders in which cuecard may create one of its own folders.
        shared = {home, str(self.clone), str(self.clone / ".claude")}
        shared |= {f"{home}/.local", f"{home}/.local/share", f"{home}/.local/state"}
        found: dict[str, tuple[object, ...]] = {}
        waiting = [home]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    path, is_folder = entry.path, entry.is_dir(follow_symlinks=False)
                    if path in own:
                        continue
                    if is_folder:
                        waiting.append(path)
                    if not (is_folder and path in shared):
                        found[path[above:]] = _describe(entry)
        return found


def write_memory(
    root: Path,
    category: str,
    name: str,
    title: str,
    text: str = "",
    **members: Any,  # noqa: ANN401 - JSON
) -> Path:
    """Write a memory's file directly, without cuecard."""
    folder = {"session_summary": "sessions", "tech_debt": "tech-debt"}.get(category, f"{category}s")
    path = root / ".claude" / "memory" / folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_record(category, name, title, text, **members)), encoding="utf-8")
    return path


def _record(category: str, name: str, title: str, text: str = "", **members: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    said = text or f"{title}, since last year."
    contents: dict[str, dict[str, Any]] = {
        "decision": {"status": "accepted", "context": "There was a choice.", "decision": said, "rationale": [said]},
        "constraint": {"kind": "policy", "rule": said, "impact": [said], "severity": "high", "active": True},
        "runbook": {"trigger": said, "steps": [said], "verification": "The error is gone."},
    }
    return {
        "schema_version": "1.0",
        "category": category,
        "id": name,
        "title": title,
        "tags": members.pop("tags", ["ledger", "postgresql"]),
        "record_status": members.pop("status", "active"),
        "created_at": members.pop("created_at", LONG_AGO),
        "updated_at": members.pop("updated_at", LONG_AGO),
        "content": members.pop("content", contents[category]),
        "cuecard": members,
    }


def _describe(entry: os.DirEntry[str]) -> tuple[object, ...]:
    status = entry.stat(follow_symlinks=False)
    kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
    if kind == stat.S_IFLNK:
        return kind, str(Path(entry.path).readlink())
    if kind == stat.S_IFREG:
        beginning = _read(entry.path, min(status.st_size, MOST_COMPARED))
        return kind, mode, status.st_mtime_ns, status.st_size, hashlib.sha256(beginning).hexdigest()
    return kind, mode, status.st_mtime_ns


def _read(path: str, most: int) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, most)
    finally:
        os.close(handle)


def _remove_tree(path: Path) -> None:
    for above, folders, names in os.walk(path, topdown=False):
        for name in names:
            Path(above, name).unlink()
        for name in folders:
            inner = Path(above, name)
            inner.unlink() if inner.is_symlink() else inner.rmdir()
    path.rmdir()
