"""What a PowerShell command writes, as far as its words tell (SPEC 16.4)."""

from .powershell_words import read_powershell
from .shell_scope import Scope
from .shell_writes import MAX_SCRIPTS, MAX_WRITES, is_pattern

# Commands, with aliases, by what they do.
WRITERS = {
    "set-content": "write",
    "sc": "write",
    "add-content": "write",
    "ac": "write",
    "out-file": "write",
    "tee-object": "write",
    "tee": "write",
    "clear-content": "write",
    "clc": "write",
    "new-item": "new",
    "ni": "new",
    "copy-item": "copy",
    "cpi": "copy",
    "copy": "copy",
    "cp": "copy",
    "move-item": "move",
    "mi": "move",
    "move": "move",
    "mv": "move",
    "rename-item": "rename",
    "rni": "rename",
    "ren": "rename",
    "remove-item": "remove",
    "ri": "remove",
    "rm": "remove",
    "del": "remove",
    "erase": "remove",
    "rd": "remove",
    "rmdir": "remove",
    "set-location": "enter",
    "push-location": "enter",
    "sl": "enter",
    "cd": "enter",
    "chdir": "enter",
    "pushd": "enter",
    "pop-location": "leave",
    "popd": "leave",
    "pwsh": "script",
    "powershell": "script",
    "invoke-expression": "script",
    "iex": "script",
}
# Parameters with a value; a name may be cut where it stays clear.
VALUED = (
    "path",
    "literalpath",
    "filepath",
    "destination",
    "value",
    "name",
    "newname",
    "itemtype",
    "type",
    "encoding",
    "filter",
    "include",
    "exclude",
    "command",
    "credential",
    "stream",
    "width",
    "inputobject",
    "delimiter",
    "variable",
    "target",
    "erroraction",
)
# Shorter beginnings of a parameter could be those of a switch; `-c` brings a script.
MIN_PARAMETER_CHARS = 2
SEPARATORS = "/\\"
PATHS = ("path", "literalpath", "filepath")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_words import Word


def find_powershell_writes(command: str, cwd: str, home: str, project: str) -> list[tuple[str, str]]:
    """The writes of a PowerShell command, in its order: what happens, and the path."""
    script = _Script(Scope(cwd, home, project))
    script.run(command, 0)
    return script.writes


class _Script:
    __slots__ = ("scope", "writes")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.writes: list[tuple[str, str]] = []

    def run(self, text: str, depth: int) -> None:
        for words, targets in read_powershell(text):
            self._run_command(words, targets, depth)

    def _run_command(self, words: "list[Word]", targets: "list[Word]", depth: int) -> None:
        for target in targets:
            self._add("write", self.scope.expand(target))
        texts = [self.scope.expand(word) for word in words]
        if not texts:
            return
        first = words[0]
        if len(first) == 1 and isinstance(first[0], tuple) and len(texts) > 2 and texts[1] == "=":
            self.scope.assign(first[0][0], texts[2])
            return
        name = _lower(texts[0].replace("\\", "/").rpartition("/")[2]).removesuffix(".exe")
        kind = WRITERS.get(name)
        if kind is not None:
            self._find(kind, _Arguments(texts[1:]), depth)

    def _find(self, kind: str, arguments: "_Arguments", depth: int) -> None:
        named = arguments.values(PATHS)
        alone = arguments.positional
        paths = named if named is not None else (alone[0] if alone else [])
        if kind == "write":
            self._add_all("write", paths)
        elif kind == "new":
            item = _lower("".join(arguments.values(("itemtype", "type")) or []))
            names = arguments.values(("name",))
            if item.startswith("d"):
                return
            if names:
                self._add("write", f"{paths[0] if paths else '.'}/{names[0]}")
            else:
                self._add_all("write", paths)
        elif kind in ("copy", "move"):
            if kind == "move":
                self._add_all("move", paths)
            targets = arguments.values(("destination",))
            if targets is None:
                place = 1 if named is None else 0
                targets = alone[place] if len(alone) > place else []
            for target in targets:
                self._add("write", target)
                for source in paths:
                    name = source.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
                    if not is_pattern(name):
                        self._add("write", f"{target.rstrip(SEPARATORS)}/{name}")
        elif kind == "rename":
            self._add_all("move", paths)
        elif kind == "remove":
            action = "remove_tree" if arguments.is_recursive else "remove"
            self._add_all(action, named if named is not None else [text for values in alone for text in values])
        elif kind == "enter":
            self.scope.enter(self.scope.expand_home(paths[0]) if paths else None)
        elif kind == "leave":
            self.scope.enter("-")
        elif depth < MAX_SCRIPTS:
            scripts = arguments.scripts()
            if scripts:
                self.run(" ".join(scripts), depth + 1)

    def _add(self, action: str, target: str) -> None:
        if len(self.writes) < MAX_WRITES:
            self.writes.append((action, self.scope.locate(self.scope.expand_home(target))))

    def _add_all(self, action: str, targets: list[str]) -> None:
        for target in targets:
            self._add(action, target)


class _Arguments:
    """Parameters with their values, and the lists of values that stand alone."""

    __slots__ = ("is_recursive", "named", "positional")

    def __init__(self, words: list[str]) -> None:
        self.named: list[tuple[str, list[str]]] = []
        self.positional: list[list[str]] = []
        self.is_recursive = False
        place = 0
        while place < len(words):
            word = words[place]
            place += 1
            if word[:1] != "-" or not (word[1:2].isascii() and word[1:2].isalpha()):
                values = [word]
                place = _read_list(words, place, values)
                self.positional.append(values)
                continue
            name, _, attached = word[1:].partition(":")
            name = _lower(name)
            self.is_recursive = self.is_recursive or name.startswith("r") or name == "fr"
            is_clear = len(name.encode()) >= MIN_PARAMETER_CHARS or name == "c"
            known = [full for full in VALUED if is_clear and full.startswith(name)]
            if not known:
                continue
            values = [attached] if attached else words[place : place + 1]
            place = _read_list(words, place + (not attached), values)
            self.named.append((known[0], values))

    def values(self, names: tuple[str, ...]) -> list[str] | None:
        for name, values in self.named:
            if name in names:
                return values
        return None

    def scripts(self) -> list[str]:
        """What `-Command` brings; also all that stands alone."""
        return (self.values(("command",)) or []) + [text for values in self.positional for text in values]


def _read_list(words: list[str], place: int, values: list[str]) -> int:
    """Add what follows behind commas to `values`; returns the place behind."""
    while place < len(words) and words[place] == ",":
        values += words[place + 1 : place + 2]
        place += 2
    return place


def _lower(text: str) -> str:
    return text.lower() if text.isascii() else "".join([char.lower() if char.isascii() else char for char in text])
