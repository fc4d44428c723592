"""Shows hosts as a table for people or as lines for pipes, and the change that an install or uninstall makes."""

import shlex

from ...cli import terminal
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...hosts.host_environment import HostEnvironment, Scope
    from ...hosts.host_file import Host
    from ...hosts.installation import FileChange
    from ...hosts.survey import Surveyed

INJECTION = {
    "yes": "yes",
    "not verified": "not verified",
    "no": "no, a rule file asks the agent to look",
}
DONE = {
    "install": "installed for {title}: {file}",
    "update": "brought up to date for {title}: {file}",
    "unchanged": "already installed for {title}, nothing to do: {file}",
    "uninstall": "removed from {title}: {file}",
    "absent": "not installed for {title}, nothing to do: {file}",
}
PLANNED = {
    "install": "would install for {title}: {file}",
    "update": "would bring up to date for {title}: {file}",
    "uninstall": "would remove from {title}: {file}",
}


def describe_change(change: "FileChange", notes: list[str], *, dry_run: bool) -> dict[str, object]:
    """What was changed in a host's file, ready for JSON."""
    return {
        "host": change.host.name,
        "scope": change.scope,
        "action": change.action,
        "dry_run": dry_run,
        "file": str(change.file),
        "backup": str(change.backup_file) if change.keeps_backup and change.before != change.after else None,
        "command": change.command,
        "injects": change.host.injection,
        "notes": notes,
        "diff": change.diff(),
    }


def show_changes(changes: "list[tuple[FileChange, list[str]]]", *, is_all: bool, dry_run: bool, as_json: bool) -> None:
    """Print the changes of hosts, each with its notes."""
    if as_json:
        described = [describe_change(change, notes, dry_run=dry_run) for change, notes in changes]
        terminal.print_json({"changes": described} if is_all else described[0])
    elif not changes:
        terminal.print_lines(["there is nothing to do: no agent program that cuecard knows is concerned"])
    else:
        for change, notes in changes:
            show_change(change, notes, dry_run=dry_run)


def show_change(change: "FileChange", notes: list[str], *, dry_run: bool) -> None:
    """Print what was changed in a host's file; with `dry_run`, print the difference that would be made."""
    is_changed = change.before != change.after
    if dry_run and is_changed:
        terminal.print_lines([_visible_line(line) for line in change.diff().splitlines()])
    words = (PLANNED if dry_run and is_changed else DONE)[change.action]
    lines = [words.format(title=change.host.title, file=visible(str(change.file)))]
    if change.action in ("install", "update") and is_changed and not dry_run:
        if change.keeps_backup:
            lines.append(f"the file as it was: {visible(str(change.backup_file))}")
        lines.append(f"undo: cuecard uninstall {change.host.name} --scope {change.scope}")
    terminal.print_lines(lines)
    for note in notes:
        terminal.report("note", note)


def _visible_line(line: str) -> str:
    """A line of a difference with its sign and indentation, without control characters."""
    tail = line[1:].lstrip()
    return line[:1] + " " * len(line[1:].removesuffix(tail).expandtabs()) + visible(tail)


def elsewhere(host: "Host", scope: "Scope", environment: "HostEnvironment") -> list[str]:
    """A sentence for each other scope in which the hook of a host is installed."""
    from ...hosts.installation import look_up

    others = [look_up(host, other, environment) for other in host.scopes if other != scope]
    return [
        f"the hook is also in {found.file}: `cuecard uninstall {host.name} --scope {found.scope}` removes it"
        for found in others
        if found.commands
    ]


def show(surveyed: "list[Surveyed]", *, is_tried: bool = False) -> None:
    """Print the hosts, then the problems that keep a hook from working."""
    if terminal.is_person_watching():
        _show_table(surveyed)
    else:
        for one in surveyed:
            cells = [one.host.name, "detected" if one.is_there else "not detected", _injection(one), *_installed(one)]
            terminal.print_lines(["  ".join(cells)])
    for one in surveyed:
        for problem in one.problems():
            terminal.report("warning", f"{one.host.title}: {problem}", f"`cuecard install {one.host.name}` repairs it")
    if not is_tried:
        terminal.report("note", "`cuecard hosts --check` asks for the versions and tries the installed hooks")
    terminal.report("note", "`cuecard install HOST` installs, `--dry-run` shows what that changes")


def _injection(one: "Surveyed") -> str:
    return f"adds memories at the prompt: {_state(one)}"


def _state(one: "Surveyed") -> str:
    """Whether memories are added at the prompt, and what else works."""
    from ...hosts.features import feature_names, state_of

    if one.is_broken:
        return "no: the program of its hook is gone"
    works = [name for name in feature_names() if name != "prompt" and state_of(one.host.name, name) == "yes"]
    return INJECTION[one.host.injection] + (f"; also {', '.join(works)}" if works else "")


def _installed(one: "Surveyed") -> list[str]:
    lines = []
    for found in one.installations:
        words = shlex.join(found.commands[0]) if found.commands and found.commands[0] else "a rule file"
        if found.commands:
            lines.append(visible(f"{found.scope}: {words}, in {found.file}"))
            if found.scope in one.waiting:
                lines.append(visible(one.waiting[found.scope]))
    if one.other:
        lines.append(visible(one.other.partition(";")[0]))
    if one.version:
        lines.append(visible(f"version {one.version}"))
    if one.tried == []:
        lines.append("the hook answers")
    return lines or ["not installed"]


def _show_table(surveyed: "list[Surveyed]") -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("host", "here", "adds memories at the prompt", "installed"):
        table.add_column(heading, overflow="fold")
    for one in surveyed:
        installed = Text("\n".join(_installed(one)), "green" if one.installations or one.other else "dim")
        here = Text("yes" if one.is_there else "no", "" if one.is_there else "dim")
        table.add_row(Text(one.host.name, "bold"), here, _state(one), installed)
    terminal.show(table)
