"""Selects the drafts of instructions that are left to the agent, because nobody would understand them on their own.

Few memories are better than wrong memories. The command `/cuecard:import` processes the drafts that are left.

Rules: docs/reference/import.md, "What is left to the agent".
"""

import re

from ..basics.tables import read_words
from . import rule_words, section_words
from .draft import CUT, ImportedDraft
from .titles import first_sentence_of, is_open_end

LANGUAGE = "in a language whose rules are not known"
FRAGMENT = "no title that says the content: it is a part of a sentence"
CUT_TITLE = "no title that says the content: the sentence is too long"
NAMES = "no title that says the content: it is a list of several things"
TEMPLATE = "a template to be filled in"
POINTER = "it depends on text elsewhere"
MIXED = "rules and facts in one list"
EXAMPLE = "an example"
CODE = "code without a sentence that says what it is for"
DESCRIPTION = "it describes the project, and asks for nothing"
TOO_MUCH = "too long for a memory"

DATA = "data and no text"
ABOUT_ITSELF = "it is about the file itself"
DESCRIBES = "it says what something is for, and asks for nothing"

_MAIN_FIELDS = ("value", "rule", "description", "steps")
_ENGLISH = frozenset(
    "the a an to of and or in for is are be with on not by use this that it as from at must should never always when"
    " if do no all any each only into before after without via per than have has can will you your we our".split()
)
_OTHERS = frozenset(
    "der die das und nicht mit für ist ein eine werden wird muss le la les des une pour est dans avec sur pas el los"
    " las para que con por como una del não uma os com il per non che della sono het niet een met van voor og är och"
    " att som jest nie się dla przez på av til ikke fra skal bruker eller".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"`[^`]*`|https?://\S+|[^\s/_.]{0,60}[/_.]\w\S*")
_PLACEHOLDER = re.compile(
    r"<[A-Za-z][\w |/.:-]{0,40}>|\{\{?[\w ._-]{1,40}\}?\}|\[[A-Z][\w ]{1,30}\](?!\()|YYYY|\bNNN+\b|#N\b"
)
_PRONOUN = re.compile(
    r"^(?:it|they|he|she|e\.g|i\.e|these|those|both|which|and|or|but|then|also|so|otherwise|else|than)\b"
    r"|^(?:this|that) (?:is|are|was|means|ensures|allows|makes|keeps|prevents|gives|helps|includes|will|can|should|must"
    r"|has|provides|way)\b(?! (?:a|an|the|our|my) (?:\w+ ){0,3}(?:repo|repository|project|package|library|app|monorepo"
    r"|application|service|workspace|codebase|tool|plugin|extension|framework|site|website)\b)",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"^(?:when|whenever|if|unless|once|while)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:see|described|listed|shown|defined|mentioned|noted|as) (?:above|below)\b|\bthe (?:following|above|below)\W*$"
    r"|\b(?:above|below|following)\W*$",
    re.IGNORECASE,
)
# Matches titles such as `Name them after the table`, which do not say what is named.
_POINTS_BACK = re.compile(
    r"^(?!(?:if|when|once|before|after|until) )\w+ (?:all )?(?:of )?(?:it|them|these|those|both|this for)\b"
    r"|\bthis(?: \w+ly)?$|\bthese$|\bthe same (?:pattern|way|approach|style) as\b|^[\"\u201c].*[\"\u201d]$",
    re.IGNORECASE,
)
# A text that begins so is about something that stands before it: `Use that script for the cloud`.
_BEGINS_ELSEWHERE = re.compile(
    r"^\W*(?:(?:it|they|this|these|those|that) (?!(?:\w+ )?(?:repo|repository|project|package|library|app|monorepo"
    r"|application|service|workspace|codebase|sdk|way|folder|directory)\b)\w+"
    r"|(?:(?:always|never|only|do not|don['\u2019]t) )?(?!(?:ensure|verify|check|confirm|note|remember|assume|validate"
    r"|make|require|assert|guarantee|state|say|prove|see|show|infer|claim|expect|imply|let)\b)\w+"
    r" (?:that|this|these|those) (?!(?:an?|the|every|each|all|no|repo|repository|project|package|codebase|folder"
    r"|directory)\b)\w+)\b",
    re.IGNORECASE,
)
_OUTSIDE = re.compile(
    r"\b(?P<what>table|list|diagram|section|steps?|examples?|rules?|commands?|snippet|notes?|patterns?|criteria|described"
    r"|listed|shown|mentioned|see|noted|defined)(?: (?:is|are|of|from|the|in))? (?P<way>above"
    r"|below)\b(?! [\"'`*\u201c])"
    r"|\b(?:the|see) (?P<side>above|below) (?P<thing>table|list|diagram|section|steps?|examples?|rules?"
    r"|commands?|snippet"
    r"|notes?|patterns?)\b",
    re.IGNORECASE,
)
_SAYS_NOTHING = frozenset(read_words("import_words", "words that say nothing"))
_EXAMPLE = re.compile(r"^(?:e\.g|i\.e)\b", re.IGNORECASE)
_DATA_KEY = re.compile(r"(?:^|\s)(?:id|version|alwaysApply|globs|description|title): ?\S")
_OF_THE_FILE = re.compile(
    r"\b(?:this|these) (?:file|document|rules?|guide|instructions?|guidelines|references?|skill|checklist|page)\b"
    r"|\bthe following (?:rules|guidelines|conventions|standards|instructions)\b|以下规[范则]|本规[范则]|本文件",
    re.IGNORECASE,
)
# What a short text says of the guide in which it stands.
_OF_A_GUIDE = re.compile(
    r"\b(?:from|in|of|by|see) this (?:guide|document|page|skill)\b"
    r"|\b(?:repeat|duplicate|restate)\b[^.]{0,30}\b(?:agents|claude)\.md\b",
    re.IGNORECASE,
)
_DESCRIBES_A_FIELD = re.compile(
    r"^(?:[^:]{2,60}: ){1,2}(?:whether|guidelines? (?:for|on)|how(?! to\b)|what|which|where|describes?|description"
    r"|defines?)\b",
    re.IGNORECASE,
)
_POINTING = ("it", "they", "this", "these", "those", "that")
_ISSUE = re.compile(r"#\d+|\b(?:tracked|listed|kept|lives?) (?:in|at|on)\b|\bsee\b", re.IGNORECASE)
MIN_WORDS = 8
MAX_WORDS_OF_BLANK = 8
MIN_TITLE_WORDS = 3
MIN_PLACEHOLDERS = 4
MAX_POINTER_WORDS = 25
MAX_LEANING_CHARS, MAX_ABOUT_CHARS = 800, 250


def reason_to_leave(draft: ImportedDraft) -> str:
    """Why a draft is left to the agent; "" if it becomes a memory."""
    text = _text_of(draft)
    title = str(draft.record()["title"])
    said = title.rpartition(": ")[2] if draft.category != "runbook" else title
    if is_foreign(text) and not rule_words.is_rule(text):
        return LANGUAGE
    is_fact = draft.category == "constraint" and draft.content.get("kind") == "technical"
    form = text if is_fact else str(draft.content.get("trigger", ""))
    blanks = len(_PLACEHOLDER.findall(form))
    if blanks >= MIN_PLACEHOLDERS and MAX_WORDS_OF_BLANK * blanks > len(form.split()):
        return TEMPLATE
    if "```" in title or "-->" in title:
        return CODE
    if len(_DATA_KEY.findall(text)) > 1:
        return DATA
    is_of_guide = len(text) <= MAX_ABOUT_CHARS and _OF_A_GUIDE.search(text)
    if is_of_guide or _OF_THE_FILE.search(title) or rule_words.is_boilerplate(first_sentence_of(text)):
        return ABOUT_ITSELF
    if _DESCRIBES_A_FIELD.match(title) and not rule_words.is_rule(title):
        return DESCRIBES
    if draft.category == "tech_debt" and len(text.split()) < MAX_POINTER_WORDS and _ISSUE.search(text):
        return POINTER
    if "\n" in text:
        # A whole section says by itself what it is about, below a heading that names a subject.
        return FRAGMENT if section_words.is_vague(title) or _EXAMPLE.match(title.partition(": ")[2] or title) else ""
    if _POINTS_BACK.match(title) or all(word in _SAYS_NOTHING for word in _WORD.findall(said.lower())):
        return FRAGMENT
    if _PRONOUN.match(said) or _PRONOUN.match(title) or title.endswith("?") or text.rstrip().endswith("?"):
        return FRAGMENT
    if draft.category != "runbook" and (
        is_open_end(title) or text.rstrip().endswith((":", "\uff1a")) or not title[:1].strip(";,:)")
    ):
        return FRAGMENT
    if draft.category != "runbook" and _leans(text):
        return POINTER
    if _CONDITION.match(said) and not re.search(r"[,:;\u2013\u2014\u2192]| - ", re.sub(r"\([^()]*\)?", "", said)):
        return FRAGMENT
    if len(_WORD.findall(title)) < MIN_TITLE_WORDS and "`" not in text:
        return FRAGMENT
    if title.endswith(CUT) and draft.category != "runbook" and ": " not in title:
        return CUT_TITLE
    if _ELSEWHERE.search(title) and len(text.split()) < MAX_POINTER_WORDS:
        return POINTER
    return ""


def points_outside(text: str) -> bool:
    """Whether a text names something above or below that is no part of it, such as `the table above`.

    A heading in quotation marks says where to look, and is no such reference. A long text is understood without it.
    """
    for found in [] if len(text) > MAX_LEANING_CHARS else _OUTSIDE.finditer(text):
        kind = (found["what"] or found["thing"]).lower()
        is_above = (found["way"] or found["side"]).lower() == "above"
        inside = text[: found.start()].rpartition("\n")[0] if is_above else text[found.end() :].partition("\n")[2]
        mark = "|" if kind == "table" else "```" if kind in ("command", "commands", "snippet") else ""
        if not inside.strip() or mark not in inside:
            return True
    return False


def _leans(text: str) -> bool:
    """Whether the first sentence of a rule or a fact is about something that stands before it, and not behind it."""
    line, _end, below = text.partition("\n")
    first = first_sentence_of(line)
    found = _BEGINS_ELSEWHERE.match(first)
    # `Use these colours: red, green` says which.
    if not found or re.search(r":\s+\S", first[found.end() :]) or (below and line.endswith(":")):
        return False
    return rule_words.is_imperative(first) or first.split()[0].lower() in _POINTING


def is_foreign(text: str) -> bool:
    """Whether a text is not English, judged by its letters, and then by its function words."""
    plain = _CODE.sub(" ", text)
    letters = [letter for letter in plain if letter.isalpha()]
    foreign = sum([not letter.isascii() for letter in letters])
    if foreign >= MIN_WORDS and 4 * foreign > len(letters):
        return True
    words = _WORD.findall(plain.lower())
    if len(words) < MIN_WORDS:
        return False
    english = sum([word in _ENGLISH for word in words])
    return sum([word in _OTHERS for word in words]) > max(1, english)


def _text_of(draft: ImportedDraft) -> str:
    """The text in a draft's main field."""
    for name in _MAIN_FIELDS:
        value = draft.content.get(name)
        if value:
            return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
    return draft.title
