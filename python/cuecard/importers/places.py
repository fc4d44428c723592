"""Where agent programs keep instructions and notes in a project: the table `import_places.txt`.

Rules: docs/reference/import.md, "Places".
"""

import re

from ..basics.tables import read_words

TABLE = "import_places"
PRIVATE_NAMES = frozenset(read_words(TABLE, "private names"))
_NAMES = frozenset(read_words(TABLE, "names"))
_CAPITAL_NAMES = frozenset(read_words(TABLE, "capital names"))
_DATA_NAMES = frozenset(read_words(TABLE, "data names"))
_RULE_FOLDERS = read_words(TABLE, "rule folders")
_NOTE_FOLDERS = read_words(TABLE, "note folders")
_OPEN_FOLDERS = frozenset(read_words(TABLE, "open folders"))
_PLAN_FOLDERS = frozenset(read_words(TABLE, "plan folders"))
NAMES = _NAMES | _CAPITAL_NAMES
# Files that define commands, agents and skills are for tools. They have no memories of the project.
_LEFT_OUT_BELOW = {
    ".claude": frozenset(("commands", "agents", "skills", "plugins", "projects")),
    ".github": frozenset(
        ("ISSUE_TEMPLATE", "PULL_REQUEST_TEMPLATE", "workflows", "agents", "chatmodes", "prompts", "skills")
    ),
    ".cursor": frozenset(("commands", "skills", "agents")),
    ".agents": frozenset(("commands", "skills", "agents", "workflows", "plugins")),
    ".windsurf": frozenset(("workflows", "skills")),
    ".gemini": frozenset(("commands", "skills", "agents", "extensions")),
    ".clinerules": frozenset(("workflows", "hooks", "skills")),
    ".junie": frozenset(("commands", "skills", "agents")),
}
_LEFT_OUT = frozenset(("node_modules", "vendor", "target", "dist", "build", "__pycache__", ".cuecard"))
# The parts of a store. Notes of other tools may lie beside them.
_STORE = re.compile(
    r"(?:^|.*/)\.claude/memory/(?:(?:sessions|decisions|runbooks|constraints|tech-debt|preferences)(?:/|$)|index\.md$)"
)
_RULES = re.compile(
    rf"(?:^|.*?/)(?:{'|'.join([re.escape(name) for name in _RULE_FOLDERS])})(?:-[\w-]+)?(?=/)", re.IGNORECASE
)
_NOTES = re.compile(rf"(?:^|.*?/)(?:{'|'.join([re.escape(name) for name in _NOTE_FOLDERS])})(?=/)", re.IGNORECASE)
# The folder of a tool: its files apply to the folder that contains it.
_TOOL_FOLDER = re.compile(
    rf"(?:^|/)(?:{'|'.join(sorted({re.escape(name.partition('/')[0]) for name in (*_RULE_FOLDERS, *_NOTE_FOLDERS)}))}"
    r"|\.gemini)(?:/.*)?$",
    re.IGNORECASE,
)


def is_instructions(place: str) -> bool:
    """Whether a file has instructions for agents, judged by its path in the project."""
    name = place.rpartition("/")[2]
    base = name.lower()
    if is_of_template(place):
        return False
    if base in _CAPITAL_NAMES:
        return "/" not in place or name.partition(".")[0].isupper() or bool(_RULES.match(place) or _NOTES.match(place))
    # A README beside rules describes the rules.
    is_ruled = bool(rule_folder_of(place)) and not base.startswith("readme.")
    return base in _NAMES or base.endswith(".instructions.md") or is_ruled


def is_of_template(place: str) -> bool:
    """Whether a file belongs to a template of projects: its path has a name to fill in (`{{name}}/AGENTS.md`)."""
    return "{{" in place or "{%" in place


def is_data(place: str) -> bool:
    """Whether a file may have the memories of an MCP server or of mem0, judged by its name."""
    base = place.rpartition("/")[2].lower()
    return base in _DATA_NAMES or (base.endswith(".json") and "mem0" in base)


def rule_folder_of(place: str) -> str:
    """The folder with rules that contains a file; "" if there is none, or if the file is a plan."""
    found = _RULES.match(place)
    return found[0] if found and not is_plan(place) else ""


def is_plan(place: str) -> bool:
    """Whether a file lies among the plans in a folder with rules: it says what was to be done once."""
    found = _RULES.match(place)
    return bool(found and _PLAN_FOLDERS.intersection(place[found.end() :].lower().split("/")[:-1]))


def note_folder_of(place: str) -> str:
    """The folder with an agent's notes that contains a file; "" if there is none."""
    found = _NOTES.match(place)
    return found[0] if found else ""


def home_of(folder: str) -> str:
    """The folder to which the files of a folder apply: for a tool's folder, the folder that contains it."""
    return _TOOL_FOLDER.sub("", folder)


def is_entered(folder: str) -> bool:
    """Whether an import enters a folder, given by its path in the project."""
    parent, _, name = folder.rpartition("/")
    owner = parent.rpartition("/")[2]
    if name in _LEFT_OUT or name in _LEFT_OUT_BELOW.get(owner, ()) or _STORE.match(folder):
        return False
    if owner.startswith(".") and owner not in _OPEN_FOLDERS and owner in _PARENTS:
        return name.lower() in _PARENTS[owner] or name.lower().partition("-")[0] in _PARENTS[owner]
    return not name.startswith(".") or name in _OPEN_FOLDERS or name in _PARENTS


def is_of_store(place: str) -> bool:
    """Whether a file is one of a store's own files."""
    return bool(_STORE.match(place))


def _parents() -> dict[str, set[str]]:
    """The hidden folders that contain folders of the table, each with the names of these folders."""
    found: dict[str, set[str]] = {}
    for name in (*_RULE_FOLDERS, *_NOTE_FOLDERS):
        owner, _, below = name.partition("/")
        if below:
            found.setdefault(owner, set()).add(below)
    return found


_PARENTS = _parents()
