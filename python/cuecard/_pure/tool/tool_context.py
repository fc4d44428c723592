"""Finds memories to show without a prompt (SPEC 37).

When a tool touches a file, these are the memories that are anchored to the file; after a failed command, memories
that may help; at an edit or a command, memories that forbid it (SPEC 40).
"""

import os

from ...errors import CuecardError
from ...files.environment import Environment
from ...files.root import locate_stores
from ...files.scopes import PARENT
from ..engine.placing import HEEDED, IGNORED
from ..engine.recalled_memory import Found
from ..engine.tool_recall import pack_anchored, recall_for_failure, recall_for_files
from ..host.act import MAX_EDITS
from ..host.host import budget_of
from ..host.tool_event import ToolEvent, parse_tool_event, settle
from ..prompt.answer import Answer, Stopwatch
from ..prompt.event import skip_reason_of
from ..prompt.joined_stores import first_project, join_loaded, list_scoped
from ..requests.request import HIDDEN, Question, Request
from ..settings.recall_settings import HYBRID, RecallSettings
from ..settings.settings_files import read_effective_settings
from ..text.compose import compose
from .owed import take_owed
from .subagent import answer_subagent

# How many memories are shown at once, for a file and for a failure.
MOST_OF_FILE = 3
MOST_OF_FAILURE = 2
# The categories of memories that are shown after a failed command.
OF_FAILURE = ["RUNBOOK", "TECH_DEBT"]
# How many files of one tool are looked at: its own, and those of a patch (SPEC 40.2).
MOST_PATHS = 1 + MAX_EDITS
# How many characters of a command are its subject in the log.
MAX_SCRIPT_CHARS = 200

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...files.root import Project
    from ..engine.recalled_memory import RecalledMemory
    from ..engine.snapshot import Snapshot
    from ..host.act import Act
    from ..prompt.open_models import OpenFunction
    from ..situation.session_file import SessionFile
    from .forbidden import Breach, Scene


def answer(payload: bytes, host: str, environment: Environment, open_models: "OpenFunction") -> Answer:
    """Return the answer to a tool event. Raises OSError only for failures of the machine.

    The block that the agent is owed follows what the event itself brings, so that it hides no warning.
    """
    owed = take_owed(payload, host, environment)
    if not owed.is_of_tool:
        return owed.answer(host)
    other = answer_subagent(payload, host, environment, open_models)
    if other:
        return other
    watch = Stopwatch()
    answer = Answer()
    problem, tool_event = None, ToolEvent("", None, None, None)
    try:
        tool_event = parse_tool_event(payload)
        settle(tool_event)
    except CuecardError as error:
        problem = error
    block = ""
    try:
        block = _run(tool_event, problem, host, environment, answer)
    except CuecardError as error:
        answer.notes.append(error.what)
    answer.stdout = owed.behind(tool_event.event, block, host)
    answer.event.micros["total"] = watch.total()
    return answer


def _run(
    tool_event: ToolEvent, problem: CuecardError | None, host: str, environment: Environment, answer: Answer
) -> str:
    """Return the block to print, "" if no memory is shown. Raises CuecardError if something is wrong, or `problem`."""
    moment, cwd, session_id, act = tool_event.moment, tool_event.cwd, tool_event.session, tool_event.act
    if problem is None and ((moment == "other" and not act) or not session_id):
        return ""
    try:
        located = locate_stores(os.path.abspath(cwd or "."), environment.root, environment.home)
    except CuecardError as error:
        raise problem or error from None
    if located.nearest:
        answer.memory_dir = located.nearest[1]
    if problem:
        raise problem
    project = first_project(located)
    if project is None or not session_id:
        return ""
    answer.memory_dir = project[1]
    from ..situation.session_file import open_session

    session = open_session(project[1], session_id)
    groups = [_Group(located.folder), *([_Group(located.parent[0])] if located.parent else [])]
    path: str | None = tool_event.subject
    if moment == "file":
        for group in groups:
            group.paths = _touched_paths(group.root, tool_event)
        path = next((group.paths[0] for group in groups if group.paths), None)
    elif act and moment == "other":
        path = _describe_act(act, located.folder, cwd)
    if session is None or path is None:
        return ""

    config = RecallSettings(
        read_effective_settings(project[1], as_plugin=environment.is_exactly_classic), environment, answer.notes
    )
    is_on = config.injects and config.recall.situation_need and config.recall.session and not config.is_classic
    is_on = is_on and not environment.prints_classic
    is_helped = moment == "failure" and config.strategy == HYBRID
    if not is_on or (moment == "failure" and not is_helped and not act):
        return ""
    from ..engine.snapshot_upkeep import load_snapshot

    stores = list_scoped(project, located, config, prints_classic=False)
    loaded = [load_snapshot(store.root, config.numbers) for store in stores]
    snapshot = join_loaded(stores, loaded, answer)
    if snapshot is None:
        return ""
    counting = [store for store, one in zip(stores, loaded, strict=True) if one]
    for place, store in enumerate(counting):
        is_of_parent = store is not stores[0] and store.scope == PARENT
        groups[is_of_parent].stores.append(place)
    acted = _Acted(cwd, config, environment, answer.notes)
    breaches = _find_breaches(act, (snapshot, project[0]), groups, session, acted)
    found = Found()
    if moment == "file":
        known = _known_to(session) if config.recall.reviews_trust else None
        paths = [(group.stores, group.paths) for group in groups]
        anchored = recall_for_files(snapshot, project[0], paths, MOST_OF_FILE, known, answer.notes)
        found = anchored or Found()
    elif is_helped:
        found = _find_help(snapshot, project, path, config, answer.notes)
    speaking = [breach[0].position for breach in breaches]
    found.memories = [memory for memory in found.memories if memory.position not in speaking]
    if not breaches and moment != "failure" and not found.memories:
        return ""
    event = answer.event
    event.kind, event.host, event.session, event.prompt = "need", host, session_id, path
    event.strategy = config.strategy
    event.setting = config.recall.gate_setting if moment == "failure" else None
    event.documents = len(snapshot)
    answer.is_logged, event.keeps_texts = config.recall.log_events, config.recall.log_prompts
    answer.session = session
    return _show(moment, (breaches, act is not None and act[1], found), project, config, answer)


def _show(
    moment: str,
    shown: "tuple[list[Breach], bool, Found]",
    project: "Project",
    config: RecallSettings,
    answer: Answer,
) -> str:
    """Return the block of the memories that the session was not shown before, and record them in the session.

    Returns "" if no memory is shown.
    """
    session, answer.session = answer.session, None
    breaches, is_over, found = shown
    known = [memory for memory in found.memories if session and session.has(memory.seen, is_more=memory.is_more)]
    memories = [memory for memory in found.memories if memory not in known]
    memories = memories[: MOST_OF_FAILURE if moment == "failure" else MOST_OF_FILE]
    budget = (config.recall.max_tokens, budget_of(answer.event.host))
    if breaches:
        from .forbidden import pack_breaches

        block, outcomes, tokens = pack_breaches(project[0], breaches, memories, is_over, budget)
        memories = [breach[0] for breach in breaches] + memories
    else:
        block, outcomes, tokens = _make_block(moment, memories, project, config, budget[1])
    answer.event.note_block(block, tokens)
    answer.event.forbids = [breach[1] for breach in breaches]
    answer.event.note_choice(found, known, memories, outcomes)
    if block and session:
        from ..prompt.prompt_path import SHOWN, note_shown

        note_shown(session, memories, outcomes)
        for (memory, _entry, keys), outcome in zip(breaches, outcomes, strict=False):
            if outcome in SHOWN:
                session.spoken += [(key, memory.parts[2]) for key in keys]
        answer.session = session
    else:
        answer.event.skip_reason = skip_reason_of(memories, known, found)
    return block


def _make_block(
    moment: str, memories: "list[RecalledMemory]", project: "Project", config: RecallSettings, budget_chars: int
) -> tuple[str, list[str], int]:
    """Return the block of some memories, the outcome of each memory, and the block's estimated tokens."""
    if not memories:
        return "", [], 0
    from ..engine.pack_items import pack_memories

    pack = pack_memories if moment == "failure" else pack_anchored
    return pack(project[0], memories, config.recall.max_tokens, budget_chars)


def _known_to(session: "SessionFile") -> "Callable[[RecalledMemory], bool]":
    return lambda memory: session.has(memory.seen, is_more=memory.is_more)


class _Group:
    """Stores whose memories name files relative to the same folder `root`: that of the parent's store, or of all others
    (SPEC 48.14)."""

    def __init__(self, root: str) -> None:
        self.root = root
        # The places of the stores among those that were joined.
        self.stores: list[int] = []
        # The paths of the files that the tool touches.
        self.paths: list[str] = []


class _Acted:
    """Where a tool acts, and what recall reads there."""

    def __init__(self, cwd: str | None, config: RecallSettings, environment: Environment, notes: list[str]) -> None:
        self.cwd, self.config, self.environment, self.notes = cwd, config, environment, notes


def _find_breaches(
    act: "Act | None",
    of_project: "tuple[Snapshot, str]",
    groups: "list[_Group]",
    session: "SessionFile",
    acted: _Acted,
) -> "list[Breach]":
    """Return the memories that forbid an act; `of_project` is the snapshot and the project's folder."""
    snapshot, root = of_project
    from ..retrieve.anchors import forbidden_entries

    if act is None or not forbidden_entries(snapshot):
        return []
    from .forbidden import find_breaches

    known = session.spoken
    scenes = [_scene_of(act, group, acted) for group in groups if group.stores]
    return find_breaches(
        snapshot,
        root,
        scenes,
        lambda key, path: (key, path) in known,
        acted.notes,
        reviews_trust=acted.config.recall.reviews_trust,
    )


def _scene_of(act: "Act", group: _Group, acted: _Acted) -> "Scene":
    from .forbidden import Scene

    root, cwd = group.root, acted.cwd
    scene = Scene(act, root, os.path.abspath(cwd or "."), lambda path: _locate(root, cwd, path))
    scene.home, scene.project_dir = acted.environment.shell_home, acted.environment.project_dir
    scene.stores = group.stores
    return scene


def _touched_paths(root: str, event: ToolEvent) -> list[str]:
    """Return the paths, relative to `root`, of the files that a tool touches, each once."""
    edited = [path for path, _changes in event.act[2]] if event.act else []
    paths = [_path_in_project(root, event.cwd, path) for path in [event.subject, *edited][:MOST_PATHS]]
    return list(dict.fromkeys([path for path in paths if path is not None]))


def _describe_act(act: "Act", root: str, cwd: str | None) -> str:
    """Return the subject of an act for the log: the path of its first file in the project, else its command."""
    paths = [_path_in_project(root, cwd, path) for path, _changes in act[2]]
    return next((path for path in paths if path is not None), act[3][:MAX_SCRIPT_CHARS])


def _path_in_project(root: str, cwd: str | None, subject: str) -> str | None:
    """Return the path, relative to the project, of the file that a tool is about to touch.

    Returns None for a file outside the project or below `.claude`, where the host keeps its own files.
    """
    inside = _locate(root, cwd, subject)
    return None if not inside or inside.partition("/")[0] == ".claude" else inside


def _locate(root: str, cwd: str | None, subject: str) -> str | None:
    """Return the path, relative to the project, of a file or folder: "" for the project itself, None outside of it."""
    from ..situation.git_state import working_folder

    if "\0" in subject:
        return None
    path = os.path.abspath(os.path.join(os.path.abspath(cwd or "."), subject))
    folders = [working_folder(root, cwd), root]
    inside = _below(path, folders)
    if inside is None:
        inside = _below(os.path.realpath(path), [os.path.realpath(folder) for folder in folders])
    if inside is None:
        # macOS names the same folder in two forms.
        inside = _below(compose(path), [compose(folder) for folder in folders])
    if inside is None:
        return None
    inside = inside.replace(os.sep, "/")
    try:
        inside.encode()
    except UnicodeEncodeError:
        return None
    return inside


def _below(path: str, folders: list[str]) -> str | None:
    """Return a path relative to the first of the folders that contains it; None if none does."""
    for folder in folders:
        if path == folder:
            return ""
        above = folder.rstrip(os.sep) + os.sep
        if path.startswith(above):
            return path[len(above) :]
    return None


def _find_help(
    snapshot: "Snapshot", project: "Project", said: str, config: RecallSettings, notes: list[str]
) -> "Found":
    """Search with hybrid recall for memories that match the output of a failed command and pass the gate."""
    import time

    review = HEEDED if config.recall.reviews_trust else IGNORED
    of_project = (config.recall, config.descriptions, config.synonyms)
    filters = (OF_FAILURE, list[str](), ["active"], None, None, "")
    request = Request(said, MOST_OF_FAILURE, *of_project, now=time.time_ns() // 1000, filters=filters)
    question = Question(request, HYBRID, config.recall.gate_setting, review, HIDDEN)
    return recall_for_failure(snapshot, project[0], question, notes)
