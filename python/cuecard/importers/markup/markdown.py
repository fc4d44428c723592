"""Parses a Markdown file into front matter, sections, and the blocks of each section.

markdown-it-py finds the blocks, including nested lists, fences and tables. Loading it takes 33 ms of CPU time (the rest
of an import takes 180 ms), and parsing about 0.1 ms for each KB.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from ...basics.time_limit import check_time
from .front_matter import FrontMatter, split_front_matter

# The place of what stands before the first heading.
BEGINNING = "(beginning)"
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
# A fence may stand in a list or a quotation, too.
_FENCE_LINE = re.compile(r"^[ \t>]*(?:[-*+] +|\d{1,3}[.)] +)?(`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\[]*)\](?:\([^()\s]*(?:[ \t]+\"[^\"]*\")?\)|\[[^\]\[]{0,80}\])")
# Underscores around a name, as in `__init__.py`, are not bold type.
_BOLD = re.compile(r"(\*\*|(?<![\w`/.])__)(?=\S)(.+?)(?<=\S)\1(?![\w`/.](?<=__[\w`/.]))")
_TAG = re.compile(r"</?[a-zA-Z][\w-]{0,20}(?:[ \t][^<>]{0,300})?/?>")
# The box of a task, signs that a backslash makes ordinary, and code within a line.
_CHECKBOX = re.compile(r"^(\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?)\[[ xX]\]\s+")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]<>()#+.!~|-])")
_CODE = re.compile(r"(`+[^`]+`+)")
_HIDDEN = str.maketrans("*_[]", "\ue000\ue001\ue002\ue003")
_SHOWN = str.maketrans("\ue000\ue001\ue002\ue003", "*_[]")
# Lines of admonitions, and import lines of MDX files.
_DIRECTIVE = re.compile(r"^\s*(?::::+.*|import \w+ from ['\"].*|(?:> ?)?\[![A-Z]+\])\s*$")
_SHELLS = frozenset(("bash", "sh", "shell", "console", "zsh", "fish", "terminal", "powershell", "ps1", "cmd", "pwsh"))
_SHELL_LINE = re.compile(
    r"^\s*(?:\$ |(?:sudo |cd |\./|make|npm|npx|pnpm|yarn|bun|pip3?|uv|uvx|python3?|pytest|cargo|go|git|docker|kubectl"
    r"|dotnet|mvn|gradle|gradlew|terraform|helm|bundle|rake|rails|poetry|hatch|tox|nox|just|task|curl|brew|apt|ruff"
    r"|node|deno|php|composer|mix|bazel|cmake|ctest|ninja|export|source|gh|aws|gcloud|az)\b)"
)
# Longer lines are not searched for markup, and longer items are cut.
MAX_MARKED_CHARS = 5000
MAX_ITEM_CHARS = 5000
# Longer code is named in a statement, and not copied.
MAX_STATED_CODE_CHARS = 600
# A longer paragraph is no text for people, and is left out.
MAX_PARAGRAPH_CHARS = 1 << 15
_PARAGRAPHS = frozenset(("paragraph_open", "blockquote_open", "html_block"))


@dataclass(frozen=True)
class Block:
    """A paragraph, list, table, quotation or piece of code."""

    kind: str
    """`paragraph`, `list`, `code`, `table`, `quote` or `html`."""
    text: str
    """The lines of the block, with links replaced by their words; for code, without the fence."""
    items: tuple[str, ...] = ()
    """Each item of a list with everything below it on one line, except long code, or each row of a table."""
    is_ordered: bool = False
    language: str = ""
    raw: str = ""
    """The lines of the block as in the file, with links."""
    raw_items: tuple[str, ...] = ()
    """Each item as in the file, with one line for each of its blocks, except code of several lines."""
    source: str = ""
    """The lines of the block as in the file; for code, with its fence."""
    source_items: tuple[str, ...] = ()
    """The lines of each item of a list as in the file."""

    @property
    def is_shell(self) -> bool:
        """Whether the block is code that a person types into a shell."""
        if self.kind != "code":
            return False
        lines = [line for line in self.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        typed = sum([bool(_SHELL_LINE.match(line)) for line in lines])
        return bool(lines) and (self.language in _SHELLS or (not self.language and 2 * typed >= len(lines)))


@dataclass
class Section:
    """A heading and the lines below it, up to the next heading."""

    level: int
    """The heading's level; 0 for the lines before the first heading."""
    heading: str
    lines: list[str] = field(default_factory=list)
    above: tuple[str, ...] = ()
    """The headings above this section, the outermost first."""
    blocks: tuple[Block, ...] = ()
    place: str = ""
    """The last two headings above and this heading, as reports show them; unique within a file."""
    _known: tuple[int, str] = (0, "")
    """The number of lines whose text was computed last, and that text. Lines are only ever added."""

    @property
    def text(self) -> str:
        """The lines of the section, with links replaced by their words."""
        if self._known[0] != len(self.lines):
            self._known = len(self.lines), plain("\n".join(self.lines))
        return self._known[1]


@dataclass
class MarkdownDocument:
    """A parsed Markdown file."""

    front: FrontMatter
    """Front matter; the members of an object are named `OBJECT.MEMBER`."""
    sections: list[Section]
    too_long: tuple[str, ...] = ()
    """The places of sections from which a paragraph was left out because of its length."""

    def value(self, *names: str) -> str:
        """The first non-empty text in the front matter under one of these names; "" if there is none."""
        for name in names:
            found = self.front.get(name, "")
            if isinstance(found, str) and found:
                return found
        return ""

    def values(self, *names: str) -> list[str]:
        """The first non-empty list in the front matter under one of these names. A text is split at its commas."""
        for name in names:
            found = self.front.get(name, [])
            parts = found if isinstance(found, list) else [part.strip() for part in _split_globs(found)]
            if parts:
                return [part for part in parts if part]
        return []

    @property
    def title(self) -> str:
        """The title in the front matter, else the first heading of level 1, else the first heading; "" without any."""
        headings = [section for section in self.sections if section.level]
        first = next((section for section in headings if section.level == 1), headings[0] if headings else None)
        return self.value("title") or (plain(first.heading) if first else "")

    @property
    def text(self) -> str:
        """The text of all sections."""
        return "\n".join([section.text for section in self.sections]).strip()


@cache
def _parser() -> MarkdownIt:
    # Only blocks are parsed; inline markup is read where it is needed.
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    parser.block.ruler.before("table", "time", _check_time)
    return parser


def _check_time(_state: StateBlock, _start: int, _end: int, _is_silent: bool) -> bool:
    """A rule that never matches; markdown-it calls it for each block."""
    check_time()
    return False


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def parse(text: str) -> MarkdownDocument:
    """Parse a file. Every text is accepted."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    front, taken = split_front_matter(lines)
    lines = _without_comments("\n".join(lines[taken:])).split("\n")
    tokens = _parser().parse("\n".join(lines))
    sections, above = [Section(0, "")], list[tuple[int, str]]()
    blocks: list[Block] = []
    begin = 0
    too_long: list[Section] = []
    for at, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        if token.type == "heading_open":
            _finish(sections[-1], lines[begin : token.map[0]], blocks)
            blocks, begin = [], token.map[1]
            sections.append(_open(above, int(token.tag[1]), _one_line(tokens[at + 1].content)))
        elif token.type in _PARAGRAPHS and _is_too_long(lines, token.map):
            too_long.append(sections[-1])
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
        else:
            blocks += _blocks(tokens, at, lines)
    _finish(sections[-1], lines[begin:], blocks)
    cut = {id(section) for section in too_long}
    kept = [section for section in sections if section.level or id(section) in cut or section.text.strip()]
    _name_places(kept)
    return MarkdownDocument(front, kept, tuple(dict.fromkeys([section.place for section in too_long])))


def _is_too_long(lines: list[str], place: list[int]) -> bool:
    begin, end = place
    return sum(map(len, lines[begin:end])) + end - begin - 1 > MAX_PARAGRAPH_CHARS


def plain(text: str) -> str:
    """A text without the markup of links and bold type, and without HTML tags and directives. Code in fences stays."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence or mark:
            lines.append(line)
            if mark and (not fence or (mark[1].startswith(fence) and not line.strip(" `~"))):
                fence = "" if fence else mark[1]
        elif not _DIRECTIVE.match(line):
            lines.append(line and _unmarked(line))
    return "\n".join(lines).strip()


def without_markup(text: str) -> str:
    """A line as a reader sees it on a page, without any markup."""
    text = " ".join(text.split())
    check_time()
    return text if len(text) > MAX_MARKED_CHARS else _without_markup(text)


# The same headings and labels are asked about several times.
@lru_cache(maxsize=1000)
def _without_markup(text: str) -> str:
    found = []
    for token in _inline_parser().parseInline(text)[0].children or []:
        if token.type in ("text", "code_inline", "image"):
            found.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            found.append(" ")
    return " ".join("".join(found).split())


def items(text: str) -> list[str]:
    """The items of a text's lists, each with everything below it; the paragraphs of the text if it has no list."""
    lines = text.split("\n")
    blocks = list(_all_blocks(_parser().parse(text), lines))
    listed = [block for block in blocks if block.kind == "list"]
    return [item for block in listed for item in block.items] if listed else paragraphs(text)


def statements(text: str) -> list[str]:
    """The paragraphs and items of a text, in order. A list after a line with `:` at its end is joined to that line.

    Code belongs to what stands before it.
    """
    found: list[str] = []
    is_led = False
    for block in _all_blocks(_parser().parse(text), text.split("\n")):
        if block.kind == "code":
            if found:
                found[-1] += f"\n{_code_of(block)}"
            is_led = False
            continue
        told = list(block.items) if block.kind in ("list", "table") else [_one_line(block.text)]
        if is_led:
            found[-1] = joined_items(found[-1], [each.rstrip(".;") for each in told])
        else:
            found += told
        is_led = block.kind == "paragraph" and block.text.rstrip().endswith(":")
    return found


def _code_of(block: Block) -> str:
    """A block of code as it is written, or a remark in its place if it is long."""
    code = block.source.strip("\n")
    count = block.text.count("\n") + 1
    return code if len(code) <= MAX_STATED_CODE_CHARS else f"(code of {count} lines is left out)"


def joined_items(lead: str, told: Sequence[str]) -> str:
    """A line and the items of the list below it, on one line unless an item has code of several lines."""
    if any("\n" in item for item in told):
        return "\n".join([*([lead] if lead else []), *[f"- {item}" for item in told]])
    return f"{lead} {'; '.join(told)}".strip()


def joined_lines(text: str) -> str:
    """A text on one line, but code in fences keeps its lines."""
    found: list[str] = []
    is_code = is_prose = False
    for line in text.split("\n"):
        is_fence = line.startswith("```")
        if is_code or is_fence:
            found.append(line)
            is_code, is_prose = is_code != is_fence, False
        elif line.strip():
            words = " ".join(line.split())
            found[-1:] = [f"{found[-1]} {words}"] if is_prose else [*found[-1:], words]
            is_prose = True
    return "\n".join(found)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, which empty lines separate, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def code_lines(text: str) -> list[str]:
    """The lines inside fences, without shell prompts. A comment line is put behind the command that follows it."""
    found, is_code, comment = [], False, ""
    for line in text.splitlines():
        if _FENCE.match(line):
            is_code, comment = not is_code, ""
        elif is_code and line.lstrip().startswith("#"):
            comment = line.strip().lstrip("# ")
        elif is_code and line.strip():
            found.append(line.strip().removeprefix("$ ") + (f"  # {comment}" if comment else ""))
            comment = ""
    return found


def without_code(lines: list[str]) -> list[str]:
    """The lines outside of fences."""
    found, is_code = [], False
    for line in lines:
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            found.append(line)
    return found


def is_numbered(text: str) -> bool:
    """Whether a text has a numbered list of at least two items."""
    blocks = _all_blocks(_parser().parse(text), text.split("\n"))
    return any(block.kind == "list" and block.is_ordered and len(block.items) > 1 for block in blocks)


def _all_blocks(tokens: Sequence[Token], lines: list[str]) -> Iterator[Block]:
    for at, token in enumerate(tokens):
        if token.level == 0 and token.nesting >= 0 and token.map is not None:
            yield from _blocks(tokens, at, lines)


def _blocks(tokens: Sequence[Token], at: int, lines: list[str]) -> list[Block]:
    """The block that begins at a top-level token; empty if it has no content."""
    token = tokens[at]
    begin, end = token.map or [0, 0]
    source = "\n".join(lines[begin:end])
    if token.type in ("fence", "code_block"):
        language = token.info.split()[0].strip("{}.").lower() if token.info.split() else ""
        return (
            [Block("code", token.content.rstrip(), language=language, source=source)] if token.content.strip() else []
        )
    if token.type in ("bullet_list_open", "ordered_list_open"):
        listed = _items_of(tokens, at, lines)
        if not listed:
            return []
        found, raw_items, sources = zip(*listed, strict=True)
        is_ordered = token.type == "ordered_list_open"
        return [Block("list", plain(source), found, is_ordered, "", source, raw_items, source, sources)]
    if token.type == "table_open":
        return [Block("table", plain(source), _rows_of(tokens, at), raw=source, source=source)]
    kind = {"paragraph_open": "paragraph", "blockquote_open": "quote", "html_block": "html"}.get(token.type)
    raw = re.sub(r"(?m)^\s*>[ \t]?", "", source) if kind == "quote" else source
    text = plain(raw)
    return [Block(kind, text, raw=raw, source=source)] if kind and text else []


def _inside(tokens: Sequence[Token], at: int) -> Iterator[Token]:
    """The tokens from the opening token at `at` up to its closing token."""
    depth = 0
    for token in tokens[at:]:
        depth += token.nesting
        if depth == 0:
            return
        yield token


def _items_of(tokens: Sequence[Token], at: int, lines: list[str]) -> list[tuple[str, str, str]]:
    """The items of a list as `items`, `raw_items` and `source_items` of a block have them, without those of no text."""
    found: list[tuple[list[str], str]] = []
    depth = tokens[at].level
    for token in _inside(tokens, at):
        if token.type == "list_item_open" and token.level == depth + 1:
            begin, end = token.map or [0, 0]
            found.append(([], "\n".join(lines[begin:end]).rstrip()))
        elif token.type == "list_item_open" and found:
            found[-1][0].append(";")
        elif token.type in ("fence", "code_block") and "\n" in token.content.strip():
            found[-1][0].append(f"```{token.info.strip()}\n{token.content.rstrip()}\n```")
        elif token.type in ("inline", "fence", "code_block", "html_block") and token.content.strip():
            found[-1][0].append(_one_line(token.content))
    told = [("\n".join(_parted(parts))[:MAX_ITEM_CHARS], source) for parts, source in found]
    return [(joined_lines(plain(raw)), raw, source) for raw, source in told if raw]


def _parted(parts: list[str]) -> list[str]:
    """The blocks of an item, with `;` between the items below it, unless the text before ends itself."""
    kept: list[str] = []
    for part in parts:
        if part != ";":
            kept.append(part)
        elif kept and not kept[-1].rstrip("*").endswith((":", ".", "!", "?", ";", "```")):
            kept[-1] += ";"
    return kept


def _rows_of(tokens: Sequence[Token], at: int) -> tuple[str, ...]:
    """The rows of a table, each as one text; the head is left out if there are other rows.

    The first cell is joined with `: `, the other cells with `; `.
    """
    rows: list[list[str]] = []
    for token in _inside(tokens, at):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(plain(_one_line(token.content)))
    head, body = (rows[0], rows[1:]) if len(rows) > 1 else ([], rows)
    # In a table of two columns, the first cell already names what the second cell says.
    names = [f"{name} " if name and len(head) > 2 else "" for name in head]
    told = []
    for row in body:
        cells = [f"{name}{cell}" for name, cell in zip([*names, *[""] * len(row)], row, strict=False) if cell]
        if row and row[0] and cells:
            cells[0] = row[0]
        told.append(f"{cells[0]}: {'; '.join(cells[1:])}" if len(cells) > 1 else "".join(cells))
    return tuple([row for row in told if row])


def _finish(section: Section, lines: list[str], blocks: list[Block]) -> None:
    section.lines, section.blocks = lines, tuple(blocks)


def _name_places(sections: list[Section]) -> None:
    seen: dict[str, int] = {}
    for section in sections:
        place = " > ".join([*section.above[-2:], section.heading]) or BEGINNING
        seen[place] = seen.get(place, 0) + 1
        section.place = place if seen[place] == 1 else f"{place} ({seen[place]})"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unmarked(line: str) -> str:
    check_time()
    if len(line) > MAX_MARKED_CHARS:
        return line
    # Text like a tag inside of code is not a tag.
    bare = line if "`" in line else _TAG.sub("", line)
    # Signs within code are no markup, so they are hidden meanwhile.
    hidden = _CODE.sub(lambda code: code[0].translate(_HIDDEN), bare) if "`" in bare else bare
    words = _BOLD.sub(r"\2", _LINK.sub(r"\1", _CHECKBOX.sub(r"\1", hidden))).translate(_SHOWN)
    if "\\" not in words:
        return words
    return "".join([part if part.startswith("`") else _ESCAPE.sub(r"\1", part) for part in _CODE.split(words)])


def _split_globs(text: str) -> list[str]:
    """The parts of a text between commas, except commas in braces."""
    parts: list[list[str]] = [[]]
    for chunk, brace in re.findall(r"([^{}]*)([{}]?)", text):
        first, *more = [chunk] if brace == "}" else chunk.split(",")
        parts[-1].append(first)
        parts += [[each] for each in more]
        parts[-1].append(brace)
    return ["".join(part) for part in parts]


def _without_comments(text: str) -> str:
    """A text without HTML comments outside of fences. Their line ends are kept, and an unclosed comment is text."""
    kept, place = [], 0
    while (begin := text.find("<!--", place)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        fence = _FENCE_LINE.search(text, place, begin)
        if fence:
            closing = re.compile(rf"(?m)^[ \t>]*{fence[1]}[`~]*[ \t]*$").search(text, fence.end())
            code_end = closing.end() if closing else len(text)
            kept.append(text[place:code_end])
            place = code_end
        else:
            kept += [text[place:begin], "\n" * text.count("\n", begin, end)]
            place = end + 3
    return "".join([*kept, text[place:]])


def _open(above: list[tuple[int, str]], level: int, heading: str) -> Section:
    """Create a section, and update `above`, which has the levels and headings of open sections."""
    while above and above[-1][0] >= level:
        above.pop()
    section = Section(level, plain(heading), [], tuple([name for _level, name in above]))
    above.append((level, section.heading))
    return section
