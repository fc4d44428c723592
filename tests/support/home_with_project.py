"""A home folder that contains a project, for the tests of `cuecard init` and of what it finds."""

import os
import re
from pathlib import Path

from command_process import Ran, run, run_on_terminal
from cuecard.importers.discovery import find_sources
from import_sources import NYGARD
from old_sessions import COMPACTED, session
from triage_cases import said, typed

RULES = "# Rules\n\n## Pnpm\n\n- Always use pnpm, never npm.\n\n## Tests\n\n- Tests must not touch the network.\n"


class Machine:
    """A home folder that contains a project."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "home" / "code" / "shop"
        self.root.mkdir(parents=True)
        (self.root / ".git").mkdir()

    def put(self, path: str, text: "str | bytes", *, is_at_home: bool = False) -> Path:
        file = (self.home if is_at_home else self.root) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def sessions(self, name: str, cwd: "Path | None" = None, *, slug: str = "") -> Path:
        """Write a session of Claude Code into Claude Code's folder for the project, or into the folder `slug`."""
        summary = typed(COMPACTED, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        data = session(cwd or self.root, typed("move it"), summary, said("Done."))
        folder = slug or re.sub("[^A-Za-z0-9]", "-", str(self.root))
        return self.put(f".claude/projects/{folder}/{name}.jsonl", data, is_at_home=True)

    def init(self, *arguments: str, typed: "str | None" = None) -> Ran:
        if typed is None:
            return run(self.home, self.root, "init", *arguments)
        return run_on_terminal(self.home, self.root, "init", *arguments, typed=typed)

    def found(self) -> dict[str, list[str]]:
        """The found sources by the title of their group; paths are relative to the home folder."""
        groups = find_sources(str(self.root), str(self.home), {})
        return {group.title: [os.path.relpath(path, self.home) for path in group.paths] for group in groups}

    def state(self) -> dict[str, bytes]:
        """The content of every file below the home folder."""
        return {str(path): path.read_bytes() for path in sorted(self.home.rglob("*")) if path.is_file()}


def fill(machine: Machine) -> None:
    machine.put("docs/adr/0007-redis.md", NYGARD)
    machine.put("CLAUDE.md", RULES)
    machine.sessions("one")
