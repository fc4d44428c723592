"""A memory file in the form that recall uses: its index line, status, dates and texts (SPEC 13.1, 22.1)."""

from ...basics.chars import WHITESPACE, fold, scrub
from ...basics.json_reader import JsonError, object_in, read_json
from ...basics.timestamp import parse_timestamp
from ..text.sanitize import MAX_TITLE_CHARS
from .file_anchors import is_concrete
from .forbids import forbids_links
from .links import read_links
from .sections import is_said, lines_of, read_sections
from .subjects import read_subjects
from .validity import Validity, read_validity

# The statuses of a document. A document stores the position of its status in this list.
STATUSES = ("active", "retired", "archived", "other")
ACTIVE = 0

# The most questions of a memory that are indexed, and the most characters of each (SPEC 22.1).
MAX_QUESTIONS = 5
MAX_QUESTION_CHARS = 200

# The most bytes of a memory's text that are indexed (SPEC 22.1).
MAX_INDEXED_BYTES = 32_768

NOT_JSON = "not JSON"
BLANK_IN_PATH = "its path contains white space"


class Document:
    """A memory file that has an index line."""

    def __init__(self, category: str, line: str, status: int, title: str, tags: list[str], record: object) -> None:
        """`category` is in upper case, `line` ends with a line feed, and `status` is a position in `STATUSES`."""
        self.category = category
        self.folded_title = fold(title)
        self.line = line
        self.status = status
        self._title = title
        self._tags = tags
        self._record: dict[str, object] = record if isinstance(record, dict) else {}

    def fields(self) -> tuple[str, str, str, str]:
        """The indexed texts: title, tags, questions and body, together at most `MAX_INDEXED_BYTES` (SPEC 22.1).

        Each tag and each question is on a line of its own.
        """
        texts: list[str] = []
        room = MAX_INDEXED_BYTES
        files = self._record.get("related_files")
        places = [_named_place(file) for file in files if isinstance(file, str)] if isinstance(files, list) else []
        sections = read_sections(self._record.get("cuecard"))
        said = lines_of(sections)
        for part in (self._record.get("content"), [place for place in places if place]):
            room = _push_texts(part, said, texts, room)
        texts += [text for section in sections for text in section]
        tags, questions = "\n".join(self._tags), "\n".join(self._questions())
        return _cut_all(self._title, tags, questions, "".join([f"{text}\n" for text in texts]))

    def validity(self) -> Validity:
        """Whether the memory has ended, and from and until when it is valid (SPEC 22.10)."""
        return read_validity(self._record)

    def _questions(self) -> list[str]:
        """The questions that the memory answers, each in one line."""
        questions = object_in(self._record, "cuecard").get("questions")
        texts = [text for text in questions if isinstance(text, str)] if isinstance(questions, list) else []
        lines = [_one_line(text)[:MAX_QUESTION_CHARS].strip(WHITESPACE) for text in texts]
        return [line for line in lines if line][:MAX_QUESTIONS]

    def links(self) -> list[str]:
        """What this memory names, its subjects, and what it forbids, as keys of the dictionary of links
        (SPEC 33.1, 33.5, 40.1)."""
        return read_links(self._record) + read_subjects(self._record) + forbids_links(self._record)

    def updated_at(self) -> int | None:
        """The time of the last change, in microseconds since 1970; None if it is missing or malformed."""
        return self._timestamp("updated_at")

    def created_at(self) -> int | None:
        """The time of creation, in microseconds since 1970; None if it is missing or malformed."""
        return self._timestamp("created_at")

    def _timestamp(self, name: str) -> int | None:
        text = self._record.get(name)
        return parse_timestamp(text) if isinstance(text, str) else None


def read_document(category: str, path: str, data: bytes | None) -> Document | tuple[str, bool]:
    """Read a memory file from a category's folder.

    Returns the document, or the reason why it has no index line and whether it is inactive. `data` is None if the file
    cannot be read.
    """
    if data is None:
        return "unreadable", False
    try:
        data.decode()
    except UnicodeDecodeError:
        return "not UTF-8", False
    try:
        record = read_json(data)
    except JsonError:
        return NOT_JSON, False
    if not isinstance(record, dict):
        return "not a JSON object", False
    status_name = record.get("record_status", "active")
    status = STATUSES.index(status_name) if status_name in STATUSES else STATUSES.index("other")
    is_inactive = status != ACTIVE
    path = scrub(path)
    stem = path.rpartition("/")[2].removesuffix(".json")
    title, category_name = record.get("title", stem), record.get("category", category)
    tags = record.get("tags") or []
    if not isinstance(title, str):
        return "a `title` that is not a string", is_inactive
    if not isinstance(category_name, str):
        return "a `category` that is not a string", is_inactive
    if not isinstance(tags, (list, str)) or not all(isinstance(tag, str) for tag in tags):
        return "`tags` that are not a list of strings", is_inactive
    if any(char in WHITESPACE for char in path):
        return BLANK_IN_PATH, is_inactive
    display = "".join([chr(ord(char) - 32) if "a" <= char <= "z" else char for char in scrub(category_name)])
    tags = [_one_line(tag) for tag in tags]
    # A suffix of blank tags would make a line that cannot be parsed again.
    suffix = f" #tags:{','.join(tags)}" if any(tag.strip(WHITESPACE) for tag in tags) else ""
    line = f"- [{_one_line(display)}] {_index_title(title)} -> {path}{suffix}\n"
    return Document(display, line, status, title, tags, record)


def _named_place(path: str) -> str | None:
    """The file or folder of the project that a path names; for a pattern, the folder that contains all matches."""
    parts = path.split("/")
    ends = [number for number, part in enumerate(parts) if any(char in part for char in "*?[")]
    place = "/".join(parts[: ends[0]] if ends else parts)
    return place if is_concrete(place.removesuffix("/")) else None


def _push_texts(value: object, said: frozenset[str], texts: list[str], room: int) -> int:
    """Append the texts within a value that the lines of sections do not say, in order, until `room` characters are
    used. Returns the characters left."""
    if isinstance(value, str):
        if is_said(value, said):
            return room
        texts.append(value)
        return room - len(value) - 1
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    for item in items:
        if room <= 0:
            break
        room = _push_texts(item, said, texts, room)
    return room


def _cut_all(title: str, tags: str, questions: str, body: str) -> tuple[str, str, str, str]:
    """The four texts, cut to `MAX_INDEXED_BYTES` together. The last texts are cut first, never within a character."""
    if (len(title) + len(tags) + len(questions) + len(body)) * 4 <= MAX_INDEXED_BYTES:
        return title, tags, questions, body
    title, room = _cut(title, MAX_INDEXED_BYTES)
    tags, room = _cut(tags, room)
    questions, room = _cut(questions, room)
    return title, tags, questions, _cut(body, room)[0]


def _cut(text: str, room: int) -> tuple[str, int]:
    """The longest beginning of a text with at most `room` bytes, and the bytes left; 0 if the text was cut."""
    data = text[: room + 1].encode()
    return (text, room - len(data)) if len(data) <= room else (data[:room].decode("utf-8", "ignore"), 0)


def _index_title(title: str) -> str:
    words = "".join([" " if char in WHITESPACE else char for char in title]).split(" ")
    title = " ".join([word for word in words if word])
    return title.replace(" -> ", " - ").replace("#tags:", "")[:MAX_TITLE_CHARS]


def _one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")
