"""Hosts whose hooks are tables `[[hooks]]` in a TOML file: our tables stand together at its end, between two comments.

The rest of the file is not read as TOML and stays byte for byte as it is.
"""

import json
from pathlib import Path

from ..errors import HostFileError
from .host_environment import HostEnvironment, Scope
from .host_file import Host, WiredHook
from .shells import split

BEGIN = "# Written by `cuecard install {name}`, taken away by `cuecard uninstall {name}`."
END = "# The end of what cuecard has written."
_COMMAND = "command = "


class TomlHost(Host):
    """A host with hooks in a TOML file."""

    file_name: str
    # The members of a table that have the event and the matcher, and the limit of time in seconds.
    event_member, matcher_member = "event", "matcher"
    timeout: float
    # Whether a table has a name.
    is_named = False

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / self.file_name

    def table(self, wired: WiredHook) -> dict[str, object]:
        """The table of a hook."""
        name = {"name": f"cuecard-{wired.verb}"} if self.is_named else {}
        matcher = {self.matcher_member: wired.matcher} if wired.matcher else {}
        rest = {"command": wired.command, "timeout": self.timeout * wired.times}
        return {**name, self.event_member: wired.event, **matcher, **rest}

    def install(self, text: str, hook: list[str], environment: HostEnvironment) -> str:
        rest = self.uninstall(text)
        lines = [BEGIN.format(name=self.name)]
        for wired in self.wired(hook, "cmd" if environment.is_windows else "posix"):
            members = self.table(wired).items()
            lines += ["[[hooks]]", *[f"{name} = {json.dumps(value)}" for name, value in members]]
        gap = "" if not rest or rest.endswith("\n") else "\n"
        return rest + gap + "\n".join([*lines, END]) + ("\n" if not gap else "")

    def uninstall(self, text: str) -> str:
        begin = text.find(BEGIN.format(name=self.name))
        if begin < 0:
            return text
        end = text.find(END, begin)
        if end < 0:
            raise HostFileError("the comment at the end of cuecard's hooks is gone", "remove these hooks by hand")
        behind = text[end + len(END) :]
        # Without a line end behind it, the line end in front was added with our tables.
        if not behind.startswith("\n"):
            return text[:begin].removesuffix("\n") + behind
        return text[:begin] + behind[1:]

    def find(self, text: str) -> list[list[str]]:
        self.uninstall(text)
        _rest, mark, block = text.partition(BEGIN.format(name=self.name))
        lines = block.partition(END)[0].splitlines() if mark else []
        return [split(json.loads(line[len(_COMMAND) :])) for line in lines if line.startswith(_COMMAND)]

    def is_bare(self, text: str) -> bool:
        return not text.strip()
