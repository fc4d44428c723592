"""The command with which a user vouches for memories: `trust`."""

from ....basics.counted import counted
from ....basics.light_dataclass import dataclass
from ....errors import UsageError
from ....files.trust_levels import UNREVIEWED
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ONLY_CATEGORIES, ROOT
from ...show import show_trust
from ...show.show_accepted import CONFIRM, NOT_SHOWN, accept_on_pages, keep, report_accepted
from ...show.show_memory_text import item_of_memory, print_pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....store.trust.review import Choice, Project, Reviewed

DAY_CHARS = len("YYYY-MM-DD")


@dataclass
class _TrustGiven:
    """The arguments and options of `cuecard trust`."""

    memories: list[str] = argument(
        "MEMORY", "An id, CATEGORY/ID, a title or a path.", dest="memories", is_required=False, is_repeatable=True
    )
    all_: bool = option("--all", dest="all_", help="Accept every memory of this store.")
    categories: list[str] = ONLY_CATEGORIES
    author: str = option(
        "--author",
        metavar="TEXT",
        default="",
        help="Only memories that this author's commit changed last. Authors can be forged: look at the list.",
    )
    since: str = option(
        "--since", metavar="DATE", default="", help="Only memories whose last commit is of that day or later."
    )
    signed_by: list[str] = option(
        "--signed-by",
        metavar="KEY",
        is_repeatable=True,
        help="Accept memories whose last commit was signed by this key: a fingerprint or a .pub file.",
    )
    revoke: bool = option("--revoke", help="Make memories unreviewed again.")
    link: bool = option("--link", help="Allow the link that replaces .claude or .claude/memory.")
    yes: bool = option(
        "--yes", "-y", help="Accept without showing the texts. With `--author` it still shows them and asks."
    )
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_TrustGiven)
def trust(given: _TrustGiven) -> None:
    """Show the memories that nobody on this machine has vouched for, and accept them.

    Agents see unreviewed memories marked and never in full, and do not see them at all if their text addresses the
    model, its tools or secrets. In a terminal the whole text is shown page by page, and you accept what you have read.
    Without a terminal, with `--yes` and with `--signed-by`, memories are accepted without showing their texts; those
    that address the model are then left, except if you name one and add `--yes`. Your decision is kept in your own data
    folder under a hash of the memory's content. It applies in every clone and worktree until the content changes.
    """
    from ....actions.acts import Act, note_act
    from ....actions.person_actions import note_vouched
    from ....api import Store
    from ....store.trust.review import Choice, choose, review

    if given.link:
        _allow_link(given.root, yes=given.yes, as_json=given.as_json)
        return
    _check_day(given.since)
    store = Store(given.root)
    project = store.root, store.memory_dir
    choice = Choice(given.memories or (), given.categories or (), given.author, given.since, given.signed_by or ())
    candidates = [one for one in review(project) if (one.level == UNREVIEWED) != given.revoke]
    if not given.revoke and not given.memories:
        # A retired memory reaches no agent, and a person may just have struck it out.
        candidates = [one for one in candidates if one.memory.status != "retired"]
    chosen = choose(project, candidates, choice)
    is_selected = given.all_ or choice != Choice()
    if given.revoke and not is_selected:
        raise UsageError("no memory is named", "name memories, or add `--all`")
    if given.revoke:
        revoked = chosen if _revoke(chosen, is_selected=is_selected, as_json=given.as_json) else []
        if revoked:
            note_act(store.memory_dir, Act("`trust --revoke`", hint="`cuecard trust MEMORY` accepts a memory again"))
        if given.as_json:
            terminal.print_json({"root": store.root, "revoked": [one.as_dict() for one in revoked]})
        return
    accepted, left = _accept(project, chosen, choice, is_selected=is_selected, yes=given.yes, as_json=given.as_json)
    note_vouched(store.memory_dir, accepted)
    if given.as_json:
        listed = {"unreviewed": candidates, "accepted": accepted, "left": left}
        document = {name: [one.as_dict() for one in found] for name, found in listed.items()}
        note = {"note": f"{NOT_SHOWN}; {CONFIRM}"} if accepted else {}
        terminal.print_json({"root": store.root, **document, **note})


def _revoke(chosen: "list[Reviewed]", *, is_selected: bool, as_json: bool) -> bool:
    """Make the chosen memories unreviewed again. Returns whether there was one."""
    from ....store.trust.review import withdraw

    if not chosen:
        if not as_json:
            terminal.report("note", f"{'none of these memories is' if is_selected else 'no memory is'} vouched for")
        return False
    if not as_json:
        show_trust.show(chosen)
    keep(withdraw, chosen)
    if not as_json:
        terminal.report("note", f"{counted(len(chosen), 'memory', 'memories')} unreviewed again")
    return True


def _accept(
    project: "Project", chosen: "list[Reviewed]", choice: "Choice", *, is_selected: bool, yes: bool, as_json: bool
) -> "tuple[list[Reviewed], list[Reviewed]]":
    """Accept the chosen memories: page by page on a terminal, or in bulk without showing their texts.

    Returns the accepted memories, and the withheld ones that were left because nobody has seen or named them.
    """
    from ....store.trust.review import accept

    is_asked = terminal.is_person_present() and not as_json
    if choice.author and not is_asked:
        raise UsageError(
            "a selection by author needs a confirmation, because authors can be forged",
            "run it in a terminal, name the memories by their ids, or use `--signed-by`",
        )
    if not chosen:
        if not as_json:
            terminal.report("note", f"{'none of these memories is' if is_selected else 'no memory is'} unreviewed")
        return [], []
    if is_asked and (choice.author or not (yes or choice.signed_by)):
        return accept_on_pages(project, chosen), []
    if not is_selected:
        if not as_json:
            show_trust.show(chosen)
            hint = "`cuecard trust` in a terminal shows their texts and accepts them, which is for a person to do"
            terminal.report("note", f"{counted(len(chosen), 'memory', 'memories')} unreviewed", hint)
        return [], []
    is_named = yes and bool(choice.names)
    accepted = [one for one in chosen if is_named or not one.is_withheld]
    left = [one for one in chosen if one not in accepted]
    is_shown = is_named and terminal.is_person_watching() and not as_json
    if is_shown:
        print_pages([item_of_memory(one) for one in accepted])
    elif not as_json:
        show_trust.show(chosen)
    keep(accept, accepted)
    if not as_json:
        report_accepted(accepted, left, is_shown=is_shown)
    return accepted, left


def _check_day(day: str) -> None:
    from ....basics.timestamp import parse_timestamp

    if day and (len(day) != DAY_CHARS or parse_timestamp(f"{day}T00:00:00Z") is None):
        raise UsageError(f"`{day[:40]}` is not a date", "write it as YYYY-MM-DD", field="since")


def _allow_link(root: str | None, *, yes: bool, as_json: bool) -> None:
    """Allow a store that is reached through a link, which is otherwise refused (SPEC 43)."""
    from ....store.trust.linked_store import allow, find_link

    found = find_link(root)
    if found is None:
        raise UsageError("there is no link in the place of .claude or .claude/memory", "name the project with `--root`")
    link, target = found
    is_asked = terminal.is_person_present() and not as_json
    if not as_json:
        terminal.print_lines([f"{terminal.visible(link)} -> {terminal.visible(target)}"])
        terminal.report("note", "the memories there keep their trust: unreviewed ones stay unreviewed")
    if not yes and not (is_asked and terminal.confirm("Use the memories there?")):
        if not is_asked:
            raise UsageError("the link cannot be confirmed without a terminal", "add `--yes`")
        return
    allow(link, target)
    if as_json:
        terminal.print_json({"link": link, "target": target})
    else:
        hint = "" if is_asked else "a person should confirm this: look at where the link leads"
        terminal.report("note", "the link is allowed, as long as it leads to this folder", hint)
