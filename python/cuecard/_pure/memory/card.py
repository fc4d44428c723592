"""The card: the parts of a memory's file that an agent can be shown (SPEC 39.1)."""

from ...basics.chars import WHITESPACE
from ...basics.json_reader import object_in, read_json_object
from ...basics.timestamp import parse_timestamp
from .gist import FIELDS, gist_of, is_placeholder
from .sections import fitting, is_value_said, lines_of, passage, read_sections

# The most characters of the full text, before it is shortened to fit.
MAX_TEXT_CHARS = 6000
MAX_STATE_CHARS = 20
MAX_ANCHORS = 16
DATE_CHARS = 10
MAX_EVIDENCE_CHARS = 40
MAX_SCOPE_CHARS = 120
# The most characters of the line with the headings of the sections that are not shown.
MAX_HEADINGS_CHARS = 200
EVIDENCE_KINDS = ("commit", "file", "command", "ticket")
_STATE_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz_")
_LINE_MARKS = str.maketrans("\n\r\t", "   ")

# For each category the field that says what the memory is there to say.
MAIN_FIELDS = {
    "session_summary": "completed",
    "decision": "decision",
    "runbook": "steps",
    "constraint": "rule",
    "tech_debt": "description",
    "preference": "value",
}
# The fields that say when a memory applies.
WHEN = ("trigger", "symptoms")
# A field with a value of at least this many characters that was said before is left out. Shorter ones, such as numbers,
# may well be the same in two fields.
REPEATED_CHARS = 12

# Date, state, gist, full text, anchors, evidence, what the main field says.
Card = tuple[str, str, str, str, list[str], str, str]


def read_card(data: bytes | None) -> Card | None:
    """The card of a memory's file; None if the file is not a JSON object. Each field may be empty.

    Of a memory with sections, it has the section with the first step.
    """
    return card_for(data, [])


def card_for(data: bytes | None, terms: list[tuple[str, int]]) -> Card | None:
    """The card with the section that fits a prompt with these terms and weights; None if the file is no JSON object.

    The fields are:

    - the date, as `YYYY-MM-DD`: of `valid_from`, else newest evidence, else source, else last change, else creation;
    - the `status` of its content, such as `accepted`;
    - its gist: one sentence that states its content (SPEC 32);
    - its full text: where it applies, the lines of one section if it has any, then each field of its content that no
      section says on one line, the most informative fields first;
    - its anchors: the files and folders of the project that it is about;
    - the last evidence that is short, such as `commit 1a2b3c4`;
    - what the main field of the category says, as in the full text; the lines of the section if there is one.
    """
    record = read_json_object(data)
    if record is None:
        return None
    state = object_in(record, "content").get("status", "")
    if not isinstance(state, str) or len(state) > MAX_STATE_CHARS or not _STATE_CHARS.issuperset(state):
        state = ""
    extension = object_in(record, "cuecard")
    text, main = _text_of(record, _scope_of(extension.get("applies_to")), terms)
    pieces = extension.get("evidence")
    evidence = [piece for piece in pieces if isinstance(piece, dict)] if isinstance(pieces, list) else []
    date = _read_date(record, extension, evidence)
    return date, state, gist_of(record), text, _read_anchors(record, extension), _short_evidence(evidence), main


def _read_date(record: dict[str, object], extension: dict[str, object], evidence: list[dict[str, object]]) -> str:
    """The date of the card, as a day; "" if the memory has no date."""
    source = extension.get("source")
    dates = [
        extension.get("valid_from"),
        max([_date_of(piece.get("at")) for piece in evidence], default=""),
        source.get("date") if isinstance(source, dict) else None,
        record.get("updated_at"),
        record.get("created_at"),
    ]
    return next(filter(None, map(_date_of, dates)), "")


def _short_evidence(evidence: list[dict[str, object]]) -> str:
    """The last evidence of at most `MAX_EVIDENCE_CHARS` characters, such as `commit 1a2b3c4`; "" if there is none."""
    for piece in reversed(evidence):
        kind, ref = piece.get("kind"), piece.get("ref")
        if kind == "user":
            return "said by the user"
        line = _one_line(ref) if isinstance(ref, str) else ""
        if kind in EVIDENCE_KINDS and line and len(line) <= MAX_EVIDENCE_CHARS:
            return f"{kind} {line}"
    return ""


def _date_of(value: object) -> str:
    """The day of a timestamp written with dashes; "" for any other value."""
    if not isinstance(value, str) or parse_timestamp(value) is None:
        return ""
    date = value[:DATE_CHARS]
    return date if len(date) == DATE_CHARS and "-" in date else ""


def _scope_of(scopes: object) -> str:
    """The line that says to which components, versions and platforms a memory applies; "" if the memory names none."""
    found: list[str] = []
    for scope in scopes if isinstance(scopes, list) else []:
        named = [scope.get(name) for name in ("component", "version", "platform")] if isinstance(scope, dict) else []
        parts = [_one_line(part) if isinstance(part, str) else "" for part in named]
        if parts and parts[2]:
            parts[2] = f"on {parts[2]}"
        found.append(" ".join([part for part in parts if part]))
    words = "; ".join([words for words in found if words])[:MAX_SCOPE_CHARS]
    return f"applies to: {words}\n" if words else ""


def _text_of(record: dict[str, object], scope: str, terms: list[tuple[str, int]]) -> tuple[str, str]:
    """The full text, and what the main field says (SPEC 39.1)."""
    own = record.get("cuecard")
    sections = read_sections(own)
    if not sections:
        return _text_of_fields(record, scope, frozenset(), "")
    content, category = object_in(record, "content"), record.get("category")
    steps = content.get(MAIN_FIELDS.get(category, "")) if isinstance(category, str) else ""
    first = steps[0] if isinstance(steps, list) and steps else steps
    told = [content.get(name) for name in WHEN]
    when = [text for value in told for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    chosen = fitting(sections, terms, first if isinstance(first, str) else "", when)
    shown = passage(chosen) if chosen else ""
    headings = [_one_line(section[0]) for section in sections if section != chosen and section[0]]
    if headings:
        shown = f"other sections: {'; '.join(headings)[:MAX_HEADINGS_CHARS]}\n{shown}"
    return _text_of_fields(record, scope, lines_of(sections), shown)


def _text_of_fields(record: dict[str, object], scope: str, said_lines: frozenset[str], passage: str) -> tuple[str, str]:
    """`scope`, then the fields of the content without `status`, the most informative fields of the category first; and
    what the main field says. A field that only repeats the title or a field before it, or that the lines of sections
    say, is left out. The lines `passage` come before all fields, and are the main text where they are not empty."""
    content, category, title = record.get("content"), record.get("category"), record.get("title")
    if not isinstance(content, dict):
        text = (passage or _flat(content))[:MAX_TEXT_CHARS]
        return text, text
    known = category if isinstance(category, str) else ""
    first = FIELDS.get(known, ())
    # Where each value begins in the text; the title does not stand there.
    said = {_one_line(title): -1} if isinstance(title, str) else {}
    text, begin, length = f"{scope}{passage}" if passage else "", len(scope), len(passage)
    for name in (*first, *[name for name in content if name != "status" and name not in first]):
        value = "" if is_value_said(content.get(name), said_lines) else _flat(content.get(name))
        is_main = not passage and name == MAIN_FIELDS.get(known)
        is_repeated = value in said and len(value) >= REPEATED_CHARS
        if is_main and is_repeated and said[value] >= 0:
            begin, length = said[value], len(value)
        if not value or is_repeated:
            continue
        text += f"{chr(10) if text else scope}{_label(name)}: "
        if is_main:
            begin, length = len(text), len(value)
        said[value] = len(text)
        text += value
    text = text[:MAX_TEXT_CHARS]
    return text, text[begin : begin + length]


def _label(name: str) -> str:
    return _one_line(name.replace("_", " "))


def _flat(value: object) -> str:
    """The texts and integers within a value, in one line."""
    if isinstance(value, str):
        text = _one_line(value)
        return "" if is_placeholder(text) else text
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return "; ".join([text for text in map(_flat, value) if text])
    if isinstance(value, dict):
        members = [(name, _flat(member)) for name, member in value.items()]
        return ", ".join([f"{_label(name)}: {text}" for name, text in members if text])
    return ""


def _one_line(text: str) -> str:
    """The text with every run of blanks and line ends replaced by one blank."""
    return " ".join([word for word in text.translate(_LINE_MARKS).split(" ") if word]).strip(WHITESPACE)


def _read_anchors(record: dict[str, object], extension: dict[str, object]) -> list[str]:
    named = [record.get("related_files"), extension.get("anchors")]
    found = [anchor for items in named if isinstance(items, list) for anchor in items if isinstance(anchor, str)]
    return list(dict.fromkeys([anchor for anchor in found if anchor]))[:MAX_ANCHORS]
