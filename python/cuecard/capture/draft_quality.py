"""Finds vague drafts: drafts that contain no statement. The checks work for every language.

Rules: docs/reference/capture-commit.md, "Vague drafts".
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, get_args, get_origin

from .._backend import document_terms, engine, texts_in
from ..errors import Problem
from ..store.records.record import MODELS, content_model
from ..store.records.record_file import Fields
from ..store.trust.agent_view import sentences_with_signs
from .draft import AgentDraft

# Matches file and folder names in a text; their words do not count as words of the text.
_FOLDED_PATH = re.compile(r"[\w.@~-]*[/\\][\w./\\@~-]+")
_FILE = re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}\b")
MIN_SHARED = 2
MAX_QUOTED_CHARS = 120
_OTHER_WORDS = "say it in other words, without an order and without `do not` or `without telling`"
_TITLE = "partial_content.title"
_CONTENT = "partial_content.content"
_BETTER_TITLE = "write the answer as the title: what was chosen, forbidden or found, and of what"
_BETTER_CONTENT = "write what holds, under which condition and why, so that somebody who was not there can act on it"


def find_vagueness(draft: AgentDraft, changed_files: Sequence[str] = ()) -> list[Problem]:
    """The reasons why a draft of a new memory is too vague to keep; empty if the draft is not vague.

    `changed_files` are the changed files of the working tree: a title that only names one of them is vague. Each
    problem says what the writer can do about it.
    """
    files = [*draft.related_files, *changed_files, *_FOLDED_PATH.findall(draft.title)]
    problems = [*_title_problems(draft, files), *_unfitting_members(draft)]
    # If the content belongs to another category, its texts are not judged.
    return problems if is_unfitting(problems) else [*problems, *_content_problems(draft, files)]


def find_signs(raw: Fields) -> list[Problem]:
    """Why a draft would be withheld from agents: its texts address the model, its tools or secrets."""
    said = {name: value for name, value in raw.items() if name != "source"}
    return [
        Problem(
            "partial_content", "text about the project", f"text that {sign}: `{_shortened(sentence)}`", _OTHER_WORDS
        )
        for sign, sentence in sentences_with_signs(texts_in([said]), learned=False)
    ]


def without_signs(fields: Fields, *, learned: bool = False) -> tuple[Fields, list[str]]:
    """Fields of `cuecard` without the questions that would have their memory withheld, and a note on each of these.

    `learned` also takes the signs for text that nobody vouches for.
    """
    questions = fields.get("questions")
    if not isinstance(questions, list):
        return fields, []
    kept, notes = [], []
    for question in questions:
        signs = engine.instruction_signs(question, learned=learned) if isinstance(question, str) else []
        if signs:
            why = f"it {signs[0]}, and its memory would be withheld; {_OTHER_WORDS}"
            notes.append(f"the question `{_shortened(question)}` was left out: {why}")
        else:
            kept.append(question)
    return ({**fields, "questions": kept}, notes) if notes else (fields, [])


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MAX_QUOTED_CHARS else f"{words[: MAX_QUOTED_CHARS - 1]}\u2026"


def describe_problems(problems: Sequence[Problem]) -> str:
    """The problems, in one line."""
    return "; ".join([f"`{problem.field}` is {problem.found}" for problem in problems])


def content_members(category: str) -> list[str]:
    """The field names that the content of a category may have."""
    return list(content_model(category).model_fields)


def _title_problems(draft: AgentDraft, files: Sequence[str]) -> Iterator[Problem]:
    title = set(document_terms(draft.title)) - _category_terms(draft)
    if not title:
        yield Problem(_TITLE, "a title that says something", "without a word of its own", _BETTER_TITLE)
    elif any(title <= set(document_terms(file)) for file in files):
        yield Problem(_TITLE, "a title that says something", "only the name of a file", _BETTER_TITLE)


def _content_problems(draft: AgentDraft, files: Sequence[str]) -> Iterator[Problem]:
    texts = list(_said_in(draft))
    length = sum(len(text) for text in texts)
    named = [*files, *[name for text in texts for name in (*_FOLDED_PATH.findall(text), *_FILE.findall(text))]]
    words = _terms_of(texts) - _terms_of(named) - _category_terms(draft)
    if length < len(draft.title) and not _says_the_title(draft, texts):
        yield Problem(
            _CONTENT, "more than the title says", f"shorter than the title ({length} characters)", _BETTER_CONTENT
        )
    elif not words:
        yield Problem(_CONTENT, "a statement", "made of file names only", _BETTER_CONTENT)
    elif len(texts) > 1 and len({_folded(text) for text in texts}) == 1:
        yield Problem(_CONTENT, "fields that say different things", "the same text in each field", _BETTER_CONTENT)


def _says_the_title(draft: AgentDraft, texts: Sequence[str]) -> bool:
    """Whether texts have half of the title's terms, and at least two: a short rule can have its reason in the title."""
    title = set(document_terms(draft.title)) - _category_terms(draft)
    shared = len(title & _terms_of(texts))
    return shared >= MIN_SHARED and 2 * shared >= len(title)


def _unfitting_members(draft: AgentDraft) -> Iterator[Problem]:
    """Find the content fields that belong to another category and not to the draft's category."""
    own = content_members(draft.category)
    for name in draft.content:
        others = [category for category in MODELS if name in content_members(category)]
        if name not in own and others:
            listed = ", ".join([f"`{member}`" for member in own])
            chosen = " or ".join([f"`{other}`" for other in others])
            fix = f"say it with {listed}, or choose the category {chosen}"
            yield Problem(f"{_CONTENT}.{name}", f"a member of a {draft.category}", "a member of another category", fix)


def is_unfitting(problems: Sequence[Problem]) -> bool:
    """Whether a content field belongs to another category, so that the draft cannot become a memory."""
    return any(problem.field.startswith(f"{_CONTENT}.") for problem in problems)


def _said_in(draft: AgentDraft) -> Iterator[str]:
    """The texts in a draft's content, without the values chosen from a fixed list."""
    fields = content_model(draft.category).model_fields
    for name, value in draft.content.items():
        if name not in fields or not _is_choice(fields[name].annotation):
            yield from _texts_in(value)


def _is_choice(kind: object) -> bool:
    return get_origin(kind) is Literal or any(_is_choice(part) for part in get_args(kind))


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(item)


def _category_terms(draft: AgentDraft) -> set[str]:
    return set(document_terms(draft.category.replace("_", " ")))


def _terms_of(texts: Sequence[str]) -> set[str]:
    return {term for text in texts for term in document_terms(text)}


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
