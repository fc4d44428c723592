"""Lists what a host tells its agent by itself, in files such as `CLAUDE.md`, so that no prompt repeats it.

The list has no text, only keys, and lies in the user's data folder (SPEC 12.6). Prompts read the list and none of these
files.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .._backend import HOSTED, HOSTED_HEADER, digest_of, hosted_place, stamp_of, statement_key
from ..basics.light_dataclass import replace
from ..basics.surroundings import account_home, admits
from ..basics.tables import find_row
from ..basics.time_limit import TakesTooLong, time_limit
from ..errors import CuecardError
from ..files.checkouts import main_checkout
from ..files.environment import Environment
from ..files.folder import PRIVATE_FILE, Folder, Unread
from ..files.root import find_project
from ..files.store_files import read_bounded
from ..files.user_folder import open_store_folder
from ..importers.at_files import MAX_DEPTH, find_at_files
from ..importers.instructions import read_instructions
from ..importers.markup.markdown import MarkdownDocument, parse
from .foreign_settings import read_json_file
from .host_environment import HostEnvironment
from .registry import find_host

MAX_FILE_BYTES = 1 << 17
MAX_FILES = 30
MAX_KEYS = 4000
# How long importing the sections of all files may take.
SECTION_SECONDS = 2.0
# How many checkouts besides the project keep a list.
MAX_CHECKOUTS = 20
# A memory's main statement may have several sentences.
MAX_SENTENCES = 4
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+")
# What Claude Code shows of the index of its own memory.
MAX_INDEX_LINES, MAX_INDEX_BYTES = 200, 25_000
_NO_SLUG = re.compile(r"[^A-Za-z0-9]")
_SHOWN_BLOCKS = ("paragraph", "list")
# With these settings Codex shows other files than the table says, or more or less of them.
_CODEX_SETTINGS = (b"project_doc_max_bytes", b"project_doc_fallback_filenames", b"project_root_markers")
# The variables that name the user's home folder.
_HOME = ("HOME", "USERPROFILE")


def refresh(host: str, cwd: str, environment: Environment) -> None:
    """Read the files that a host shows, and write the list for the project of a folder, if there is one.

    Raises CuecardError and OSError.
    """
    row = find_row("hosts", "shown_files", host)
    place = os.path.normpath(Path(cwd).absolute())
    project = find_project(place, environment.root, environment.home) if row else None
    if project is None:
        return
    root, memory_dir = project
    checkout, name = hosted_place(root, host, place)
    files = _ShownFiles(host, environment.home, checkout)
    for names in row.split(" "):
        if names.endswith("/"):
            files.read_index(names)
        else:
            files.read_first(names.split("|"))
    files.read_sections()
    folder = open_store_folder(memory_dir, HOSTED, make=True)
    if folder:
        with folder:
            folder.replace(name, files.to_bytes(), mode=PRIVATE_FILE, durable=False)
            _drop_older(folder, f"{host}.")


def _drop_older(folder: Folder, beginning: str) -> None:
    """Remove the oldest lists of other checkouts than the project, most of which are gone."""
    found = [
        (entry.stat(follow_symlinks=False).st_mtime_ns, entry.name)
        for entry in folder.scan()
        if entry.name.startswith(beginning)
    ]
    for _time, name in sorted(found)[:-MAX_CHECKOUTS]:
        folder.remove(name)


class _Variables(Mapping[str, str]):
    """The variables of this process, with a record of those that were asked for."""

    def __init__(self) -> None:
        self.asked: dict[str, None] = dict.fromkeys(_HOME)

    def __getitem__(self, name: str) -> str:
        self.asked[name] = None
        return os.environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(os.environ)

    def __len__(self) -> int:
        return len(os.environ)


class _ShownFiles:
    """The files that were looked at, and the keys of the statements in them."""

    def __init__(self, host: str, home: str, checkout: str) -> None:
        self._variables = _Variables()
        environment = HostEnvironment(Path(home), Path(checkout), self._variables)
        self._host, self._environment = find_host(host), environment
        self._root = environment.project.resolve()
        # The host's folder of the user, which a variable may have moved from its usual place.
        self._folder = self._host.folder("user", environment)
        self._usual = self._host.folder("user", replace(environment, variables={}))
        # Only the usual folder in the home of the account is the user's own: a project's settings can set variables.
        account = account_home()
        of_account = replace(environment, home=Path(account), variables={})
        self._own = self._host.folder("user", of_account) if account else None
        # The stamps by path, and the keys by whose files they are in.
        self._stamps: dict[str, str] = {}
        self._noted = 0
        self._keys: dict[str, dict[str, None]] = {"own": {}, "project": {}}
        # What was read, by whose file it is.
        self._read_texts: dict[str, list[tuple[MarkdownDocument, str, str]]] = {"own": [], "project": []}
        deciding = self._host.deciding_files(environment)
        for file in deciding:
            self._stamp(file)
        self._settings = [read_json_file(file) for file in deciding if file.suffix == ".json"]
        # Gemini CLI shows the files of a project only where the user trusts it, and Claude Code can be told to leave
        # files out.
        self._shows_project = host != "gemini" or not self._host.waits_for("project", environment)
        self._leaves_out = any(settings.get("claudeMdExcludes") for settings in self._settings) or (
            host == "codex" and any(name in self._data_of(file) for file in deciding for name in _CODEX_SETTINGS)
        )
        limit, *names = find_row("hosts", "shown_bytes", host).split(" ")
        self._limit = int(limit) - self._bytes_above(names) if limit else MAX_FILE_BYTES

    def read_first(self, names: list[str]) -> None:
        """Read the first of some files that is there."""
        for name in names:
            is_own, file = name.startswith("~/"), self._place_of(name)
            if self._note(file):
                if not self._leaves_out and (is_own or self._shows_project):
                    self._read(file, self._folder if is_own else self._root)
                return

    def read_index(self, name: str) -> None:
        """Read the index of the notes that Claude Code makes itself, unless that is switched off."""
        named = any("autoMemoryDirectory" in settings for settings in self._settings)
        is_off = any(settings.get("autoMemoryEnabled") is False for settings in self._settings)
        is_disabled = bool(self._variables.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", ""))
        if named or is_off or is_disabled:
            return
        checkout = main_checkout(str(self._root / ".git")) or str(self._root)
        file = self._place_of(name) / _NO_SLUG.sub("-", os.path.realpath(checkout)) / "memory" / "MEMORY.md"
        if self._note(file):
            data = self._data_of(file)[:MAX_INDEX_BYTES]
            # The agent has written these notes, and nobody vouches for them.
            self._take(_statements(parse("\n".join(_text(data).splitlines()[:MAX_INDEX_LINES]))), "project")

    def read_sections(self) -> None:
        """Take what the memories say that an import makes of the files: a whole section, or a part of it."""
        try:
            with time_limit(SECTION_SECONDS):
                # The user's own files come first, so that those of a project cannot use up their time.
                for owner, texts in self._read_texts.items():
                    for document, text, name in texts:
                        if self._is_full:
                            return
                        drafts = read_instructions(document, name, text).drafts
                        self._take([draft.statement for draft in drafts], owner)
        except TakesTooLong:
            return

    def _bytes_above(self, names: list[str]) -> int:
        """How many bytes the host shows of files in the folders above the project, up to that of the repository."""
        folders = [self._root, *self._root.parents]
        top = next((place for place, folder in enumerate(folders) if (folder / ".git").exists()), 0)
        taken = 0
        for folder in folders[1 : top + 1]:
            files = [folder / name for name in names]
            for file in files:
                self._stamp(file)
            taken += next((file.stat().st_size for file in files if file.is_file()), 0)
        return taken

    def _place_of(self, name: str) -> Path:
        if not name.startswith("~/"):
            return self._root / name
        usual = self._environment.home / name[2:]
        return self._folder / usual.relative_to(self._usual) if usual.is_relative_to(self._usual) else usual

    def to_bytes(self) -> bytes:
        """The list as a file."""
        lines = [HOSTED_HEADER, *[f"file {stamp} {path}" for path, stamp in self._stamps.items()]]
        lines += [f"variable {name} {digest_of(os.environ.get(name, ''))}" for name in self._variables.asked]
        lines += [f"{owner} {key}" for owner, keys in self._keys.items() for key in keys]
        return "".join([f"{line}\n" for line in lines]).encode("utf-8", "replace")

    def _note(self, file: Path) -> bool:
        """Record size and time of a file. Returns whether the file is there and may be read."""
        if self._noted >= MAX_FILES or not self._stamp(file):
            return False
        self._noted += 1
        return file.is_file()

    def _stamp(self, file: Path) -> bool:
        path = str(file)
        if path in self._stamps or not path.isprintable():
            return False
        self._stamps[path] = stamp_of(path)
        return True

    def _read(self, file: Path, top: Path, depth: int = 0) -> None:
        """Take the statements of a file below `top`, and with Claude Code those of the files that it includes."""
        real = file.resolve()
        if top == self._root and not real.is_relative_to(self._root):
            return
        # A host may show only a part of the files of a project.
        limit = self._limit if top == self._root else MAX_FILE_BYTES
        text = _text(self._data_of(file)[: max(limit, 0)])
        document = parse(text)
        owner = self._owner_of(file)
        self._take(_statements(document), owner)
        self._read_texts[owner].append((document, text, file.name))
        if self._host.name != "claude-code" or depth == MAX_DEPTH:
            return
        for included in find_at_files(document, real, top.resolve()).files:
            if self._note(included):
                self._read(included, top, depth + 1)

    def _owner_of(self, file: Path) -> str:
        """Whose a file is. What lies in the project, or is not the user's, counts as the project's."""
        real = file.resolve()
        if self._own is None or not real.is_relative_to(self._own.resolve()) or real.is_relative_to(self._root):
            return "project"
        return "own" if admits(str(self._own)) else "project"

    @property
    def _is_full(self) -> bool:
        return len(self._keys["own"]) + len(self._keys["project"]) >= MAX_KEYS

    def _take(self, statements: Iterable[str], owner: str) -> None:
        keys = self._keys[owner]
        for statement in statements:
            if self._is_full:
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
