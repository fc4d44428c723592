"""The native backend: what Python asks of the engine, and of the core where it needs speed.

A prompt passes `run_hook`, or, where Python asks a model in between, `recall_memories` and `pack_memories`. Whoever
searches asks a `Snapshot` or `recall_memories`. `cuecard._pure` has the same names with the same answers.
"""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from types import ModuleType
from typing import final

from ._pure.request import Question, Request

__all__ = [
    "Documents",
    "Index",
    "IndexMd",
    "RecalledMemory",
    "Settings",
    "Snapshot",
    "__version__",
    "build_snapshot",
    "check_record",
    "check_schema",
    "describe_file",
    "describe_problems",
    "find_store_part",
    "find_writes",
    "instruction_signs",
    "judge_write",
    "nearest_rows",
    "parts",
    "parse_index_line",
    "pack_memories",
    "read_settings",
    "read_tool_use",
    "rebuild_index",
    "recall_memories",
    "run_hook",
    "tokenize",
    "trust_hash",
    "verify_memory",
    "write_complaint",
    "write_denial",
]

__version__: str

_Numbers = tuple[float, tuple[float, float, float], tuple[float, float, float]]
_File = tuple[str, str, bytes | None, int, int]
_Document = str | Sequence[str] | Mapping[str, str]

@final
class Documents:
    """Memory files on their way into a snapshot: read once, indexed later."""

    def __new__(cls, files: list[_File] | None = None) -> Documents: ...
    def __len__(self) -> int: ...
    def add(self, category: str, path: str, data: bytes | None, size: int, modified: int) -> None: ...

@final
class Index:
    """A plain index of texts with BM25, in memory or in a file; `cuecard.Index` documents it."""

    def __new__(cls) -> Index: ...
    @staticmethod
    def build(
        documents: Iterable[_Document],
        *,
        analyzer: str = "terms",
        k1: float = 1.2,
        b: float = 0.75,
        threads: int = 0,
    ) -> Index: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> Index: ...
    def save(self, path: str | PathLike[str] | None = None, *, fsync: bool = True) -> None: ...
    def add(self, documents: Iterable[_Document]) -> None: ...
    def search(self, query: str | Sequence[str], k: int = 10) -> list[tuple[int, int]]: ...
    def search_many(
        self, queries: Iterable[str | Sequence[str]], k: int = 10, *, threads: int = 1
    ) -> list[list[tuple[int, int]]]: ...
    def scores(self, query: str | Sequence[str]) -> list[int]: ...
    def explain(self, query: str | Sequence[str], number: int) -> list[tuple[str, int, int]]: ...
    def __len__(self) -> int: ...
    @property
    def analyzer(self) -> str: ...

@final
class IndexMd:
    """The entries of an `index.md`, and the keyword scorer over them (SPEC 6 to 8)."""

    def __new__(cls, data: bytes) -> IndexMd: ...
    def __len__(self) -> int: ...
    def bad_lines(self) -> list[tuple[int, str]]: ...
    def entry(self, position: int) -> tuple[str, str, str, list[str], int]: ...
    def shortlist(self, prompt: str, revision: str, descriptions: list[tuple[str, str]]) -> list[tuple[int, int]]: ...
    def rank(self, shortlist: list[tuple[int, int]], verdicts: list[int | None]) -> list[tuple[int, int]]: ...
    def explain(
        self, position: int, prompt: str, revision: str, descriptions: list[tuple[str, str]]
    ) -> list[tuple[str, str, str, int]]: ...

@final
class RecalledMemory:
    """A memory that was found, as its own file has it; one that is passed over for the gate, as the snapshot has it.

    `position` is where the snapshot has it, `found_as` where the one was found whose place it has taken. `parts` are
    category, title, path and tags. `score` includes the points of `recency`; `logit` and `probability` are those of the
    gate, in 1/1024, None without one; `count` is how many `hybrid` was asked for. `seen` is what a session notes: path,
    size and time of the file (nanoseconds since 1970); `is_more`, whether more than the title may be shown. `level` is
    who vouches for it (`own`, `reviewed`, `unreviewed`), None where nobody has asked. `gist` is a sentence from the
    file. Reading a property copies it.
    """

    @property
    def position(self) -> int: ...
    @property
    def found_as(self) -> int: ...
    @property
    def parts(self) -> tuple[str, str, str, list[str]]: ...
    @property
    def status(self) -> str: ...
    @property
    def score(self) -> int: ...
    @property
    def recency(self) -> int: ...
    @property
    def logit(self) -> int | None: ...
    @property
    def probability(self) -> int | None: ...
    @property
    def count(self) -> int: ...
    @property
    def seen(self) -> tuple[str, int, int]: ...
    @property
    def is_more(self) -> bool: ...
    @property
    def level(self) -> str | None: ...
    @property
    def is_unreviewed(self) -> bool: ...
    @property
    def is_withheld(self) -> bool: ...
    @property
    def gist(self) -> str: ...
    def heeds_paths(self, paths: list[str]) -> bool: ...

@final
class Settings:
    """The settings that count for a store. Weights and shifts are in 1/1024; categories in capitals."""

    def __new__(cls) -> Settings: ...
    @property
    def enabled(self) -> bool: ...
    @property
    def max_inject(self) -> int: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def strategy(self) -> str: ...
    @property
    def repository_strategy(self) -> str: ...
    @property
    def descriptions(self) -> list[tuple[str, str]]: ...
    @property
    def user_descriptions(self) -> list[tuple[str, str]]: ...
    @property
    def gate_setting(self) -> str: ...
    @property
    def gate_shift(self) -> int: ...
    @property
    def fusion(self) -> str: ...
    @property
    def rrf_k(self) -> int: ...
    @property
    def lexical_weight(self) -> int: ...
    @property
    def semantic_weight(self) -> int: ...
    @property
    def graph_weight(self) -> int: ...
    @property
    def embedding_weight(self) -> int: ...
    @property
    def candidate_pool(self) -> int: ...
    @property
    def numbers(self) -> _Numbers: ...
    @property
    def synonyms(self) -> list[list[str]]: ...
    @property
    def related_terms(self) -> bool: ...
    @property
    def graph(self) -> bool: ...
    @property
    def priors(self) -> bool: ...
    @property
    def half_life_seconds(self) -> int: ...
    @property
    def decay_categories(self) -> list[str]: ...
    @property
    def session(self) -> bool: ...
    @property
    def situation_paths(self) -> bool: ...
    @property
    def situation_git(self) -> bool: ...
    @property
    def situation_focus(self) -> bool: ...
    @property
    def situation_need(self) -> bool: ...
    @property
    def has_embedder(self) -> bool: ...
    @property
    def embedding_ms(self) -> int: ...
    @property
    def embedding_place(self) -> str | None: ...
    @property
    def judge_ms(self) -> int: ...
    @property
    def judge_place(self) -> str | None: ...
    @property
    def user_places(self) -> list[str]: ...
    @property
    def log_events(self) -> bool: ...
    @property
    def log_prompts(self) -> bool: ...
    @property
    def reviews_trust(self) -> bool: ...
    @property
    def members(self) -> dict[str, object]: ...
    @property
    def ignored(self) -> list[str]: ...
    @property
    def problems(self) -> list[str]: ...
    @property
    def user_problems(self) -> list[str]: ...
    @staticmethod
    def gate_threshold(setting: str) -> int | None: ...

@final
class Snapshot:
    """The memories of a store as they were when the snapshot was made (SPEC 22); frozen, and shared by threads.

    A document's position is its number in its segment, behind those of the segments before. Files that are opened are
    mapped: only the pages that are looked at come into memory. Scores are in no unit but for `hybrid` (1/4096), logits
    and probabilities in 1/1024, times in microseconds since 1970, those of files in nanoseconds. Searches leave the
    interpreter's lock and take well under a millisecond for thousands of memories. SegmentError is raised for bytes
    that are no snapshot, StoreError for a file that cannot be read, IndexError for a position in `explain` and `trace`
    that has no document, UsageError for an unknown strategy, setting or status.
    """

    def __new__(cls, base: bytes, delta: bytes | None = None) -> Snapshot: ...
    @staticmethod
    def open(path: str) -> Snapshot: ...
    @staticmethod
    def of_files(base: int, delta: int | None = None) -> Snapshot: ...
    def with_delta(self, delta: bytes) -> Snapshot: ...
    def __len__(self) -> int: ...
    def watermark(self) -> list[int]: ...
    def has_settings(self, numbers: _Numbers) -> bool: ...
    def document(self, position: int) -> tuple[str, str, int | None, int | None, int, int] | None: ...
    def without_path(self, position: int, paths: list[str], logit: int) -> tuple[int, int]: ...
    def find(self, path: str) -> int | None: ...
    def files(self, folder: str) -> list[tuple[str, int, int]]: ...
    def find_unchanged(self, files: list[tuple[str, int, int]]) -> list[int | None]: ...
    def active_lines(self) -> list[str]: ...
    def check(self) -> None: ...
    def search(self, request: Request, strategy: str) -> list[tuple[int, int]]:
        """Position and score of the best documents that the request accepts, best first."""

    def explain(self, position: int, request: Request, strategy: str) -> list[tuple[str, str, str, int]]:
        """Kind, piece of the prompt, what it matched and points of each part of a score; they sum to it."""

    def recall(self, request: Request, setting: str) -> list[tuple[int, int, int, int]]:
        """Position, score, logit and probability of what the gate lets through, best first."""

    def judge(self, request: Request) -> tuple[bool, list[tuple[int, int, int, int]]]:
        """Whether the prompt is nothing but a courtesy, and the same as `recall` of what the gate looks at."""

    def trace(
        self, position: int, request: Request
    ) -> tuple[
        list[str],
        list[tuple[str, int, str]],
        tuple[int, int, int, int, int | None, int, int] | None,
        list[tuple[str, str, str, int]],
        list[tuple[str, int, int]],
    ]:
        """Cues, terms with weights and words; ranks, the parts of the score and the features of the gate."""

    def anchored(self, path: str) -> list[int]: ...
    def anchored_name(self, name: str) -> list[int]: ...
    def anchored_below(self, folder: str) -> list[int]: ...
    def successor(self, position: int) -> int: ...
    def order_keyword(self, hits: list[tuple[int, int]]) -> list[tuple[int, int]]: ...
    def deltas(self) -> int: ...
    def delta_bytes(self) -> int: ...
    def is_partial(self) -> bool: ...
    def count_files(self, folder: str) -> int: ...
    def unfit_files(self, folder: str) -> list[tuple[str, int, int]]: ...
    def update(
        self,
        changed: list[_File] | Documents,
        removed: list[str],
        watermark: list[int],
        is_whole: bool,
        merge_limit: int | None = None,
    ) -> tuple[bytes | None, bytes, list[tuple[str, str]]] | None:
        """The bytes of base and deltas after files were written or removed, and what has no document (SPEC 22.4).

        A base of None stays; a delta of b"" is to be removed. None where only a new build can do it.
        """

parts: ModuleType
"""The rules that Python has in one place, `cuecard._pure`, and the engine in another: for the parity suite alone.

Every name of `cuecard._pure` that is not at this level is a function here, with the signature that it has there.
"""

def build_snapshot(
    files: list[_File] | Documents, watermark: list[int], numbers: _Numbers, threads: int = 1
) -> tuple[bytes, list[tuple[str, str]]]:
    """The bytes of a snapshot (SPEC 22), and path and reason of each file without a document.

    `watermark` has when each of the six folders had changed, in nanoseconds since 1970; `numbers` are those of
    `Settings.numbers`. The bytes are the same for any number of threads. Takes milliseconds for a thousand files,
    without the interpreter's lock unless the files were read before.
    """

def check_record(data: bytes, now: int, only_active: bool = False) -> int | None:
    """The points of recency that the plugin gives a memory by its file; None where it must not be shown (SPEC 8).

    `now` is in microseconds since 1970.
    """

def check_schema(data: bytes, schema: bytes) -> list[tuple[str, str, str]]:
    """What of a file does not fit a JSON Schema: field, what is expected there, what was found.

    The last schema is kept, so that many files are held against it at the cost of reading it once.
    """

def describe_file(
    category: str, path: str, data: bytes, size: int, modified: int
) -> tuple[str, str, int | None, int | None, int, int] | None:
    """What a snapshot says of a memory file, as `Snapshot.document`; None for what is no memory."""

def describe_problems(file: str, aside: str, problems: list[tuple[str, str, str]]) -> tuple[str, str]:
    """What an agent is told about a file that is no memory: why it was refused, and what to do (SPEC 35)."""

def find_store_part(path: str) -> str | None:
    """The part of a path from the store on, by its words alone; None outside of stores."""

def find_writes(action: str, subject: str, cwd: str, home: str, project: str) -> list[tuple[str, str]]:
    """What a tool writes, in its order, at most 1,000: `write`, `remove` or `move`, and the path with dots and links as
    they are (SPEC 16).

    `action` and `subject` are those of `read_tool_use`; `project` is `CLAUDE_PROJECT_DIR`, "" where it is not set. In a
    path U+0000 stands for what only the shell could know.
    """

def instruction_signs(text: str) -> list[str]:
    """The names of what in a text addresses a model, its tools or secrets (SPEC 52.5)."""

def judge_write(path: str, action: str, exists: bool) -> str | None:
    """Why a write must not happen; None where it may.

    `action` is `write`, `remove` or `move`; `exists` is whether there is a file at the path, whose links are followed
    by the caller.
    """

def nearest_rows(rows: bytes, dimension: int, query: bytes, k: int) -> list[tuple[int, int]]:
    """Number and cosine (in 1/4096) of the `k` rows of signed bytes that are nearest to one, best first (SPEC 46).

    Looks at every row, without the interpreter's lock.
    """

def pack_memories(
    root: str, prompt: str, memories: list[RecalledMemory], max_tokens: int, budget_chars: int
) -> tuple[str, list[str], int]:
    """The block of some memories, what becomes of each (`full`, `gist`, `title`, `line`, `duplicate` or `budget`), and
    the estimated tokens (SPEC 39).

    `root` is the folder of the project. Looks at the files that the memories are about.
    """

def parse_index_line(line: str) -> tuple[str, str, str, list[str]] | None:
    """Category, title, path and tags of a line of `index.md` (SPEC 6); None for what is none."""

def read_settings(user: bytes | None, repository: bytes | None) -> Settings:
    """The settings that count, from the bytes of both files (SPEC 54). A bad value has its default and is noted."""

def read_tool_use(data: bytes) -> tuple[list[tuple[str, str]], str | None]:
    """What a tool does, as far as a guard cares, and the working directory.

    `write`, `remove` or `move` with a path, `shell` or `powershell` with a command. Raises PayloadError.
    """

def rebuild_index(
    records: list[tuple[str, str, bytes | None]],
) -> tuple[str, list[tuple[str, str]], bool]:
    """The text of `index.md` for category, path and content of each file (SPEC 13), path and reason of those left out,
    and whether one of these is damaged."""

def recall_memories(
    snapshot: Snapshot, root: str, question: Question
) -> tuple[list[RecalledMemory], list[tuple[RecalledMemory, str]], bool, list[str]]:
    """The memories for a question, best first, as the hook finds them, before they are packed.

    Then those passed over, with the reason: the first that the gate holds back (`gate`), those whose place another one
    has taken (`superseded`), those that address the model without anybody to vouch for them (`withheld`); whether the
    prompt is nothing but a courtesy; and a sentence for each file that cannot be read. `root` is the folder of the
    project. Reads the files of the memories that are found, without the interpreter's lock. Raises UsageError for a
    strategy, a setting or a status.
    """

def run_hook(arguments: list[str]) -> bytes | None:
    """Answer one event of a host on the standard streams of this process, as the executable does (SPEC 14).

    None where that is done, else the payload of a prompt whose settings ask a model, which Python has to answer. Never
    raises for what the host sends.
    """

def tokenize(text: str, revision: str) -> list[str]:
    """The tokens of a text for the keyword scorer (SPEC 3). Raises UsageError for a revision."""

def trust_hash(data: bytes) -> str | None:
    """What a memory is vouched for by, in hexadecimal (SPEC 52.1); None for what is no JSON object."""

def verify_memory(snapshot: Snapshot, root: str, position: int, review: str) -> tuple[RecalledMemory | None, list[str]]:
    """The memory at a position as its own file has it, whatever its status, and what is wrong with the file.

    `review` is that of a `Question`. None where the memory must not be shown.
    """

def write_complaint(reason: str, context: str) -> bytes:
    """What a host is told about a write that was set aside."""

def write_denial(reason: str) -> bytes:
    """What a host is told about a write that is refused."""
