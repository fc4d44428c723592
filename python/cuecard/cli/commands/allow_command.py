"""The command with which a user consents to endpoints: `allow`."""

from .. import terminal
from ..arguments import Argument, Option, command
from ..parameters import AS_JSON


@command(
    Argument(
        "HOST",
        "A host such as api.anthropic.com or localhost:11434, or a URL; without it, the allowed hosts are shown.",
        is_required=False,
    ),
    Option("--remove", help="Withdraw the consent for HOST."),
    AS_JSON,
)
def allow(host: str | None, remove: bool, as_json: bool) -> None:
    """Allow an embedding endpoint or a judge that the settings of a project name.

    The permission counts in all your projects. Without it the endpoint is never asked, even if it runs on this machine.
    Endpoints that your own configuration names need no permission.
    """
    from ...errors import UsageError
    from ...models.endpoints.allowed_hosts import allow as add
    from ...models.endpoints.allowed_hosts import allowed_hosts, file_of_hosts, forbid

    if remove and host is None:
        raise UsageError("`--remove` is given without a host", "use `cuecard allow HOST --remove`")
    changed = False
    if host is not None:
        changed = forbid(host) if remove else add(host)
    hosts = allowed_hosts()
    if as_json:
        note = (
            {"note": "a person should confirm this"}
            if changed and not remove and not terminal.is_person_present()
            else {}
        )
        terminal.print_json({"file": str(file_of_hosts()), "hosts": hosts, "changed": changed, **note})
        return
    if host is not None and not changed:
        terminal.report("note", "the host was not allowed before" if remove else "the host was already allowed")
    if host is not None and changed and not remove:
        terminal.report_unconfirmed("the host is allowed", "`cuecard allow HOST --remove`")
    if not hosts:
        terminal.report("note", "no host is allowed; only hosts that your own configuration names are asked")
    terminal.print_lines([terminal.visible(name) for name in hosts])
