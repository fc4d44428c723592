"""The rules of the pure backend that vectors name and the seam does not offer, in the form that vectors call."""

from cuecard._pure.classic.keyword import Query, description_points, explain_entry, match_description
from cuecard._pure.guard.complaint import describe_problems, write_complaint
from cuecard._pure.guard.forbidden_command import is_forbidden
from cuecard._pure.guard.refusal import judge_target, judge_write
from cuecard._pure.guard.shell_commands import find_writes, read_script
from cuecard._pure.guard.store_path import find_store_part
from cuecard._pure.host import session
from cuecard._pure.host.act import read_act
from cuecard._pure.host.host import (
    budget_of,
    is_too_short,
    keeps_context,
    may_drop_answer,
    prompt_source,
    read_payload,
    shows_notices,
    write_answer,
    write_refusal,
    write_tool_context,
)
from cuecard._pure.host.mentioned_paths import mentioned_paths
from cuecard._pure.host.session import (
    count_blocks,
    is_continued,
    read_session_event,
    session_file_name,
    was_compressed,
)
from cuecard._pure.host.tool_event import read_tool_event
from cuecard._pure.host.tool_use import read_tool_use
from cuecard._pure.host.typed import Typed, left_of
from cuecard._pure.memory import forbidden_code, forbids
from cuecard._pure.memory.card import read_card
from cuecard._pure.memory.deep_check import check_record, recency_points
from cuecard._pure.memory.file_anchors import anchors_file, anchors_named, concrete_anchors, is_concrete
from cuecard._pure.memory.gist import gist_of_file
from cuecard._pure.memory.rebuild import index_text, rebuild_index
from cuecard._pure.memory.schema import check_schema
from cuecard._pure.memory.trust_texts import texts_of_memory, trust_notice
from cuecard._pure.present.named_line import pack_named
from cuecard._pure.present.notice import add_notice
from cuecard._pure.present.packing import pack
from cuecard._pure.present.render import render
from cuecard._pure.settings.strategy import find_strategy, revision_of
from cuecard._pure.text.possible_secret import legible_note, may_have_secret
from cuecard._pure.text.sanitize import block_title, legible_path, sanitize_title
from cuecard._pure.text.substance import is_substantial, may_say_remember
from cuecard._pure.text.token_estimate import estimate_tokens
from cuecard._pure.text.tokenize import tokenize
from cuecard._pure.text.typed_text import is_slash_command, typed_text
from cuecard.basics.chars import scrub
from cuecard.basics.digest import sha256_hex
from cuecard.basics.timestamp import parse_timestamp

__all__ = [
    "is_stop_due",
    "is_substantial",
    "left_of",
    "legible_note",
    "may_have_secret",
    "may_say_remember",
    "note_typed",
    "check_schema",
    "count_code",
    "covers",
    "imported_modules",
    "is_module",
    "normalize_forbid",
    "read_act",
    "read_spoken",
    "runs_forbidden",
    "add_notice",
    "anchors_file",
    "anchors_named",
    "block_title",
    "budget_of",
    "check_record",
    "concrete_anchors",
    "count_blocks",
    "describe_problems",
    "estimate_tokens",
    "find_store_part",
    "find_strategy",
    "find_writes",
    "gist_of_file",
    "index_text",
    "is_concrete",
    "is_continued",
    "is_slash_command",
    "is_too_short",
    "judge_target",
    "judge_write",
    "keeps_context",
    "legible_path",
    "may_drop_answer",
    "mentioned_paths",
    "pack",
    "pack_named",
    "parse_timestamp",
    "read_card",
    "read_named",
    "prompt_source",
    "read_payload",
    "read_session",
    "read_session_event",
    "read_tool_event",
    "read_tool_use",
    "rebuild_index",
    "recency_points",
    "render",
    "revision_of",
    "sanitize_title",
    "score_description",
    "score_entry",
    "session_file_name",
    "sha256_hex",
    "shows_notices",
    "texts_of_memory",
    "trust_notice",
    "typed_text",
    "was_compressed",
    "write_answer",
    "write_complaint",
    "write_refusal",
    "write_session",
    "write_tool_context",
]


def score_entry(prompt: str, title: str, tags: list[str], revision: str) -> int:
    """The points of a title and its tags (in lower case) for a prompt (SPEC 7.1)."""
    parts = explain_entry(Query(prompt, revision, []), "", frozenset(tokenize(title, "current")), frozenset(tags))
    return sum([points for _kind, _token, _matched, points in parts])


def score_description(prompt: str, description: str, revision: str) -> int:
    """The points of a category's description for a prompt, from 0 to 2 (SPEC 7.2)."""
    return description_points(*match_description(Query(prompt, revision, []), description), revision)


def count_code(text: str, code: str) -> int:
    """How often a text has a piece of code."""
    return forbidden_code.count_code(scrub(text), scrub(code))


def imported_modules(text: str, path: str) -> list[str]:
    """The modules that the lines of a file import."""
    return forbidden_code.imported_modules(scrub(text), scrub(path))


def is_module(name: str, module: str) -> bool:
    """Whether a module is a forbidden one."""
    return forbidden_code.is_module(scrub(name), scrub(module))


def normalize_forbid(entry: str) -> str | None:
    """The normal form of an entry."""
    return forbids.normalize_forbid(scrub(entry))


def covers(pattern: str, path: str) -> bool:
    """Whether a path or pattern covers a file."""
    return forbids.covers(scrub(pattern), scrub(path))


def runs_forbidden(script: str, forbidden: str) -> list[str]:
    """The folder of each command of a script that is a forbidden one."""
    commands, _writes = read_script(script, "/p", "/h", "/c")
    return [folder for folder, words in commands if is_forbidden(words, forbidden)]


# The facts about typed prompts: three counts, the letters of the flags, the host and the path of the transcript.
FactsRow = tuple[int, int, int, str, str, str]
Files = list[tuple[str, int, int]]


def read_session(data: bytes) -> tuple[list[str], Files, Files, int, FactsRow | None]:
    """What the file of a session holds."""
    prompts, shown, titled, blocks, typed, _spoken, _named = session.read_session(data)
    return prompts, shown, titled, blocks, typed.row if typed else None


def read_spoken(data: bytes) -> list[tuple[int, str]]:
    """The memories that have spoken at an act."""
    return session.read_session(data).spoken


def read_named(data: bytes) -> Files:
    """The memories that were only named."""
    return session.read_session(data).named


def write_session(
    prompts: list[str],
    shown: Files,
    titled: Files,
    blocks: int = 0,
    typed: FactsRow | None = None,
    spoken: "list[tuple[int, str]] | tuple[()]" = (),
    named: "Files | tuple[()]" = (),
) -> bytes:
    """The bytes of the file of a session."""
    memories = {"shown": shown, "titled": titled, "named": [*named]}
    return session.write_session(prompts, memories, blocks, _typed_of(typed) if typed else None, spoken)


def note_typed(typed: FactsRow, prompt: str) -> FactsRow:
    """The facts after a prompt was typed."""
    facts = _typed_of(typed)
    facts.note(prompt)
    return facts.row


def is_stop_due(typed: FactsRow, may_ask: bool, every: int) -> bool:
    """Whether a stop has anything to do because of these facts."""
    return _typed_of(typed).is_due(may_ask=may_ask, every=every)


def _typed_of(row: FactsRow) -> Typed:
    count, read, due_at, flags, host, transcript = row
    return Typed((count, read, due_at), flags, f"{host} {transcript}")
