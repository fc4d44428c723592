"""The prompt path: runs all stages from the host's payload to the printed block (SPEC 14.1)."""

import os
import sys

from .._backend import (
    add_notice,
    budget_of,
    engine,
    estimate_tokens,
    is_continued,
    is_machine_made,
    is_slash_command,
    is_too_short,
    keeps_context,
    read_payload,
    render,
    shows_context,
    shows_notices,
    write_answer,
)
from ..errors import CuecardError
from ..files.environment import Environment
from ..files.root import Project, find_project
from .answer import Answer, Stopwatch
from .config import HYBRID, Config
from .event import LEDGER, Event

NO_BUDGET = 2**31 - 1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._backend import Loaded, SessionFile
    from .snapshot_recall import ProjectSnapshot, PromptQuery

    # Prompt, working directory, session, transformed prompt and the path of the transcript.
    Payload = tuple[str, str | None, str | None, str | None, str | None]
    # Returns the redacted texts of the prompts before a prompt, the oldest first, from the path of a transcript.
    ReadEarlier = Callable[[str, str], list[str]]

# A memory as `render` takes it: category, title, path, tags.
Shown = tuple[str, str, str, list[str]]


class SkipReason(Exception):
    """Raised when the hook prints no memories; `code` is the skip reason (SPEC 38)."""

    def __init__(self, code: str) -> None:
        """`code` is one of the skip reasons that `Event.skip_reason` lists."""
        super().__init__(code)
        self.code = code


def answer(
    payload: bytes,
    host: str,
    environment: Environment,
    who: str = "hook",
    read_earlier: "ReadEarlier | None" = None,
) -> Answer:
    """Return the answer to a host's payload.

    `read_earlier` reads the earlier prompts of a session from the host's transcript, for models; without it they get
    none. `who` is "hook" for a process that exits after this answer, and "resident" for a process that keeps running.
    Raises OSError only for failures of the machine, not for a bad payload or store.
    """
    watch = Stopwatch()
    answer = Answer()
    answer.event.kind, answer.event.host = "prompt", host
    try:
        answer.stdout = _run(payload, Asker(host, who, read_earlier), environment, answer, watch)
    except SkipReason as reason:
        answer.event.skip_reason = reason.code
    except CuecardError as error:
        answer.event.skip_reason = "error"
        answer.notes.append(error.what)
    # The module is in memory only if an endpoint was asked.
    if LEDGER in sys.modules:
        from .sent_log import take_sent

        answer.event.sent = take_sent()
    if answer.memory_dir and not environment.prints_classic and shows_notices(host):
        from .user_notice import take_user_notice

        is_first = answer.session is not None and answer.session.is_new
        notice = take_user_notice(answer.memory_dir, answer.event.session, is_first=is_first)
        answer.stdout = add_notice(answer.stdout, answer.greeting.encode() + b"\n" + notice, host)
    answer.event.micros["total"] = watch.total()
    return answer


def _run(payload: bytes, asker: "Asker", environment: Environment, answer: Answer, watch: Stopwatch) -> bytes:
    """Return the bytes to print. Raises `SkipReason` if no memory is shown, and CuecardError if something is wrong."""
    problem = None
    prompt, cwd, session_id, transformed, transcript = "", None, None, None, None
    try:
        prompt, cwd, session_id, transformed, transcript = read_payload(payload)
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
    typed = None if is_slash_command(prompt) or is_machine_made(prompt) else prompt
    if project is None:
        if typed and session_id and not environment.is_not_interactive:
            answer.noted = _note_first_wish(typed, (cwd, session_id, transcript), asker.host, environment)
        raise SkipReason("no_snapshot")
    event = answer.event
    event.session, event.prompt = session_id, prompt
    session = None
    if session_id:
        from .._backend import open_session

        session = open_session(project[1], session_id)
    if session and not environment.is_not_interactive and session.note_typed(typed, asker.host, transcript or ""):
        answer.noted = session
    is_short = is_too_short(prompt)
    skip_reason = _skip_reason_of(prompt, session, is_short=is_short)
    if answer.noted and skip_reason and not Config(project[1], environment, []).keeps_facts(environment):
        answer.noted = None
    if skip_reason:
        raise SkipReason(skip_reason)

    config = Config(project[1], environment, answer.notes)
    if session and not config.keeps_facts(environment):
        session.typed = answer.noted = None
    answer.is_logged, event.keeps_texts = config.recall.log_events, config.recall.log_prompts
    event.strategy = config.strategy
    if not config.injects:
        raise SkipReason("disabled")
    if config.is_classic or environment.prints_classic or not config.recall.session:
        session = None
    if is_short and (session is None or config.strategy != HYBRID):
        raise SkipReason("short")
    if not config.is_classic:
        loaded = engine.load_snapshot(project[0], config.numbers)
        if loaded is None:
            raise SkipReason("no_snapshot")
        asked = AskedByHost(asker, (prompt, cwd, session_id, transformed, transcript), session)
        asked.prints_classic = environment.prints_classic
        return _answer_from_snapshot(loaded, asked, project, config, answer, watch)
    entries, scores = _find_entries(prompt, project, config, answer, watch)
    is_plain = environment.is_exactly_classic
    form, budget = ("classic", NO_BUDGET) if is_plain else ("safe", budget_of(asker.host))
    block = render(entries, config.shown_descriptions, form, budget)
    fitting = _note_lines(event, block, len(entries))
    considered = zip(entries, scores, fitting, strict=True)
    event.memories = [(entry[0], entry[2], outcome, None, score) for entry, score, outcome in considered]
    event.micros["pack"] = watch.lap()
    if not block:
        raise SkipReason("budget")
    return block.encode() if is_plain else write_answer(block, asker.host, transformed)


def _answer_from_snapshot(
    loaded: "Loaded", asked: "AskedByHost", project: Project, config: Config, answer: Answer, watch: Stopwatch
) -> bytes:
    """Return the bytes to print, and record the prompt and the shown memories in the session.

    Raises `SkipReason` if no memory is shown.
    """
    from .snapshot_recall import ProjectSnapshot, PromptQuery, note_shown
    from .trust_check import HEEDED, IGNORED, LABEL

    prompt, host, session = asked.prompt, asked.host, asked.session
    event = answer.event
    answer.notes += loaded.notes
    answer.loaded = loaded
    if loaded.index_text is not None:
        answer.rebuilt_index = loaded.index_text
        answer.index_made = loaded.index_made
    event.documents = len(loaded.snapshot)
    event.history = list(session.prompts) if session else []
    store = ProjectSnapshot(loaded.snapshot, project, answer.notes)
    query = PromptQuery(prompt, config, HEEDED if config.recall.reviews_trust else IGNORED)
    if config.strategy == HYBRID:
        _add_situation(query, store, asked, answer, watch)
    else:
        event.micros["load"] = watch.lap()
    chosen = store.choose(query, config.max_inject)
    event.micros["search"] = watch.lap()
    if config.strategy == HYBRID and config.judge:
        from .judging import judge_memories

        judge_memories(chosen, store, query, query.texts, config.max_inject)
        watch.lap()
    if config.recall.reviews_trust and shows_notices(host):
        from .trust_greeting import greet

        found = [*chosen.memories, *[memory for memory, _why in chosen.passed_over]]
        answer.greeting = greet(loaded.snapshot, project, any(memory.is_unreviewed for memory in found))

    blocks = None
    if shows_context(host) and session:
        from .._backend import read_blocks

        blocks = read_blocks(asked.transcript)
        if blocks is not None:
            session.compare(blocks)
    # Some hosts do not keep earlier context, or drop it without notice. For these, all memories are shown every time.
    is_kept = keeps_context(host) or blocks is not None
    known = [each for each in chosen.memories if session and is_kept and session.has(each.seen, is_more=each.is_more)]
    memories = [memory for memory in chosen.memories if memory not in known]
    if config.strategy != HYBRID:
        labels = [LABEL if memory.is_unreviewed else "" for memory in memories]
        lines = [memory.parts for memory in memories]
        # The classic form has no marks, so it is used only where nothing is to be marked.
        form = "classic" if asked.prints_classic and not any(labels) else "safe"
        budget = NO_BUDGET if asked.prints_classic else budget_of(host)
        block = render(lines, config.shown_descriptions, form, budget, labels)
        outcomes = _note_lines(event, block, len(memories))
    elif memories:
        block, outcomes, tokens = store.pack(query, memories, host)
        event.note_block(block, tokens)
    else:
        block, outcomes = "", []
    event.micros["pack"] = watch.lap()
    stdout = block.encode() if asked.prints_classic else write_answer(block, host, asked.transformed)
    if session:
        if stdout and is_kept:
            note_shown(session, memories, outcomes)
        if blocks is not None:
            session.blocks = min(blocks + bool(stdout), 2**32 - 1)
        if config.strategy == HYBRID and not is_too_short(prompt):
            event.kept = loaded.snapshot.kept_terms(query.request(0))
            session.prompts.append(event.kept)
        if session.typed:
            session.typed.is_unused = False
        answer.session = session
    skip_reason = event.note_choice(chosen, known, memories, outcomes)
    if not stdout:
        raise SkipReason(skip_reason)
    return stdout


def _note_first_wish(
    prompt: str, session: tuple[str | None, str, str | None], host: str, environment: Environment
) -> "SessionFile | None":
    """Note a wish to remember something in a folder without memories, where nothing else is kept.

    `session` is the working directory, the session's id and the path of its transcript.
    """
    from .._backend import may_say_remember

    if not may_say_remember(prompt):
        return None
    from .stop_decision import note_first_wish

    cwd, session_id, transcript = session
    file = note_first_wish(cwd or "", environment, session_id)
    return file if file and file.note_typed(prompt, host, transcript or "") else None


def _skip_reason_of(prompt: str, session: "SessionFile | None", *, is_short: bool) -> str:
    """Why a prompt is skipped whatever the settings are; "" if it is not."""
    if is_slash_command(prompt):
        return "slash_command"
    if is_machine_made(prompt):
        return "machine_made"
    return "short" if is_short and not (session and is_continued(session.prompts, prompt)) else ""


class Asker:
    """The host that asks, and the kind of process that answers."""

    __slots__ = ("host", "read_earlier", "who")

    def __init__(self, host: str, who: str, read_earlier: "ReadEarlier | None") -> None:
        """The arguments are those of `answer`."""
        self.host = host
        self.who = who
        self.read_earlier = read_earlier


class AskedByHost:
    """A payload of a host with the host's name, the kind of process that answers, and the session."""

    __slots__ = (
        "cwd",
        "host",
        "prints_classic",
        "prompt",
        "read_earlier",
        "session",
        "session_id",
        "transcript",
        "transformed",
        "who",
    )

    def __init__(self, asker: Asker, payload: "Payload", session: "SessionFile | None") -> None:
        """`session` is None if recall does not use the session."""
        self.host, self.who, self.read_earlier = asker.host, asker.who, asker.read_earlier
        self.prints_classic = False
        self.prompt, self.cwd, self.session_id, self.transformed, self.transcript = payload
        self.session = session


def _add_situation(
    query: "PromptQuery", store: "ProjectSnapshot", asked: AskedByHost, answer: Answer, watch: Stopwatch
) -> None:
    """Add the session's history, the situation and the embedder's similarities to a query of hybrid recall."""
    from .._backend import SituationSources

    config, event = query.config, answer.event
    event.setting = query.setting = config.recall.gate_setting
    sources = SituationSources(query.prompt, store.project, config.recall, asked.cwd, asked.session_id)
    answer.git = sources.git
    event.micros["load"] = watch.lap()
    query.history, query.earlier = sources.before, event.history
    query.situation = sources.situation
    if config.embedding or config.judge:
        _leave_foreign_out(config, answer.notes)
    reads_texts = config.embedding or (config.judge and config.judge.turns)
    if reads_texts and query.earlier and asked.read_earlier and asked.transcript:
        # The session keeps no texts, so a model reads those of the host.
        query.texts = asked.read_earlier(asked.transcript, query.prompt)
    if config.embedding:
        from .query_embedding import add_query_similarities

        add_query_similarities(query, store, asked.who)
        event.note_embedder(query.similarities)


def _leave_foreign_out(config: Config, notes: list[str]) -> None:
    """Remove from the settings each endpoint that the user has not allowed."""
    from ..models.endpoints.allowed_hosts import is_allowed
    from ..settings.allowed_places import EMBEDDING, JUDGE

    embedding, judge = config.embedding, config.judge
    if embedding and embedding.url and not is_allowed(embedding.url, EMBEDDING):
        config.embedding = None
    if judge and not is_allowed(judge.url, JUDGE):
        config.judge = None
    if (embedding, judge) != (config.embedding, config.judge):
        # The note does not contain the endpoint's name: a repository could put any text there.
        notes.append("the settings name an endpoint that you have not allowed; `cuecard doctor` says which")


def _find_entries(
    prompt: str, project: Project, config: Config, answer: Answer, watch: Stopwatch
) -> tuple[list[Shown], list[int]]:
    """Return the memories that classic recall finds in `index.md`, and their scores.

    Raises `SkipReason` if there is no index or no memory matches.
    """
    from .index_recall import find_hits, load_index

    index = load_index(project, answer)
    if index is None:
        raise SkipReason("no_snapshot")
    answer.event.documents = len(index)
    answer.event.micros["load"] = watch.lap()
    hits = find_hits(index, prompt, project, config, config.max_inject, answer.notes)
    answer.event.micros["search"] = watch.lap()
    if not hits:
        raise SkipReason("no_match")
    return [index.entry(hit[0])[:4] for hit in hits], [hit[1] for hit in hits]


def _note_lines(event: Event, block: str, memories: int) -> list[str]:
    """Record the size of a block of lines in the event, and return the outcome of each memory."""
    event.note_block(block, estimate_tokens(block))
    return outcomes_of_lines(block, memories)


def outcomes_of_lines(block: str, memories: int) -> list[str]:
    """Return "line" for each memory that is in a block, and "budget" for each memory that did not fit.

    Between its first and its last line the block has one line for each memory that fits, in order.
    """
    fitting = max(block.count("\n") - 2, 0)
    return ["line" if place < fitting else "budget" for place in range(memories)]
