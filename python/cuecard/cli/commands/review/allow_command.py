"""The command with which a user consents to endpoints: `allow`."""

from ....errors import UsageError
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON

ALL = "all"


@command(
    argument(
        "HOST",
        "A URL such as https://api.anthropic.com, or a host such as localhost:11434; without it, what is allowed is "
        "shown.",
        is_required=False,
    ),
    option(
        "--for",
        metavar="PURPOSE",
        dest="purposes",
        help="What HOST may be asked for: `embedding`, `judge`, `background` or `all`; several with commas between "
        "them. By default `embedding,judge`; with `--remove`, `all`.",
    ),
    option("--model", metavar="NAME", help="The model that is asked at HOST where your own configuration names none."),
    option("--remove", help="Withdraw the consent for HOST."),
    AS_JSON,
)
def allow(host: str | None, purposes: str | None, model: str | None, remove: bool, as_json: bool) -> None:
    """Allow an embedding endpoint or a judge that the settings of a project name.

    The permission is for the scheme, host and port of HOST, and counts in all your projects. Without it the endpoint is
    never asked, even if it runs on this machine. Without a scheme, http is meant for port 80 and for this machine with
    a port, and otherwise https. Endpoints that your own configuration names need no permission.
    """
    from ....models.endpoints.allowed_hosts import allow as add
    from ....models.endpoints.allowed_hosts import forbid
    from ....models.endpoints.allowed_places import PURPOSES, USUAL, allowed_places, file_of_places
    from ...noted_acts import note_here

    for name, value in (("--remove", remove), ("--for", purposes), ("--model", model)):
        if value and host is None:
            raise UsageError(f"`{name}` is given without a host", f"use `cuecard allow HOST {name}`")
    if remove and model:
        raise UsageError("`--model` does not go with `--remove`", "leave one of them out")
    named = [each.strip() for each in purposes.split(",")] if purposes else []
    chosen = list(PURPOSES) if ALL in named else named
    changed = False
    if host is not None:
        changed = forbid(host, chosen or PURPOSES) if remove else add(host, chosen or USUAL, model or "")
    if changed:
        note_here(
            "allow", "`cuecard allow HOST` allows it again" if remove else "`cuecard allow HOST --remove` takes it back"
        )
    places = allowed_places()
    if as_json:
        allowed = [{"place": one.place, "purpose": one.purpose, "model": one.model or None} for one in places]
        hosts = list(dict.fromkeys([one.place for one in places]))
        document = {"file": str(file_of_places()), "hosts": hosts, "allowed": allowed, "changed": changed}
        is_unconfirmed = changed and not remove and not terminal.is_person_present()
        note = {"note": "a person should confirm this"} if is_unconfirmed else {}
        terminal.print_json({**document, **note})
        return
    if host is not None and not changed:
        terminal.report("note", "the host was not allowed before" if remove else "the host was already allowed")
    if host is not None and changed and not remove:
        terminal.report_unconfirmed("the host is allowed", "`cuecard allow HOST --remove`")
    if not places:
        terminal.report("note", "no host is allowed; only hosts that your own configuration names are asked")
    terminal.print_lines([terminal.visible(one.line()) for one in places])
