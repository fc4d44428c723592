"""The seam: what Python asks its backend for. This file describes the native backend, which is the Rust engine.

`cuecard._pure` offers the same names with the same answers. Answers with several fields are objects of the classes in
`_pure/requests/results.py` and `_pure/engine/answers.py`, which describe the fields. A prompt of a host passes
`run_hook` or `answer_prompt`, and the engine calls back into Python when it asks a model. A search asks a `Snapshot`,
or `recall_memories`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import final

from ._backend import (
    Beside,
    Budget,
    FileStamp,
    IndexEntry,
    IndexLine,
    Inspected,
    Judged,
    OpenFunction,
    Packed,
    Question,
    Ranked,
    Recalled,
    Request,
    ScorePart,
    StoredMemory,
    TermShare,
    Traced,
    Verdict,
)

__all__ = [
    "Index",
    "IndexMd",
    "Loaded",
    "RecalledMemory",
    "Settings",
    "Snapshot",
    "__version__",
    "answer_prompt",
    "document_row",
    "inspect_snapshot",
    "instruction_signs",
    "judge_memories",
    "load_snapshot",
    "nearest_rows",
    "parse_index_line",
    "pack_memories",
    "read_settings",
    "recall_memories",
    "run_hook",
    "tokenize",
    "trust_hash",
    "verify_memory",
]

__version__: str

_Numbers = tuple[float, tuple[float, ...], tuple[float, ...]]
_Changes = tuple[list[int] | None, list[int], list[str]]
_Document = str | Sequence[str] | Mapping[str, str]

@final
class Index:
    """A plain index of texts with BM25, in memory or in a file. `cuecard.Index` documents it."""

    @staticmethod
    def build(
        documents: Iterable[_Document],
        *,
        analyzer: str = "terms",
        k1: float = 1.2,
        b: float = 0.75,
        threads: int = 0,
    ) -> Index:
        """Build an index of texts, of lists of terms, or of mappings with the members `title`, `tags` and `body`.

        Terms of a list are taken as they are. `analyzer` makes terms of texts: `terms` splits identifiers and stems,
        `words` takes the runs of the letters a to z and of digits. `k1` (0 to 10) and `b` (0 to 1) are those of BM25.
        With `threads` 0, every processor is used. Raises UsageError.
        """

    @staticmethod
    def open(path: str | PathLike[str]) -> Index:
        """Open the index that is saved at a path. The file is mapped.

        Raises StoreError if it cannot be read, and SegmentError if it is damaged or is not an index.
        """

    def save(self, path: str | PathLike[str] | None = None, *, fsync: bool = True) -> None:
        """Write the index to a path, by default to the path where it was opened or saved.

        A reader sees either the old index or the new one. If the path has the index already, only the documents that
        were added since are written, to a file with the ending `.delta`. With `fsync`, the files survive a crash of the
        machine. Raises WriteError, and UsageError without a path.
        """

    def add(self, documents: Iterable[_Document]) -> None:
        """Append documents, as `build` takes them: all or none. The next search finds them. Raises UsageError."""

    def search(self, query: str | Sequence[str], k: int = 10) -> list[tuple[int, int]]:
        """Return number and score of the best `k` documents for a text or a list of terms, best first."""

    def search_many(
        self, queries: Iterable[str | Sequence[str]], k: int = 10, *, threads: int = 1
    ) -> list[list[tuple[int, int]]]:
        """Return the result of `search` for each query. With `threads` 0, every processor is used."""

    def scores(self, query: str | Sequence[str]) -> list[int]:
        """Return the score of every document; it is 0 if nothing matches."""

    def explain(self, query: str | Sequence[str], number: int) -> list[TermShare]:
        """Return the terms of a query that a document has. The products of weight and impact sum to its score."""

    def __len__(self) -> int:
        """Return the number of documents."""

    @property
    def analyzer(self) -> str:
        """The name of the analyzer, which makes terms of texts."""

@final
class IndexMd:
    """The memories that an `index.md` lists, and the keyword scorer for them (SPEC 6 to 8).

    Shortlists name a memory by its position in `entries`.
    """

    def __new__(cls, data: bytes) -> IndexMd:
        """Read the bytes of an `index.md`. Lines that are not a memory are left out."""

    @property
    def entries(self) -> list[IndexEntry]:
        """The memories, in the order of their lines. Each access makes a new list."""

    @property
    def bad_lines(self) -> list[tuple[int, str]]:
        """Number and reason of each line that begins like a memory but cannot be read as a memory.

        The reasons are `category`, `title`, `tags`, `encoding` and `length`.
        """

    def shortlist(self, prompt: str, revision: str, descriptions: list[tuple[str, str]]) -> list[tuple[int, int]]:
        """Return position and score of every memory that a prompt matches, best first (SPEC 7.4). Raises UsageError."""

    def rank(self, shortlist: list[tuple[int, int]], verdicts: list[int | None]) -> list[tuple[int, int]]:
        """Return a shortlist after the check of the files of its first members (SPEC 8.3).

        `verdicts` has one value for each member that was checked: None removes the member, and a number is added to
        its score. Raises IndexError.
        """

    def explain(
        self, position: int, prompt: str, revision: str, descriptions: list[tuple[str, str]]
    ) -> list[ScorePart]:
        """Return the parts of a memory's score for a prompt (SPEC 7.5). Raises IndexError."""

@final
class Loaded:
    """The snapshot of a store, brought up to date, and its files that are not on disk yet."""

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot, ready for searches."""

    @property
    def notes(self) -> list[str]:
        """A sentence for each file that was left out, and one if files are left to later prompts."""

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """Path and reason of each file that was left out when all memories were read."""

    @property
    def is_complete(self) -> bool:
        """Whether the snapshot has all memories, as far as is known."""

    @property
    def completes(self) -> bool:
        """Whether the snapshot is one file, and replaces one on disk that is partial or has many parts."""

    @property
    def index_text(self) -> str | None:
        """The text of the `index.md` to write; None if the file stays as it is."""

    @property
    def index_made(self) -> int:
        """The modification time that `index.md` gets, in nanoseconds since 1970."""

    @property
    def is_on_disk(self) -> bool:
        """Whether `write` has nothing to do."""

    def write(self) -> None:
        """Write the files of the snapshot. Raises OSError."""

@final
class RecalledMemory:
    """A memory that was found, with the content of its own file. Reading a property copies the value.

    A memory that the gate rejects has the content that the snapshot has.
    """

    @property
    def position(self) -> int:
        """The position in the snapshot."""

    @property
    def found_as(self) -> int:
        """The position of the memory that the search found, which this memory may have superseded."""

    @property
    def parts(self) -> IndexLine:
        """Category, title, path and tags."""

    @property
    def status(self) -> str:
        """The status, such as `active`."""

    @property
    def holds(self) -> str:
        """Whether the memory is valid at the time of the question: `holds`, `over` or `ahead`."""

    @property
    def score(self) -> int:
        """The score, which includes the points of `recency`."""

    @property
    def recency(self) -> int:
        """The points that the keyword retriever gives for a recent change."""

    @property
    def logit(self) -> int | None:
        """The gate's logit, in 1/1024; None for a strategy without a gate."""

    @property
    def probability(self) -> int | None:
        """The gate's probability, in 1/1024; None for a strategy without a gate."""

    @property
    def count(self) -> int:
        """The number of memories that the hybrid search was asked for."""

    @property
    def seen(self) -> FileStamp:
        """The file, as a session remembers the memory."""

    @property
    def is_more(self) -> bool:
        """Whether more than the title may be shown."""

    @property
    def level(self) -> str | None:
        """Who vouches for the memory: `own`, `reviewed` or `unreviewed`; None if that was not looked up."""

    @property
    def is_unreviewed(self) -> bool:
        """Whether trust was looked up and nobody vouches for the memory."""

    @property
    def is_withheld(self) -> bool:
        """Whether the memory is withheld from agents."""

    @property
    def beside(self) -> Beside | None:
        """The surer memory of the same subject beside which this memory is shown; None if there is none."""

    @property
    def gist(self) -> str:
        """The gist of the memory, which is one sentence."""

    @property
    def scope(self) -> str:
        """The scope of the memory's store, as a block shows it; "" for the project's own store."""

    @property
    def root(self) -> str | None:
        """The folder of the store's project; None if only one store is searched."""

    def heeds_paths(self, paths: list[str]) -> bool:
        """Return whether the gate may count that the prompt names these paths (SPEC 45.4)."""

@final
class Settings:
    """The settings that count for a store. Weights and shifts are in 1/1024; categories in capitals."""

    @property
    def enabled(self) -> bool:
        """Whether prompts are answered."""

    @property
    def max_inject(self) -> int:
        """How many memories a prompt gets at most."""

    @property
    def max_tokens(self) -> int:
        """The most estimated tokens of what is injected."""

    @property
    def strategy(self) -> str:
        """The name of the strategy that counts."""

    @property
    def repository_strategy(self) -> str:
        """The strategy that the repository names, whether or not it counts."""

    @property
    def descriptions(self) -> list[tuple[str, str]]:
        """Lower-case category and description, sorted by category."""

    @property
    def user_descriptions(self) -> list[tuple[str, str]]:
        """The descriptions of the user's own file."""

    @property
    def gate_setting(self) -> str:
        """`precise`, `balanced`, `eager` or `off`."""

    @property
    def gate_shift(self) -> int:
        """What is added to the gate's lowest logit."""

    @property
    def candidate_pool(self) -> int:
        """So many candidates come from the semantic retriever, and twice as many from the lexical one."""

    @property
    def numbers(self) -> _Numbers:
        """k1 of BM25; weights of title, tags, questions and body; b of each. A snapshot is made with them."""

    @property
    def synonyms(self) -> list[list[str]]:
        """Groups of words that mean the same."""

    @property
    def session(self) -> bool:
        """Whether a session's history counts and nothing is shown to it twice."""

    @property
    def situation_paths(self) -> bool:
        """Whether paths in a prompt favour the memories that are anchored to them."""

    @property
    def situation_git(self) -> bool:
        """Whether the branch and the files changed in the working tree count."""

    @property
    def situation_focus(self) -> bool:
        """Whether the focus that a user has set counts."""

    @property
    def situation_need(self) -> bool:
        """Whether memories are also shown before a tool touches a file and after a failed command."""

    @property
    def has_embedder(self) -> bool:
        """Whether a model other than the built-in table makes vectors."""

    @property
    def embedding_ms(self) -> int:
        """Milliseconds that an endpoint may take for a prompt's vector; 0 where there is no endpoint."""

    @property
    def judge_ms(self) -> int:
        """Milliseconds that the judge may take; 0 where none is asked."""

    @property
    def user_embedding_place(self) -> str | None:
        """The place of the embedding endpoint in the user's own file; None where there is none."""

    @property
    def user_judge_place(self) -> str | None:
        """The place of the judge's endpoint in the user's own file; None where there is none."""

    @property
    def log_events(self) -> bool:
        """Whether an event is logged for each decision."""

    @property
    def holdout(self) -> int:
        """In how many of a hundred sessions a memory near the gate's limit is withheld; 0 for none."""

    @property
    def log_prompts(self) -> bool:
        """Whether the event has the prompt's text."""

    @property
    def reviews_trust(self) -> bool:
        """Whether memories must be vouched for; otherwise each counts as reviewed."""

    @property
    def scopes_parent(self) -> bool:
        """Whether the store of the enclosing project counts."""

    @property
    def scopes_user(self) -> bool:
        """Whether the user's own store counts."""

    @property
    def scopes_team(self) -> bool:
        """Whether the packs of teams count."""

    @property
    def scopes_exclude(self) -> list[str]:
        """The folders in which neither the user's store nor packs count."""

    @property
    def scopes_teams(self) -> list[str]:
        """The names of the teams that the user has joined, each once."""

    @property
    def members(self) -> dict[str, object]:
        """What the two files say, as far as it counts, as JSON."""

    @property
    def ignored(self) -> list[str]:
        """A sentence for each part of the files that does not count."""

    @property
    def problems(self) -> list[str]:
        """A sentence for each value that was replaced by its default."""

    @property
    def user_problems(self) -> list[str]:
        """Those of the problems that the user's own file has."""

@final
class Snapshot:
    """The memories of a store as they were when the snapshot was made (SPEC 22).

    It is frozen, and threads may share it. A document's position is its number, counted from 0. Files on disk are
    mapped, so only the pages that a search needs come into memory. Scores of `hybrid` are in 1/4096; the scores of
    other strategies have no unit. Searches release the interpreter's lock. Raises IndexError for a position without a
    document in `explain` and `trace`, and UsageError for an unknown strategy, setting or status.
    """

    @staticmethod
    def join(stores: list[tuple[Snapshot, str, str, bool, bool]]) -> Snapshot:
        """The snapshot of all documents of several stores, the nearest first (SPEC 48.6).

        Each has its snapshot, the folder of its project, its scope ("" for the project's own), whether it is the user's
        own store, and whether the one before it hides what both have at the same path.
        """

    def __len__(self) -> int:
        """Return the number of documents."""

    def document(self, position: int) -> StoredMemory | None:
        """Return what the snapshot says of the document at a position; None if there is none or it is damaged."""

    def find(self, path: str, size: int | None = None, modified: int | None = None) -> int | None:
        """Return the position of the document at a path; None if there is none.

        With size and modification time of a file, None also if the document is of another state of the file.
        """

    @property
    def active_lines(self) -> list[str]:
        """The index lines of the active documents, in the order of `index.md`. This reads every document."""

    def search(self, request: Request, strategy: str) -> list[tuple[int, int]]:
        """Return position and score of the best documents that the request accepts, best first."""

    def explain(self, position: int, request: Request, strategy: str) -> list[ScorePart]:
        """Return the parts of a document's score, which sum to the score."""

    def recall(self, request: Request, setting: str) -> list[Ranked]:
        """Return the documents that the gate lets through with a setting, best first."""

    def trace(self, position: int, request: Request) -> Traced:
        """Return how hybrid recall ranks and judges a document for a request."""

    def is_anchored(self, path: str) -> bool:
        """Return whether an active document has an anchor for a path.

        Such an anchor covers the file, ends with this name of a file, or is below this folder (SPEC 33.2).
        """

    def vouched_part(self, root: str, review: str) -> Snapshot | None:
        """Return the snapshot of the documents that the user vouches for, with the same positions (SPEC 45.10).

        None if the user vouches for all documents or for none.
        """

def answer_prompt(payload: bytes, host: str, open_models: OpenFunction) -> str:
    """Return the text to print for a prompt of a host. What follows an answer is written before this returns.

    `open_models` has the same meaning as in `run_hook`. Raises UsageError for an unknown host.
    """

def document_row(title: str, tags: str, body: str) -> tuple[list[int], int]:
    """Return the vector of a document by the words of its texts, and the norm of the vector (SPEC 24)."""

def inspect_snapshot(root: str, numbers: _Numbers) -> Inspected:
    """Return what is known of the snapshot of a project on disk. Every byte of its files is checked."""

def instruction_signs(text: str, *, learned: bool = False) -> list[str]:
    """Return the reasons why a text seems to address the model, its tools or secrets (SPEC 45.5).

    With `learned`, for a text that nobody vouches for, a text without another reason may have a learned one.
    """

def judge_memories(
    snapshot: Snapshot,
    root: str,
    ungated: Question,
    chosen: tuple[list[RecalledMemory], list[tuple[RecalledMemory, str]], bool],
    limit: int,
    judge: Callable[[list[RecalledMemory]], Verdict],
) -> Judged:
    """Return the memories that a judge keeps, at most `limit`, in place of those that the gate chose for a question.

    `ungated` is the question without the gate; it asks for as many memories as the judge may see. `chosen` has the
    memories of the gate, the memories that were passed over with the reasons, and whether the prompt is only a
    courtesy. `judge` is called at most once. If it fails, the memories of the gate stay.
    """

def load_snapshot(
    root: str, numbers: _Numbers, budget: Budget | None = None, changes: _Changes | None = None
) -> Loaded | None:
    """Return the snapshot of a project, brought up to date as far as the budget allows (SPEC 23). Nothing is written.

    Without a budget, the limits of a prompt count. `numbers` are those of `Settings.numbers`. `changes` are those of a
    writer who holds the store's lock: the marks of the six folders before and after the changes (nanoseconds since
    1970, 0 for a mark that cannot be sure, -1 without a folder), and the paths of the files that were written or
    removed. If the marks before are None, every file is read. The result is None if every file must be read and a
    folder cannot be listed.
    """

def nearest_rows(rows: bytes, dimension: int, query: bytes, k: int) -> list[tuple[int, int]]:
    """Return number and cosine (in 1/4096) of the `k` rows of signed bytes that are nearest to a row (SPEC 42).

    This compares every row, without the interpreter's lock.
    """

def pack_memories(
    root: str, memories: list[RecalledMemory], max_tokens: int, budget_chars: int, prompt: str | None = None
) -> Packed:
    """Return the block of some memories of the project at `root` (SPEC 39).

    This looks at the files that the memories are about. Of a memory with sections, the block shows the section that
    fits the prompt.
    """

def parse_index_line(line: str) -> IndexLine | None:
    """Return the parts of a line of `index.md` (SPEC 6); None if the text is not such a line."""

def read_settings(user: bytes | None, repository: bytes | None) -> Settings:
    """Return the settings that count, from the bytes of the two files (SPEC 47).

    A bad value is replaced by its default, and `problems` says so. Without a file, the defaults count.
    """

def recall_memories(snapshot: Snapshot, root: str, question: Question) -> Recalled:
    """Return the memories for a question, best first, as the hook finds them, before they are packed.

    This reads the files of the memories that are found, without the interpreter's lock. Raises UsageError for an
    unknown strategy, setting or status.
    """

def run_hook(arguments: list[str], open_models: OpenFunction) -> bytes | None:
    """Answer one event of a host on the standard streams of this process, as the executable does (SPEC 14).

    `open_models` is called for a prompt whose settings name a model. If it or the models fail, the engine answers
    without them. Returns None if the event is answered, and otherwise the payload of a stop that Python must answer.
    Never raises for what the host sends.
    """

def tokenize(text: str, revision: str) -> list[str]:
    """Return the tokens of a text for the keyword scorer (SPEC 3). Raises UsageError for an unknown revision."""

def trust_hash(data: bytes) -> str | None:
    """Return the hash under which a memory is vouched for, in hexadecimal (SPEC 45.1); None if it is no JSON object."""

def verify_memory(snapshot: Snapshot, root: str, position: int, review: str) -> tuple[RecalledMemory | None, list[str]]:
    """Return the memory at a position with the content of its own file, and the problems of the file.

    The status of the memory does not matter. `review` has the same meaning as in `Question`. The memory is None if it
    must not be shown.
    """
