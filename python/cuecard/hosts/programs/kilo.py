"""Kilo: the plugin of OpenCode in a folder of its own (measured in 7.7.9)."""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from .opencode import OpenCode


class Kilo(OpenCode):
    """Kilo."""

    name, title = "kilo", "Kilo"
    programs = ("kilo",)
    promises = (
        "restart Kilo, which loads its plugins at the start; without a network it takes minutes to start, with a "
        "plugin or without",
    )
    mark = "// Written by `cuecard install kilo`, taken away by `cuecard uninstall kilo`."
    scopes: tuple[Scope, ...] = ("user",)

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.folder("XDG_CONFIG_HOME", ".config") / "kilo"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "plugin" / "cuecard.js"
