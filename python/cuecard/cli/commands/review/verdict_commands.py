"""The commands with which a person says what a shown memory is worth: `wrong` and `good`."""

from ....basics.light_dataclass import dataclass
from ... import terminal
from ...arguments import argument, command, option
from ...parameters import AS_JSON, ROOT
from ...terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....store.writes.store_writer import StoreWriter


@dataclass
class _VerdictGiven:
    """The arguments and options of `cuecard wrong` and `cuecard good`."""

    memory: str | None = argument(
        "MEMORY", "Its id, CATEGORY/ID or path; by default the only memory that was shown last.", is_required=False
    )
    session: str = option("--session", metavar="ID", default="", help="What this session was shown.")
    event: str = option("--event", metavar="EVENT", default="", help="What was shown at this event of `cuecard log`.")
    is_list: bool = option("--list", dest="is_list", help="List the verdicts that count.")
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_VerdictGiven)
def wrong(given: _VerdictGiven) -> None:
    """Say that a memory that was shown is wrong for its prompt, so that it stays away from such prompts.

    The memory is not changed. The verdict is kept in your own folder with the terms of the prompt and without its
    text. It ends when the memory is changed. `cuecard undo ID` takes it back. `cuecard review` names the memories that
    were wrong in three sessions or more.
    """
    _judge("wrong", given)


@command(request=_VerdictGiven)
def good(given: _VerdictGiven) -> None:
    """Say that a memory that was shown helps with its prompt.

    Where two memories are nearly as likely to help, the one that was good comes first. `cuecard undo ID` takes it back.
    """
    _judge("good", given)


def _judge(kind: str, given: _VerdictGiven) -> None:
    from ....actions.person_actions import judge
    from ....files.locate import locate
    from ....store.writes.store_writer import StoreWriter

    store = StoreWriter(locate(given.root)[0])
    if given.is_list:
        _list(store, kind, as_json=given.as_json)
        return
    done = judge(store, kind, given.memory or "", session=given.session, event=given.event)
    if given.as_json:
        terminal.print_json(done.as_dict())
        return
    terminal.print_lines([f"{kind if done.is_new else 'unchanged'}  {visible(done.name)}"])
    terminal.report("note", f"`cuecard undo {done.id}` takes it back")


def _list(store: "StoreWriter", kind: str, *, as_json: bool) -> None:
    from ....store.log.verdict_log import read_verdicts

    found = [one for one in read_verdicts(store.memory_dir) if one.kind == kind]
    if as_json:
        terminal.print_json({"verdicts": [one.as_dict() for one in found]})
    else:
        terminal.print_lines(
            [f"{one.id}  {one.at[:10]}  {visible(one.path.rpartition('/')[2].removesuffix('.json'))}" for one in found]
        )
