"""Explains why a memory was shown at an event or is shown for a prompt, or which stage removes it (SPEC 38.4)."""

from collections.abc import Sequence

from .._backend import gate_threshold, lowest_shown
from ..basics.light_dataclass import dataclass
from ..basics.timestamp import parse_timestamp
from ..errors import CuecardError, StoreError
from ..retrieval.config import HYBRID, Config
from ..retrieval.loaded_project import LoadedProject
from ..retrieval.recall import Recall
from ..retrieval.trace import Trace
from ..store.log.events import MICROSECONDS, LoggedEvent, LoggedMemory
from ..store.records.memory import read_memory
from ..store.scopes.scoped_stores import find_in_stores, scope_reader, stores_of_project
from ..store.scopes.shown_memory import read_shown
from .event_verdict import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..basics.options import GateSetting
    from ..files.scopes import ScopedStore


@dataclass(frozen=True)
class Account:
    """Why a memory was shown or not shown, at an event or for a prompt.

    With an event, `considered` is the memory as the event recorded it; None if the event does not mention it. `least`
    is the lowest logit that the gate accepts for it with the current settings, and `usual` the one for an event without
    a surer memory. With a prompt, which may be that of the event, `trace` has every stage, by the current memories.
    """

    path: str
    verdict: str
    event: LoggedEvent | None
    considered: LoggedMemory | None
    least: int | None
    usual: int | None
    prompt: str | None
    trace: Trace | None

    def as_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return {
            "prompt": self.prompt,
            "path": self.path,
            "verdict": self.verdict,
            "event": self.event.as_dict() if self.event else None,
            "trace": self.trace.as_dict() if self.trace else None,
        }


@dataclass(frozen=True)
class AskedPrompt:
    """The prompt for which a memory is explained, the prompts before it, and the gate's setting if one is given."""

    prompt: str | None
    history: Sequence[str]
    setting: "GateSetting | None"


def account_for(
    loaded: LoadedProject, config: Config, memory: str, event: LoggedEvent | None, asked: AskedPrompt
) -> Account:
    """The account of a memory, which is named by an id, a CATEGORY/ID or a path.

    Without a prompt in `asked`, the event's prompt, history and setting are used if the log has its whole text. Raises
    UsageError if a given prompt cannot be traced, MissingError and StoreError if the memory cannot be found or read.
    """
    prompt, history, setting = asked.prompt, asked.history, asked.setting
    store, category, path = find_in_stores(loaded.stores, memory)
    if event is None:
        found = Recall(loaded, config).trace(prompt or "", path, history, setting=setting)
        return Account(path, found.verdict, None, None, None, None, prompt, found)
    is_hybrid = event.strategy == config.strategy == HYBRID and not config.is_classic
    if prompt is None and event.is_whole and is_hybrid and not event.is_of_file_or_act:
        prompt, history = event.prompt, event.history or ()
        setting = event.setting if setting is None else setting
    trace = Recall(loaded, config).trace(prompt, path, history, setting=setting) if prompt is not None else None
    usual = gate_threshold(event.setting) if event.setting is not None else None
    if usual is not None:
        usual += config.recall.gate_shift
    least = usual if usual is None else _least_beside(loaded, event, usual)
    read_scope = scope_reader(stores_of_project(loaded.project))
    place = store.label, path
    considered = next((one for one in event.memories if (read_scope(one.scope), one.path) == place), None)
    verdict = judge(event, considered, least, usual, _created(store, category, path))
    return Account(path, verdict, event, considered, least, usual, prompt, trace)


def _least_beside(loaded: LoadedProject, event: LoggedEvent, usual: int) -> int:
    """The lowest logit of a memory that the gate shows beside the surest one of an event."""
    known = [(memory.logit, memory) for memory in event.memories if memory.logit is not None]
    if not known:
        return usual
    logit, surest = max(known, key=lambda one: one[0])
    try:
        memory = read_shown(loaded.project, surest.scope, surest.category.lower(), surest.path)
        own = memory.record.get("cuecard")
    except CuecardError:
        own = None
    has_questions = isinstance(own, dict) and bool(own.get("questions"))
    return lowest_shown(usual, logit, has_questions=has_questions)


def _created(store: "ScopedStore", category: str, path: str) -> int | None:
    """When the memory was created, in seconds since 1970; None if its file does not say."""
    try:
        created = read_memory(store.root, store.memory_dir, category, path).record.get("created_at")
    except StoreError:
        return None
    moment = parse_timestamp(created) if isinstance(created, str) else None
    return None if moment is None else moment // MICROSECONDS
