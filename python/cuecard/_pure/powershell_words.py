"""A PowerShell command as the words of its simple commands (SPEC 16.4).

The same steps as a POSIX shell's, and as forgiving: here-strings are text, comments are left out, script blocks and
parentheses hold commands of their own. The comma of a list is a word.
"""

from .shell_words import MAX_NESTING, NAME_CHARS, push_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_words import Word

_STREAMS = "0123456789*"
_NAMES = {
    "home": "HOME",
    "env:home": "HOME",
    "env:userprofile": "HOME",
    "pwd": "PWD",
    "env:pwd": "PWD",
    "env:claude_project_dir": "CLAUDE_PROJECT_DIR",
}


def read_powershell(text: str) -> "list[tuple[list[Word], list[Word]]]":
    """Words and redirections of a script's commands, those of expressions before the command that uses them."""
    reader = _Reader(text)
    while reader.position < len(text):
        reader.read_commands()
    return reader.steps


class _Pending:
    __slots__ = ("is_target", "targets", "word", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.targets: list[Word] = []
        self.word: Word | None = None
        self.is_target = False

    def begun(self) -> "Word":
        if self.word is None:
            self.word = []
        return self.word

    def is_stream(self) -> bool:
        word = self.word
        return (
            word is not None
            and len(word) == 1
            and isinstance(word[0], str)
            and all(char in _STREAMS for char in word[0])
        )

    def end_word(self) -> None:
        if self.word is not None:
            (self.targets if self.is_target else self.words).append(self.word)
            self.word = None
            self.is_target = False


class _Reader:
    __slots__ = ("depth", "position", "steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.steps: list[tuple[list[Word], list[Word]]] = []

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _take(self, literal: str) -> bool:
        found = self.text.startswith(literal, self.position)
        if found:
            self.position += len(literal)
        return found

    def _take_until(self, ends: str) -> str:
        text, begin = self.text, self.position
        end = begin
        while end < len(text) and text[end] not in ends:
            end += 1
        self.position = end
        return text[begin:end]

    def _take_through(self, end: str) -> str:
        """The text before `end`, which is taken, or all that is left."""
        begin = self.position
        place = self.text.find(end, begin)
        if place < 0:
            self.position = len(self.text)
            return self.text[begin:]
        self.position = place + len(end)
        return self.text[begin:place]

    def _take_char(self) -> str:
        char = self._peek()
        self.position += len(char)
        return char

    def read_commands(self) -> None:
        """Commands up to a closing bracket, which is taken, or the end."""
        pending = _Pending()
        while char := self._peek():
            if char in " \t\r":
                self.position += 1
                pending.end_word()
            elif char in "\n;|&":
                self.position += 1
                pending = self._end_command(pending)
            elif char in "({":
                self.position += 1
                pending.end_word()
                self._read_block()
                # As an argument it has a value that only PowerShell knows.
                if pending.words:
                    pending.begun().append(None)
            elif char in ")}":
                self.position += 1
                break
            elif char == ",":
                self.position += 1
                pending.end_word()
                pending.begun().append(",")
                pending.end_word()
            elif char == ">":
                self._read_redirection(pending)
            elif char == "#" and pending.word is None:
                self._take_until("\n")
            elif char == "<" and self._take("<#"):
                self._take_through("#>")
            else:
                self._read_piece(pending.begun())
                pending.word = pending.word or None
        self._end_command(pending)

    def _read_redirection(self, pending: _Pending) -> None:
        self.position += 1
        if pending.is_stream():
            pending.word = None
        pending.end_word()
        self._take(">")
        # `2>&1` joins streams.
        if self._take("&"):
            self._take_char()
        else:
            pending.is_target = True

    def _read_block(self) -> None:
        """What is inside brackets; folder and variables that change in it stay changed."""
        if self.depth == MAX_NESTING:
            self.position = len(self.text)
            return
        self.depth += 1
        self.read_commands()
        self.depth -= 1

    def _end_command(self, pending: _Pending) -> _Pending:
        pending.end_word()
        if pending.words or pending.targets:
            self.steps.append((pending.words, pending.targets))
        return _Pending()

    def _read_piece(self, word: "Word") -> None:
        char = self._peek()
        if char == "`":
            self.position += 1
            escaped = self._take_char()
            # The line goes on.
            if escaped in ("\n", "") or (escaped == "\r" and self._take("\n")):
                return
            push_text(word, escaped)
        elif char == "'":
            self._read_literal(word)
        elif char == '"':
            self._read_quoted(word)
        elif char == "@" and self._take("@'"):
            push_text(word, self._take_through("\n'@"))
        elif char == "@" and self._take('@"'):
            push_text(word, self._take_through('\n"@'))
        elif char == "$":
            self._read_dollar(word)
        elif char in "<@":
            self.position += 1
            push_text(word, char)
        else:
            push_text(word, self._take_until(" \t\r\n;&|(){},<>`'\"$@"))

    def _read_literal(self, word: "Word") -> None:
        self.position += 1
        while True:
            push_text(word, self._take_through("'"))
            if not self._take("'"):
                return
            push_text(word, "'")

    def _read_quoted(self, word: "Word") -> None:
        self.position += 1
        push_text(word, "")
        while True:
            push_text(word, self._take_until('"`$'))
            char = self._peek()
            if char == "`":
                self.position += 1
                escaped = self._take_char()
                if not escaped:
                    return
                push_text(word, {"n": "\n", "t": "\t"}.get(escaped, escaped))
            elif char == "$":
                self._read_dollar(word)
            else:
                self.position += len(char)
                if not char or not self._take('"'):
                    return
                push_text(word, '"')

    def _read_dollar(self, word: "Word") -> None:
        self.position += 1
        if self._take("("):
            self._read_block()
            word.append(None)
            return
        if self._take("{"):
            name = self._take_through("}")
        else:
            begin = end = self.position
            text = self.text
            while end < len(text) and (text[end] in NAME_CHARS or text[end] == ":"):
                end += 1
            self.position = end
            name = text[begin:end]
        if not name:
            push_text(word, "$")
            return
        folded = "".join([char.lower() if char.isascii() else char for char in name])
        word.append((_NAMES.get(folded, folded),))
