"""`cuecard embed`: makes vectors for the memories that have none."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ....basics.counted import counted
from ... import terminal
from ...arguments import command, option
from ...parameters import AS_JSON, ROOT
from ...terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....models.embedders.embedder import Embedder
    from ....models.vectors.embed_plan import Plan
    from ....models.vectors.embed_run import EmbeddingRun


@command(
    ROOT,
    option("--dry-run", help="Count the memories without a vector, and send nothing."),
    option("--all", dest="everything", help="Include retired and archived memories."),
    option("--anew", help="Make the vectors of all memories again."),
    AS_JSON,
)
def embed(root: str | None, dry_run: bool, everything: bool, anew: bool, as_json: bool) -> int:
    """Make vectors for the memories that have none, with the embedder that the settings name.

    You can stop the command at any time; the next run continues where it stopped.
    """
    from ....files.environment import Environment
    from ....files.locate import locate
    from ....models.embedders.choice import open_embedder
    from ....models.sent_log import log_sent
    from ....models.vectors.embed_plan import plan_embedding
    from ....models.vectors.embed_run import embed_store
    from ....retrieval.config import Config

    notes: list[str] = []
    environment = Environment()
    folder, memory_dir = locate(root, environment)
    settings = Config(memory_dir, environment, notes).embedding
    for note in [note for note in notes if "`embedding" in note]:
        terminal.report("warning", note)
    if settings is None:
        if as_json:
            terminal.print_json({"root": folder, "embedder": "static"})
        else:
            hint = "`cuecard config embedding.provider minilm --user`, or `e5`, `ollama` or `openai`, for another"
            terminal.report("note", "the embedder is the built-in table, which needs no vectors of its own", hint)
        return 0
    embedder = open_embedder(settings)
    project = folder, memory_dir
    if dry_run:
        plan = plan_embedding(project, embedder, everything, anew)
        _show(folder, embedder, plan, None, as_json)
        return 0
    embedder.load()
    try:
        with _progress() as tell:
            done = embed_store(project, embedder, tell, everything, anew)
    finally:
        log_sent(memory_dir)
    _show(folder, embedder, done.plan, done, as_json)
    return 1 if done.failed else 0


def _show(folder: str, embedder: "Embedder", plan: "Plan", done: "EmbeddingRun | None", as_json: bool) -> None:
    embedded = done.embedded if done else 0
    failed = done.failed if done else []
    if as_json:
        terminal.print_json(
            {
                "root": folder,
                "embedder": embedder.name,
                "fingerprint": f"{embedder.fingerprint:08x}",
                "memories": plan.total,
                "had_vector": plan.kept,
                "embedded": embedded,
                "missing": len(plan.missing) - embedded,
                "failed": [{"path": path, "reason": reason} for path, reason in failed],
            }
        )
        return
    if plan.problem:
        terminal.report("note", plan.problem)
    for path, reason in failed:
        terminal.report("warning", f"`{path}` has no vector: {reason}")
    memories = counted(plan.total, "memory", "memories")
    if done is None:
        words = f"{len(plan.missing):,} of {memories} have no vector of `{embedder.name}`"
    else:
        words = f"{plan.kept + embedded:,} of {memories} have a vector of `{embedder.name}`, {embedded:,} of them new"
    terminal.print_lines([visible(words)])


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress display for a terminal; it prints nothing into pipes."""
    import sys

    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("embedding"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
