"""Finds memories to show without a prompt (SPEC 37): before a tool touches a file, memories that are anchored to the
file; after a failed command, memories that may help."""

import os

from .._backend import budget_of, engine, read_tool_event, write_tool_context
from ..errors import CuecardError
from ..files.environment import Environment
from ..files.root import find_project
from .answer import Answer, Stopwatch
from .config import HYBRID, Config

# How many memories are shown at once, for a file and for a failure.
MOST_OF_FILE = 3
MOST_OF_FAILURE = 2
# The categories of memories that are shown after a failed command.
OF_FAILURE = ["RUNBOOK", "TECH_DEBT"]
HOST = "claude-code"
# How recall treats memories that nobody vouches for, as in a `Question`.
IGNORED, HEEDED = "ignored", "heeded"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._backend import Found, RecalledMemory, SessionFile, Snapshot
    from ..files.root import Project
    from .snapshot_recall import Chosen


def answer(payload: bytes, environment: Environment) -> Answer:
    """Return the answer to a tool event. Raises OSError only for failures of the machine."""
    watch = Stopwatch()
    answer = Answer()
    try:
        answer.stdout = _run(payload, environment, answer)
    except CuecardError as error:
        answer.notes.append(error.what)
    answer.event.micros["total"] = watch.total()
    return answer


def _run(payload: bytes, environment: Environment, answer: Answer) -> bytes:
    """Return the bytes to print, empty if no memory is shown. Raises CuecardError if something is wrong."""
    problem = None
    moment, subject, cwd, session_id = "other", "", None, None
    try:
        moment, subject, cwd, session_id = read_tool_event(payload)
    except CuecardError as error:
        problem = error
    if problem is None and (moment == "other" or not session_id):
        return b""
    try:
        project = find_project(os.path.abspath(cwd or "."), environment.root, environment.home)
    except CuecardError as error:
        raise problem or error from None
    if project:
        answer.memory_dir = project[1]
    if problem:
        raise problem
    if project is None or not session_id:
        return b""
    from .._backend import open_session

    session = open_session(project[1], session_id)
    is_of_file = moment == "file"
    path = _path_in_project(project, cwd, subject) if is_of_file else subject
    if session is None or path is None:
        return b""

    config = Config(project[1], environment, answer.notes)
    is_on = config.injects and config.recall.situation_need and config.recall.session and not config.is_classic
    is_on = is_on and not environment.prints_classic
    if not is_on or (config.strategy != HYBRID and not is_of_file):
        return b""
    loaded = engine.load_snapshot(project[0], config.numbers)
    if loaded is None:
        return b""
    answer.notes += loaded.notes
    answer.loaded = loaded
    if loaded.index_text is not None:
        answer.rebuilt_index = loaded.index_text
        answer.index_made = loaded.index_made
    from .snapshot_recall import Chosen

    if is_of_file:
        known = _known_to(session) if config.recall.reviews_trust else None
        found = engine.recall_for_file(loaded.snapshot, project[0], path, MOST_OF_FILE, known, answer.notes)
    else:
        found = _find_help(loaded.snapshot, project, path, config, answer.notes)
    if found is None:
        return b""
    chosen = Chosen(found.memories, found.passed_over, is_courtesy=found.is_courtesy)
    event = answer.event
    event.kind, event.host, event.session, event.prompt = "need", HOST, session_id, path
    event.strategy, event.setting = config.strategy, None if is_of_file else config.recall.gate_setting
    event.documents = len(loaded.snapshot)
    answer.is_logged, event.keeps_texts = config.recall.log_events, config.recall.log_prompts
    answer.session = session
    return write_tool_context(moment, _show(is_of_file, chosen, project, config, answer))


def _show(
    is_of_file: bool,
    chosen: "Chosen",
    project: "Project",
    config: Config,
    answer: Answer,
) -> str:
    """Return the block of the memories that the session was not shown before, and record them in the session.

    Returns "" if no memory is shown.
    """
    session, answer.session = answer.session, None
    known = [memory for memory in chosen.memories if session and session.has(memory.seen, is_more=memory.is_more)]
    memories = [memory for memory in chosen.memories if memory not in known]
    memories = memories[: MOST_OF_FILE if is_of_file else MOST_OF_FAILURE]
    block, outcomes, tokens = _make_block(is_of_file, memories, project, config)
    answer.event.note_block(block, tokens)
    skip_reason = answer.event.note_choice(chosen, known, memories, outcomes)
    if block and session:
        from .snapshot_recall import note_shown

        note_shown(session, memories, outcomes)
        answer.session = session
    else:
        answer.event.skip_reason = skip_reason
    return block


def _make_block(
    is_of_file: bool, memories: "list[RecalledMemory]", project: "Project", config: Config
) -> tuple[str, list[str], int]:
    """Return the block of some memories, the outcome of each memory, and the block's estimated tokens."""
    if not memories:
        return "", [], 0
    pack = engine.pack_anchored if is_of_file else engine.pack_memories
    return pack(project[0], memories, config.recall.max_tokens, budget_of(HOST))


def _known_to(session: "SessionFile") -> "Callable[[RecalledMemory], bool]":
    return lambda memory: session.has(memory.seen, is_more=memory.is_more)


def _path_in_project(project: "Project", cwd: str | None, subject: str) -> str | None:
    """Return the path, relative to the project, of the file that a tool is about to touch.

    Returns None for a file outside the project or below `.claude`, where the host keeps its own files.
    """
    from .._backend import working_folder

    if "\0" in subject:
        return None
    path = os.path.abspath(os.path.join(os.path.abspath(cwd or "."), subject))
    folders = [working_folder(project, cwd), project[0]]
    inside = _below(path, folders)
    if inside is None:
        inside = _below(os.path.realpath(path), [os.path.realpath(folder) for folder in folders])
    if not inside:
        return None
    inside = inside.replace(os.sep, "/")
    try:
        inside.encode()
    except UnicodeEncodeError:
        return None
    return None if inside.partition("/")[0] == ".claude" else inside


def _below(path: str, folders: list[str]) -> str | None:
    """Return a path relative to the first of the folders that contains it; None if none does."""
    for folder in folders:
        above = folder.rstrip(os.sep) + os.sep
        if path.startswith(above):
            return path[len(above) :]
    return None


def _find_help(snapshot: "Snapshot", project: "Project", said: str, config: Config, notes: list[str]) -> "Found":
    """Search with hybrid recall for memories that match the output of a failed command and pass the gate."""
    from .._backend import HIDDEN, Question
    from .snapshot_recall import PromptQuery

    review = HEEDED if config.recall.reviews_trust else IGNORED
    query = PromptQuery(said, config, review, (OF_FAILURE, [], ["active"], None, None, ""))
    question = Question(query.request(MOST_OF_FAILURE), HYBRID, config.recall.gate_setting, review, HIDDEN)
    return engine.recall_for_failure(snapshot, project[0], question, notes)
