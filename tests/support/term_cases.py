"""The steps that make terms, under the names that the vectors in `tests/vectors` use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cuecard._pure.text.compose import compose
from cuecard._pure.text.full_forms import full_forms
from cuecard._pure.text.prompt_terms import query_terms
from cuecard._pure.text.stem import stem
from cuecard._pure.text.terms import document_terms

if TYPE_CHECKING:
    from collections.abc import Callable


def stems(words: str) -> str:
    """The stems of the words, separated by blanks; `words` is a text in this form, too."""
    return " ".join(map(stem, words.split(" ")))


TERM_PARTS: dict[str, Callable[..., Any]] = {
    "compose": compose,
    "document_terms": document_terms,
    "full_forms": full_forms,
    "query_terms": query_terms,
    "stems": stems,
}
