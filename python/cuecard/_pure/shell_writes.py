"""What a shell command writes, as far as its words tell (SPEC 16.3)."""

from .shell_options import Arguments, Syntax
from .shell_scope import Scope
from .shell_words import CLOSE, OPEN, read_shell

# So many writes of one command are looked at.
MAX_WRITES = 1000
# Scripts within scripts, `bash -c` and the like, are read this deep.
MAX_SCRIPTS = 2
# And so many programs that run programs.
MAX_WRAPPERS = 8

KEYWORDS = ("if", "then", "elif", "else", "do", "while", "until", "!", "{")
DECLARATIONS = ("export", "local", "declare", "readonly", "typeset")
SHELLS = ("sh", "bash", "dash", "zsh", "ksh")

PLAIN = Syntax("")
INSTALL = Syntax("tSmog", long=("target-directory", "suffix", "mode", "owner", "group"))
MOVE = Syntax("tS", long=("target-directory", "suffix"))
TOUCH = Syntax("rdts", long=("reference", "date", "size"))
SHRED = Syntax("ns", long=("iterations", "size", "random-source"))
SED = Syntax("efl", "i", ("expression", "file", "line-length"))
PERL = Syntax("eE", "iFIMmCxdD")
RSYNC = Syntax("efMTB@", long=("rsh", "filter", "exclude", "include", "temp-dir"))
SHELL = Syntax("oO", long=("rcfile", "init-file"))

# Programs that run the command behind their own options.
WRAPPERS = {
    "sudo": Syntax("ughpCrtTUDR", long=("user", "group", "host", "prompt", "chdir", "chroot")),
    "doas": Syntax("uC"),
    "env": Syntax("uC", long=("unset", "chdir")),
    "command": PLAIN,
    "builtin": PLAIN,
    "exec": Syntax("a"),
    "nohup": PLAIN,
    "setsid": PLAIN,
    "busybox": PLAIN,
    "noglob": PLAIN,
    "time": Syntax("fo", long=("format", "output")),
    "nice": Syntax("n", long=("adjustment",)),
    "ionice": Syntax("cnp", long=("class", "classdata")),
    "timeout": Syntax("ks", long=("kill-after", "signal")),
    "stdbuf": Syntax("ioe", long=("input", "output", "error")),
    "xargs": Syntax(
        "InPLdsEa",
        "il",
        ("max-args", "max-procs", "max-lines", "delimiter", "max-chars", "arg-file", "replace"),
    ),
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_words import Word


def find_shell_writes(command: str, cwd: str, home: str, project: str) -> list[tuple[str, str]]:
    """The writes of a shell command, in its order: what happens, and the path."""
    script = _Script(Scope(cwd, home, project))
    script.run(command, 0)
    return script.writes


class _Script:
    __slots__ = ("scope", "scopes", "writes")

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        # Those of the shells around the present one.
        self.scopes: list[Scope] = []
        self.writes: list[tuple[str, str]] = []

    def run(self, text: str, depth: int) -> None:
        for step in read_shell(text):
            if step == OPEN:
                self.scopes.append(self.scope.copy())
            elif step == CLOSE:
                self.scope = self.scopes.pop()
            elif not isinstance(step, str):
                self._run_command(*step, depth)

    def _run_command(self, words: "list[Word]", targets: "list[Word]", depth: int) -> None:
        texts = [self.scope.expand(word) for word in words]
        # Inside `[[ ]]` the sign compares.
        if not texts or texts[0] != "[[":
            for target in targets:
                self._add("write", self.scope.expand(target))
        begin = 0
        while begin < len(texts):
            if texts[begin] == "function":
                begin += 2
            elif texts[begin] in KEYWORDS:
                begin += 1
            else:
                break
        texts = texts[begin:]
        first = texts[0] if texts else ""
        if first in ("for", "select") and len(texts) > 3:
            # Of several values the first stands for all.
            self.scope.assign(texts[1], texts[3])
        elif first not in ("for", "select", "case", "[["):
            self._run_words(texts, depth)

    def _run_words(self, words: list[str], depth: int) -> None:
        for _ in range(MAX_WRAPPERS):
            assigned = 0
            while assigned < len(words) and _split_assignment(words[assigned]):
                assigned += 1
            if assigned == len(words):
                return self._assign(words)
            name = words[assigned].replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
            arguments = words[assigned + 1 :]
            syntax = WRAPPERS.get(name)
            if syntax is None:
                return self._run_program(name, arguments, depth)
            read = syntax.read(arguments, True)
            # `command -v` only says where a program is.
            if name == "command" and read.has("v", "V"):
                return None
            # `timeout` has a duration before its command.
            words = arguments[read.leading + (name == "timeout") :]
        return None

    def _run_program(self, name: str, arguments: list[str], depth: int) -> None:
        if name in DECLARATIONS:
            self._assign(arguments)
        elif name in SHELLS:
            read = SHELL.read(arguments, True)
            if read.has("c") and read.operands:
                self._run_script(read.operands[0], depth)
        elif name == "eval":
            self._run_script(" ".join(arguments), depth)
        elif name in ("cd", "chdir"):
            operands = PLAIN.read(arguments).operands
            self.scope.enter(operands[0] if operands else None)
        elif name == "pushd":
            self.scope.enter(arguments[0] if arguments else "-")
        elif name == "popd":
            self.scope.enter("-")
        else:
            self._find(name, arguments)

    def _run_script(self, script: str, depth: int) -> None:
        if depth < MAX_SCRIPTS:
            around = self.scope.copy()
            self.run(script, depth + 1)
            self.scope = around

    def _assign(self, words: list[str]) -> None:
        for word in words:
            parts = _split_assignment(word)
            if parts:
                self.scope.assign(*parts)

    def _add(self, action: str, target: str) -> None:
        if len(self.writes) < MAX_WRITES:
            self.writes.append((action, self.scope.locate(target)))

    def _add_all(self, action: str, targets: list[str]) -> None:
        for target in targets:
            self._add(action, target)

    def _find(self, name: str, arguments: list[str]) -> None:
        """The writes of the programs that we know."""
        if name == "tee":
            self._add_all("write", PLAIN.read(arguments).operands)
        elif name in ("touch", "truncate"):
            self._add_all("write", TOUCH.read(arguments).operands)
        elif name in ("unlink", "rmdir"):
            self._add_all("remove", PLAIN.read(arguments).operands)
        elif name == "shred":
            self._add_all("remove", SHRED.read(arguments).operands)
        elif name == "rm":
            read = PLAIN.read(arguments)
            self._add_all("remove_tree" if read.has("r", "R", "recursive") else "remove", read.operands)
        elif name in ("cp", "ln", "mv"):
            self._find_copies(MOVE.read(arguments), name == "mv")
        elif name == "install":
            read = INSTALL.read(arguments)
            # `-d` makes folders.
            if not read.has("d", "directory"):
                self._find_copies(read, False)
        elif name == "rsync":
            read = RSYNC.read(arguments)
            # The other machine's files.
            if not (read.operands and _is_remote(read.operands[-1])):
                read.options.clear()
                self._find_copies(read, False)
        elif name == "dd":
            self._add_all("write", [word[3:] for word in arguments if word.startswith("of=")])
        elif name == "sed":
            self._find_edits(SED.read(arguments), ("e", "f", "expression", "file"))
        elif name == "perl":
            self._find_edits(PERL.read(arguments), ("e", "E"))
        elif name == "find":
            self._find_sweep(arguments)

    def _find_copies(self, arguments: Arguments, is_move: bool) -> None:
        """`cp`, `mv` and their kin: sources, then a file or folder that takes them."""
        sources = arguments.operands
        target = arguments.value("t", "target-directory")
        if target is None:
            if not sources:
                return
            # `ln TARGET` makes a link here.
            target = "."
            if len(sources) > 1:
                *sources, target = sources
        if is_move:
            self._add_all("move", sources)
        if target != ".":
            self._add("write", target)
        for source in sources:
            name = source.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
            if not is_pattern(name):
                self._add("write", f"{target.rstrip('/')}/{name}")

    def _find_edits(self, arguments: Arguments, scripts: tuple[str, ...]) -> None:
        """`sed` and `perl` with `-i`; their script is the first operand unless an option brings it."""
        if not arguments.has("i", "in-place"):
            return
        # The empty operand is what `-i` of the BSDs asks for.
        operands = arguments.operands[1:] if arguments.operands[:1] == [""] else arguments.operands
        self._add_all("write", operands if arguments.has(*scripts) else operands[1:])

    def _find_sweep(self, arguments: list[str]) -> None:
        """`find PLACE... -delete`, or `-exec rm`: something below the places goes away."""
        sweeps = "-delete" in arguments
        for place, program in enumerate(arguments[1:]):
            if arguments[place].startswith("-exec") and (program == "rm" or program.endswith("/rm")):
                sweeps = True
        if not sweeps:
            return
        begin = 0
        while begin < len(arguments) and arguments[begin] in ("-H", "-L", "-P"):
            begin += 1
        for folder in arguments[begin:]:
            if folder[:1] in ("-", "(", "!"):
                break
            self._add("remove", f"{folder}/?")


def is_pattern(name: str) -> bool:
    """Whether a source's name is not known: a pattern, or something that only the shell knows."""
    return any(char in "*?[{\0" for char in name)


def _is_remote(path: str) -> bool:
    """Whether `rsync` would take a path for one of another machine."""
    before, colon, _ = path.partition(":")
    return bool(colon) and "/" not in before


def _split_assignment(word: str) -> tuple[str, str] | None:
    """`NAME=VALUE` or `NAME+=VALUE`, in its parts."""
    name, sign, value = word.partition("=")
    name = name.removesuffix("+")
    if not sign or not name.isascii() or not name.isidentifier():
        return None
    return name, value
