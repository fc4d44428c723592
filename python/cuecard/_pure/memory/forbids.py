"""What a memory forbids: code, imports, commands and paths, each as a text: `command: npm install` (SPEC 40.1)."""

from ...basics.json_reader import object_in
from .links import normalize_path
from .path_pattern import matches_path

# The prefix of an entry in the dictionary of links.
FORBIDS = "forbids:"
# The maximal number of entries of a memory that count.
MAX_FORBIDS = 12
# The maximal number of characters of an entry; longer entries are ignored.
MAX_FORBID_CHARS = 80
KINDS = ("code", "command", "import", "path")
BLANKS = " \t"


def forbids_links(record: dict[str, object]) -> list[str]:
    """The entries of a record, as keys of the dictionary of links."""
    return [f"{FORBIDS}{entry}" for entry in read_forbids(object_in(record, "cuecard"))]


def read_forbids(extension: dict[str, object]) -> list[str]:
    """The entries of a memory that count, in their normal form and order, without repetitions.

    `extension` is the object `cuecard` of the memory.
    """
    listed = extension.get("forbids")
    if not isinstance(listed, list):
        return []
    entries = [normalize_forbid(entry) for entry in listed if isinstance(entry, str)]
    return list(dict.fromkeys([entry for entry in entries if entry]))[:MAX_FORBIDS]


def normalize_forbid(entry: str) -> str | None:
    """The normal form of an entry, `KIND: TEXT` with single blanks; None if the entry does not count."""
    kind, sign, text = entry.partition(":")
    kind = kind.strip(BLANKS)
    if not sign or kind not in KINDS:
        return None
    text = " ".join([word for word in text.replace("\t", " ").split(" ") if word])
    if kind == "code" and len(text) < 2:
        return None
    if kind == "path":
        text = normalize_path(text) or ""
    elif kind == "import":
        text = text.removeprefix("import ")
    normal = f"{kind}: {text}"
    return normal if text and not set("\n\r") & set(text) and len(normal) <= MAX_FORBID_CHARS else None


def covers(pattern: str, path: str) -> bool:
    """Whether a path or a pattern covers a file or folder of the project: itself, what is below it, or what the pattern
    matches."""
    of_pattern, of_path = normalize_path(pattern), normalize_path(path)
    if of_pattern is None or of_path is None:
        return False
    if "*" in of_pattern or "?" in of_pattern:
        return matches_path(of_pattern, of_path)
    folder = of_pattern.rstrip("/")
    return of_path.startswith(folder) and of_path[len(folder) :][:1] in ("", "/")


ANYWHERE, INSIDE, OUTSIDE = "anywhere", "inside", "outside"


def reach(extension: dict[str, object], path: str) -> str:
    """Where the components in a memory's `applies_to` that are paths (with `/`, `*` or `?`) let it speak about a file.

    `ANYWHERE` if there are none, `INSIDE` if one covers the file, otherwise `OUTSIDE`.
    """
    members = extension.get("applies_to")
    listed = [one.get("component") for one in members if isinstance(one, dict)] if isinstance(members, list) else []
    paths = [one for one in listed if isinstance(one, str) and set("/*?") & set(one)]
    if not paths:
        return ANYWHERE
    return INSIDE if any(covers(component, path) for component in paths) else OUTSIDE
