"""Makes stored text safe to show in a prompt (SPEC 9)."""

from ...basics.chars import WHITESPACE, scrub
from ...basics.tables import read_words

MAX_TITLE_CHARS = 120
MAX_PATH_CHARS = 120
# The most characters of a component of a path that is shown: the longest id with `.json`.
MAX_COMPONENT_CHARS = 85
# The most blanks in such a component. A name with more of them reads like a sentence.
MAX_COMPONENT_BLANKS = 2
# No name of a frame is longer.
MAX_FRAME_NAME_CHARS = 40

_INVISIBLE = dict.fromkeys(
    [
        *range(0x20),
        0x7F,
        *range(0x200B, 0x2010),
        *range(0x2028, 0x2030),
        *range(0x2060, 0x206A),
        0xFEFF,
        *range(0xE0000, 0xE0080),
    ]
)

_HIDDEN = _INVISIBLE | dict.fromkeys(
    [
        *range(0x80, 0xA0),
        *(0xAD, 0x34F),
        *range(0x600, 0x606),
        *(0x61C, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x115F, 0x1160, 0x17B4, 0x17B5),
        *range(0x180B, 0x1810),
        *range(0x206A, 0x2070),
        *(0x2800, 0x3164),
        *range(0xFDD0, 0xFDF0),
        *range(0xFE00, 0xFE10),
        0xFFA0,
        *range(0xFFF0, 0xFFFC),
        *(0x110BD, 0x110CD),
        *range(0x13430, 0x13440),
        0x16FE4,
        *range(0x1BCA0, 0x1BCA4),
        0x1D159,
        *range(0x1D173, 0x1D17B),
    ]
)


def remove_invisible(text: str) -> str:
    """Return the text without control, zero-width, bidirectional and tag characters (SPEC 9.1)."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_INVISIBLE)


def remove_hidden(text: str) -> str:
    """Return the text without characters that are invisible or have no meaning of their own (SPEC 9.4)."""
    if text.isascii() and text.isprintable():
        return text
    text = text.translate(_HIDDEN)
    # These ranges are too large for a table: private use, the plane of tags and selectors, and noncharacters.
    if text and max(text) >= "\ue000":
        text = "".join([char for char in text if not _is_in_large_range(char)])
    return text


def _is_in_large_range(char: str) -> bool:
    is_noncharacter = ord(char) & 0xFFFE == 0xFFFE
    is_private = "\ue000" <= char <= "\uf8ff" or char >= "\U000f0000"
    return is_noncharacter or is_private or "\U000e0000" <= char <= "\U000e0fff"


def sanitize_title(text: str) -> str:
    """Return a title in the form that a block shows: escaped, at most 120 characters, without invisible characters and
    without the separators of index lines."""
    return _escape_markup(_one_title(remove_invisible(scrub(text))))


def plain_title(text: str) -> str:
    """Return a title as it was written, for programs that show it to a user, at most 120 characters (SPEC 9.7).

    Hidden characters and the separators of index lines are left out.
    """
    return _one_title(remove_hidden(scrub(text)))


def block_title(text: str) -> str:
    """Return a title for a packed block: as it was written, but with no beginning of a frame's tag (SPEC 9.7)."""
    return escape_frames(plain_title(text))


def _one_title(text: str) -> str:
    return text.replace(" -> ", " - ").replace("#tags:", "").strip(WHITESPACE)[:MAX_TITLE_CHARS]


def legible_path(path: str) -> str:
    """Return a path in a form that may stand between back-ticks in a sentence for an agent (SPEC 9.5).

    Hidden characters and back-ticks are removed, each component that reads like a sentence becomes `...`, the path is
    cut to 120 characters, and markup is escaped. The components are joined by `/`.
    """
    path = remove_hidden(scrub(path).replace("`", "")).replace("\\", "/")
    components = ["..." if _is_sentence(component) else component for component in path.split("/")]
    return _escape_markup("/".join(components)[:MAX_PATH_CHARS])


def _is_sentence(component: str) -> bool:
    return (
        len(component) > MAX_COMPONENT_CHARS or sum([char in WHITESPACE for char in component]) > MAX_COMPONENT_BLANKS
    )


def escape_text(text: str) -> str:
    """Replace `&`, `<`, `>` and both quotes by entities (SPEC 9.2)."""
    return _escape_markup(text).replace("'", "&#x27;")


def escape_frames(text: str) -> str:
    """Replace each `<` by an entity that begins a tag of a host's or our own frame, and a `<` at the end (SPEC 9.6).

    All other characters stay, so that commands can be run as they are shown.
    """
    first, *pieces = text.split("<")
    is_last = [place == len(pieces) - 1 for place in range(len(pieces))]
    marks = ["&lt;" if _begins_frame(piece, last) else "<" for piece, last in zip(pieces, is_last, strict=True)]
    return first + "".join([mark + piece for mark, piece in zip(marks, pieces, strict=True)])


def _begins_frame(text: str, is_last: bool) -> bool:
    """Whether a text between `<` and the next one begins with the name of a frame, or the last one has no name."""
    name = text.lstrip(WHITESPACE + "/\\!?")
    if not name:
        return is_last
    return _lower_ascii(name[:MAX_FRAME_NAME_CHARS]).startswith(read_words("words", "frame_names"))


def _lower_ascii(text: str) -> str:
    return "".join([char.lower() if char.isascii() else char for char in text])


def _escape_markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
