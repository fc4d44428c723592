"""Splits a text into plain words, in which the signs of instructions to the model are searched (SPEC 46.2)."""

from ...basics.chars import WHITESPACE
from .full_forms import full_forms
from .letters import LETTER, SEPARATOR, classify, plain
from .sanitize import remove_hidden

# A full stop after fewer words does not end a sentence, so that full stops between single words cannot hide a phrase.
MIN_SENTENCE_WORDS = 4

# Characters from here on (Han, kana, Hangul) are words of their own; scripts with longer words come before.
FIRST_OWN_WORD = "\u2e80"
# The blocks of Thai and Lao, Burmese and Khmer, which are written without blanks too.
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"))
LINE_ENDS = "\n\r\x0b\x0c\x85\u2028\u2029"
# Vowel points of Hebrew and Arabic, and the stroke that lengthens an Arabic word. Few texts have them.
_POINTS = (("\u0591", "\u05bd"), ("\u05bf", "\u05c7"), ("\u0640", "\u0640"), ("\u064b", "\u065f"), ("\u0670", "\u0670"))
# Parts of Hangul syllables, combining sound marks of kana, and half-width characters.
_PARTS_OF_SYLLABLES = (("\u1100", "\u11ff"), ("\u3099", "\u309a"), ("\u3131", "\u318e"), ("\uff65", "\uffdc"))
_FIRST_OF_HANGUL = "\u1100"
_NEW_LINE = "\x01"
_MAX_ENTITY_CHARS = 10
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": " ", "colon": ":", "period": "."}
# Marks of emphasis and code in Markdown are removed, because they may be inside a word.
_MARKS = "*`"


class Words:
    """The words of a text in order, with the symbols between them."""

    def __init__(self) -> None:
        """Start without any words."""
        self.texts: list[str] = []
        """The words in lower case, without accents. Each character of a script without blanks, and each syllable of
        Hangul, is a word of its own."""
        self.separators: list[str] = []
        """The symbols, without white space, before each word; at last the symbols behind the last word."""
        self.line_starts: list[bool] = []
        """For each word, whether it is the first word of its line."""
        self.sentences: list[int] = []
        """For each word, the number of its sentence."""
        self.offsets: list[int] = [0]
        """The length of the text before each word, then of the whole text. A character that is a word of its own counts
        1, any other word 2."""

    def add(self, text: str, separator: str, is_line_start: bool, sentence: int) -> None:
        """Append a word. The symbols behind the last word are appended later."""
        self.texts.append(text)
        self.separators.append(separator)
        self.line_starts.append(is_line_start)
        self.sentences.append(sentence)
        self.offsets.append(self.offsets[-1] + (1 if _is_own_word(text) else 2))


def split_words(text: str, letters: dict[str, str]) -> Words:
    """Return the words of a text. `letters` maps lookalike characters to the ASCII characters that they stand for."""
    if "&" in text:
        text = _decode_entities(text)
    if not text.isascii() and any(_is_part_of_syllable(char) for char in set(text)):
        text = _join_syllables(text)
    text = text.replace("\r\n", "\n").replace("* ", "- ").translate(_Characters(letters))
    words = Words()
    separator, lines, is_line_start = "", 1, True
    sentence, length = 0, 0
    ends, is_stopped, is_hyphenated = False, False, False
    # The parts of the last word; empty if nothing can be joined with it. They are joined at its end, because to look at
    # the whole word each time would take quadratic time.
    parts: list[str] = []
    for token in text.split():
        first = token[0]
        if first == _NEW_LINE:
            lines += 1
            is_hyphenated = separator == "-" and lines == 1
            is_line_start = True
            ends = ends or is_stopped or lines == 2
            is_stopped = False
            continue
        word = token
        if first.isascii() and not first.isalnum():
            word = token[1:]
            ends = ends or (is_stopped and first not in "./") or (lines > 0 and separator == "" and first in "-+#")
            is_stopped = first in ".!?" and not word
            separator += first
            if not word:
                continue
        elif is_stopped:
            ends = True
        is_joinable = _is_word(word)
        if is_hyphenated and separator == "-" and parts and is_joinable:
            parts.append(word)
        else:
            if len(parts) > 1:
                words.texts[-1] = "".join(parts)
            parts = [word] if is_joinable else []
            if ends and length >= MIN_SENTENCE_WORDS:
                sentence += 1
                length = 0
            words.add(word, separator, is_line_start, sentence)
            length += 1
        separator, lines, is_line_start = "", 0, False
        ends, is_stopped, is_hyphenated = False, False, False
    if len(parts) > 1:
        words.texts[-1] = "".join(parts)
    words.separators.append(separator)
    return words


def _join_syllables(text: str) -> str:
    """Return the text with Hangul and kana in their usual forms (SPEC 2.5).

    Marks of other scripts stay apart, because a symbol with a mark would become another symbol.
    """
    # Characters that nobody sees must not keep the parts of a syllable apart.
    shown = "".join([char for char in text if char in WHITESPACE or remove_hidden(char)])
    joined, begin = [], 0
    for end in [place for place, char in enumerate(shown) if char < _FIRST_OF_HANGUL] + [len(shown)]:
        joined += [full_forms(shown[begin:end]), shown[end : end + 1]]
        begin = end + 1
    return "".join(joined)


def _is_part_of_syllable(char: str) -> bool:
    return any(first <= char <= last for first, last in _PARTS_OF_SYLLABLES)


def _is_own_word(text: str) -> bool:
    return text >= FIRST_OWN_WORD or any(first <= text[:1] <= last for first, last in _UNSPACED)


def _is_word(text: str) -> bool:
    return text.isascii() and text.isalpha()


class _Characters(dict[int, str]):
    """A table for `str.translate` that finds the replacement of each character when it is first needed."""

    def __init__(self, letters: dict[str, str]) -> None:
        super().__init__()
        self._letters = letters

    def __missing__(self, point: int) -> str:
        made = self[point] = _replacement(chr(point), self._letters)
        return made


def _replacement(char: str, letters: dict[str, str]) -> str:
    """Return what replaces a character: its plain letter, the symbol with a blank before it, white space or nothing."""
    if char in LINE_ENDS:
        return f" {_NEW_LINE} "
    if char in WHITESPACE:
        return " "
    if char in _MARKS or any(first <= char <= last for first, last in _POINTS) or not remove_hidden(char):
        return ""
    if "\uff01" <= char <= "\uff5e":
        char = chr(ord(char) - 0xFEE0)
    char = letters.get(char, char)
    if char.isascii():
        return char.lower() if char.isalnum() else f" {char}"
    kind = classify(char)
    if kind == SEPARATOR:
        return " "
    if kind != LETTER or _is_own_word(char):
        return f" {char} "
    letter = plain(char)
    return letter.lower() if letter.isascii() else letter


def _decode_entities(text: str) -> str:
    """Replace the HTML character references in a text, once; anything else stays as it is."""
    first, *rest = text.split("&")
    parts = [first]
    for part in rest:
        name = part[: _MAX_ENTITY_CHARS + 1].partition(";")[0]
        char = _entity(name) if part[len(name) : len(name) + 1] == ";" else None
        parts.append(f"&{part}" if char is None else char + part[len(name) + 1 :])
    return "".join(parts)


def _entity(name: str) -> "str | None":
    if name[:1] != "#":
        return _ENTITIES.get(name.lower() if name.isascii() else name)
    digits, base = (name[2:], 16) if name[1:2] in ("x", "X") else (name[1:], 10)
    if not digits or any(char not in "0123456789abcdefABCDEF"[: 10 if base == 10 else 22] for char in digits):
        return None
    point = int(digits, base)
    return chr(point) if 0 < point < 0xD800 or 0xDFFF < point < 0x110000 else None
