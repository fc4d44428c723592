"""What the lines of a section of instructions say: prohibitions, orders, steps, commands, or how things are.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from dataclasses import dataclass, field

from . import rule_words, section_words
from .line_names import BOLD_LABEL, command_of, tells_to_do
from .markup.markdown import Block, code_lines, plain
from .section_units import is_markup, leads
from .titles import clean_heading, first_sentence_of, listing_title, sentences_of, without_pictographs

_BANNED = re.compile("^[\\s*_]*(?:\u274c|\u2717|\u2718|\u26d4|\U0001f6ab|\U0001f645)\ufe0f?[\\s:*_-]*")
_IMPERATIVE_WORD = re.compile(r"^[\s*_]*([A-Za-z][a-z-]*)\b")
_IS_ADVICE = re.compile(
    r"^\W*(?:always|avoid|only|ensure|instead|prefer|please|make sure)\b|\binstead\b(?! of)"
    r"|^[^.]*\brather than\b|\(not\b",
    re.IGNORECASE,
)
# An order that only names a document: `Follow the rules of docs/style.md.`
_FOLLOWS = re.compile(
    r"^\W*(?:(?:before|when|whenever|if|for|to|while) (?:[^.,;()]|\([^()]{0,60}\)){3,80}, )?"
    r"(?:always |please |strictly )?(?:follow|adhere to|apply|read|use|load|comply with|consult|review|check)\b"
    r"(?:(?! - )[^.;]){0,60}?(?:\[[^\]]*\]\([^)]*\)|@[\w./-]+|https?://\S+|`?[\w./-]+\.mdc?`?)"
    r"(?:(?:,| and| or) `?[\w./-]+\.mdc?`?)*[^.;]{0,30}\.?$",
    re.IGNORECASE,
)
_STRESS = re.compile(r"^\W*(?:required|important|mandatory|critical|note)\W*:\W*(?=\w)", re.IGNORECASE)
_REFERS = re.compile(r"^\W*(?:also |please )*(?:see|refer to)\b", re.IGNORECASE)
# Such a sentence says what is to be expected.
_EXPECTS = re.compile(
    r"\bshould (?:\w+ly |just |now |also |then )?(?:work|see|be able to|behave|appear|happen|look like)\b",
    re.IGNORECASE,
)
# `It never blocks the caller` says what something does.
_NEVER_DOES = re.compile(r"\bnever (?!\w*(?:ss|us)\b)\w+s\b|\b(?:it|they|which|who) never\b", re.IGNORECASE)
# Below a heading such as `Security`, such a sentence says what to beware of.
_WARNS = re.compile(
    r"\b(?:not|no|cannot|only|never|unless|until|must|fails?|failed|failures?|breaks?|broken|wrong|instead"
    r"|because|slow|silently|otherwise|requires?|limits?|limited|expires?|shared|stale|lost|drops?|race)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_BAD = re.compile(r"^\W*(?:bad|wrong|incorrect|don['\u2019]?ts?)\b[^:]{0,20}:?\W*$", re.IGNORECASE)
# The last clause of a line that leads to code says what is there, unless it forbids to leave that out.
_CLAUSE = re.compile(r"[,;\u2014]|\s[-\u2013]\s")
_AVOIDS = re.compile(r"^\W*avoid\b", re.IGNORECASE)
_RIGHT_BEHIND = re.compile(
    r"\b(?:without|before|until|unless|instead|except|forget|skip|miss|omit|only|but|rather)\b", re.IGNORECASE
)
# Below a heading such as `Avoid any types`, an order is none to be turned round.
NAMED_BANS = "named bans"
_BANS = (rule_words.BANS, NAMED_BANS)
_NAMED_ITEM = re.compile(r"^\s*(?:\d{1,3}[.)]\s+)?\*\*([^*]{2,40}?):?\*\*\s*[:\u2013\u2014-]?")
_LABELLED = re.compile(
    r"^\W*[\w /-]{2,40}(?::|\s[-\u2013\u2014])\s+(?!(?:always|never|prefer|avoid|use|keep|ensure|make sure|do"
    r"|don['\u2019]t|when|if|before|after|for)\b)",
    re.IGNORECASE,
)
# A table that says where something is: its rows, such as `Add a command`, are no rules.
_WHERE = re.compile(
    r"\|\s*(?:locations?|where(?: to look)?|paths?|director(?:y|ies)|folders?)\s*(?:\||$)", re.IGNORECASE
)
_BOX = re.compile(r"^\s*\[[ xX]\]\s+")
# A comment that marks commands as wrong: `# WRONG - it hangs`. `# bad input` says what a command is about.
_WRONG = re.compile(
    r"(?<!\S)(?:#|//)[^\w\n]{0,9}(?:[\u274c\u2717\u2718]|(?-i:WRONG|BAD|INCORRECT)\b"
    r"|(?:wrong|bad|incorrect)(?=\s*(?:$|[^\w\s-])|\s+-))",
    re.IGNORECASE,
)
_COMMENT = ("#", "//")
_WORD = re.compile(r"\w")
MIN_STEPS = 2
# In a paragraph of so many sentences, one of so many must be a rule.
MIN_SENTENCES, SHARE_OF_RULES = 4, 3
# So many orders below a heading such as `Adding a provider` are steps.
MIN_ORDERS = 3
# A longer line with its first item leaves no room in a title.
MAX_LED_CHARS = 80
MIN_SAID_WORDS = 4


@dataclass
class Weights:
    """How many statements of each kind there are."""

    rules: list[str] = field(default_factory=list)
    strict: int = 0
    """The rules that forbid or demand."""
    bans: int = 0
    """The rules that forbid."""
    limits: int = 0
    """Facts below a heading for pitfalls and limits."""
    facts: int = 0
    steps: int = 0
    """The items of numbered lists."""
    commands: list[str] = field(default_factory=list)
    done: int = 0
    """The characters of the steps and commands."""
    names: list[str] = field(default_factory=list)
    """What the rules and limits say, for the title."""

    def add(self, rule: str, *, is_strict: bool = False, is_ban: bool = False) -> None:
        """Count a rule."""
        self.rules.append(rule)
        self.names.append(rule)
        self.strict += is_strict
        self.bans += is_ban

    @property
    def asking(self) -> int:
        """The statements that ask for something or set a limit."""
        return len(self.rules) + self.limits

    @property
    def all(self) -> int:
        """All statements."""
        return self.asking + self.facts + self.steps + len(self.commands)


def weigh(blocks: list[Block], kind: str, headings: str, about: str = "") -> Weights:
    """The statements in some blocks. `kind` is what the heading announces.

    `headings` is the heading above the blocks, and `about` this one with the heading above it.
    """
    found = Weights()
    own = kind = _ban_of(kind, headings)
    is_example = False
    for at, block in enumerate(blocks):
        before = blocks[at - 1] if at else None
        lead = lead_of(before)
        line = " ".join(plain(block.text).split())
        is_led = any(
            each.kind in ("list", "table") or (each.is_shell and forbids_behind(line))
            for each in blocks[at + 1 : at + 2]
        )
        if block.kind == "heading":
            headings = clean_heading(line.lstrip("# "))
            kind = _ban_of(rule_words.kind_of_heading(headings), headings) or own
            is_example = section_words.has_examples_below(headings)
        elif is_example or (block.kind == "code" and section_words.has_examples_below(lead.strip(":*_ "))):
            continue
        elif block.kind == "code":
            # Below a part of `Never edit the fixtures` code may show what to do or what not to do.
            is_below = kind == NAMED_BANS and rule_words.kind_of_heading(headings) != rule_words.BANS
            if is_below and not lead and not section_words.is_about_commands(about):
                found.facts += 1
            elif not _is_bad(lead):
                _weigh_code(block, lead, kind, found)
        elif block.kind in ("list", "table"):
            # A label above a list, such as `Key principles:`, ends what a heading that forbids says.
            is_label = before is not None and section_words.is_bold_line(before.raw) and not rule_words.forbids(lead)
            is_over = is_label and kind in _BANS
            below = _ban_of(rule_words.kind_of_heading(lead.strip(":*_ ")), lead) if is_over else kind
            _weigh_items(block, lead, below, (headings, about), found)
        else:
            only_leads = leads(block) and (is_led or not tells_to_do(line)) and first_sentence_of(line) == line
            if is_markup(block) or only_leads or section_words.comments(line) or only_points(block.raw):
                continue
            fields = [plain(each) for each in block.raw.splitlines()]
            is_fields = len(fields) > 1 and all(map(BOLD_LABEL.match, block.raw.splitlines()))
            if (command := command_of(line)) and not rule_words.is_strict(line) and kind not in _BANS:
                found.commands.append(command)
                found.done += len(line)
                continue
            # A sentence that names a document is none that asks.
            said = [each for each in sentences_of(" ".join(block.raw.split())) if not only_points(each)]
            line = plain(" ".join(said)) if said and block.kind == "paragraph" else line
            for each in fields if is_fields else [line]:
                _weigh_line(each, kind, found)
    return found


def _ban_of(kind: str, heading: str) -> str:
    """The kind of a heading. One that forbids turns orders below it round only if it says no more than that."""
    return NAMED_BANS if kind == rule_words.BANS and not rule_words.forbids_below(heading.strip(":*_ ")) else kind


def _is_bad(lead: str) -> bool:
    """Whether a line marks what is below it as wrong, such as `Bad:`."""
    return bool(_BANNED.match(lead) or _BAD.match(lead))


def lead_of(before: Block | None) -> str:
    """The last sentence of a paragraph that leads to the block behind it; "" if there is none."""
    if before is None or before.kind != "paragraph" or not leads(before):
        return ""
    return list(sentences_of(" ".join(plain(before.text).split())))[-1]


def forbids_behind(lead: str) -> bool:
    """Whether a line forbids what stands behind it, such as `Never do this:`, and does not say what to do instead."""
    said = _NEVER_DOES.sub(" ", _CLAUSE.split(lead)[-1])
    is_ban = _is_bad(lead) or rule_words.forbids(said) or bool(_AVOIDS.match(said))
    return is_ban and not _RIGHT_BEHIND.search(lead)


def only_points(raw: str) -> bool:
    """Whether a line, or a row of a table in any of its cells, only names another document."""
    line = _STRESS.sub("", " ".join(raw.split()))
    cells = line.strip("| ").split(" | ") if line.startswith("|") else [line]
    is_document = any(rule_words.is_document(cell) or rule_words.is_pointer(cell) for cell in cells)
    is_document = is_document or bool(
        _FOLLOWS.match(line.strip("*_ ")) or (_REFERS.match(line) and first_sentence_of(line) == line)
    )
    return is_document and not rule_words.is_strict(line)


def rows_of(block: Block) -> tuple[str, ...]:
    """The items of a list, or the rows of a table, as they are written."""
    return (
        block.raw_items
        if block.kind == "list"
        else tuple([line for line in block.raw.splitlines()[2:] if line.strip()])
    )


def _weigh_code(block: Block, lead: str, kind: str, found: Weights) -> None:
    lines = [line.partition("  #")[0] for line in code_lines(f"```\n{without_wrong(block.text)}\n```")]
    if not block.is_shell:
        return
    is_ban = forbids_behind(lead) if lead else kind in _BANS
    if is_ban:
        for line in lines:
            found.add(f"{lead or 'Never run'} `{line}`", is_strict=True, is_ban=True)
    else:
        found.commands += lines
        found.done += len(block.source)


def _weigh_items(block: Block, lead: str, kind: str, above: tuple[str, str], found: Weights) -> None:
    headings, about = above
    raws = rows_of(block)
    sources = block.source_items or raws
    nested = {raw: section_words.nested_steps(source) for raw, source in zip(raws, sources, strict=False)}
    found.steps += sum(nested.values())
    found.done += sum([len(raw) for raw in raws if nested[raw]])
    lines = [
        _BOX.sub("", item.partition("\n```")[0]).replace("\n", " ")
        for raw, item in zip(raws, block.items, strict=False)
        if not only_points(raw) and _WORD.search(item) and not nested[raw]
    ]
    if section_words.announces_effects(lead) or (block.kind == "table" and _WHERE.search(block.raw.partition("\n")[0])):
        found.facts += 1
        return
    strict = sum(map(rule_words.is_binding, lines))
    rules = sum(map(tells_to_do, lines))
    is_checklist = "checklist" in headings.lower()
    says_steps = is_checklist or rule_words.has_steps_below(f"{headings} {lead}") or section_words.names_form(headings)
    may_be_steps = kind not in (*_BANS, rule_words.CONVENTIONS, rule_words.LIMITS) or rule_words.is_condition(lead)
    may_be_steps = may_be_steps or is_checklist
    is_procedure = block.is_ordered and len(lines) >= MIN_STEPS and 2 * strict < len(lines) and may_be_steps
    # Numbers before names such as `1. **Structure**: ...` only count.
    named = [label[1] for raw in raws if (label := _NAMED_ITEM.match(raw)) and not rule_words.is_imperative(label[1])]
    is_procedure = is_procedure and (says_steps or 2 * len(named) <= len(lines))
    # `Bundle: it collects the code` says what a program does.
    stating = [line for line in lines if rule_words.states(line.partition(": ")[2] or line) and not tells_to_do(line)]
    is_procedure = is_procedure and 2 * len(stating) < len(lines)
    orders = sum(map(rule_words.is_imperative, lines))
    is_done_so = section_words.tells_how(headings) and may_be_steps and not strict
    is_done_so = is_done_so and orders >= MIN_ORDERS and 4 * orders >= 3 * len(lines)
    is_done_so = is_done_so and any(map(section_words.is_step, lines))
    is_done_so = is_done_so or (section_words.leads_to_steps(lead) and MIN_STEPS <= len(lines) <= 2 * rules)
    if (is_procedure and (says_steps or 2 * rules >= len(lines))) or is_done_so:
        found.steps += len(lines)
        found.done += len(block.source)
        return
    asks = bool(lead) and tells_to_do(lead)
    is_ban = bool(lead) and (
        forbids_behind(lead)
        or rule_words.forbids(lead)
        or rule_words.kind_of_heading(lead.rstrip(":* ")) == rule_words.BANS
    )
    is_whole = asks or is_ban or section_words.is_fragment(lead) or rule_words.is_condition(lead)
    is_whole = bool(lead) and is_whole and not section_words.says_nothing(lead)
    known = len(found.names)
    facts = found.facts
    for line in lines:
        told = section_words.is_about_commands(f"{about} {headings}") and rule_words.find_command(line)
        command = command_of(line) or told
        if command and not rule_words.is_strict(line) and kind not in _BANS:
            found.commands.append(command)
            found.done += len(line)
        elif is_ban or (asks and is_whole):
            is_strict = is_ban or rule_words.is_binding(lead) or rule_words.is_binding(line)
            found.add(f"{lead} {line}", is_strict=is_strict, is_ban=is_ban or rule_words.forbids(line))
        else:
            _weigh_line(line, kind, found)
    if block.kind == "table" and kind != rule_words.FACTS:
        # The rows of a table say one thing together.
        found.facts = min(found.facts, facts + 1)
    if is_whole and len(found.names) > known:
        # The items say something only behind the line that leads to them.
        names = [first_sentence_of(line).rstrip(".") for line in lines]
        is_short = len(lead) + len(names[0]) <= MAX_LED_CHARS
        said = lead.rstrip(":*_ ")
        if is_short or len(said.split()) < MIN_SAID_WORDS:
            names = [listing_title(said, names, "; ")]
        elif (asks or is_ban) and not section_words.is_fragment(lead):
            names = [said]
        found.names[known:] = names


def _weigh_line(line: str, kind: str, found: Weights) -> None:
    sentences = list(sentences_of(line))
    is_long = len(sentences) >= MIN_SENTENCES and not rule_words.is_rule(sentences[0])
    if is_long and SHARE_OF_RULES * sum(map(rule_words.is_rule, sentences)) < len(sentences):
        # A description that also names a rule.
        found.facts += 1
        return
    is_marked = bool(_BANNED.match(line))
    text = without_pictographs(_BANNED.sub("", line)).strip()
    if not _WORD.search(text):
        return
    told = _EXPECTS.sub(" ", _NEVER_DOES.sub(" ", text))
    is_turned = is_marked or kind == rule_words.BANS or (kind == NAMED_BANS and not tells_to_do(told))
    is_ban = is_turned or rule_words.forbids(told)
    if is_ban or rule_words.is_binding(told):
        if kind == rule_words.FACTS and rule_words.is_absence(text):
            found.facts += 1
        else:
            rule = negated(text) if is_turned else text
            found.add(rule, is_strict=True, is_ban=is_ban)
            if not is_marked and not rule_words.is_imperative(text):
                # The heading in the title forbids it.
                found.names[-1] = text
    elif kind == rule_words.FACTS and _LABELLED.match(text) and not tells_to_do(text.partition(":")[0]):
        # `Emitter: write the files` says what a part of the project does.
        found.facts += 1
    elif tells_to_do(told) or (not is_long and _is_convention(text, kind)):
        found.add(text)
    elif section_words.may_be_sentence(text) and (
        kind == rule_words.LIMITS or (kind == rule_words.TOPICS and _WARNS.search(text))
    ):
        found.limits += 1
        found.names.append(text)
    else:
        found.facts += 1


def without_wrong(code: str) -> str:
    """The lines of a piece of code without those that are shown as wrong.

    The mark stands behind a command, or in a comment above commands and holds up to the next comment or empty line.
    """
    kept, is_marked = [], False
    for line in code.split("\n"):
        is_wrong = bool(_WRONG.search(line[: rule_words.MAX_CHARS]))
        if not line.strip() or line.lstrip().startswith(_COMMENT):
            is_marked = is_wrong
        if not is_wrong and not is_marked:
            kept.append(line)
    return "\n".join(kept)


def negated(text: str) -> str:
    """A line that is banned by a mark or by its heading as a prohibition of its own: `Do not use eval()`."""
    if rule_words.forbids(text) or rule_words.is_absence(text) or _IS_ADVICE.search(text):
        return text
    word = _IMPERATIVE_WORD.match(text)
    if word and rule_words.is_imperative(text):
        at = word.start(1)
        return f"{text[:at]}Do not {text[at].lower()}{text[at + 1 :]}"
    return f"Avoid: {text.strip()}"


def _is_convention(text: str, kind: str) -> bool:
    """Whether a line that asks for nothing is a convention because of its heading, such as `kebab-case for files`."""
    if kind != rule_words.CONVENTIONS or section_words.names_thing(text) or section_words.has_only_paths(text):
        return False
    is_named = text.startswith("`") or rule_words.names_stack(text) or section_words.names_activity(text)
    is_named = is_named or rule_words.is_describing_label(text.partition(":")[0])
    return not (rule_words.states(text) or is_named)
