"""The subjects of a memory: what it is about together with other memories (SPEC 33.5)."""

from ...basics.json_reader import object_in
from ..text.identifier import split_identifier
from ..text.letters import LETTER
from ..text.terms import kind_of, split_chunks
from .links import MAX_NAME_BYTES, memory_id, texts_of

# The most named subjects of a memory, and the most memories that it is derived from.
MAX_SUBJECTS = 4
# The most members of `applies_to` that are read.
MAX_SCOPES = 16
# The most tags that are read.
MAX_TAGS = 16
# The prefix of the folded name of a component, or of the subject that the writer gave.
ABOUT = "about:"
# The prefix of the id of a memory that this one is derived from, or of its folder and id.
FROM = "from:"
# The folder of session summaries. Memories of one session are not about one subject.
SESSIONS = "sessions/"


def read_subjects(record: dict[str, object]) -> list[str]:
    """The subjects of a memory as links: the one that the writer gave, the components that it applies to, and the
    memories that it is derived from."""
    extension = object_in(record, "cuecard")
    scopes = extension.get("applies_to")
    scopes = scopes[:MAX_SCOPES] if isinstance(scopes, list) else []
    components = [scope.get("component") for scope in scopes if isinstance(scope, dict)]
    names = [extension.get("subject"), *components]
    folded = [f"{ABOUT}{name}" for text in names if isinstance(text, str) and (name := _fold(text))]
    sources = [source for text in texts_of(extension.get("derived_from")) if (source := memory_id(text))]
    sources = [f"{FROM}{source}" for source in sources if not source.startswith(SESSIONS)]
    return [*list(dict.fromkeys(folded))[:MAX_SUBJECTS], *sources[:MAX_SUBJECTS]]


def tag_subjects(tags: object) -> list[str]:
    """The tags of a memory in the form of named subjects."""
    return [f"{ABOUT}{name}" for tag in texts_of(tags)[:MAX_TAGS] if (name := _fold(tag))]


def _fold(name: str) -> str:
    """The name of a subject as it is compared: its letters and digits in lower case, so that `parse_quantity`,
    `parseQuantity` and `Parse Quantity` are one subject. "" if nothing is left or the name is too long."""
    if len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
        return ""
    chunks = split_chunks(name)
    folded = "".join([split_identifier(chunk)[0] if kind_of(chunk) == LETTER else chunk for chunk in chunks])
    return folded if len(folded.encode()) <= MAX_NAME_BYTES else ""
