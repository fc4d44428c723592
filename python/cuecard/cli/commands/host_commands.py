"""The commands that install the hook in agent programs: `install`, `uninstall`, `hosts`."""

from ...basics.installing import INSTALL
from ...errors import UsageError
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, ROOT
from ..show import show_hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...hosts.host_environment import HostEnvironment, Scope
    from ...hosts.host_file import Host
    from ...hosts.installation import FileChange

HOST_NAME = argument("HOST", "An agent program; `cuecard hosts` lists them.", is_required=False)
ALL = option("--all", help="Every agent program that is on this machine.", dest="is_all")
CHECK = option("--check", help="Ask for versions, and send a sample event to each installed hook.", dest="is_tried")
SCOPE_NAME = option(
    "--scope", metavar="SCOPE", help="`user`: every project; `project`: this one. The default depends on the host."
)
NO_PROGRAM = (
    "`cuecard` is not on PATH, where the agent looks for it: add the folder that it is in, or install it with "
    f"{INSTALL}"
)
DRY_RUN = option("--dry-run", help="Show the change without making it.")


@command(HOST_NAME, SCOPE_NAME, ALL, DRY_RUN, ROOT, AS_JSON)
def install(host: str | None, scope: str | None, is_all: bool, dry_run: bool, root: str | None, as_json: bool) -> None:
    """Install the hook in HOST, which then calls it at every prompt."""
    from ...hosts.host_environment import read_host_environment
    from ...hosts.registry import choose_scope

    environment = read_host_environment(root)
    changes = [
        install_hook(found, choose_scope(found, scope), environment, is_dry=dry_run)
        for found in _chosen(host, environment, is_all=is_all, is_installed=False)
    ]
    show_hosts.show_changes(changes, is_all=is_all, dry_run=dry_run, as_json=as_json)


def _chosen(host: str | None, environment: "HostEnvironment", *, is_all: bool, is_installed: bool) -> "list[Host]":
    """The named host; with `is_all` those that are on this machine, or those in which the hook is installed.

    Raises UsageError.
    """
    from ...hosts.registry import HOSTS, find_host
    from ...hosts.survey import survey

    if bool(host) == is_all:
        raise UsageError("name one agent program, or use `--all`", "`cuecard hosts` lists them")
    if host:
        return [find_host(host)]
    surveyed = survey(environment)
    if is_installed:
        return [one.host for one in surveyed if any(found.commands for found in one.installations)]
    # A plugin that calls our hook already serves its host.
    return [host for host, one in zip(HOSTS, surveyed, strict=True) if one.is_there and not one.other]


def install_hook(
    host: "Host", scope: "Scope", environment: "HostEnvironment", *, is_dry: bool
) -> "tuple[FileChange, list[str]]":
    """Add the hook to a host's file, or with `is_dry` only plan the change. Returns the change and notes for the user.

    Raises the errors of `plan_install`.
    """
    from ...hosts.hook_command import find_hook
    from ...hosts.installation import plan_install

    change = plan_install(host, scope, environment, find_hook())
    if not is_dry:
        change.apply()
    if change.action == "unchanged":
        waits_for = host.waits_for(scope, environment)
        notes = [waits_for] if waits_for else []
    else:
        notes = host.notes(scope, environment)
        if host.least_version:
            notes += _note_version(host, environment)
        if not environment.has_program("cuecard"):
            notes.append(NO_PROGRAM)
    if not is_dry:
        notes += note_programs()
    # If the hook is also installed elsewhere, both run and each memory is shown twice: add a note about that.
    return change, notes + show_hosts.elsewhere(host, scope, environment)


def _note_version(host: "Host", environment: "HostEnvironment") -> list[str]:
    """A note if the host is older than the oldest version that runs our hooks."""
    from ...hosts.host_check import find_version, is_too_old

    version = find_version(host, environment)
    least = ".".join([str(part) for part in host.least_version])
    if not version:
        return [f"this needs {host.title} {least} or newer"]
    return [f"this needs {host.title} {least} or newer; {version} is here"] if is_too_old(host, version) else []


def note_programs() -> list[str]:
    """Record the programs that the plugin's launchers start; returns a note for the user if that fails."""
    from ...files.program_record import record_path, record_programs

    try:
        record_programs()
    except OSError as error:
        return [f"the programs of this installation cannot be recorded in `{record_path()}`: {error.strerror or error}"]
    return []


@command(HOST_NAME, SCOPE_NAME, ALL, DRY_RUN, ROOT, AS_JSON)
def uninstall(
    host: str | None, scope: str | None, is_all: bool, dry_run: bool, root: str | None, as_json: bool
) -> None:
    """Remove the hook from HOST."""
    from ...hosts.host_environment import read_host_environment
    from ...hosts.installation import plan_uninstall
    from ...hosts.registry import choose_scope

    environment = read_host_environment(root)
    changes = []
    for found in _chosen(host, environment, is_all=is_all, is_installed=True):
        for chosen in found.scopes if is_all and scope is None else (choose_scope(found, scope),):
            change = plan_uninstall(found, chosen, environment)
            if is_all and change.action == "absent":
                continue
            if not dry_run:
                change.apply()
            changes.append((change, [] if is_all else show_hosts.elsewhere(found, chosen, environment)))
    show_hosts.show_changes(changes, is_all=is_all, dry_run=dry_run, as_json=as_json)


@command(CHECK, ROOT, AS_JSON)
def hosts(is_tried: bool, root: str | None, as_json: bool) -> None:
    """List agent programs: which are on this machine, where the hook is installed, what each can do."""
    from ...hosts.host_environment import read_host_environment
    from ...hosts.survey import survey

    surveyed = survey(read_host_environment(root), is_tried=is_tried)
    if as_json:
        terminal.print_json({"hosts": [one.as_dict() for one in surveyed]})
    else:
        show_hosts.show(surveyed, is_tried=is_tried)
