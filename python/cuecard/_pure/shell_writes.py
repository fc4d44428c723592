"""What a shell command writes, judged by its words alone (SPEC 16.3); a table says what each program does."""

from ..tables import find_row, read_words
from .shell_reader import UNKNOWN, Reader

MAX_WRITES = 1000
# Scripts within scripts are read this deep, and so many characters of them in all.
MAX_DEPTH = 8
MAX_SCRIPT_CHARS = 65_536
# Longer values and folders count as unknown: a script can double them at every line.
MAX_VALUE_CHARS = 512
MAX_FOLDER_CHARS = 4096
MAX_VARIABLES = 256

_TABLES = "writing_commands"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Script:
    """Folder, variables and writes of a script that is being read."""

    def __init__(self, folder: str, home: str, project: str, is_powershell: bool) -> None:
        """One that begins in that folder; "" stands for what is not set."""
        self.folder, self.is_powershell = folder, is_powershell
        self.writes: list[tuple[str, str]] = []
        self._previous, self._depth, self._read_chars = UNKNOWN, 0, 0
        known = {"HOME": home, "USERPROFILE": home, "CLAUDE_PROJECT_DIR": project}
        self._variables = {name: value for name, value in known.items() if value}

    def read(self, text: str) -> None:
        """Read a script, or one within it. Its folder is its own, but for the blocks of PowerShell."""
        self._read_chars += len(text) if self._depth else 0
        if self._depth <= MAX_DEPTH and self._read_chars <= MAX_SCRIPT_CHARS:
            folder = self.folder
            self._depth += 1
            Reader(text, self).read()
            self._depth -= 1
            if not self.is_powershell:
                self.folder = folder

    def value(self, name: str) -> str:
        """The value of a variable."""
        name = self._fold(name)
        return self.folder if name == "PWD" else self._variables.get(name, UNKNOWN)

    def _fold(self, name: str) -> str:
        """A variable's name; those of PowerShell are of any case."""
        return name.upper().removeprefix("ENV:") if self.is_powershell and name.isascii() else name

    def run(self, words: list[str]) -> None:
        """Note what a command writes."""
        keywords = read_words(_TABLES, "keywords")
        for at, word in enumerate(words):
            name, sign, value = word.partition("=")
            if word == "for" and len(words) > at + 3:
                # Of several values the first stands for all.
                self._assign(words[at + 1], words[at + 3])
                return
            if self.is_powershell and words[at + 1 : at + 2] == ["="] and len(words) > at + 2:
                self._assign(word.lstrip("$"), words[at + 2])
                return
            if sign and _NAME.issuperset(name):
                self._assign(name, value)
            elif word not in keywords:
                self._run_program(word, words[at + 1 :])
                return

    def _look_up(self, program: str) -> tuple[str, str]:
        """What a program does, and the letter of its option that matters."""
        name = program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
        row = find_row(_TABLES, "powershell", name.lower()) if self.is_powershell else find_row(_TABLES, "shell", name)
        kind, _blank, letter = row.partition(" ")
        return kind, letter

    def _run_program(self, program: str, words: list[str]) -> None:
        kind, letter = self._look_up(program)
        operands = self._operands(words) if kind not in ("", "wrap") else []
        options = [at for at, word in enumerate(words[:-1]) if letter and word[:1] == "-" and word.endswith(letter)]
        values = [words[at + 1] for at in options]
        if kind == "wrap":
            self._run_behind(words)
        elif kind in ("write", "remove"):
            self._add_all(kind, operands)
        elif kind == "first" or (kind == "new" and "directory" not in [word.lower() for word in words]):
            self._add_all("write", operands[:1])
        elif kind == "output":
            self._add_all("write", values)
        elif kind == "of":
            self._add_all("write", [word[3:] for word in words if word.startswith("of=")])
        elif kind in ("copy", "move"):
            self._copy(kind, operands, values)
        elif kind == "edit" and any(map(_edits_in_place, words)):
            # The first operand is the script; the empty one is what `-i` of the BSDs asks for.
            self._add_all("write", operands[2 if operands[:1] == [""] else 1 :])
        elif kind == "sweep" and ("-delete" in words or "rm" in words):
            # Something below the places goes away.
            end = next((at for at, word in enumerate(words) if word[:1] in ("-", "(", "!")), len(words))
            self._add_all("remove", [word + "/?" for word in words[:end]])
        elif kind == "enter":
            self._enter(operands[0] if operands else "-" if letter == "-" else "~")
        elif kind == "script":
            self.read("".join(values[:1]))
        elif kind == "eval":
            self.read(" ".join(operands))

    def _run_behind(self, words: list[str]) -> None:
        """Run the command behind a wrapper's options, their values, numbers and assignments."""
        kinds = [self._look_up(word)[0] for word in words]
        for at, word in enumerate(words):
            if kinds[at] not in ("", "wrap"):
                self.run(words[at:])
                return
            is_setting = "=" in word or word[:1] == "-" or "0" <= word[:1] <= "9" or kinds[at] == "wrap"
            # `command -v` only says where a program is.
            if word == "-v" or not (is_setting or (at and words[at - 1][:1] == "-")):
                return

    def _operands(self, words: list[str]) -> list[str]:
        """The words that are neither options nor, in PowerShell, values of parameters that are no paths."""
        is_value, operands = False, []
        for word in words:
            is_option = len(word) > 1 and word[0] == "-"
            if not is_value and not is_option:
                operands.append(word)
            is_parameter = is_option and self.is_powershell and len(word) > 2
            names = read_words(_TABLES, "powershell_values") if is_parameter else ()
            is_value = any(name.startswith(word[1:].lower()) for name in names)
        return operands

    def _copy(self, kind: str, sources: list[str], targets: list[str]) -> None:
        """`cp`, `mv` and their kin: sources, then a file or folder that takes them."""
        target = targets[0] if targets else sources.pop() if len(sources) > 1 else None
        if kind == "move":
            self._add_all("move", sources)
        # Before a colon stands another machine, unless it is a drive.
        if target is None or ":" in target[2:]:
            return
        self.add("write", target)
        for source in sources:
            name = source.replace("\\", "/").rstrip("/").rpartition("/")[2]
            if not any(sign in name for sign in "*?[{\0"):
                self.add("write", f"{target.rstrip('/')}/{name}")

    def _assign(self, name: str, value: str) -> None:
        if len(self._variables) < MAX_VARIABLES:
            self._variables[self._fold(name)] = value if len(value) <= MAX_VALUE_CHARS else UNKNOWN

    def _enter(self, target: str) -> None:
        folder = self._previous if target == "-" else self.locate(target)
        self._previous, self.folder = self.folder, folder if len(folder) <= MAX_FOLDER_CHARS else UNKNOWN

    def locate(self, path: str) -> str:
        """The path that a text names here, its dots and links as they are."""
        if path[:1] == "~" and path[1:2] in ("", "/", "\\"):
            path = self._variables.get("HOME", UNKNOWN) + path[1:]
        is_drive = path[1:2] == ":" and path[0].isascii() and path[0].isalpha()
        is_absolute = path[:1] in ("", "/", "\\", UNKNOWN) or is_drive
        return (path or UNKNOWN) if is_absolute else f"{self.folder}/{path}"

    def _add_all(self, action: str, paths: list[str]) -> None:
        for path in paths:
            self.add(action, path)

    def add(self, action: str, path: str) -> None:
        """Note a write."""
        if len(self.writes) < MAX_WRITES:
            self.writes.append((action, self.locate(path)))


def _edits_in_place(word: str) -> bool:
    """Whether an option of `sed` or `perl` edits in place: `-i`, `-pi`, `-i.bak`, but not `-Mstrict`."""
    flags = word[1:].lstrip("0123456789Eanplrsuwz")
    return word.startswith("--in-place") or (word[:1] == "-" and flags[:1] == "i")
