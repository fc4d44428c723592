"""The native backend: what Python asks of the engine, and of the core where it needs speed.

A prompt of a host passes `run_hook` or `answer_prompt`; the engine calls back where it asks a model. A search asks a
`Snapshot` or `recall_memories`. `cuecard._pure` has the same names with the same answers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import final

from ._backend import Budget, Inspected, JudgeRun, OpenFunction, Question, Request, Verdict

__all__ = [
    "Index",
    "IndexMd",
    "Loaded",
    "RecalledMemory",
    "Settings",
    "Snapshot",
    "__version__",
    "answer_prompt",
    "describe_file",
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
    "withholding_signs",
]

__version__: str

_Numbers = tuple[float, tuple[float, ...], tuple[float, ...]]
_Changes = tuple[list[int] | None, list[int], list[str]]
_Document = str | Sequence[str] | Mapping[str, str]

@final
class Index:
    """A plain index of texts with BM25, in memory or in a file; `cuecard.Index` documents it."""

    def __new__(cls) -> Index:
        """An index without documents."""

    @staticmethod
    def build(
        documents: Iterable[_Document],
        *,
        analyzer: str = "terms",
        k1: float = 1.2,
        b: float = 0.75,
        threads: int = 0,
    ) -> Index:
        """An index of texts, of lists of terms that are taken as they are, or of mappings of `title`, `tags`, `body`.

        `analyzer` makes terms of texts: `terms` splits identifiers and stems, `words` takes the runs of letters a-z and
        digits. `k1` (0 to 10) and `b` (0 to 1) are those of BM25. `threads` of 0 are as many as there are processors.
        Raises UsageError.
        """

    @staticmethod
    def open(path: str | PathLike[str]) -> Index:
        """The index that is saved at a path; it is mapped.

        Raises StoreError where it cannot be read, SegmentError where it is something else or damaged.
        """

    def save(self, path: str | PathLike[str] | None = None, *, fsync: bool = True) -> None:
        """Write the index to a path, by default where it was opened or saved; a reader sees the old one or the new one.

        Where the rest is at the path already, only what was added is written, to a file with `.delta` behind its name.
        With `fsync` the files survive a crash of the machine. Raises WriteError, and UsageError without a path.
        """

    def add(self, documents: Iterable[_Document]) -> None:
        """Append documents, as `build` takes them: all or none. The next search finds them. Raises UsageError."""

    def search(self, query: str | Sequence[str], k: int = 10) -> list[tuple[int, int]]:
        """Number and score of the best `k` documents for a text or a list of terms, best first, then by number."""

    def search_many(
        self, queries: Iterable[str | Sequence[str]], k: int = 10, *, threads: int = 1
    ) -> list[list[tuple[int, int]]]:
        """The same for each query, by so many threads; 0 for all processors."""

    def scores(self, query: str | Sequence[str]) -> list[int]:
        """The score of every document, 0 where nothing matches."""

    def explain(self, query: str | Sequence[str], number: int) -> list[tuple[str, int, int]]:
        """Term, weight and impact of what a document has of a query; the products sum to its score."""

    def __len__(self) -> int:
        """How many documents there are."""

    @property
    def analyzer(self) -> str:
        """The name of what makes terms of texts."""

@final
class IndexMd:
    """The entries of an `index.md`, and the keyword scorer over them (SPEC 6 to 8)."""

    def __new__(cls, data: bytes) -> IndexMd:
        """Read the bytes of an `index.md`; what is no entry is passed over."""

    def __len__(self) -> int:
        """How many memories there are."""

    def bad_lines(self) -> list[tuple[int, str]]:
        """Number and reason of each line that begins like a memory and is none.

        Reasons are `category`, `title`, `tags`, `encoding` and `length`.
        """

    def entry(self, position: int) -> tuple[str, str, str, list[str], int]:
        """Category, title, path, tags and line number of the memory at a position. Raises IndexError."""

    def shortlist(self, prompt: str, revision: str, descriptions: list[tuple[str, str]]) -> list[tuple[int, int]]:
        """Position and score of every memory that a prompt touches, best first (SPEC 7.4). Raises UsageError."""

    def rank(self, shortlist: list[tuple[int, int]], verdicts: list[int | None]) -> list[tuple[int, int]]:
        """The shortlist after the check of its first members (SPEC 8.3).

        `verdicts` has one value a checked member: None drops it, a number is added to its score. Raises IndexError.
        """

    def explain(
        self, position: int, prompt: str, revision: str, descriptions: list[tuple[str, str]]
    ) -> list[tuple[str, str, str, int]]:
        """Kind, token, what it matched and points of each part of a score (SPEC 7.5). Raises IndexError."""

@final
class Loaded:
    """The snapshot of a store, brought up to date, and what of it is not on disk yet.

    `notes` are a sentence for each file that is left out or left for later; `skipped` are path and reason of what a
    build of everything has left out. `is_complete` says whether nothing is known to be missing, and `completes` whether
    the snapshot is one file, and the one on disk is partial or in many parts. `index_text` is the text of the
    `index.md` to write, None where it stays, and `index_made` the time that it is to bear, in nanoseconds since 1970.
    """

    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def skipped(self) -> list[tuple[str, str]]: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def completes(self) -> bool: ...
    @property
    def index_text(self) -> str | None: ...
    @property
    def index_made(self) -> int: ...
    @property
    def is_on_disk(self) -> bool:
        """Whether `write` has nothing to do."""

    def write(self) -> None:
        """Put the files of the snapshot in their places. Raises OSError."""

@final
class RecalledMemory:
    """A memory that was found, as its own file has it; one that is passed over for the gate, as the snapshot has it.

    `position` is where the snapshot has it, `found_as` where the one was found whose place it has taken. `parts` are
    category, title, path and tags. `holds` is what it is at the time of the question: `holds`, `over` or `ahead`.
    `score` includes the points of `recency`; `logit` and `probability` are those of the gate, in 1/1024, None without
    one; `count` is how many `hybrid` was asked for. `seen` is what a session notes: path, size and time of the file
    (nanoseconds since 1970); `is_more`, whether more than the title may be shown. `level` is who vouches for it
    (`own`, `reviewed`, `unreviewed`), None where nobody has asked. `beside` is the surer memory of
    the same subject beside which it stands (position and logit), and whether it passes the gate too. `gist` is a
    sentence from the file. `scope` is the scope of its store as a block shows it, "" for the project's own; `root` is
    the folder of that store's project, None where only one store is searched. Reading a property copies it.
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
    def holds(self) -> str: ...
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
    def beside(self) -> tuple[int, int, bool] | None: ...
    @property
    def gist(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def root(self) -> str | None: ...
    def heeds_paths(self, paths: list[str]) -> bool: ...

@final
class Settings:
    """The settings that count for a store. Weights and shifts are in 1/1024; categories in capitals."""

    def __new__(cls) -> Settings:
        """The defaults."""

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
    def fusion(self) -> str:
        """The name of the way in which retrievers are fused."""

    @property
    def rrf_k(self) -> int:
        """The constant of reciprocal rank fusion."""

    @property
    def lexical_weight(self) -> int:
        """The weight of the lexical retriever."""

    @property
    def semantic_weight(self) -> int:
        """The weight of the semantic retriever."""

    @property
    def graph_weight(self) -> int:
        """The weight of the graph of concepts."""

    @property
    def embedding_weight(self) -> int:
        """The weight of model vectors, where there are any."""

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
    def related_terms(self) -> bool:
        """Whether related terms are looked for as well."""

    @property
    def graph(self) -> bool:
        """Whether the graph of concepts is a retriever."""

    @property
    def priors(self) -> bool:
        """Whether priors may reorder near-ties."""

    @property
    def half_life_seconds(self) -> int:
        """The half-life of memories in the decaying categories; 0 for none."""

    @property
    def decay_categories(self) -> list[str]:
        """The categories that decay."""

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
    def embedding_place(self) -> str | None:
        """Host and port of that endpoint; None where there is none."""

    @property
    def judge_ms(self) -> int:
        """Milliseconds that the judge may take; 0 where none is asked."""

    @property
    def judge_place(self) -> str | None:
        """The place of the judge's endpoint; None where there is none."""

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

    @staticmethod
    def gate_threshold(setting: str) -> int | None:
        """The lowest logit that a setting lets through, without the shift; None for `off`. Raises UsageError."""

@final
class Snapshot:
    """The memories of a store as they were when the snapshot was made (SPEC 22); frozen, and shared by threads.

    A document's position is its number in its segment, behind those of the segments before. Files that are opened are
    mapped: only the pages that are looked at come into memory. Scores have no unit except for `hybrid` (1/4096), logits
    and probabilities in 1/1024, times in microseconds since 1970, those of files in nanoseconds. Searches leave the
    interpreter's lock and take well under a millisecond for thousands of memories. SegmentError is raised for bytes
    that are no snapshot, StoreError for a file that cannot be read, IndexError for a position in `explain` and `trace`
    that has no document, UsageError for an unknown strategy, setting or status.
    """

    @staticmethod
    def join(stores: list[tuple[Snapshot, str, str, bool, bool]]) -> Snapshot:
        """The snapshot of all documents of several stores, the nearest first (SPEC 48.6).

        Each has its snapshot, the folder of its project, its scope ("" for the project's own), whether it is the user's
        own store, and whether the one before it hides what both have at the same path.
        """

    def __len__(self) -> int:
        """How many documents there are."""

    def document(self, position: int) -> tuple[str, str, int | None, int | None, int, int] | None:
        """Index line, status, `updated_at`, `created_at`, size and modification time of the document at a position.

        None where there is none or it is damaged.
        """

    def without_path(self, position: int, paths: list[str], logit: int) -> tuple[int, int]:
        """Logit and probability of a document without what the gate adds for the paths of a prompt (SPEC 45.4)."""

    def find(self, path: str) -> int | None:
        """The position of the document at a path; None where there is none."""

    def files(self, folder: str) -> list[tuple[str, int, int]]:
        """Path, size and modification time of each document's file in a category folder. Looks at every document."""

    def find_unchanged(self, files: list[tuple[str, int, int]]) -> list[int | None]:
        """For each path, size and modification time the position of that document; None where it has others."""

    def active_lines(self) -> list[str]:
        """The index lines of the active documents, in the order of `index.md`. Reads every document."""

    def check(self) -> None:
        """Compare the checksums of all bytes. Raises SegmentError."""

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

    def kept_terms(self, request: Request) -> str:
        """What a session keeps of a request's prompt for the prompts after it, in one line (SPEC 27.7)."""

    def anchored(self, path: str) -> list[int]:
        """The positions of the first 256 active documents with an anchor that covers a file (SPEC 33.2)."""

    def anchored_name(self, name: str) -> list[int]:
        """The same with an anchor that ends in this name of a file."""

    def anchored_below(self, folder: str) -> list[int]:
        """The same with an anchor to what is below a folder."""

    def forbids(self) -> list[str]:
        """The first 4,096 entries of what the documents forbid, in the order of their bytes (SPEC 40.1)."""

    def forbidding(self, entry: str) -> list[int]:
        """The positions of the first 256 active documents that have an entry of `forbids`."""

    def successor(self, position: int) -> int:
        """The position of the document that has taken the place of another; its own where none has (SPEC 33.3)."""

    def vouched_part(self, root: str, review: str) -> Snapshot | None:
        """The snapshot of the documents that the user vouches for, with the same positions; None where that is all or
        none of them (SPEC 45.10)."""

    def order_keyword(self, hits: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Hits of the keyword retriever in its order: score, priority of the category, then as they came (SPEC 8.3)."""

def answer_prompt(payload: bytes, host: str, open_models: OpenFunction) -> str:
    """The text to print for a prompt of a host. What is written after an answer is written before this returns.

    `open_models` is as for `run_hook`. Raises UsageError for an unknown host.
    """

def describe_file(
    category: str, path: str, data: bytes, size: int, modified: int
) -> tuple[str, str, int | None, int | None, int, int] | None:
    """What a snapshot says of a memory file, as `Snapshot.document`; None for what is no memory."""

def document_row(title: str, tags: str, body: str) -> tuple[list[int], int]:
    """Row and norm of a document, by the words of its texts (SPEC 24)."""

def inspect_snapshot(root: str, numbers: _Numbers) -> Inspected:
    """The snapshot of a project as it is on disk; every byte of its files is checked."""

def instruction_signs(text: str) -> list[str]:
    """The names of what in a text addresses a model, its tools or secrets (SPEC 45.5)."""

def judge_memories(
    snapshot: Snapshot,
    root: str,
    ungated: Question,
    chosen: tuple[list[RecalledMemory], list[tuple[RecalledMemory, str]], bool],
    limit: int,
    judge: Callable[[list[RecalledMemory]], Verdict],
) -> tuple[list[RecalledMemory], list[tuple[RecalledMemory, str]], JudgeRun | None, list[str]]:
    """The memories that a judge keeps, at most `limit`, in the place of those that the gate chose for a question.

    `ungated` is the question without the gate; it asks for as many memories as the judge gets to see. `chosen` has the
    memories of the gate, those passed over with the reasons, and whether the prompt is only a courtesy. `judge` is
    called at most once. Returns the memories to show, those passed over with the reasons, what the judge did (None if
    there was nothing to ask about), and a line for the log if the judge failed; then the gate's memories stay.
    """

def withholding_signs(text: str) -> list[str]:
    """The reasons to withhold a text that nobody vouches for: those of `instruction_signs`, else a learned one."""

def load_snapshot(
    root: str, numbers: _Numbers, budget: Budget | None = None, changes: _Changes | None = None
) -> Loaded | None:
    """The snapshot of the project in a folder, brought up to date as far as the budget goes (SPEC 23).

    Without a budget it is that of a prompt; `numbers` are those of `Settings.numbers`. `changes`, of a writer who holds
    the store's lock, go before a budget: the marks of the six folders before and after them (nanoseconds since 1970, 0
    where nobody can be sure, -1 where there is no folder), and the paths of the files that were written or removed.
    Without marks before, every file is read.

    Nothing is written. None where a folder cannot be listed and all of it would have to be read. A snapshot that is in
    step is mapped in well under a millisecond; building one takes milliseconds for a thousand files.
    """

def nearest_rows(rows: bytes, dimension: int, query: bytes, k: int) -> list[tuple[int, int]]:
    """Number and cosine (in 1/4096) of the `k` rows of signed bytes that are nearest to one, best first (SPEC 42).

    Looks at every row, without the interpreter's lock.
    """

def pack_memories(
    root: str, memories: list[RecalledMemory], max_tokens: int, budget_chars: int, prompt: str | None = None
) -> tuple[str, list[str], int]:
    """The block of some memories, what becomes of each (`full`, `gist`, `title`, `line`, `sibling`, `duplicate` or
    `budget`), and the estimated tokens (SPEC 39).

    `root` is the folder of the project. Looks at the files that the memories are about. Of a memory with sections, the
    block shows the one that fits the prompt.
    """

def parse_index_line(line: str) -> tuple[str, str, str, list[str]] | None:
    """Category, title, path and tags of a line of `index.md` (SPEC 6); None for what is none."""

def read_settings(user: bytes | None, repository: bytes | None) -> Settings:
    """The settings that count, from the bytes of both files (SPEC 47). A bad value has its default and is noted."""

def recall_memories(
    snapshot: Snapshot, root: str, question: Question
) -> tuple[list[RecalledMemory], list[tuple[RecalledMemory, str]], bool, int | None, list[str]]:
    """The memories for a question, best first, as the hook finds them, before they are packed.

    Then those passed over, with the reason: the first that the gate holds back (`gate`), those whose place another one
    has taken (`superseded`), those that address the model without anybody to vouch for them (`withheld`); whether the
    prompt is nothing but a courtesy; the lowest logit of a memory that the gate shows for this prompt, in 1/1024, or
    None without a gate and for a courtesy; and a sentence for each file that cannot be read. `root` is the folder of
    the project. Reads the files of the memories that are found, without the interpreter's lock. Raises UsageError for
    a strategy, a setting or a status.
    """

def run_hook(arguments: list[str], open_models: OpenFunction) -> bytes | None:
    """Answer one event of a host on the standard streams of this process, as the executable does (SPEC 14).

    `open_models` is called for a prompt whose settings name a model. If it or the models fail, the engine answers
    without them. Returns None if the event is answered, and otherwise the payload of a stop that Python must answer.
    Never raises for what the host sends.
    """

def tokenize(text: str, revision: str) -> list[str]:
    """The tokens of a text for the keyword scorer (SPEC 3). Raises UsageError for a revision."""

def trust_hash(data: bytes) -> str | None:
    """What a memory is vouched for by, in hexadecimal (SPEC 45.1); None for what is no JSON object."""

def verify_memory(snapshot: Snapshot, root: str, position: int, review: str) -> tuple[RecalledMemory | None, list[str]]:
    """The memory at a position as its own file has it, whatever its status, and what is wrong with the file.

    `review` is that of a `Question`. None where the memory must not be shown.
    """
