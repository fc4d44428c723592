"""A prompt's way from payload to printed block, stage by stage (SPEC 14.1)."""

import os
import time

from .._backend import twin
from ..errors import CuecardError, StoreError
from ..store.files import MAX_RECORD_BYTES, Containment, Unread, read_bounded
from ..store.index_md import MAX_INDEX_BYTES, rebuild
from ..store.root import find_project
from .environment import Environment

MAX_CONFIG_BYTES = 1 << 20
# So many members of the shortlist have their files read.
DEEP_CHECK_LIMIT = 20
NO_BUDGET = 2**31 - 1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._pure.index import Index

Project = tuple[str, str]
Descriptions = list[tuple[str, str]]
# A memory as `render` takes it: category, title, path, tags.
Shown = tuple[str, str, str, list[str]]


class Answer:
    """What the hook does about a prompt."""

    __slots__ = ("memory_dir", "notes", "rebuilt_index", "stdout")

    def __init__(self) -> None:
        """Nothing to print, nothing to log, no index to write, no store asked."""
        self.stdout = b""
        self.notes: list[str] = []
        self.rebuilt_index: tuple[str, str] | None = None
        self.memory_dir = ""


class Config:
    """The settings of a store, the environment's put before the file's."""

    __slots__ = ("descriptions", "enabled", "max_inject", "strategy")

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
        notes += [f"memory-config.json: {problem}" for problem in problems + found]
        if environment.strategy:
            strategy = twin.find_strategy(environment.strategy)
            if strategy is None:
                notes.append(f"`CUECARD_STRATEGY` is not a known strategy; using `{self.strategy}`")
            else:
                self.strategy = strategy
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
    prompt, cwd = "", None
    try:
        prompt, cwd, _session_id = twin.read_payload(payload)
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
    if twin.is_too_short(prompt) or project is None:
        return b""

    config = Config(project[1], environment, answer.notes)
    if not config.injects:
        return b""
    index = load_index(project, answer)
    if index is None:
        return b""
    hits = find_hits(index, prompt, project, config, config.max_inject, answer.notes)
    entries = [index.entry(position)[:4] for position, _score, _bonus in hits]
    if not entries:
        return b""
    if environment.output == "classic":
        return twin.render(entries, config.descriptions, "classic", NO_BUDGET).encode()
    return twin.write_answer(twin.render(entries, config.descriptions, "safe", twin.budget_of(host)), host)


def load_index(project: Project, answer: Answer) -> "Index | None":
    """The index, rebuilt where it is missing; None where there are no memories."""
    path = os.path.join(project[1], "index.md")
    try:
        data = read_bounded(path, MAX_INDEX_BYTES)
    except Unread as unread:
        if unread.words != Unread.MISSING:
            raise StoreError(f"index.md {unread.words}") from None
        text, skipped, is_damaged = rebuild(*project)
        answer.notes += [f"left `{record}` out of index.md: {reason}" for record, reason in skipped]
        if not text:
            return None
        answer.rebuilt_index = (path, text)
        if is_damaged:
            return None
        data = text.encode()
    index = twin.Index(data)
    bad_lines = index.bad_lines()
    if bad_lines:
        line, reason = bad_lines[0]
        answer.notes.append(f"index.md: {len(bad_lines)} bad lines, the first is line {line} (`{reason}`)")
    return index if len(index) else None


def find_hits(
    index: "Index", prompt: str, project: Project, config: Config, limit: int, notes: list[str]
) -> list[tuple[int, int, int]]:
    """Position, score and points of recency of at most `limit` memories for a prompt, best first."""
    shortlist = index.shortlist(prompt, twin.revision_of(config.strategy), config.descriptions)
    return choose(index, shortlist, project, limit, notes)


def choose(
    index: "Index", shortlist: list[tuple[int, int]], project: Project, limit: int, notes: list[str]
) -> list[tuple[int, int, int]]:
    """Position, score and points of recency of the best memories after the deep check (SPEC 8).

    At most `limit`, none of them outside the store.
    """
    containment = Containment(*project)
    now = time.time_ns() // 1000
    verdicts: dict[int, int | None] = {}
    for position, _score in shortlist[:DEEP_CHECK_LIMIT]:
        path = index.entry(position)[2]
        located = containment.locate(path)
        if located is None:
            notes.append(f"`{path}` is outside the store")
            verdicts[position] = None
            continue
        try:
            verdicts[position] = twin.check_record(read_bounded(located, MAX_RECORD_BYTES), now)
        except Unread as unread:
            notes.append(f"`{path}` {unread.words}")
            verdicts[position] = 0
    hits: list[tuple[int, int, int]] = []
    for position, score in index.rank(shortlist, list(verdicts.values())):
        if len(hits) == limit:
            break
        if position in verdicts or containment.locate(index.entry(position)[2]) is not None:
            hits.append((position, score, verdicts.get(position) or 0))
    return hits
