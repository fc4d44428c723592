"""A prompt's way from payload to printed block, stage by stage (SPEC 14.1)."""

from .._backend import twin
from ..errors import CuecardError
from ..store.files import Unread, read_bounded
from ..store.root import find_project
from ..system import os
from .environment import Environment

MAX_CONFIG_BYTES = 1 << 20
NO_BUDGET = 2**31 - 1
HYBRID = "hybrid"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.lexical_config import Numbers
    from .._pure.recall_config import RecallConfig
    from .._pure.session import Shown as SeenMemory
    from .._pure.stored_document import Stamp
    from ..store.session_file import SessionFile

Project = tuple[str, str]
Descriptions = list[tuple[str, str]]
# A memory as `render` takes it: category, title, path, tags.
Shown = tuple[str, str, str, list[str]]


class Answer:
    """What the hook does about a prompt."""

    __slots__ = ("base", "delta", "index_made", "memory_dir", "notes", "rebuilt_index", "session", "stdout")

    def __init__(self) -> None:
        """Nothing to print, nothing to log, nothing to write, no store asked."""
        self.stdout = b""
        self.notes: list[str] = []
        self.rebuilt_index: tuple[str, str] | None = None
        # The time that the rebuilt index bears.
        self.index_made = 0
        # The bytes of the snapshot's files to write; None where they stay, b"" for one to remove.
        self.base: bytes | None = None
        self.delta: bytes | None = None
        self.memory_dir = ""
        # What the session has been asked and shown, to be written.
        self.session: SessionFile | None = None


class Config:
    """The settings of a store, the environment's put before the file's."""

    __slots__ = ("descriptions", "enabled", "is_classic", "max_inject", "numbers", "recall", "strategy", "synonyms")

    # What the impacts of the lexical leg are made with.
    numbers: "Numbers"
    # How the legs are fused, what priors add, and how sure the gate has to be.
    recall: "RecallConfig"

    def __init__(self, memory_dir: str, environment: Environment, notes: list[str]) -> None:
        """Read them; whatever is malformed falls back to its default and is noted."""
        problems: list[str] = []
        data = b"{}"
        try:
            data = read_bounded(os.path.join(memory_dir, "memory-config.json"), MAX_CONFIG_BYTES)
        except Unread as unread:
            if unread.words != Unread.MISSING:
                problems.append(f"the file {unread.words}; using the defaults")
        self.enabled, self.max_inject, self.strategy, self.descriptions, found = twin.read_config(data)
        self.numbers, self.synonyms, of_lexical = twin.read_lexical_config(data)
        self.recall = twin.read_recall_config(data)
        problems += found + of_lexical + self.recall.problems
        notes += [f"memory-config.json: {problem}" for problem in problems]
        if environment.strategy:
            strategy = twin.find_strategy(environment.strategy)
            if strategy is None:
                notes.append(f"`CUECARD_STRATEGY` is not a known strategy; using `{self.strategy}`")
            else:
                self.strategy = strategy
        # Whether the memories are those that the claude-memory plugin shows, the deleted ones too.
        self.is_classic = environment.output == "classic" or self.strategy == "keyword_classic"
        if environment.output not in ("", "classic"):
            notes.append("`CUECARD_OUTPUT` is not `classic`; ignoring it")

    @property
    def injects(self) -> bool:
        """Whether any prompt of this project can be answered."""
        return self.enabled and self.max_inject > 0


def answer(payload: bytes, host: str, environment: Environment) -> Answer:
    """The answer to a payload. Raises OSError only where the machine fails us."""
    answer = Answer()
    try:
        answer.stdout = _run(payload, host, environment, answer)
    except CuecardError as error:
        answer.notes.append(error.what)
    return answer


def _run(payload: bytes, host: str, environment: Environment, answer: Answer) -> bytes:
    """The bytes to print; none where there is nothing to say, an error where something is wrong."""
    problem = None
    prompt, cwd, session_id, transformed = "", None, None, None
    try:
        prompt, cwd, session_id, transformed = twin.read_payload(payload)
    except CuecardError as error:
        problem = error
    project = None
    try:
        project = find_project(os.path.abspath(cwd or "."), environment.root, environment.home)
    except CuecardError as error:
        problem = problem or error
    if project:
        answer.memory_dir = project[1]
    if problem:
        raise problem
    if project is None or twin.is_slash_command(prompt) or twin.is_machine_made(prompt):
        return b""
    session = None
    if session_id:
        from ..store.session_file import open_session

        session = open_session(project[1], session_id)
    is_short = twin.is_too_short(prompt)
    if is_short and not (session and twin.is_continued(session.prompts, prompt)):
        return b""

    config = Config(project[1], environment, answer.notes)
    if not config.injects:
        return b""
    if config.is_classic or not config.recall.session:
        session = None
    if is_short and (session is None or config.strategy != HYBRID):
        return b""
    entries, stamps = _find_entries(prompt, session.prompts if session else [], project, config, answer)
    memories: list[SeenMemory] = []
    if session and stamps is not None and twin.keeps_context(host):
        memories = [(path, *stamp) for (_category, _title, path, _tags), stamp in zip(entries, stamps, strict=True)]
        known = set(session.shown)
        entries = [entry for entry, memory in zip(entries, memories, strict=True) if memory not in known]
        memories = [memory for memory in memories if memory not in known]
    block = ""
    if entries and environment.output == "classic":
        block = twin.render(entries, config.descriptions, "classic", NO_BUDGET)
    elif entries:
        block = twin.render(entries, config.descriptions, "safe", twin.budget_of(host))
    stdout = block.encode() if environment.output == "classic" else twin.write_answer(block, host, transformed)
    if session and stamps is not None:
        # Between its first line and its last the block has one for each memory that fits.
        session.note(memories[: max(block.count("\n") - 2, 0)] if stdout else [])
        if not is_short:
            session.prompts.append(prompt)
        answer.session = session
    return stdout


def _find_entries(
    prompt: str, history: list[str], project: Project, config: Config, answer: Answer
) -> "tuple[list[Shown], list[Stamp] | None]":
    """The memories to show, and the stamps of their files: from the snapshot.

    From `index.md`, without stamps, where that is asked for or there is nothing else.
    """
    if not config.is_classic:
        from ..store.snapshot_file import BUILD_LIMIT, LIST_LIMIT, READ_LIMIT, Budget, load_snapshot
        from .snapshot_recall import Asked, find_memories, recall_memories

        loaded = load_snapshot(project, config.numbers, Budget(LIST_LIMIT, READ_LIMIT, BUILD_LIMIT))
        if loaded:
            answer.notes += loaded.notes
            answer.base, answer.delta = loaded.base, loaded.delta
            if loaded.index_text is not None:
                answer.rebuilt_index = (os.path.join(project[1], "index.md"), loaded.index_text)
                answer.index_made = loaded.index_made
            if config.strategy == HYBRID:
                asked = Asked(prompt, history, config.recall.gate_setting)
                found = recall_memories(loaded.snapshot, asked, project, config, config.max_inject, answer.notes)
            else:
                found = find_memories(loaded.snapshot, prompt, project, config, config.max_inject, answer.notes)
            lines = [(twin.parse_index_line(memory.line), memory.stamp) for memory in found]
            return [line for line, _stamp in lines if line], [stamp for line, stamp in lines if line]
        answer.notes.append("there is no snapshot; `cuecard index rebuild` makes one")
    from .index_recall import find_hits, load_index

    index = load_index(project, answer)
    if index is None:
        return [], None
    hits = find_hits(index, prompt, project, config, config.max_inject, answer.notes)
    return [index.entry(position)[:4] for position, _score, _bonus in hits], None
