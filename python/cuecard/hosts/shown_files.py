"""Lists what a host tells its agent by itself, in files such as `CLAUDE.md`, so that no prompt repeats it.

The list has no text, only keys, and lies in the user's data folder (SPEC 12.6). Prompts read the list and none of these
files.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from .._backend import HOSTED, HOSTED_HEADER, stamp_of, statement_key
from ..basics.light_dataclass import replace
from ..basics.surroundings import admits
from ..basics.tables import find_row
from ..errors import CuecardError
from ..files.checkouts import main_checkout
from ..files.environment import Environment
from ..files.folder import PRIVATE_FILE, Unread
from ..files.root import find_project
from ..files.store_files import read_bounded
from ..files.user_folder import open_store_folder
from ..importers.at_files import MAX_DEPTH, find_at_files
from ..importers.markup.markdown import MarkdownDocument, parse
from .foreign_settings import read_json_file
from .host_environment import HostEnvironment
from .registry import find_host

MAX_FILE_BYTES = 1 << 17
MAX_FILES = 30
MAX_KEYS = 4000
# A memory's main statement may have several sentences.
MAX_SENTENCES = 4
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+")
# What Claude Code shows of the index of its own memory.
MAX_INDEX_LINES, MAX_INDEX_BYTES = 200, 25_000
_NO_SLUG = re.compile(r"[^A-Za-z0-9]")
_SHOWN_BLOCKS = ("paragraph", "list")


def refresh(host: str, cwd: str, environment: Environment) -> None:
    """Read the files that a host shows, and write the list for the project of a folder, if there is one.

    Raises CuecardError and OSError.
    """
    row = find_row("hosts", "shown_files", host)
    project = find_project(str(Path(cwd).absolute()), environment.root, environment.home) if row else None
    if project is None:
        return
    root, memory_dir = project
    files = _ShownFiles(host, HostEnvironment(Path(environment.home), Path(root), dict(os.environ)))
    for names in row.split(" "):
        if names.endswith("/"):
            files.read_index(names)
        else:
            files.read_first(names.split("|"))
    folder = open_store_folder(memory_dir, HOSTED, make=True)
    if folder:
        with folder:
            folder.replace(host, files.to_bytes(), mode=PRIVATE_FILE, durable=False)


class _ShownFiles:
    """The files that were looked at, and the keys of the statements in them."""

    def __init__(self, host: str, environment: HostEnvironment) -> None:
        self._host, self._environment = find_host(host), environment
        self._root = environment.project.resolve()
        # The host's folder of the user, which a variable may have moved from its usual place.
        self._own = self._host.folder("user", environment)
        self._usual = self._host.folder("user", replace(environment, variables={}))
        # The stamps by path, and the keys by whose files they are in.
        self._stamps: dict[str, str] = {}
        self._keys: dict[str, dict[str, None]] = {"own": {}, "project": {}}
        settings = [self._own / "settings.json", self._root / ".claude/settings.json"]
        self._settings = [read_json_file(file) for file in [*settings, self._root / ".claude/settings.local.json"]]
        # Gemini CLI shows the files of a project only where the user trusts it, and Claude Code can be told to leave
        # files out.
        self._shows_project = host != "gemini" or not self._host.waits_for("project", environment)
        self._leaves_out = any(settings.get("claudeMdExcludes") for settings in self._settings)

    def read_first(self, names: list[str]) -> None:
        """Read the first of some files that is there."""
        for name in names:
            is_own, file = name.startswith("~/"), self._place_of(name)
            if self._note(file):
                if not self._leaves_out and (is_own or self._shows_project):
                    self._read(file, self._own if is_own else self._root)
                return

    def read_index(self, name: str) -> None:
        """Read the index of the notes that Claude Code makes itself, unless that is switched off."""
        named = any("autoMemoryDirectory" in settings for settings in self._settings)
        is_off = any(settings.get("autoMemoryEnabled") is False for settings in self._settings)
        if named or is_off or self._environment.variables.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", ""):
            return
        checkout = main_checkout(str(self._root / ".git")) or str(self._root)
        file = self._place_of(name) / _NO_SLUG.sub("-", os.path.realpath(checkout)) / "memory" / "MEMORY.md"
        if self._note(file):
            data = self._data_of(file)[:MAX_INDEX_BYTES]
            self._take(parse("\n".join(_text(data).splitlines()[:MAX_INDEX_LINES])), self._owner_of(file))

    def _place_of(self, name: str) -> Path:
        if not name.startswith("~/"):
            return self._root / name
        usual = self._environment.home / name[2:]
        return self._own / usual.relative_to(self._usual) if usual.is_relative_to(self._usual) else usual

    def to_bytes(self) -> bytes:
        """The list as a file."""
        lines = [HOSTED_HEADER, *[f"file {stamp} {path}" for path, stamp in self._stamps.items()]]
        lines += [f"{owner} {key}" for owner, keys in self._keys.items() for key in keys]
        return "".join([f"{line}\n" for line in lines]).encode("utf-8", "replace")

    def _note(self, file: Path) -> bool:
        """Record size and time of a file. Returns whether the file is there and may be read."""
        path = str(file)
        if len(self._stamps) >= MAX_FILES or path in self._stamps or not path.isprintable():
            return False
        self._stamps[path] = stamp_of(path)
        return file.is_file()

    def _read(self, file: Path, top: Path, depth: int = 0) -> None:
        """Take the statements of a file below `top`, and with Claude Code those of the files that it includes."""
        real = file.resolve()
        if top == self._root and not real.is_relative_to(self._root):
            return
        document = parse(_text(self._data_of(file)))
        self._take(document, self._owner_of(file))
        if self._host.name != "claude-code" or depth == MAX_DEPTH:
            return
        for included in find_at_files(document, real, top.resolve()).files:
            if self._note(included):
                self._read(included, top, depth + 1)

    def _owner_of(self, file: Path) -> str:
        """Whose a file is. What lies in the project, or is not the user's, counts as the project's."""
        real = file.resolve()
        is_own = real.is_relative_to(self._own.resolve()) and not real.is_relative_to(self._root)
        return "own" if is_own and admits(str(self._own)) else "project"

    def _take(self, document: MarkdownDocument, owner: str) -> None:
        keys = self._keys[owner]
        for statement in _statements(document):
            if len(self._keys["own"]) + len(self._keys["project"]) >= MAX_KEYS:
                return
            if key := statement_key(statement):
                keys[key] = None

    @staticmethod
    def _data_of(file: Path) -> bytes:
        try:
            return read_bounded(str(file), MAX_FILE_BYTES)
        except Unread:
            return b""


def _statements(document: MarkdownDocument) -> Iterator[str]:
    """The runs of whole sentences in paragraphs and items; code, quotations, tables and comments say nothing."""
    for section in document.sections:
        for block in section.blocks:
            if block.kind not in _SHOWN_BLOCKS:
                continue
            for unit in block.items or (block.text,):
                sentences = _SENTENCE_END.split(" ".join(unit.split()))
                for begin in range(len(sentences)):
                    for end in range(begin + 1, min(begin + MAX_SENTENCES, len(sentences)) + 1):
                        yield " ".join(sentences[begin:end])


def _text(data: bytes) -> str:
    return data.decode("utf-8-sig", "replace")


def refresh_quietly(host: str, cwd: str, environment: Environment) -> str:
    """Refresh the list of a host; returns what went wrong, "" if nothing did."""
    try:
        refresh(host, cwd, environment)
    except CuecardError as error:
        return error.what
    except OSError:
        return "the files that the host shows cannot be read"
    return ""
