"""The words of shell commands, POSIX and PowerShell (SPEC 16.3); nothing is an error."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shell_writes import Script

# Stands in a text for what only the shell could know; no path has it.
UNKNOWN = "\0"
# Words of one command, and characters of a word after which nothing is added to it.
MAX_WORDS = 1000
MAX_WORD_CHARS = 4096

_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


class Reader:
    """Hands every command of a text to a script, those of substitutions before the command that uses them."""

    def __init__(self, text: str, script: "Script") -> None:
        """At the beginning of the text."""
        self._text, self._script, self._at = text, script, 0
        self._words: list[str] = []
        self._word: str | None = None
        self._is_quoted = False
        # What the next word is: an argument, or what a redirection writes (`>`), reads (`<`) or ends with (`-`).
        self._awaited = ""
        self._documents: list[str] = []

    def read(self) -> None:
        """Read all of it."""
        while self._at < len(self._text):
            self._at += 1
            self._read_char(self._text[self._at - 1], self._text[self._at : self._at + 1] or "\n")
        self._end_command()

    def _read_char(self, char: str, following: str) -> None:
        is_powershell = self._script.is_powershell
        if char == ("`" if is_powershell else "\\"):
            self._at += 1
            if self._is_quoted and char == "\\" and following not in '"\\$`\n':
                self._push("\\")
            if following != "\n":
                self._push(following)
        elif char == "$":
            self._read_dollar(following)
        elif char == "`":
            self._script.read(self._take_through("`"))
            self._push(UNKNOWN)
        elif char == '"':
            self._is_quoted = not self._is_quoted
            self._push("")
        elif self._is_quoted:
            self._push_until(char, '"$`\\')
        elif char == "'":
            self._push(self._take_through("'"))
        elif char == "@" and following in "'\"" and is_powershell:
            self._push(self._take_through(f"\n{following}@"))
        elif char == "#" and self._word is None:
            self._take("\n", is_wanted=False)
        elif char in "<>" and following == "(":
            self._at += 1
            self._read_inside("(", ")")
        elif char in "<>" or (char == "&" and following == ">"):
            self._read_redirection(char)
        elif char in " \t\r" or (char == "," and is_powershell):
            self._end_word()
        elif char in "\n;&|)":
            self._end_command()
            if char == "\n":
                self._skip_documents()
        elif char == "(":
            if not is_powershell:
                self._end_command()
            self._read_inside("(", ")")
            if not is_powershell:
                self._word = None
        elif char == "{" and is_powershell:
            self._read_inside("{", "}")
        else:
            self._push_until(char, " \t\r\n,;&|(){<>'\"$`@" if is_powershell else " \t\r\n;&|()<>'\"$`\\")

    def _read_inside(self, opening: str, closing: str) -> None:
        """Read commands between brackets, which have a value that only the shell knows."""
        begin, opened = self._at, 1
        while opened and self._at < len(self._text):
            opened += (self._text[self._at] == opening) - (self._text[self._at] == closing)
            self._at += 1
        inside = self._text[begin : self._at - (not opened)]
        # Arithmetic compares, it does not redirect.
        if self._script.is_powershell or inside[:1] != "(":
            self._script.read(inside)
        self._push(UNKNOWN)

    def _read_dollar(self, following: str) -> None:
        is_powershell = self._script.is_powershell
        if following == "(":
            self._at += 1
            self._read_inside("(", ")")
        elif following not in "'\"" or self._is_quoted:
            # What PowerShell assigns to is the first word of a command.
            is_assigned = is_powershell and self._word is None and not self._words
            self._at += following == "{"
            name = self._take(_NAME + ":" * is_powershell)
            rest = self._take_through("}") if following == "{" else ""
            if not name or is_assigned:
                self._push("$" + name)
            else:
                self._push(self._script.value(name) if not rest or rest[0] in ":-=?" else UNKNOWN)

    def _read_redirection(self, char: str) -> None:
        # A number before it is a descriptor.
        if self._word is not None and not self._word.strip("0123456789*"):
            self._word = None
        self._end_word()
        operator = self._take("<>|&")
        is_stream = operator[-1:] == "&" and self._text[self._at : self._at + 1] in (*"-0123456789",)
        if char == operator == "<":
            self._awaited = "-"
            self._take("-")
        else:
            self._awaited = "<" if is_stream or (char == "<" and ">" not in operator) else ">"

    def _skip_documents(self) -> None:
        """Pass over the here-documents that the line has announced."""
        for delimiter in self._documents:
            while self._at < len(self._text) and self._take_through("\n").strip("\t\r") != delimiter:
                pass
        self._documents = []

    def _end_word(self) -> None:
        word, awaited = self._word, self._awaited
        if word is None:
            return
        self._word, self._awaited = None, ""
        # Inside `[[ ]]` the sign compares.
        if awaited == ">" and self._words[:1] != ["[["]:
            self._script.add("write", word)
        elif awaited == "-":
            self._documents.append(word)
        elif not awaited and len(self._words) < MAX_WORDS:
            self._words.append(word)

    def _end_command(self) -> None:
        self._end_word()
        words, self._words, self._awaited = self._words, [], ""
        self._script.run(words)

    def _push(self, text: str) -> None:
        word = self._word or ""
        self._word = word + text if len(word) < MAX_WORD_CHARS else word

    def _push_until(self, char: str, signs: str) -> None:
        self._push(char)
        self._push(self._take(signs, is_wanted=False))

    def _take(self, chars: str, *, is_wanted: bool = True) -> str:
        """The characters that follow and are among these, or are not."""
        begin = self._at
        while self._at < len(self._text) and (self._text[self._at] in chars) == is_wanted:
            self._at += 1
        return self._text[begin : self._at]

    def _take_through(self, end: str) -> str:
        """What stands before `end`, which is taken, or all that is left."""
        begin, found = self._at, self._text.find(end, self._at)
        self._at = found + len(end) if found >= 0 else len(self._text)
        return self._text[begin : found if found >= 0 else None]
