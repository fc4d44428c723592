"""The answers of the seam that hold no snapshot, in the classes of both backends (SPEC 15).

Times of memories are in microseconds since 1970, those of files in nanoseconds.
"""

from ...basics.light_row import Row


class IndexLine(Row):
    """The parts of a line of `index.md`; `tags` are in lower case and sorted."""

    category: str
    title: str
    path: str
    tags: list[str]


class IndexEntry(Row):
    """A memory in an `index.md`, with the number of its line."""

    category: str
    title: str
    path: str
    tags: list[str]
    line: int


class ScorePart(Row):
    """A part of a score: its kind, the piece of the prompt, what that matched in the memory, and the points."""

    kind: str
    token: str
    matched: str
    points: int


class StoredMemory(Row):
    """What a snapshot says of a memory; `line` is its line in `index.md`, `size` and `modified` are those of the file.

    `updated_at` and `created_at` are None where the file does not say them.
    """

    line: str
    status: str
    updated_at: "int | None"
    created_at: "int | None"
    size: int
    modified: int


class FileStamp(Row):
    """A memory file as it was when it was read: its path from the project's folder, its size in bytes and its time."""

    path: str
    size: int
    modified: int


class Ranked(Row):
    """A memory that recall ranks: its position in the snapshot, and its score in 1/4096.

    `logit` and `probability` are those of the gate, in 1/1024.
    """

    position: int
    score: int
    logit: int
    probability: int


class Term(Row):
    """A search term, its weight from 1 to 256, and the word of the prompt from which it was made."""

    term: str
    weight: int
    word: str


class Ranks(Row):
    """The results of the retrievers for a memory.

    Ranks count from 0. Scores and the cosine are in units of 1/4096, except for `lexical`. `fused` is the score without
    the points of priors. `lexical` is the lexical retriever's own score, which has no unit. `lexical_rank` is None for
    a memory that only the semantic retriever has found.
    """

    rank: int
    score: int
    fused: int
    lexical: int
    lexical_rank: "int | None"
    cosine: int
    semantic_rank: int


class Feature(Row):
    """A feature that the gate judges: its value, and the share that it adds to the logit, both in units of 1/1024."""

    name: str
    value: int
    share: int


class Traced(Row):
    """The trace of one memory for a prompt.

    `cues` are the kinds of prompt that its words indicate, and `terms` what was searched for. `ranks` is None for a
    memory that is no candidate. The points of `parts` sum to the score, the shares of `features` to the logit.
    """

    cues: list[str]
    terms: list[Term]
    ranks: "Ranks | None"
    parts: list[ScorePart]
    features: list[Feature]


class Beside(Row):
    """The surer memory of the same subject beside which a memory is shown.

    `position` and `logit` are those of the surer memory. `passes` says whether the memory itself passes the gate too.
    """

    position: int
    logit: int
    passes: bool


class Packed(Row):
    """A block of memories, what becomes of each memory, and the estimated tokens.

    The outcomes are `full`, `gist`, `title`, `line`, `sibling`, `duplicate` and `budget`, and of a line of titles
    `named` and `budget`.
    """

    block: str
    outcomes: list[str]
    tokens: int


class JudgeRun(Row):
    """How many candidates a judge was asked about and kept, the microseconds, and why it failed ("" if it answered)."""

    asked: int
    kept: int
    micros: int
    failure: str


class TermShare(Row):
    """A term of a query that a document of a plain index has; weight times impact is its share of the score."""

    term: str
    weight: int
    impact: int
