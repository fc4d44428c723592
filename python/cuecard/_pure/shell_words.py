"""A POSIX shell command as the words of its simple commands (SPEC 16.3).

Quotes, escapes, separators, subshells, substitutions and redirections are told apart; here-documents, comments and
what is read from are data and left out. Nothing is ever an error: what is not closed ends with the text.
"""

# Subshells and substitutions may be nested this deep; deeper ones end the reading.
MAX_NESTING = 32
NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
DIGITS = "0123456789"

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Text that stands there, the name of a variable, or what only the shell itself could know.
    Piece = str | tuple[str] | None
    Word = list[Piece]
    # A simple command's words and what its output is redirected to; or a subshell's begin or end.
    Step = tuple[list[Word], list[Word]] | str

OPEN, CLOSE = "(", ")"
# What the word after a redirection is.
_ARGUMENT, _TARGET, _SOURCE, _DOCUMENT, _INDENTED = range(5)


def read_shell(text: str, depth: int = 0) -> "list[Step]":
    """The steps of a script, those of substitutions before the command that uses them."""
    reader = _Reader(text, depth)
    while reader.position < len(text):
        reader.read_commands()
    return reader.steps


def push_text(word: "Word", text: str) -> None:
    """Add text to a word, to its last part where that is text too."""
    if word and isinstance(word[-1], str):
        word[-1] += text
    else:
        word.append(text)


class _Pending:
    """A command that is being read."""

    __slots__ = ("awaited", "targets", "word", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.targets: list[Word] = []
        self.word: Word | None = None
        self.awaited = _ARGUMENT

    def begun(self) -> "Word":
        if self.word is None:
            self.word = []
        return self.word

    def is_descriptor(self) -> bool:
        """Whether nothing but a number stands before a redirection: the file descriptor."""
        word = self.word
        return (
            word is not None and len(word) == 1 and isinstance(word[0], str) and all(char in DIGITS for char in word[0])
        )


class _Reader:
    __slots__ = ("depth", "documents", "position", "steps", "text")

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.position = 0
        self.depth = depth
        self.steps: list[Step] = []
        # Here-documents whose bodies begin at the next line: the delimiter, and whether tabs stand before it.
        self.documents: list[tuple[str, bool]] = []

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _take(self, literal: str) -> bool:
        found = self.text.startswith(literal, self.position)
        if found:
            self.position += len(literal)
        return found

    def _take_until(self, ends: str) -> str:
        """The text up to one of `ends`, or all that is left; the position is then at that end."""
        text, begin = self.text, self.position
        if len(ends) == 1:
            end = text.find(ends, begin)
            self.position = len(text) if end < 0 else end
        else:
            end = begin
            while end < len(text) and text[end] not in ends:
                end += 1
            self.position = end
        return text[begin : self.position]

    def _take_char(self) -> str:
        char = self._peek()
        self.position += len(char)
        return char

    def read_commands(self) -> None:
        """Commands up to a closing parenthesis, which is taken, or the end."""
        pending = _Pending()
        while char := self._peek():
            if char in " \t\r":
                self.position += 1
                self._end_word(pending)
            elif char == "\n":
                self.position += 1
                pending = self._end_command(pending)
                self._skip_documents()
            elif char == "&" and (self._take("&>>") or self._take("&>")):
                self._end_word(pending)
                pending.awaited = _TARGET
            elif char in ";&|":
                self.position += 1
                pending = self._end_command(pending)
            elif char == "(":
                pending = self._end_command(pending)
                if self._take("(("):
                    self._skip_arithmetic()
                else:
                    self.position += 1
                    self._read_subshell()
            elif char == ")":
                self.position += 1
                break
            elif char in "<>":
                self._read_redirection(pending)
            elif char == "#" and pending.word is None:
                self._take_until("\n")
            else:
                self._read_piece(pending)
        self._end_command(pending)

    def _read_subshell(self) -> None:
        if self.depth == MAX_NESTING:
            self.position = len(self.text)
            return
        self.depth += 1
        self.steps.append(OPEN)
        self.read_commands()
        self.steps.append(CLOSE)
        self.depth -= 1

    def _end_word(self, pending: _Pending) -> None:
        word, awaited = pending.word, pending.awaited
        if word is None:
            return
        pending.word = None
        pending.awaited = _ARGUMENT
        if awaited == _ARGUMENT:
            pending.words.append(word)
        elif awaited == _TARGET:
            pending.targets.append(word)
        elif awaited != _SOURCE:
            delimiter = "".join([piece for piece in word if isinstance(piece, str)])
            self.documents.append((delimiter, awaited == _INDENTED))

    def _end_command(self, pending: _Pending) -> _Pending:
        self._end_word(pending)
        if pending.words or pending.targets:
            self.steps.append((pending.words, pending.targets))
        return _Pending()

    def _read_redirection(self, pending: _Pending) -> None:
        if self._take("<(") or self._take(">("):
            self._read_subshell()
            pending.begun().append(None)
            return
        if pending.is_descriptor():
            pending.word = None
        self._end_word(pending)
        if self._take("<<<") or self._take("<&"):
            pending.awaited = _SOURCE
        elif self._take("<<-"):
            pending.awaited = _INDENTED
        elif self._take("<<"):
            pending.awaited = _DOCUMENT
        elif self._take("<>") or self._take(">>") or self._take(">|"):
            pending.awaited = _TARGET
        elif self._take(">&"):
            # A number or a dash names a file descriptor.
            char = self._peek()
            pending.awaited = _TARGET if char and char not in DIGITS and char != "-" else _SOURCE
        elif self._take(">"):
            pending.awaited = _TARGET
        else:
            self.position += 1
            pending.awaited = _SOURCE

    def _skip_documents(self) -> None:
        """The bodies of the here-documents of the line that has just ended."""
        for delimiter, is_indented in self.documents:
            while self.position < len(self.text):
                line = self._take_until("\n")
                self.position += 1
                if is_indented:
                    line = line.lstrip("\t")
                if line.removesuffix("\r") == delimiter:
                    break
            self.position = min(self.position, len(self.text))
        self.documents.clear()

    def _read_piece(self, pending: _Pending) -> None:
        char = self._peek()
        if char == "~" and pending.word is None:
            behind = self.text[self.position + 1 : self.position + 2]
            if behind in "/ \t\r\n;&|()<>":
                self.position += 1
                pending.begun().append(("HOME",))
                return
        word = pending.begun()
        if char == "\\":
            self.position += 1
            escaped = self._take_char()
            if escaped not in ("\n", ""):
                push_text(word, escaped)
            if not word:
                pending.word = None
        elif char == "'":
            self.position += 1
            push_text(word, self._take_until("'"))
            self._take("'")
        elif char == '"':
            self._read_quoted(word)
        elif char == "$":
            self._read_dollar(word, False)
        elif char == "`":
            self._read_backticks(word)
        else:
            push_text(word, self._take_until(" \t\r\n;&|()<>\\'\"$`"))

    def _read_quoted(self, word: "Word") -> None:
        self.position += 1
        push_text(word, "")
        while True:
            push_text(word, self._take_until('"\\$`'))
            char = self._peek()
            if char == "\\":
                self.position += 1
                escaped = self._take_char()
                if escaped in ('"', "\\", "$", "`"):
                    push_text(word, escaped)
                elif escaped not in ("\n", ""):
                    push_text(word, "\\" + escaped)
            elif char == "$":
                self._read_dollar(word, True)
            elif char == "`":
                self._read_backticks(word)
            else:
                self.position += len(char)
                return

    def _read_dollar(self, word: "Word", is_quoted: bool) -> None:
        if self._take("$(("):
            self._skip_arithmetic()
            word.append(None)
        elif self._take("$(pwd)"):
            word.append(("PWD",))
        elif self._take("$("):
            self._read_subshell()
            word.append(None)
        elif self._take("${"):
            word.append(self._read_parameter())
        elif not is_quoted and self._take("$'"):
            self._read_escaped(word)
        elif not is_quoted and self.text.startswith('$"', self.position):
            self.position += 1
        else:
            self.position += 1
            name = self._take_name()
            char = self._peek()
            if name:
                word.append((name,))
            elif char and char in "0123456789@*#?$!-":
                self.position += 1
                word.append(None)
            else:
                push_text(word, "$")

    def _take_name(self) -> str:
        begin = end = self.position
        text = self.text
        if begin < len(text) and text[begin] in DIGITS:
            return ""
        while end < len(text) and text[end] in NAME_CHARS:
            end += 1
        self.position = end
        return text[begin:end]

    def _read_parameter(self) -> "Piece":
        """`NAME}` or `NAME:-DEFAULT}` stands for the variable; what cuts or replaces is beyond us."""
        name = self._take_name()
        char, behind = self._peek(), self.text[self.position + 1 : self.position + 2]
        is_whole = bool(name and char) and char in "}:-=?"
        is_slice = char == ":" and (not behind or behind not in "-=?")
        still_open = 1
        while still_open and self.position < len(self.text):
            self._take_until("{}\\")
            char = self._take_char()
            if char == "{":
                still_open += 1
            elif char == "}":
                still_open -= 1
            elif char == "\\":
                self._take_char()
        return (name,) if is_whole and not is_slice else None

    def _read_escaped(self, word: "Word") -> None:
        """`$'...'`: backslashes escape, and escapes by number are left unknown."""
        push_text(word, "")
        while True:
            push_text(word, self._take_until("'\\"))
            if self._take_char() != "\\":
                return
            escaped = self._take_char()
            if not escaped:
                return
            if escaped in "nt":
                push_text(word, "\n" if escaped == "n" else "\t")
            elif escaped in "\\'\"":
                push_text(word, escaped)
            else:
                word.append(None)

    def _read_backticks(self, word: "Word") -> None:
        self.position += 1
        inner = []
        while True:
            inner.append(self._take_until("`\\"))
            if self._take_char() != "\\":
                break
            escaped = self._take_char()
            if not escaped:
                break
            inner.append(escaped if escaped in "`\\$" else "\\" + escaped)
        word.append(None)
        if self.depth < MAX_NESTING:
            self.steps.append(OPEN)
            self.steps += read_shell("".join(inner), self.depth + 1)
            self.steps.append(CLOSE)

    def _skip_arithmetic(self) -> None:
        """`((...))` from behind its opening; its brackets and signs are no shell, but for substitutions."""
        if self.depth == MAX_NESTING:
            self.position = len(self.text)
            return
        self.depth += 1
        still_open = 2
        while still_open and self.position < len(self.text):
            self._take_until("()$`")
            char = self._peek()
            if char == "$" and self.text.startswith("$(", self.position):
                self._read_dollar([], True)
            elif char == "`":
                self._read_backticks([])
            else:
                self.position += len(char)
                still_open += (char == "(") - (char == ")")
        self.depth -= 1
