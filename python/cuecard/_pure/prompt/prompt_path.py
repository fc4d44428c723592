"""The way of a prompt: all stages from the host's payload to the printed block (SPEC 14.1)."""

import os
import time

from ...basics.chars import WHITESPACE, scrub
from ...basics.light_dataclass import replace
from ...errors import CuecardError
from ...files.environment import Environment
from ...files.root import Located, Project, locate_stores
from ..engine.placing import HEEDED, IGNORED
from ..host.host import (
    budget_of,
    is_too_short,
    keeps_context,
    may_drop_answer,
    prompt_source,
    read_payload,
    shows_context,
    shows_notices,
    write_answer,
)
from ..host.session import is_continued
from ..present.notice import add_notice
from ..present.packing import UNREVIEWED
from ..present.render import render
from ..requests.request import Question, Request
from ..settings.recall_settings import HYBRID, RecallSettings
from ..settings.settings_files import read_effective_settings
from ..text.token_estimate import estimate_tokens
from ..text.typed_text import is_slash_command, typed_text
from .answer import Answer, Stopwatch
from .event import Event, skip_reason_of
from .joined_stores import first_project, join_loaded, list_scoped

NO_BUDGET = 2**31 - 1
# The gate's setting that lets every candidate through.
OFF = "off"

# The outcomes of memories that are shown.
SHOWN = ("full", "gist", "title", "line", "sibling")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.recalled_memory import Found, RecalledMemory
    from ..engine.snapshot import Snapshot
    from ..situation.session_file import SessionFile
    from .open_models import OpenFunction, OpenModels

# A memory as `render` takes it: category, title, path, tags.
Shown = tuple[str, str, str, list[str]]


class SkipReason(Exception):
    """Raised when the hook prints no memories; `code` is the skip reason (SPEC 38)."""

    def __init__(self, code: str) -> None:
        """`code` is one of the skip reasons that `Event.skip_reason` lists."""
        super().__init__(code)
        self.code = code


def answer_prompt(payload: bytes, host: str, open_models: "OpenFunction") -> str:
    """Return the text to print for a prompt. What is written after an answer is written before that.

    Raises UsageError for an unknown host.
    """
    from .after_answer import keep

    budget_of(host)
    environment = Environment()
    found = answer(payload, host, environment, open_models)
    keep(found, environment, "prompt")
    return found.stdout.decode()


def answer(payload: bytes, host: str, environment: Environment, open_models: "OpenFunction") -> Answer:
    """Return the answer to a host's payload.

    Raises OSError only for failures of the machine, not for a bad payload or store.
    """
    watch = Stopwatch()
    answer = Answer()
    answer.event.kind, answer.event.host = "prompt", host
    asked = Asked(host, environment, open_models)
    try:
        answer.stdout = _run(payload, asked, answer, watch)
    except SkipReason as reason:
        answer.event.skip_reason = reason.code
    except CuecardError as error:
        answer.event.skip_reason = "error"
        answer.notes.append(error.what)
    if asked.models:
        answer.event.sent = asked.models.take_sent()
    if answer.memory_dir and not environment.prints_classic and shows_notices(host):
        from .user_notice import take_user_notice

        is_first = answer.session is not None and answer.session.is_new
        notice = take_user_notice(answer.memory_dir, answer.event.session, is_first=is_first)
        answer.stdout = add_notice(answer.stdout, answer.greeting.encode() + b"\n" + notice, host)
    answer.event.micros["total"] = watch.total()
    return answer


def _run(payload: bytes, asked: "Asked", answer: Answer, watch: Stopwatch) -> bytes:
    """Return the bytes to print. Raises `SkipReason` if no memory is shown, and CuecardError if something is wrong."""
    environment, problem, source = asked.environment, None, "typed"
    try:
        asked.prompt, asked.cwd, asked.session_id, asked.transformed, asked.transcript = read_payload(payload)
        source = prompt_source(payload, asked.host)
    except CuecardError as error:
        problem = error
    located = Located("")
    try:
        located = locate_stores(os.path.abspath(asked.cwd or "."), environment.root, environment.home)
    except CuecardError as error:
        problem = problem or error
    if located.nearest:
        answer.memory_dir = located.nearest[1]
    if problem:
        raise problem
    typed = typed_text(asked.prompt) if source != "machine" else ""
    not_typed, asked.prompt = "" if typed else _why_not_typed(asked.prompt), typed
    prompt, session_id, asked.is_typed = typed, asked.session_id, source == "typed"
    not_typed = "machine_made" if source == "machine" else not_typed
    is_counted = source != "program" and not environment.is_not_interactive
    is_outside = located.nearest is None
    if is_outside and prompt and session_id and is_counted:
        answer.wish = _note_first_wish(asked)
    project = first_project(located)
    if project is None:
        raise SkipReason("no_snapshot")
    answer.memory_dir = project[1]
    event = answer.event
    event.session, event.prompt = session_id, prompt
    session = None
    if session_id:
        from ..situation.session_file import open_session

        session = open_session(project[1], session_id)
    # What is typed outside of any project belongs to no store.
    if session and not is_outside and is_counted:
        is_changed = session.note_typed(prompt or None, asked.host, asked.transcript or "")
        answer.noted = session if is_changed else None
    is_short = is_too_short(prompt)
    too_short = is_short and not (session and is_continued(session.prompts, prompt))
    skip_reason = not_typed or ("short" if too_short else "")
    if answer.noted and skip_reason:
        files = read_effective_settings(project[1], as_plugin=environment.is_exactly_classic)
        answer.noted = answer.noted if RecallSettings(files, environment, []).keeps_facts(environment) else None
    if skip_reason:
        raise SkipReason(skip_reason)

    config = RecallSettings(
        read_effective_settings(project[1], as_plugin=environment.is_exactly_classic), environment, answer.notes
    )
    if session and not config.keeps_facts(environment):
        session.typed = answer.noted = None
    answer.is_logged, event.keeps_texts = config.recall.log_events, config.recall.log_prompts
    event.strategy = config.strategy
    stores = list_scoped(project, located, config, prints_classic=environment.prints_classic)
    if not config.injects or not stores:
        raise SkipReason("disabled")
    if config.is_classic or environment.prints_classic or not config.recall.session:
        session = None
    if is_short and (session is None or config.strategy != HYBRID):
        raise SkipReason("short")
    if not config.is_classic:
        if config.strategy == HYBRID and (config.recall.has_embedder or config.recall.judge_ms):
            # The session does not keep the texts of its earlier prompts; models read those of the host.
            of_earlier = asked.transcript if session and session.prompts else None
            asked.models = asked.open_models(project[1], asked.cwd, prompt, of_earlier)
            answer.notes += asked.models.notes
        from ..engine.snapshot_upkeep import load_snapshot

        found = [load_snapshot(store.root, config.numbers) for store in stores]
        loaded = join_loaded(stores, found, answer)
        if loaded is None:
            raise SkipReason("no_snapshot")
        answer.begins = not is_outside and session is not None and session.is_new
        asked.session = session
        asked.may_drop_answer = may_drop_answer(payload, asked.host)
        return _answer_from_snapshot(loaded, asked, project, config, answer, watch)
    entries, scores = _find_entries(prompt, project, config, answer, watch)
    is_plain = environment.is_exactly_classic
    form, budget = ("classic", NO_BUDGET) if is_plain else ("safe", budget_of(asked.host))
    block = render(entries, config.shown_descriptions, form, budget)
    fitting = _note_lines(event, block, len(entries))
    considered = zip(entries, scores, fitting, strict=True)
    event.memories = [(entry[0], entry[2], outcome, None, score) for entry, score, outcome in considered]
    event.micros["pack"] = watch.lap()
    if not block:
        raise SkipReason("budget")
    return block.encode() if is_plain else write_answer(block, asked.host, asked.transformed)


def _answer_from_snapshot(
    snapshot: "Snapshot",
    asked: "Asked",
    project: Project,
    config: RecallSettings,
    answer: Answer,
    watch: Stopwatch,
) -> bytes:
    """Return the bytes to print, and record the prompt and the shown memories in the session.

    Raises `SkipReason` if no memory is shown.
    """
    from ..engine.pack_items import pack_memories
    from ..engine.snapshot_recall import SnapshotRecall
    from ..retrieve.earlier_prompt import kept_terms

    prompt, host, session, models = asked.prompt, asked.host, asked.session, asked.models
    event, prints_classic = answer.event, asked.environment.prints_classic
    event.documents = len(snapshot)
    event.history = list(session.prompts) if session else []
    setting, history, situation, embedded = OFF, list[str](), None, None
    if config.strategy == HYBRID:
        from ..situation.prompt_situation import SituationSources

        event.setting = setting = config.recall.gate_setting
        sources = SituationSources(prompt, project, config.recall, asked.cwd, asked.session_id)
        answer.git, history, situation = sources.git, sources.before, sources.situation
    event.micros["load"] = watch.lap()
    compared = models.compare(snapshot) if models else None
    if compared:
        embedder, note, problem, embedded = compared
        event.embedder = embedder, note
        answer.notes += [problem] if problem else []
    review = HEEDED if config.recall.reviews_trust else IGNORED
    of_project = (config.recall, config.descriptions, config.synonyms)
    # Nothing but hybrid recall reads the session's earlier prompts.
    earlier = event.history if config.strategy == HYBRID else []
    request = Request(
        prompt, config.max_inject, *of_project, history, time.time_ns() // 1000, None, situation, embedded, earlier
    )
    found = SnapshotRecall(snapshot, project[0], review, answer.notes).choose(
        Question(request, config.strategy, setting, review)
    )
    event.micros["search"] = watch.lap()
    if models and models.pool is not None:
        _judge(found, models, (snapshot, project, Question(request, config.strategy, OFF, review)), answer)
        watch.lap()
    if config.recall.reviews_trust and shows_notices(host):
        from .trust_greeting import greet

        met = [*found.memories, *[memory for memory, _why in found.passed_over]]
        met = [memory for memory in met if not memory.scope and snapshot.store_of(memory.position) == 0]
        answer.greeting = greet(snapshot, project, any(memory.is_unreviewed for memory in met))
    if shows_notices(host) and not prints_classic:
        from .conflict_notice import tell_of_conflicts

        answer.greeting += "\n" + tell_of_conflicts(snapshot, project[1])

    is_silent = not found.memories and all(why != "named" for _memory, why in found.passed_over)
    if not is_silent and asked.is_typed and not prints_classic:
        from ..engine.hosted import pass_over_hosted, read_hosted

        statements = read_hosted(project, host, os.path.abspath(asked.cwd or "."))
        if statements.counts(is_first=session is None or session.is_new):
            pass_over_hosted(found, statements)

    blocks = None
    if shows_context(host) and session:
        from ..situation.session_file import read_blocks

        blocks = read_blocks(asked.transcript)
        if blocks is not None:
            session.compare(blocks)
    # Some hosts do not keep earlier context, or drop it without notice. For these, all memories are shown every time.
    is_kept = keeps_context(host) or blocks is not None
    known = [each for each in found.memories if session and is_kept and session.has(each.seen, is_more=each.is_more)]
    memories = [memory for memory in found.memories if memory not in known]
    if config.recall.holdout and session and found.least is not None and asked.session_id:
        from ..engine.holdout import NEAR, withhold

        event.holdout = config.recall.holdout, found.least, found.least + NEAR
        withheld, memories = withhold(config.recall.holdout, found.least, asked.session_id, memories)
        found.passed_over[:0] = [(memory, "holdout") for memory in withheld]
    skip_reason = skip_reason_of(memories, known, found)
    named: list[RecalledMemory] = []
    limits = config.recall.max_tokens, budget_of(host)
    if config.recall.may_concern:
        block, tokens, named = _name(found, skip_reason, session if is_kept else None, limits)
    if named:
        outcomes = list[str]()
        event.note_block(block, tokens)
    elif config.strategy != HYBRID:
        labels = [UNREVIEWED if memory.is_unreviewed else "" for memory in memories]
        lines = [memory.parts for memory in memories]
        # The classic form has no marks, so it is used only where nothing is to be marked.
        form = "classic" if prints_classic and not any(labels) else "safe"
        budget = NO_BUDGET if prints_classic else budget_of(host)
        block = render(lines, config.shown_descriptions, form, budget, labels)
        outcomes = _note_lines(event, block, len(memories))
    elif memories:
        block, outcomes, tokens = pack_memories(project[0], memories, *limits, prompt)
        event.note_block(block, tokens)
    else:
        block, outcomes = "", []
    event.micros["pack"] = watch.lap()
    stdout = block.encode() if prints_classic else write_answer(block, host, asked.transformed)
    if session:
        if asked.may_drop_answer is not None:
            session.owed = scrub(block) if asked.may_drop_answer else ""
        if stdout and is_kept:
            note_shown(session, memories, outcomes)
            for memory in named:
                session.note_named(memory.seen)
        if blocks is not None:
            session.blocks = min(blocks + bool(stdout), 2**32 - 1)
        if config.strategy == HYBRID and not is_too_short(prompt):
            event.kept = kept_terms(snapshot, request)
            session.prompts.append(event.kept)
        if session.typed:
            session.typed.is_unused = False
        answer.session = session
    event.note_choice(found, known, memories, outcomes)
    if not stdout:
        raise SkipReason(skip_reason)
    event.skip_reason = skip_reason if named else None
    return stdout


def _name(
    found: "Found", skip_reason: str, session: "SessionFile | None", limits: tuple[int, int]
) -> "tuple[str, int, list[RecalledMemory]]":
    """Return the line of titles, its tokens, and the memories that it names. The others of `found` stay out.

    `limits` are the tokens and the characters of the block.
    """
    from ..engine.named import keep_named, name_memories, named_of

    # A withheld memory is a stranger's, and must not silence others.
    may_name = skip_reason in ("gate", "withheld")
    keep_named(found, lambda memory: may_name and not (session and session.has_title(memory.seen)))
    memories = named_of(found)
    if not memories:
        return "", 0, []
    packed = name_memories(memories, *limits)
    told = [memory for memory, outcome in zip(memories, packed.outcomes, strict=True) if outcome == "named"]
    keep_named(found, lambda memory: memory in told)
    return packed.block, packed.tokens, told


def _note_first_wish(asked: "Asked") -> "SessionFile | None":
    """Note a wish to remember something in a folder without memories, where nothing else is kept."""
    from ..situation.stop_decision import note_first_wish
    from ..text.substance import may_say_remember

    if not may_say_remember(asked.prompt):
        return None
    file = note_first_wish(asked.cwd or "", asked.environment, asked.session_id or "")
    return file if file and file.note_typed(asked.prompt, asked.host, asked.transcript or "") else None


def _why_not_typed(prompt: str) -> str:
    """The skip reason of a prompt of which the user typed nothing; "" if it is empty."""
    if is_slash_command(prompt):
        return "slash_command"
    return "machine_made" if prompt.strip(WHITESPACE) else ""


def note_shown(session: "SessionFile", memories: "list[RecalledMemory]", outcomes: list[str]) -> None:
    """Record in a session which memories are shown, and for each whether only its title is shown."""
    for memory, outcome in zip(memories, outcomes, strict=True):
        if outcome in SHOWN:
            session.note(memory.seen, is_title=outcome == "title")


class Asked:
    """What a host asks: the parts of its payload, and the models and the session that the answer uses."""

    def __init__(self, host: str, environment: Environment, open_models: "OpenFunction") -> None:
        """`open_models` is called if the settings of a store name a model."""
        self.host, self.environment, self.open_models = host, environment, open_models
        # Only the text that was typed, as soon as it is known.
        self.prompt, self.is_typed = "", True
        self.cwd: str | None = None
        self.session_id: str | None = None
        self.transformed: str | None = None
        self.transcript: str | None = None
        self.models: OpenModels | None = None
        # None if recall does not use the session.
        self.session: SessionFile | None = None
        self.may_drop_answer: bool | None = None


def _judge(found: "Found", models: "OpenModels", asked: "tuple[Snapshot, Project, Question]", answer: Answer) -> None:
    """Replace the memories of the gate with those that the judge keeps."""
    from ..engine.judging import judge_memories

    snapshot, project, question = asked
    limit = question.request.k
    ungated = replace(question, request=replace(question.request, k=models.pool or 0))
    chosen = found.memories, found.passed_over, found.is_courtesy
    judged = judge_memories(snapshot, project[0], ungated, chosen, limit, models.judge)
    found.memories, found.passed_over, answer.event.judgment, notes = judged
    answer.notes += notes


def _find_entries(
    prompt: str, project: Project, config: RecallSettings, answer: Answer, watch: Stopwatch
) -> tuple[list[Shown], list[int]]:
    """Return the memories that classic recall finds in `index.md`, and their scores.

    Raises `SkipReason` if there is no index or no memory matches.
    """
    from .index_recall import find_hits, load_index

    read = load_index(project)
    answer.notes += read.notes
    answer.rebuilt_index, answer.index_made = read.rebuilt, read.made
    index = read.index
    if index is None:
        raise SkipReason("no_snapshot")
    answer.event.documents = len(index.entries)
    answer.event.micros["load"] = watch.lap()
    hits = find_hits(index, prompt, project, config, config.max_inject, answer.notes)
    answer.event.micros["search"] = watch.lap()
    if not hits:
        raise SkipReason("no_match")
    return [index.entries[hit[0]][:4] for hit in hits], [hit[1] for hit in hits]


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
