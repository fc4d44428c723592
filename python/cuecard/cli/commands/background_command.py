"""`cuecard capture background`: a model that the user has set drafts memories from ended sessions."""

from ...basics.counted import counted
from ...errors import UsageError
from .. import terminal
from ..arguments import command, option
from ..parameters import AS_JSON, ROOT


@command(
    option("--delay", metavar="SECONDS", kind=int, default=0, low=0, high=60, help="Wait this long before starting."),
    ROOT,
    AS_JSON,
)
def background(delay: int, root: str | None, as_json: bool) -> int:
    """Let the model that you have set draft memories from ended sessions, for you to review.

    The hook starts this command at the end of a session. The setting `capture.background.provider` names the model; it
    is `off` until you set it with `--user`. The model reads the ledgers of ended sessions, up to the limits per day. No
    draft becomes a memory before `cuecard review accept`. The exit status is 1 if a run has failed.
    """
    import time

    from ...api import Store
    from ...capture.background.background_run import run_in_background
    from ...capture.background.background_settings import read_background_settings

    time.sleep(delay)
    store = Store(root)
    settings = read_background_settings(store.memory_dir)
    if settings is None:
        hint = "`cuecard config capture.background.provider claude --user`, or `ollama`"
        raise UsageError("no model is set for background runs", hint)
    report = run_in_background(store, settings)
    if as_json:
        counts = {"sessions": report.sessions, "waiting": report.waiting, "problems": report.problems}
        terminal.print_json(counts)
    else:
        read = counted(report.sessions, "session was read", "sessions were read")
        waits = counted(len(report.waiting), "draft waits", "drafts wait")
        terminal.print_lines([f"{read}, {waits} for `cuecard review`"])
        for problem in report.problems:
            terminal.report("error", problem)
    return 1 if report.problems else 0
