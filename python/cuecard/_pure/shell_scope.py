"""What a script's commands see: the folder they work in, and their variables (SPEC 16.3)."""

# Stands in a text for what only the shell could know; no path has it.
UNKNOWN = "\0"
# Longer values of variables count as unknown: a script can double them at every line.
MAX_VALUE_CHARS = 512
MAX_FOLDER_CHARS = 4096
MAX_VARIABLES = 256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_words import Word


class Scope:
    """Folder and variables at a point of a script."""

    __slots__ = ("folder", "previous", "variables")

    def __init__(self, cwd: str, home: str, project: str) -> None:
        """Where a script begins; `project` is `CLAUDE_PROJECT_DIR`, and "" stands for what is not set."""
        self.folder = cwd
        self.previous: str | None = None
        known = (("HOME", home), ("CLAUDE_PROJECT_DIR", project))
        self.variables = {name: value for name, value in known if value}

    def copy(self) -> "Scope":
        """The same, to be changed on its own."""
        scope = Scope(self.folder, "", "")
        scope.previous = self.previous
        scope.variables = self.variables.copy()
        return scope

    def expand(self, word: "Word") -> str:
        """The text of a word, with `UNKNOWN` where it has none."""
        text = []
        taken = 0
        for piece in word:
            if isinstance(piece, str):
                text.append(piece)
                continue
            value = None
            if piece is not None:
                value = self.folder if piece[0] == "PWD" else self.variables.get(piece[0])
            if value is None or taken + len(value) > MAX_VALUE_CHARS:
                text.append(UNKNOWN)
            else:
                taken += len(value)
                text.append(value)
        return "".join(text)

    def assign(self, name: str, value: str) -> None:
        """Give a variable a value."""
        if len(self.variables) < MAX_VARIABLES or name in self.variables:
            value = self.expand_home(value)
            self.variables[name] = value if len(value) <= MAX_VALUE_CHARS else UNKNOWN

    def expand_home(self, text: str) -> str:
        """`~` and what is below it, as file tools and assignments understand it."""
        home = self.variables.get("HOME")
        if home is not None and text[:1] == "~" and text[1:2] in ("", "/", "\\"):
            return home + text[1:]
        return text

    def locate(self, text: str) -> str:
        """The path that a text names here, its dots and links as they are."""
        if not text:
            return UNKNOWN
        return text if _is_absolute(text) else f"{self.folder}/{text}"

    def enter(self, target: str | None) -> None:
        """`cd` with its argument, if it has one."""
        if target is None:
            folder = self.variables.get("HOME")
        elif target == "-":
            folder = self.previous
        else:
            folder = self.locate(target)
        self.previous = self.folder
        self.folder = UNKNOWN if folder is None or len(folder) > MAX_FOLDER_CHARS else folder


def _is_absolute(text: str) -> bool:
    """Whether a path needs no folder before it: a root, a drive, or a beginning that is not known."""
    return text[0] in "/\\\0" or (text[1:2] == ":" and text[0].isascii() and text[0].isalpha())
