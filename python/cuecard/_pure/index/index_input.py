"""Converts the documents and queries that a caller of a plain index gives (SPEC 21.6)."""

from ...basics.chars import scrub
from ...errors import UsageError
from ..retrieve.bm25 import FULL, MAX_QUERY_TERMS
from ..text.tokenize import split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    # For each term its counts in title, tags and body.
    Counted = dict[str, tuple[int, int, int]]
    # The distinct terms of a query, each with a weight from 1 to 256.
    Query = list[tuple[str, int]]

ANALYZERS = ("terms", "words")
# A longer text does not count as a term.
TEXT_BYTES_MAX = 65_535
FIELDS = ("title", "tags", "body")
DOCUMENT_HINT = "give a str, a list of str, or a dict with `title`, `tags` or `body`"
QUERY_HINT = "give a str or a list of str"


def check_analyzer(name: str) -> None:
    """Raise UsageError if there is no analyzer with this name."""
    if name not in ANALYZERS:
        raise UsageError(f"unknown analyzer `{scrub(name)}`", "use `terms` or `words`")


def read_documents(documents: object, analyzer: str) -> "list[Counted]":
    """Read the documents of an iterable: texts, lists of terms, or dicts of fields. Raises UsageError."""
    found: list[Counted] = []
    for position, document in enumerate(items_of(documents, "documents")):
        if isinstance(document, str):
            found.append(_count(((), (), _analyze(scrub(document), analyzer))))
        elif isinstance(document, (list, tuple)):
            for term in document:
                if not isinstance(term, str):
                    raise UsageError(f"document {position} has {type(term).__name__} among its terms", DOCUMENT_HINT)
            found.append(_count(((), (), map(scrub, document))))
        elif isinstance(document, dict):
            found.append(_count([_analyze(text, analyzer) for text in _read_fields(document, position)]))
        else:
            what = f"document {position} is {type(document).__name__}, not a text, a list of terms or a dict"
            raise UsageError(what, DOCUMENT_HINT)
    return found


def read_query(query: object, analyzer: str) -> "Query":
    """The distinct terms of a text or of a list of terms, with their weights. Raises UsageError."""
    if isinstance(query, str):
        if analyzer == "terms":
            from ..text.prompt_terms import query_terms

            return [(term, q) for term, q, _ in query_terms(scrub(query), [])]
        terms = split_words(query)
    elif isinstance(query, (list, tuple)):
        for term in query:
            if not isinstance(term, str):
                raise UsageError(f"the query has {type(term).__name__} among its terms", QUERY_HINT)
        terms = list(map(scrub, query))
    else:
        raise UsageError(f"the query is {type(query).__name__}, not a text or a list of terms", QUERY_HINT)
    distinct = [term for term in dict.fromkeys(terms) if _is_term(term)]
    return [(term, FULL) for term in distinct[:MAX_QUERY_TERMS]]


def _analyze(text: str, analyzer: str) -> list[str]:
    """The terms of a document's text, in the order of the text."""
    if analyzer == "words":
        return split_words(text)
    from ..text.terms import document_terms

    return document_terms(text)


def _count(fields: "Sequence[Iterable[str]]") -> "Counted":
    """The number of occurrences of each term in each field of a document."""
    counts: dict[str, list[int]] = {}
    for field, terms in enumerate(fields):
        for term in terms:
            if _is_term(term):
                counts.setdefault(term, [0, 0, 0])[field] += 1
    return {term: (title, tags, body) for term, (title, tags, body) in counts.items()}


def _is_term(text: str) -> bool:
    """Whether a text can be a term: it has 1 to 65,535 bytes."""
    return bool(text) and (len(text) <= TEXT_BYTES_MAX // 4 or len(text.encode()) <= TEXT_BYTES_MAX)


def items_of(items: object, name: str) -> "Iterator[object]":
    """The items of an iterable. Raises UsageError if it is a text, a dict or not iterable."""
    hint = f"give a list of {name}"
    if isinstance(items, str):
        raise UsageError(f"the {name} are a single text, not a list", hint)
    try:
        # A dict is a single document given by mistake: iterating it would give its keys.
        if isinstance(items, dict):
            raise TypeError
        return iter(items)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise UsageError(f"the {name} are {type(items).__name__}, not a list", hint) from None


def _read_fields(document: "dict[object, object]", position: int) -> list[str]:
    if not any(name in document for name in FIELDS):
        raise UsageError(f"document {position} has no `title`, `tags` or `body`", DOCUMENT_HINT)
    fields = []
    for name in FIELDS:
        text = document.get(name, "")
        if not isinstance(text, str):
            raise UsageError(f"`{name}` of document {position} is {type(text).__name__}, not a text", DOCUMENT_HINT)
        fields.append(scrub(text))
    return fields
