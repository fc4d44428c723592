"""The commands that put the hook into agent programs: `install`, `uninstall`, `hosts`."""

from typing import Annotated

import typer

from . import show_hosts, terminal
from .app import AsJson, Root, app

HostName = Annotated[
    str, typer.Argument(metavar="HOST", help="An agent program; `cuecard hosts` lists them.", show_default=False)
]
ScopeName = Annotated[
    str | None,
    typer.Option(
        "--scope", metavar="SCOPE", help="`user`: every project; `project`: this one. Else as the host likes."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change, and make none.")]


@app.command()
def install(
    host: HostName, scope: ScopeName = None, dry_run: DryRun = False, root: Root = None, as_json: AsJson = False
) -> None:
    """Have HOST call the hook at every prompt."""
    from ..hosts.every_host import choose_scope, find_host
    from ..hosts.hook_command import find_hook
    from ..hosts.installation import plan_install
    from ..hosts.surroundings import look_around

    found = find_host(host)
    chosen = choose_scope(found, scope)
    around = look_around(root)
    change = plan_install(found, chosen, around, find_hook())
    if not dry_run:
        change.apply()
    notes = found.notes(chosen, around) if change.action != "unchanged" else []
    # Both would run, and every memory be shown twice.
    notes += show_hosts.elsewhere(found, chosen, around)
    show_hosts.show_change(change, notes, dry_run=dry_run, as_json=as_json)


@app.command()
def uninstall(
    host: HostName, scope: ScopeName = None, dry_run: DryRun = False, root: Root = None, as_json: AsJson = False
) -> None:
    """Take the hook out of HOST again."""
    from ..hosts.every_host import choose_scope, find_host
    from ..hosts.installation import plan_uninstall
    from ..hosts.surroundings import look_around

    found = find_host(host)
    chosen = choose_scope(found, scope)
    around = look_around(root)
    change = plan_uninstall(found, chosen, around)
    if not dry_run:
        change.apply()
    notes = show_hosts.elsewhere(found, chosen, around)
    show_hosts.show_change(change, notes, dry_run=dry_run, as_json=as_json)


@app.command()
def hosts(root: Root = None, as_json: AsJson = False) -> None:
    """List agent programs: which are here, where the hook is installed, what each can do."""
    from ..hosts.surroundings import look_around
    from ..hosts.survey import survey

    surveyed = survey(look_around(root))
    if as_json:
        terminal.print_json({"hosts": [one.as_dict() for one in surveyed]})
    else:
        show_hosts.show(surveyed)
