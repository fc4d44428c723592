"""The command with which a user vouches for memories: `trust`."""

from .. import terminal
from ..arguments import Argument, Option, command
from ..parameters import AS_JSON, ONLY_CATEGORIES, ROOT
from ..show import show_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.trust.review import Choice, Reviewed

DAY_CHARS = len("YYYY-MM-DD")


@command(
    Argument(
        "MEMORY", "An id, CATEGORY/ID, a title or a path.", dest="memories", is_required=False, is_repeatable=True
    ),
    Option("--all", dest="all_", help="Accept every memory of this store."),
    ONLY_CATEGORIES,
    Option(
        "--author",
        metavar="TEXT",
        default="",
        help="Only memories that this author's commit changed last. Authors can be forged: look at the list.",
    ),
    Option("--since", metavar="DATE", default="", help="Only memories whose last commit is of that day or later."),
    Option(
        "--signed-by",
        metavar="KEY",
        is_repeatable=True,
        help="Accept memories whose last commit was signed by this key: a fingerprint or a .pub file.",
    ),
    Option("--revoke", help="Make memories unreviewed again."),
    Option("--link", help="Allow the link that replaces .claude or .claude/memory."),
    Option("--yes", "-y", help="Accept without asking. With `--author` it still asks."),
    ROOT,
    AS_JSON,
)
def trust(
    memories: list[str],
    all_: bool,
    categories: list[str],
    author: str,
    since: str,
    signed_by: list[str],
    revoke: bool,
    link: bool,
    yes: bool,
    root: str | None,
    as_json: bool,
) -> None:
    """Show the memories that nobody on this machine has vouched for, and accept them.

    Agents see unreviewed memories marked and never in full, and do not see them at all if their text addresses the
    model, its tools or secrets. Your decision is kept in your own data folder under a hash of the memory's content. It
    applies in every clone and worktree until the content changes.
    """
    from ...api import Store
    from ...errors import UsageError
    from ...memory.trust_levels import UNREVIEWED
    from ...store.trust.review import Choice, choose, review

    if link:
        _allow_link(root, yes=yes, as_json=as_json)
        return
    _check_day(since)
    store = Store(root)
    project = store.root, store.memory_dir
    choice = Choice(memories or (), categories or (), author, since, signed_by or ())
    found = review(project)
    candidates = [one for one in found if (one.level == UNREVIEWED) != revoke]
    chosen = choose(project, candidates, choice)
    is_selected = all_ or choice != Choice()
    if revoke and not is_selected:
        raise UsageError("no memory is named", "name memories, or add `--all`")
    is_accepted = _settle(chosen, choice, is_selected=is_selected, revoke=revoke, yes=yes, as_json=as_json)
    if as_json:
        done = "revoked" if revoke else "accepted"
        listed = {"unreviewed": [one.as_dict() for one in candidates]} if not revoke else {}
        terminal.print_json(
            {"root": store.root, **listed, done: [one.as_dict() for one in chosen] if is_accepted else []}
        )


def _settle(
    chosen: "list[Reviewed]", choice: "Choice", *, is_selected: bool, revoke: bool, yes: bool, as_json: bool
) -> bool:
    """Show the chosen memories, and accept or revoke them if the user wants it. Returns whether that was done."""
    from ...store.trust.review import accept, withdraw

    if not chosen:
        named = "none of these memories is" if is_selected else "no memory is"
        if not as_json:
            terminal.report("note", f"{named} {'vouched for' if revoke else 'unreviewed'}")
        return False
    if not as_json:
        show_trust.show(chosen)
    if not _is_wanted(chosen, choice, is_selected=is_selected, revoke=revoke, yes=yes, as_json=as_json):
        return False
    try:
        (withdraw if revoke else accept)(chosen)
    except OSError as error:
        from ...errors import WriteError

        what = f"trust cannot be saved: `{error.filename}`: {error.strerror or error}"
        raise WriteError(what, "set `CUECARD_HOME` to a folder that you can write to") from error
    if not as_json:
        terminal.report("note", f"{_counted(len(chosen))} {'unreviewed again' if revoke else 'accepted'}")
    return True


def _is_wanted(
    chosen: "list[Reviewed]", choice: "Choice", *, is_selected: bool, revoke: bool, yes: bool, as_json: bool
) -> bool:
    """Whether the user wants the change: a selection by options counts as a yes, otherwise the terminal asks.

    The question is always asked for a selection by author. It is asked for withheld memories too, unless `--yes` is
    given or there is no terminal.
    """
    from ...errors import UsageError

    is_asked = terminal.is_person_watching() and terminal.is_person_typing() and not as_json
    withheld = 0 if revoke else sum([one.is_withheld for one in chosen])
    if choice.author:
        if not is_asked:
            raise UsageError(
                "a selection by author needs a confirmation, because authors can be forged",
                "run it in a terminal, name the memories by their ids, or use `--signed-by`",
            )
    elif is_selected and (yes or not is_asked or not withheld):
        return True
    if not is_asked:
        if not as_json:
            terminal.report("note", f"{_counted(len(chosen))} unreviewed", "`cuecard trust --all` accepts them")
        return False
    warning = f" {_counted(withheld)} addressing the model, its tools or secrets: read it first." if withheld else ""
    question = "Make them unreviewed again?" if revoke else f"Accept {_counted(len(chosen))}?{warning}"
    return terminal.confirm(question)


def _counted(count: int) -> str:
    return f"{count} {'memory' if count == 1 else 'memories'}"


def _check_day(day: str) -> None:
    from ...basics.timestamp import parse_timestamp
    from ...errors import UsageError

    if day and (len(day) != DAY_CHARS or parse_timestamp(f"{day}T00:00:00Z") is None):
        raise UsageError(f"`{day[:40]}` is not a date", "write it as YYYY-MM-DD", field="since")


def _allow_link(root: str | None, *, yes: bool, as_json: bool) -> None:
    """Allow a store that is reached through a link, which is otherwise refused (SPEC 50)."""
    from ...errors import UsageError
    from ...store.trust.linked_store import allow, find_link

    found = find_link(root)
    if found is None:
        raise UsageError("there is no link in the place of .claude or .claude/memory", "name the project with `--root`")
    link, target = found
    is_asked = terminal.is_person_watching() and terminal.is_person_typing() and not as_json
    if not as_json:
        terminal.print_lines([f"{terminal.visible(link)} -> {terminal.visible(target)}"])
    if not yes and not (is_asked and terminal.confirm("Use the memories there?")):
        if not is_asked:
            raise UsageError("the link cannot be confirmed without a terminal", "add `--yes`")
        return
    allow(link, target)
    if as_json:
        terminal.print_json({"link": link, "target": target})
    else:
        terminal.report("note", "the link is allowed, as long as it leads to this folder")
