"""Chooses the backend of this process once, by `CUECARD_BACKEND`, and exports its engine (SPEC 15)."""

import sys

from .errors import BackendError

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Type checkers see the pure engine, whose source code has annotations.
    from . import _pure as engine
    from ._pure import IndexMd as IndexMd
    from ._pure import Loaded as Loaded
    from ._pure import RecalledMemory as RecalledMemory
    from ._pure import Snapshot as Snapshot
    from ._pure.engine.answers import Inspected as Inspected
    from ._pure.engine.answers import Judged as Judged
    from ._pure.engine.answers import Recalled as Recalled
    from ._pure.engine.hosted import FOLDER as HOSTED
    from ._pure.engine.hosted import HEADER as HOSTED_HEADER
    from ._pure.engine.hosted import digest_of as digest_of
    from ._pure.engine.hosted import hosted_place as hosted_place
    from ._pure.engine.hosted import is_stale as hosted_is_stale
    from ._pure.engine.hosted import stamp_of as stamp_of
    from ._pure.engine.judging import Verdict as Verdict
    from ._pure.engine.named import name_memories as name_memories
    from ._pure.engine.placing import HEEDED as HEEDED
    from ._pure.engine.placing import IGNORED as IGNORED
    from ._pure.engine.placing import MARKED as MARKED
    from ._pure.engine.recalled_memory import Found as Found
    from ._pure.engine.siblings import is_sibling as is_sibling
    from ._pure.guard.guard import deny as guard_tool
    from ._pure.guard.validate import validate as validate_writes
    from ._pure.host.host import HOSTS as HOSTS
    from ._pure.host.host import budget_of as budget_of
    from ._pure.host.host import is_too_short as is_too_short
    from ._pure.host.host import read_object as read_event
    from ._pure.host.session import is_continued as is_continued
    from ._pure.host.session import read_session as read_session
    from ._pure.host.session import read_session_event as read_session_event
    from ._pure.host.session import session_file_name as session_file_name
    from ._pure.host.typed import IDLE_SECONDS as IDLE_SECONDS
    from ._pure.host.typed import LEFT_WORDS as LEFT_WORDS
    from ._pure.host.typed import Typed as Typed
    from ._pure.memory.card import read_card as read_card
    from ._pure.memory.document import Document as Document
    from ._pure.memory.document import read_document as read_document
    from ._pure.memory.file_anchors import anchors_file as anchors_file
    from ._pure.memory.file_anchors import concrete_anchors as concrete_anchors
    from ._pure.memory.forbidden_code import BUILT_IN as BUILT_IN
    from ._pure.memory.forbids import normalize_forbid as normalize_forbid
    from ._pure.memory.gist import LABELS as CONTENT_LABELS
    from ._pure.memory.gist import gist_of as gist_of
    from ._pure.memory.gist import gist_of_file as gist_of_file
    from ._pure.memory.index_line import TAGS_MARK as TAGS_MARK
    from ._pure.memory.rebuild import HEADER as INDEX_HEADER
    from ._pure.memory.rebuild import index_text as index_text
    from ._pure.memory.rebuild import rebuild_index as rebuild_index
    from ._pure.memory.schema import check_schema as check_schema
    from ._pure.memory.schema import plain_problem as plain_problem
    from ._pure.memory.statement import statement_key as statement_key
    from ._pure.memory.stored_document import describe_file as describe_file
    from ._pure.memory.trust_texts import texts_in as texts_in
    from ._pure.memory.trust_texts import texts_of_memory as texts_of_memory
    from ._pure.memory.validity import HOLDS as HOLDS
    from ._pure.memory.validity import describe_validity as describe_validity
    from ._pure.present.render import render as render
    from ._pure.prompt.after_answer import keep as keep_answer
    from ._pure.prompt.answer import Answer as HookAnswer
    from ._pure.prompt.event import FILE as EVENTS_FILE
    from ._pure.prompt.event import FOLDER as LOG_FOLDER
    from ._pure.prompt.event import MAX_EVENT_LOG_BYTES as MAX_EVENT_LOG_BYTES
    from ._pure.prompt.event import OLDER_FILE as OLDER_EVENTS_FILE
    from ._pure.prompt.event import SENT as SENT
    from ._pure.prompt.event import STAGES as STAGES
    from ._pure.prompt.event import Event as Event
    from ._pure.prompt.event import append as append_event
    from ._pure.prompt.hook_log import MAX_LOG_BYTES as MAX_HOOK_LOG_BYTES
    from ._pure.prompt.hook_log import append as append_hook_log
    from ._pure.prompt.hook_log import is_refused as is_log_refused
    from ._pure.prompt.hook_log import log_path as log_path
    from ._pure.prompt.index_recall import find_hits as find_hits
    from ._pure.prompt.index_recall import load_index as load_index
    from ._pure.prompt.open_models import Compared as Compared
    from ._pure.prompt.open_models import OpenFunction as OpenFunction
    from ._pure.prompt.open_models import OpenModels as OpenModels
    from ._pure.prompt.prompt_path import SHOWN as SHOWN_OUTCOMES
    from ._pure.prompt.prompt_path import answer as answer_prompt_event
    from ._pure.prompt.prompt_path import outcomes_of_lines as outcomes_of_lines
    from ._pure.prompt.shown_last import shown_last as shown_last
    from ._pure.prompt.shown_last import status_line as status_line
    from ._pure.prompt.user_notice import AT_WORK_SECONDS as AT_WORK_SECONDS
    from ._pure.prompt.user_notice import INBOX as INBOX
    from ._pure.prompt.user_notice import MAX_BYTES as MAX_NOTICE_BYTES
    from ._pure.prompt.user_notice import NAME as NOTICE
    from ._pure.prompt.user_notice import STAGING as STAGING
    from ._pure.prompt.user_notice import TOLD as TOLD
    from ._pure.prompt.user_notice import is_failed as is_failed_draft
    from ._pure.prompt.user_notice import undone_files as undone_files
    from ._pure.rank.verdicts import VERDICTS_HEADER as VERDICTS_HEADER
    from ._pure.requests.budget import Budget as Budget
    from ._pure.requests.request import ASKED as ASKED
    from ._pure.requests.request import NAMED as NAMED
    from ._pure.requests.request import SHOWN as SHOWN
    from ._pure.requests.request import Filters as Filters
    from ._pure.requests.request import KeptTerms as KeptTerms
    from ._pure.requests.request import Question as Question
    from ._pure.requests.request import Request as Request
    from ._pure.requests.request import Situation as Situation
    from ._pure.requests.results import Beside as Beside
    from ._pure.requests.results import Feature as Feature
    from ._pure.requests.results import FileStamp as FileStamp
    from ._pure.requests.results import IndexEntry as IndexEntry
    from ._pure.requests.results import IndexLine as IndexLine
    from ._pure.requests.results import JudgeRun as JudgeRun
    from ._pure.requests.results import Packed as Packed
    from ._pure.requests.results import Ranked as Ranked
    from ._pure.requests.results import Ranks as Ranks
    from ._pure.requests.results import ScorePart as ScorePart
    from ._pure.requests.results import StoredMemory as StoredMemory
    from ._pure.requests.results import Term as Term
    from ._pure.requests.results import TermShare as TermShare
    from ._pure.requests.results import Traced as Traced
    from ._pure.settings.capture_settings import CaptureSettings as CaptureSettings
    from ._pure.settings.capture_settings import capture_settings_of as capture_settings_of
    from ._pure.settings.endpoint_place import endpoint_parts as endpoint_parts
    from ._pure.settings.endpoint_place import endpoint_place as endpoint_place
    from ._pure.settings.gate_model import UNIT as LOGIT_UNIT
    from ._pure.settings.gate_model import gate_threshold as gate_threshold
    from ._pure.settings.gate_model import lowest_shown as lowest_shown
    from ._pure.settings.gate_model import probability as probability
    from ._pure.settings.reader import EMBEDDING_URLS as EMBEDDING_URLS
    from ._pure.settings.reader import ENDPOINTS as ENDPOINTS
    from ._pure.settings.reader import GATE_SETTINGS as GATE_SETTINGS
    from ._pure.settings.reader import JUDGE_URLS as JUDGE_URLS
    from ._pure.settings.reader import ONE as FIXED_ONE
    from ._pure.settings.reader import Numbers as Numbers
    from ._pure.settings.reader import Settings as Settings
    from ._pure.settings.recall_settings import RecallSettings as RecallSettings
    from ._pure.settings.settings_files import MAX_SETTINGS_BYTES as MAX_SETTINGS_BYTES
    from ._pure.settings.settings_files import REPOSITORY_FILE as REPOSITORY_FILE
    from ._pure.settings.settings_files import USER_FILE as USER_FILE
    from ._pure.settings.settings_files import EffectiveSettings as EffectiveSettings
    from ._pure.settings.settings_files import read_effective_settings as read_settings_files
    from ._pure.settings.settings_files import read_named_settings as read_settings_of_file
    from ._pure.settings.settings_files import read_user_settings as read_user_settings
    from ._pure.settings.settings_files import user_settings_path as user_settings_path
    from ._pure.settings.strategy import STRATEGIES as STRATEGIES
    from ._pure.settings.strategy import revision_of as revision_of
    from ._pure.settings.table import PLUGIN as PLUGIN_SETTINGS
    from ._pure.settings.table import SettingsTable as SettingsTable
    from ._pure.settings.table import settings_table as settings_table
    from ._pure.settings.unknown import unknown_names as unknown_names
    from ._pure.settings.values import Values as Values
    from ._pure.situation.focus import FILE as FOCUS_FILE
    from ._pure.situation.focus import HEADER as FOCUS_HEADER
    from ._pure.situation.focus import MAX_AREAS as MAX_AREAS
    from ._pure.situation.focus import find_focus as find_focus
    from ._pure.situation.focus import session_place as session_place
    from ._pure.situation.git_state import read_git_state as read_git_state
    from ._pure.situation.prompt_situation import SituationSources as SituationSources
    from ._pure.situation.session_file import FOLDER as SESSIONS
    from ._pure.situation.session_file import LEFT as LEFT
    from ._pure.situation.session_file import MAX_BYTES as MAX_SESSION_BYTES
    from ._pure.situation.session_file import SessionFile as SessionFile
    from ._pure.situation.session_file import note_event as note_session_event
    from ._pure.situation.session_file import open_session as open_session
    from ._pure.situation.session_file import tell_left as tell_left
    from ._pure.situation.stop_decision import decide_event as decide_event
    from ._pure.situation.stop_decision import decide_stop as decide_stop
    from ._pure.situation.transcript_place import find_transcript as find_transcript
    from ._pure.text.letters import SEPARATOR as SEPARATOR
    from ._pure.text.letters import classify as classify
    from ._pure.text.look_alikes import read_characters as read_characters
    from ._pure.text.sanitize import escape_text as escape_text
    from ._pure.text.sanitize import legible_path as legible_path
    from ._pure.text.sanitize import remove_hidden as remove_hidden
    from ._pure.text.stem import stem as stem
    from ._pure.text.stop_words import STOP_WORDS as KEYWORD_STOP_WORDS
    from ._pure.text.substance import is_substantial as is_substantial
    from ._pure.text.substance import join_words as join_words
    from ._pure.text.synonyms import find_others as find_others
    from ._pure.text.term_words import STOP_WORDS as STOP_WORDS
    from ._pure.text.term_words import WEAK_WORDS as WEAK_WORDS
    from ._pure.text.terms import document_terms as document_terms
    from ._pure.text.terms import split_chunks as split_chunks
    from ._pure.text.token_estimate import estimate_tokens as estimate_tokens
    from ._pure.text.typed_text import is_slash_command as is_slash_command
    from ._pure.text.typed_text import typed_text as typed_text
    from ._pure.text.typed_text import without_inserted as without_inserted
    from ._pure.tool.tool_context import answer as answer_tool_context


__all__ = [
    "CONTENT_LABELS",
    "EVENTS_FILE",
    "FOCUS_FILE",
    "FOCUS_HEADER",
    "FIXED_ONE",
    "INDEX_HEADER",
    "KEYWORD_STOP_WORDS",
    "LOGIT_UNIT",
    "LOG_FOLDER",
    "MAX_HOOK_LOG_BYTES",
    "MAX_NOTICE_BYTES",
    "MAX_SESSION_BYTES",
    "NOTICE",
    "OLDER_EVENTS_FILE",
    "PLUGIN_SETTINGS",
    "SESSIONS",
    "SHOWN_OUTCOMES",
    "HOSTED",
    "HOSTED_HEADER",
    "HookAnswer",
    "answer_prompt_event",
    "answer_tool_context",
    "append_event",
    "append_hook_log",
    "backend",
    "engine",
    "guard_tool",
    "hosted_is_stale",
    "is_failed_draft",
    "is_log_refused",
    "keep_answer",
    "native_problem",
    "note_session_event",
    "read_effective_settings",
    "read_event",
    "read_settings_files",
    "read_settings_of_file",
    "snapshot_files",
    "validate_writes",
]

# Small rules that other rooms share with the engine, and the requests of the seam, by the modules of the reference that
# state them. `name=NAME` is a name that the module itself spells differently.
_SHARED = {
    "engine.answers": "Inspected Judged Recalled",
    "engine.hosted": "HOSTED=FOLDER HOSTED_HEADER=HEADER digest_of hosted_is_stale=is_stale hosted_place stamp_of",
    "engine.named": "name_memories",
    "engine.placing": "HEEDED IGNORED MARKED",
    "engine.siblings": "is_sibling",
    "guard.guard": "guard_tool=deny",
    "guard.validate": "validate_writes=validate",
    "host.host": "HOSTS budget_of is_too_short read_event=read_object",
    "host.session": "is_continued read_session read_session_event session_file_name",
    "host.typed": "IDLE_SECONDS LEFT_WORDS Typed",
    "memory.card": "read_card",
    "memory.file_anchors": "anchors_file concrete_anchors",
    "memory.forbidden_code": "BUILT_IN",
    "memory.forbids": "normalize_forbid",
    "memory.document": "Document read_document",
    "memory.gist": "CONTENT_LABELS=LABELS gist_of gist_of_file",
    "memory.index_line": "TAGS_MARK",
    "memory.rebuild": "INDEX_HEADER=HEADER index_text rebuild_index",
    "memory.schema": "check_schema plain_problem",
    "memory.statement": "statement_key",
    "memory.stored_document": "describe_file",
    "memory.trust_texts": "texts_in texts_of_memory",
    "memory.validity": "HOLDS describe_validity",
    "present.render": "render",
    "prompt.after_answer": "keep_answer=keep",
    "prompt.answer": "HookAnswer=Answer",
    "prompt.event": "EVENTS_FILE=FILE Event LOG_FOLDER=FOLDER MAX_EVENT_LOG_BYTES OLDER_EVENTS_FILE=OLDER_FILE "
    "SENT STAGES append_event=append",
    "prompt.hook_log": "MAX_HOOK_LOG_BYTES=MAX_LOG_BYTES append_hook_log=append is_log_refused=is_refused log_path",
    "prompt.index_recall": "find_hits load_index",
    "prompt.prompt_path": "SHOWN_OUTCOMES=SHOWN answer_prompt_event=answer outcomes_of_lines",
    "prompt.shown_last": "shown_last status_line",
    "prompt.user_notice": "AT_WORK_SECONDS INBOX MAX_NOTICE_BYTES=MAX_BYTES NOTICE=NAME STAGING TOLD "
    "is_failed_draft=is_failed undone_files",
    "rank.verdicts": "VERDICTS_HEADER",
    "requests.budget": "Budget",
    "requests.request": "ASKED Filters KeptTerms NAMED Question Request SHOWN Situation",
    "requests.results": "Beside Feature FileStamp IndexEntry IndexLine JudgeRun Packed Ranked Ranks ScorePart "
    "StoredMemory Term TermShare Traced",
    "settings.capture_settings": "CaptureSettings capture_settings_of",
    "settings.endpoint_place": "endpoint_parts endpoint_place",
    "settings.gate_model": "LOGIT_UNIT=UNIT gate_threshold lowest_shown probability",
    "settings.reader": "EMBEDDING_URLS ENDPOINTS FIXED_ONE=ONE GATE_SETTINGS JUDGE_URLS Numbers Settings",
    "settings.recall_settings": "RecallSettings",
    "settings.settings_files": "EffectiveSettings MAX_SETTINGS_BYTES REPOSITORY_FILE USER_FILE "
    "read_settings_files=read_effective_settings read_settings_of_file=read_named_settings "
    "read_user_settings user_settings_path",
    "settings.strategy": "STRATEGIES revision_of",
    "settings.table": "PLUGIN_SETTINGS=PLUGIN SettingsTable settings_table",
    "settings.unknown": "unknown_names",
    "settings.values": "Values",
    "situation.focus": "FOCUS_FILE=FILE FOCUS_HEADER=HEADER MAX_AREAS find_focus session_place",
    "situation.git_state": "read_git_state",
    "situation.prompt_situation": "SituationSources",
    "situation.session_file": "LEFT MAX_SESSION_BYTES=MAX_BYTES SESSIONS=FOLDER SessionFile "
    "note_session_event=note_event open_session tell_left",
    "situation.stop_decision": "decide_event decide_stop",
    "situation.transcript_place": "find_transcript",
    "text.letters": "SEPARATOR classify",
    "text.look_alikes": "read_characters",
    "text.sanitize": "escape_text legible_path remove_hidden",
    "text.stem": "stem",
    "text.stop_words": "KEYWORD_STOP_WORDS=STOP_WORDS",
    "text.substance": "is_substantial join_words",
    "text.synonyms": "find_others",
    "text.term_words": "STOP_WORDS WEAK_WORDS",
    "text.terms": "document_terms split_chunks",
    "text.token_estimate": "estimate_tokens",
    "text.typed_text": "is_slash_command typed_text without_inserted",
    "tool.tool_context": "answer_tool_context=answer",
}
_HOME_OF = {
    name.partition("=")[0]: (home, name.rpartition("=")[2]) for home, names in _SHARED.items() for name in names.split()
}

# What the choice of a backend defines; it is made when the first of these names is used.
_CHOSEN = ("backend", "engine", "native_problem", "snapshot_files")
CHOICES = ("auto", "native", "pure")


def _variable(name: str) -> str:
    """The value of an environment variable; "" if it is not set."""
    if "os" not in sys.modules and sys.platform != "win32":
        # Importing `os` would add a fifth to the start of the interpreter.
        from posix import environ

        return environ.get(name.encode(), b"").decode("utf-8", "replace")
    from os import environ as variables

    return variables.get(name, "")


def _choose() -> None:
    """Choose a backend, and define the names of `_CHOSEN`. Raises BackendError."""
    global backend, engine, native_problem, snapshot_files
    backend, engine, native_problem = _load()  # type: ignore[assignment]
    snapshot_files = ("snapshot", "snapshot.delta") if backend == "native" else ("documents.json",)


def _load() -> tuple[str, object, str]:
    """Load a backend; returns its name, its module, and why the native backend does not load.

    The third value is "" if the native backend loads or was not tried.
    """
    choice = _variable("CUECARD_BACKEND").strip() or "auto"
    if choice not in CHOICES:
        raise BackendError(f"`CUECARD_BACKEND` is `{choice}`", "use `auto`, `native` or `pure`")
    reason = ""
    if choice != "pure":
        try:
            from . import _native
        except ImportError as error:
            reason = str(error)
            if choice == "native":
                raise BackendError(
                    f"the native backend does not load: {reason}", "install a native wheel or unset `CUECARD_BACKEND`"
                ) from error
        else:
            return "native", _native, ""
    from . import _pure

    return "pure", _pure, reason


def read_effective_settings(memory_dir: str) -> "EffectiveSettings":
    """The settings in effect for the store at `memory_dir`, or only the user's if it is "". Never raises."""
    seam = sys.modules[__name__]
    found: EffectiveSettings = seam.read_settings_files(memory_dir, seam.engine.read_settings)
    return found


if TYPE_CHECKING:
    backend: str
    native_problem: str
    # The files of a store's snapshot in its folder of derived files. The second has what was added to the first.
    snapshot_files: tuple[str, ...]
else:

    def __getattr__(name: str) -> object:
        if name in _CHOSEN:
            _choose()
            return globals()[name]
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home, own = _HOME_OF[name]
        # Importing `importlib` would take longer than importing our module.
        found = getattr(__import__(f"cuecard._pure.{home}", fromlist=[own]), own)
        globals()[name] = found
        return found
