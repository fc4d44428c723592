"""Finds the files that a command of a POSIX shell or of PowerShell writes, from its text (SPEC 16.3).

The functions never raise. This module also finds the commands of cuecard that are for people (SPEC 16.6).
"""

from ...basics.chars import scrub
from ...basics.tables import find_row, read_words
from .people_commands import find_command, is_for_people, strip_version

# Stands in a text for a value that only the shell knows; no path can contain it.
UNKNOWN = "\0"
MAX_WRITES = 1000
# At most this many scripts are read, including the scripts that `bash -c`, `eval` and similar commands run.
MAX_SCRIPTS = 16
# Further characters of a script and of a word are ignored.
MAX_SCRIPT_CHARS = 65_536
MAX_WORD_CHARS = 4096
# How many commands of a script are kept, and how many words of each.
MAX_COMMANDS = 1000
MAX_COMMAND_WORDS = 64

_TABLES = "writing_commands"
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_BLANKS = " \t\r"
_SEPARATORS = "\n;&|()`"
_SIGNS = _BLANKS + _SEPARATORS + "<>'\"$\\"
# Variables that name the user's own folders. Their values are marks, which `user_folders` knows.
USER_VARIABLES = ("CUECARD_HOME", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
_IN_PLACE = ("-i", "-pi", "-ni", "-Ei", "-ri", "--in-place")


def find_writes(action: str, subject: str, cwd: str, home: str, project: str) -> list[tuple[str, str]]:
    """The writes of a tool in their order, at most 1,000: pairs of an action and a path.

    The action is `write`, `remove` or `move`. In the path `..` and links are not resolved, and U+0000 stands for a
    value that only the shell knows. If a command of cuecard that is for people is found, `confirm` with the name of the
    first one is the last pair. `home` and `project` (`CLAUDE_PROJECT_DIR`) are "" if they are not set.
    """
    shell = Shell(scrub(cwd), scrub(home), scrub(project))
    if action in ("write", "move", "remove"):
        shell.add(action, [scrub(subject)])
    else:
        shell.read(scrub(subject))
    return shell.writes + ([("confirm", shell.command)] if shell.command else [])


def read_script(
    script: str, cwd: str, home: str, project: str
) -> tuple[list[tuple[str, list[str]]], list[tuple[str, str]]]:
    """The commands of a script, each with the folder in which it runs and its words, and what they write.

    A command behind `sudo`, `env` and other programs that start one comes once more without them.
    """
    shell = Shell(scrub(cwd), scrub(home), scrub(project))
    shell.keeps_commands = True
    shell.read(scrub(script))
    return shell.commands, shell.writes


class Shell:
    """The variables of a shell command, and the writes found so far."""

    def __init__(self, folder: str, home: str, project: str) -> None:
        """`folder` is the working directory at the beginning. Each value is "" if it is not set."""
        known = {"PWD": folder or UNKNOWN, "HOME": home, "USERPROFILE": home, "CLAUDE_PROJECT_DIR": project}
        self.variables = {name: value for name, value in known.items() if value}
        self.variables.update({name: UNKNOWN + name for name in USER_VARIABLES})
        self.writes: list[tuple[str, str]] = []
        self.command = ""
        """The first command of cuecard that is for people."""
        self.piped = ""
        """What the current command reads from the command before it, as far as it is known."""
        self.printed = ""
        """What the last command has printed, if it is `echo` or `printf`."""
        self.reads_script = False
        """Whether a command of the current line is a shell that reads its script from standard input."""
        self.keeps_commands = False
        self.commands: list[tuple[str, list[str]]] = []
        """The commands that were read, if they are kept."""
        self._aliases: dict[str, str] = {}
        self._scripts = 0

    def read(self, text: str) -> None:
        """Add the writes of a script to `writes`."""
        self._scripts += 1
        if self._scripts <= MAX_SCRIPTS:
            _Reader(text, self).read()

    def run(self, words: list[str]) -> None:
        """Add the writes of one command, given as its words, to `writes`."""
        # The words of the row if a program that starts another one was read.
        started: list[str] | None = None
        handed: list[str] = []
        self.printed = _printed(words)
        for at, word in enumerate(words):
            name, sign, value = word.partition("=")
            rest = words[at + 1 :]
            if word == "for" and len(rest) > 2:
                # The variable of the loop gets the first of its values only.
                name, sign, value = rest[0], "=", rest[2]
            elif rest[:1] == ["="]:
                name, sign, value = word.lstrip("$"), "=", "".join(rest[1:2])
            program = program_of(word)
            row = find_row(_TABLES, "shell", program)
            is_behind_option = started is not None and words[at - 1][:1] == "-"
            if self.keeps_commands and (not sign or name.strip(_NAME)):
                self._keep(words[at:])
            if sign and not name.strip(_NAME):
                self.variables[name] = value
            elif row == "wrap" or row[:5] == "start":
                started = row.split(" ")
                if program == "xargs":
                    handed = [one for line in self.piped.split("\n") for one in line.split(" ") if one] or [UNKNOWN]
            elif row == "cuecard":
                # `sudo -u cuecard rm FILE`: the word may be the value of an option.
                if self._confirm(rest + handed) or not is_behind_option:
                    return
            elif row or not (started is not None and (word[:1] in (*"-0123456789",) or is_behind_option)):
                if not row and started is not None and word in started[1:]:
                    continue
                if not self._run_text(word, rest, is_script=started is not None and started[0] == "start"):
                    self._run_program(row, rest)
                return

    def _keep(self, words: list[str]) -> None:
        """Keep the words of a command that begins with a program."""
        if len(self.commands) < MAX_COMMANDS and words and words[0][:1] != "-":
            self.commands.append((self.variables.get("PWD", UNKNOWN), words[:MAX_COMMAND_WORDS]))

    def _run_text(self, word: str, rest: list[str], *, is_script: bool) -> bool:
        """Run a program that is an alias, a variable or, with `is_script`, a script. Returns whether it is one."""
        text = self._aliases.get(word, "")
        if word[:1] == "$" and word[1:] in self.variables:
            text = self.variables[word[1:]]
        elif not text and is_script and " " in word:
            text = word
        if text:
            self.read(f"({text} {' '.join(rest)})")
        return bool(text)

    def _confirm(self, words: list[str]) -> bool:
        """Keep the command of cuecard with these words if it is for people. Returns whether it is a known command."""
        name, arguments = find_command(words)
        if name and not self.command and is_for_people(name, arguments):
            self.command = "cuecard" if UNKNOWN in name else name
        return bool(name)

    def _run_python(self, words: list[str]) -> None:
        """Run Python: cuecard is a module (`-m cuecard`) or a script (`bin/cuecard`)."""
        is_script = True
        for at, word in enumerate(words):
            if word == "-m" and self.keeps_commands:
                self._keep(words[at + 1 :])
            if word == "-c":
                return
            if word[:1] == "-" and word[:2] != "--" and "m" in word:
                module = word.partition("m")[2] or "".join(words[at + 1 : at + 2])
                if module == "cuecard" or module[:8] == "cuecard.":
                    self._confirm(words[at + (2 if word[-1] == "m" else 1) :])
                    return
                is_script = False
            elif is_script and word[:1] != "-" and words[max(at - 1, 0)] not in ("-W", "-X"):
                if _name(word) == "cuecard" or "/cuecard/cli" in word.replace("\\", "/"):
                    self._confirm(words[at + 1 :])
                    return
                is_script = False

    def _run_program(self, row: str, words: list[str]) -> None:
        kind, _blank, letter = row.partition(" ")
        options = [at for at, word in enumerate(words[:-1]) if letter and word[:1] == "-" and word[-1:] == letter]
        named = [words[at + 1] for at in options]
        operands = _operands(words) if kind else []
        if kind in ("write", "remove"):
            self.add(kind, operands)
        elif kind == "first" and "directory" not in [word.lower() for word in words]:
            self.add("write", operands[:1])
        elif kind == "output":
            self.add("write", named)
        elif kind == "of":
            self.add("write", [word[3:] for word in words if word[:3] == "of="])
        elif kind in ("copy", "move"):
            sources = operands if named or len(operands) < 2 else operands[:-1]
            self.add("move", sources if kind == "move" else [])
            # The text before a colon is the name of another machine, unless it is the letter of a drive.
            targets = [target for target in (named or operands[1:])[-1:] if ":" not in target[2:]]
            self.add("write", targets)
            # A folder that is copied into the target may become a store, or a folder of the user's, there.
            held = [name for name in ("memory", "cuecard") if name in map(_name, sources)]
            self.add("write", [f"{target}/{name}" for target in targets for name in held])
        elif kind == "edit" and any(word.startswith(_IN_PLACE) for word in words):
            # The first operand is the script. An empty operand before it is the argument that `-i` has on BSD.
            self.add("write", operands[2 if operands[:1] == [""] else 1 :])
        elif kind == "sweep":
            if "-delete" in words or "rm" in words:
                # `find` removes unknown files below the folder.
                self.add("remove", [place + "/?" for place in operands[:1]])
            for at, word in enumerate(words[:-1]):
                if word in ("-exec", "-execdir", "-ok") and program_of(words[at + 1]) == "cuecard":
                    self._confirm(words[at + 2 :])
        elif kind == "enter":
            target = (operands or [letter or "~"])[0]
            folder = self.variables.get("OLDPWD", UNKNOWN) if target == "-" else self._locate(target)
            self.variables.update(PWD=folder[:MAX_WORD_CHARS], OLDPWD=self.variables["PWD"])
        elif kind == "run":
            # The script runs in a subshell: `cd` in it does not change the folder of this command.
            script = " ".join(named or operands)
            self.reads_script = self.reads_script or not (script or self.piped)
            self.read(f"({script or self.piped})")
        elif kind == "python":
            self._run_python(words)
        elif kind == "alias":
            pairs = [word.partition("=") for word in operands]
            self._aliases.update({name: value for name, _sign, value in pairs if value})

    def _locate(self, path: str) -> str:
        """The text as an absolute path from the current folder; `..` and links are not resolved."""
        if path[:1] == "~" and path[1:2] in ("", "/", "\\"):
            path = self.variables.get("HOME", UNKNOWN) + path[1:]
        is_drive = path[1:2] == ":" and path[0].isascii() and path[0].isalpha()
        is_absolute = path[:1] in ("", "/", "\\", UNKNOWN) or is_drive
        return (path or UNKNOWN) if is_absolute else f"{self.variables['PWD']}/{path}"

    def add(self, action: str, paths: list[str]) -> None:
        """Add one action on each of the paths to `writes`, up to `MAX_WRITES`."""
        self.writes += [(action, self._locate(path)) for path in paths[: MAX_WRITES - len(self.writes)]]


class _Reader:
    """Splits a script into commands and runs each in a `Shell`, commands in brackets before the command around them."""

    def __init__(self, text: str, shell: Shell) -> None:
        self._text, self._at, self._shell = text[:MAX_SCRIPT_CHARS], 0, shell
        self._words: list[str] = []
        self._word: str | None = None
        self._is_quoted = False
        # What the next word is: an argument (""), a file to write (`>`), a file to read (`<`), or the word that ends a
        # here-document (`-`), or the text that the command reads (`=`).
        self._awaited = ""
        self._documents: list[str] = []
        # The state of the reader at each open bracket, with the working directory.
        self._outer: list[tuple[list[str], str | None, bool, str, str]] = []

    def read(self) -> None:
        while self._at < len(self._text):
            char, following = self._text[self._at], self._text[self._at + 1 : self._at + 2]
            self._at += 1
            if char in "\\`" and following == "\n":
                self._at += 1
            elif char == "\\" and following and following in _SIGNS:
                self._at += 1
                self._push(following)
            elif (char == "(" and not self._is_quoted) or (char == "$" and following == "("):
                self._at += char == "$"
                folder = self._shell.variables["PWD"]
                self._outer.append((self._words, self._word, self._is_quoted, self._awaited, folder))
                self._words, self._word, self._is_quoted, self._awaited = [], None, False, ""
            elif char == "$":
                self._read_variable(following == "{")
            elif char == '"':
                self._is_quoted = not self._is_quoted
                self._push("")
            elif self._is_quoted and char == "`" and "`" in self._text[self._at :].partition('"')[0]:
                self._shell.read(f"({self._take_through('`')})")
                self._push(UNKNOWN)
            elif self._is_quoted:
                self._push(char + self._take('"$\\`', is_wanted=False))
            elif char == "'":
                self._push(self._take_through("'"))
            elif char == "@" and following in ("'", '"') and self._word is None:
                self._push(self._take_through(f"\n{following}@"))
            elif char == "#" and self._word is None:
                self._take("\n", is_wanted=False)
            elif char in "<>":
                self._read_redirection(char)
            elif char in _BLANKS:
                self._end_word()
            elif char in _SEPARATORS or (char in "{}" and following != "}" and self._word is None):
                self._end_command(char)
            else:
                self._push(char + self._take(_SIGNS, is_wanted=False))
        self._end_command("")

    def _end_command(self, char: str) -> None:
        self._end_word()
        self._shell.run(self._words)
        self._shell.piped = self._shell.printed if char == "|" else ""
        self._words, self._awaited = [], ""
        if char == ")" and self._outer:
            self._words, self._word, self._is_quoted, self._awaited, folder = self._outer.pop()
            self._shell.variables["PWD"] = folder
            self._push(UNKNOWN)
        if char == "\n":
            documents = [self._take_document(delimiter) for delimiter in self._documents]
            self._documents = []
            is_script, self._shell.reads_script = self._shell.reads_script, False
            for document in documents if is_script else ():
                self._shell.read(f"({document})")

    def _take_document(self, delimiter: str) -> str:
        """Take a here-document with the line that ends it, and return its text."""
        lines: list[str] = []
        while self._at < len(self._text):
            line = self._take_through("\n")
            if line.strip("\t\r") == delimiter:
                break
            lines.append(line)
        return "\n".join(lines)

    def _read_variable(self, is_braced: bool) -> None:
        self._at += is_braced
        is_environment = self._text[self._at : self._at + 4].lower() == "env:"
        self._at += 4 * is_environment
        name = self._take(_NAME)
        if is_braced:
            self._take_through("}")
        # A variable that is the first word of a command is the target of an assignment in PowerShell.
        is_assigned = self._word is None and not self._words
        self._push(self._shell.variables.get(name, UNKNOWN) if name and not is_assigned else "$" + name)

    def _read_redirection(self, char: str) -> None:
        # A number before the operator is a file descriptor.
        if self._word is not None and not self._word.strip("0123456789*"):
            self._word = None
        self._end_word()
        operator = char + self._take("<>|&")
        is_stream = operator[-1] == "&" and self._text[self._at : self._at + 1] in (*"-0123456789",)
        self._awaited = ">" if ">" in operator and not is_stream else "<"
        if operator == "<<":
            self._awaited = "-"
            self._take("-")
        elif operator == "<<<":
            self._awaited = "="

    def _end_word(self) -> None:
        if self._word is not None:
            word, self._word = self._word[:MAX_WORD_CHARS], None
            awaited, self._awaited = self._awaited, ""
            # Inside `[[ ]]` the sign `>` is a comparison.
            if awaited == ">" and self._words[:1] != ["[["]:
                self._shell.add("write", [word])
            elif awaited == "=":
                self._shell.piped = word
            elif awaited not in ("<", ">"):
                (self._documents if awaited else self._words).append(word)

    def _push(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _take(self, chars: str, *, is_wanted: bool = True) -> str:
        """Take the following characters while they are in `chars` (with `is_wanted` false: while they are not)."""
        begin = self._at
        while self._at < len(self._text) and (self._text[self._at] in chars) == is_wanted:
            self._at += 1
        return self._text[begin : self._at]

    def _take_through(self, end: str) -> str:
        """Take the text up to and including `end`, or to the end of the script, and return it without `end`."""
        text, _end, _rest = self._text[self._at :].partition(end)
        self._at += len(text) + len(end)
        return text


def _operands(words: list[str]) -> list[str]:
    """The words without options and without the values of PowerShell parameters that do not take a path."""
    valued = read_words(_TABLES, "values")
    is_value, operands = False, []
    for word in words:
        is_option = len(word) > 1 and word[0] == "-"
        if not is_value and not is_option:
            operands.append(word)
        is_value = is_option and word[1:].lower() in valued
    return operands


def _name(path: str) -> str:
    """The last component of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def program_of(word: str) -> str:
    """The name of a program as the tables have it: `python` for `/usr/bin/Python3.12.exe`; "" if it is not ASCII."""
    found = _name(word)
    name = strip_version(found.lower().removesuffix(".exe")) if found.isascii() else ""
    return name.rstrip("0123456789.") if name[:2] == "py" else name


def _printed(words: list[str]) -> str:
    """What a command prints, if it is `echo` or `printf`."""
    if words[:1] not in (["echo"], ["printf"]):
        return ""
    begin = 1
    while words[begin : begin + 1] and words[begin][:1] == "-":
        begin += 1
    return " ".join(words[begin:]).replace("\\n", "\n")
