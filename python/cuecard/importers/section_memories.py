"""The memories of a section of instructions: one for each rule, one for its commands, one for its facts.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from ..store.records.record_file import Fields
from ..store.records.record_limits import MAX_TITLE_CHARS
from . import rule_words
from .draft import CUT, MAX_TEXT_CHARS, NOT_STATED, ImportedDraft, Reading, find_because, shorten, shorten_all
from .markdown import Block, Section, code_lines
from .titles import clean_heading, first_sentence_of, listing_title, make_title

MIN_FACT_CHARS = 30
MIN_RULE_WORDS = 3
MAX_KEY_WORDS = 8
MAX_NAME_WORDS = 6
_GENERIC = re.compile(
    r"^(?:(?:project |quick |general |brief )?(?:overview|about|introduction|description|summary"
    r"|background|context|details"
    r"|notes?|general|important|key points|reference|guidelines?|rules|usage|information)|(?:claude"
    r"|agents?|gemini|memory)"
    r"(?:\.md)?|(?:github )?copilot instructions|.{0,30}\.(?:md|mdc)|tips|misc(?:ellaneous)?|other)$",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"^(?:it|this|these|they|those|that|also|otherwise|and|or|but|same|both|then|instead)\b", re.IGNORECASE
)
_FRAGMENTS = re.compile(
    r"\b(?:that|for|if|when|to|include|includes|including|are|is|of|by|following|as|with|needs?|example):$|^e\.g",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[*_`]*(?:\[ ?\] )?([^:*`_\u2013\u2014]{2,60}?)[*_`]*(?:\s*[:(=]|\s[-\u2013\u2014\u2192]|\s->|$)")
_CODE = re.compile(r"`([^`]{1,60})`")
_TREE_MARKS = ("\u251c", "\u2514", "|--")
_TREE = re.compile(r"^[\s\u2502\u251c\u2514\u2500|`+\\-]*")
_STRONG = re.compile(r"\b(always|never|must|required|do not|don't|strictly|mandatory|critical)\b", re.IGNORECASE)
_MAIN_FIELD = {"preference": "value", "constraint": "rule", "tech_debt": "description"}


@dataclass(frozen=True)
class InstructionSource:
    """A file of instructions, as each of its memories knows it."""

    path: str
    kind: str
    name: str
    """What its title says it is about; "" where that says nothing."""
    tags: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    """What its title is: said once, in `name`."""
    is_always: bool = False
    """Whether it says that it holds everywhere."""


@dataclass
class SectionReader:
    """Reads one section."""

    section: Section
    source: InstructionSource
    reading: Reading = field(default_factory=Reading)
    left_aside: Counter[str] = field(default_factory=Counter)
    facts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """What the facts are about, for their title."""
    steps: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    keys: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        heading = clean_heading(self.section.heading)
        above = [clean_heading(name) for name in self.section.above[-2:]]
        known = [name for name in above if not _GENERIC.match(name) and name not in self.source.titles]
        heading = "" if heading in self.source.titles and not self.source.name else heading
        self.heading = heading
        self.topic = " > ".join([*known, heading]) if heading else self.source.name
        parents = [name for name in known[-1:] if len(heading.split()) < 4]
        own = [heading] if heading and heading not in self.source.titles else []
        names = [*([self.source.name] if self.source.name else []), *parents, *own]
        self.title_head = ": ".join(dict.fromkeys([name for name in names if not _GENERIC.match(name)]))
        self.words = " ".join([*above, heading, self.source.name if not heading else ""])
        below = heading if rule_words.has_rules_below(heading) or rule_words.has_facts_below(heading) else self.words
        self.has_rules = rule_words.has_rules_below(below)
        self.has_facts = rule_words.has_facts_below(below)

    def read(self) -> Reading:
        """Every memory of the section, and why the rest of it is none."""
        blocks = [block for block in self.section.blocks if not self._leave_aside(block)]
        lead = ""
        for at, block in enumerate(blocks):
            following = blocks[at + 1].kind if at + 1 < len(blocks) else ""
            if block.kind == "code":
                self._code(block, lead)
            elif block.kind == "list":
                self._list(block, lead)
            elif block.kind == "table":
                self._fact(f"{lead} {'; '.join(block.items)}".strip(), [row.partition(":")[0] for row in block.items])
            elif block.text.rstrip().endswith(":") and following in ("list", "code", "table"):
                lead = " ".join(block.text.split())
                continue
            elif block.text.rstrip().endswith(":") and not following:
                self.left_aside["a line that leads to what follows"] += 1
            else:
                self._paragraph(block)
            lead = ""
        self._finish()
        where = f"{self.source.path}#{self.section.place}"
        for why, count in self.left_aside.items():
            self.reading.skipped.append((where, why if count == 1 else f"{why} ({count} times)"))
        return self.reading

    def _leave_aside(self, block: Block) -> bool:
        """Whether a block is boilerplate, or says only where more is written; told in the report."""
        if block.kind in ("paragraph", "quote", "html"):
            if rule_words.is_boilerplate(block.raw):
                self.left_aside["boilerplate: it says what the file is"] += 1
                return True
            if rule_words.is_pointer(" ".join(block.raw.split())):
                self.left_aside["it says only where more is written"] += 1
                return True
        above = map(clean_heading, self.section.above)
        if block.kind == "list" and any(map(rule_words.has_links_below, (self.heading, *above))):
            pointers = sum([rule_words.is_target(item) or "](" in item for item in block.raw_items])
            if 2 * pointers > len(block.items):
                self.left_aside["pointers to other documents"] += 1
                return True
        return False

    def _paragraph(self, block: Block) -> None:
        text = block.text.strip()
        line = " ".join(text.split())
        if rule_words.has_debt_below(self.heading):
            self._debt(line)
        elif _LEANING.match(line) and not rule_words.is_rule(line) and self.reading.drafts:
            self._attach(line)
        elif rule_words.is_rule(line) or (self.has_rules and not self.has_facts):
            self._rule(line)
        else:
            self._fact(text, [])

    def _list(self, block: Block, lead: str) -> None:
        told = []
        for raw, item in zip(block.raw_items, block.items, strict=True):
            if rule_words.is_pointer(raw):
                self.left_aside["it says only where more is written"] += 1
            else:
                told.append(item)
        if not told:
            return
        if rule_words.has_debt_below(self.heading):
            for item in told:
                self._debt(item)
            return
        rules = [rule_words.is_rule(item) for item in told]
        is_mostly_rules = 2 * sum(rules) >= len(told)
        is_strict = 2 * sum([rule_words.is_strict(item) for item in told]) >= len(told)
        has_code = 2 * sum(["`" in item for item in told]) > len(told)
        is_procedure = rule_words.has_commands_below(f"{self.heading} {lead}")
        if (
            block.is_ordered
            and len(told) > 1
            and is_mostly_rules
            and not is_strict
            and (is_procedure or not self.has_rules)
        ) or (is_procedure and has_code and not is_strict and any(_holds_command(item) for item in told)):
            self._procedure(told, lead)
        elif lead and not rule_words.is_condition(lead) and (_FRAGMENTS.search(lead) or not is_mostly_rules):
            text = f"{lead} {'; '.join([item.rstrip('.;') for item in told])}"
            if rule_words.is_rule(lead) or (self.has_rules and not self.has_facts):
                self._rule(text)
            else:
                self._fact("\n".join([lead, *[f"- {item}" for item in told]]), [_name_of(item) for item in told])
        elif is_mostly_rules or (self.has_rules and not self.has_facts):
            named = [item for item in told if rule_words.is_named_code(item) and not rule_words.is_rule(item)]
            named = named if not self.has_rules else []
            self._rules([item for item in told if item not in named], lead)
            self._fact("\n".join([f"- {item}" for item in named]), [_name_of(item) for item in named])
        else:
            left = [
                item for item, is_rule in zip(told, rules, strict=True) if not (is_rule and rule_words.is_strict(item))
            ]
            self._rules([item for item in told if item not in left], lead)
            head = [lead] if lead else []
            self._fact("\n".join([*head, *[f"- {item}" for item in left]]), [_name_of(item) for item in left])

    def _rules(self, told: list[str], lead: str) -> None:
        """A memory for each rule; a list of words is one rule."""
        if len(told) > 1 and all(len(item.split()) <= MIN_RULE_WORDS and not rule_words.is_rule(item) for item in told):
            self._rule(f"{lead or self.heading + ':'} {'; '.join(told)}")
            return
        for item in told:
            self._rule(item, lead)

    def _rule(self, text: str, lead: str = "") -> None:
        if len(text.split()) < MIN_RULE_WORDS and not lead and not self.heading:
            self.left_aside["too short to say something by itself"] += 1
            return
        said = f"{lead} {text}" if lead else text
        telling = _telling_part(text)
        sentence = first_sentence_of(telling)
        before = lead.rstrip(":") if lead and len(lead) < 60 else ""
        if not before and (_LEANING.match(sentence) or len(sentence.split()) < MIN_RULE_WORDS):
            before = self.title_head or self.source.name
        title = make_title(telling, before if before.lower() not in sentence.lower() else "")
        reasons = find_because(text)
        is_limit = rule_words.is_strict(text) or rule_words.has_limits_below(self.heading)
        content: Fields
        if is_limit:
            severity = "high" if rule_words.forbids(text) else "medium"
            kind = "policy" if rule_words.is_rule(text) else "limitation"
            content = {"kind": kind, "rule": shorten(said), "impact": shorten_all(reasons) or [NOT_STATED]}
            content |= {"severity": severity, "active": True}
        else:
            strength = "strong" if self.source.is_always or _STRONG.search(text) else "default"
            reason = shorten(reasons[0], 1000) if reasons else NOT_STATED
            content = {"topic": self.topic or title, "value": shorten(said), "reason": reason, "strength": strength}
        self._draft("constraint" if is_limit else "preference", title, content, _key_of(title))

    def _debt(self, text: str) -> None:
        reasons = find_because(text)
        content: Fields = {"status": "open", "priority": "medium", "description": shorten(text)}
        content["reason_deferred"] = shorten(reasons[0], 1000) if reasons else NOT_STATED
        title = make_title(text)
        self._draft("tech_debt", title, content, _key_of(title))

    def _procedure(self, told: list[str], lead: str) -> None:
        self.steps += [lead] if lead and self.steps else []
        self.steps += told
        self.commands += [lead.rstrip(":")] if lead and not self.heading else []
        self.commands += [_name_of(item) for item in told]

    def _code(self, block: Block, lead: str) -> None:
        """Commands are steps; other code belongs to what stands before it."""
        if block.is_shell:
            lines = code_lines(f"```\n{block.text}\n```")
            head = lead.rstrip(":")
            self.steps += [f"{head}: {lines[0]}"] if head and len(lines) == 1 else [*([head] if head else []), *lines]
            self.commands += [line.partition("  #")[0] for line in lines]
        elif self.steps:
            self.steps.append(f"{lead} {block.text}".strip())
        elif self.reading.drafts and not self.facts:
            self._attach(f"{lead}\n{block.text}".strip())
        else:
            lines = block.text.splitlines()
            if any(mark in block.text for mark in _TREE_MARKS):
                names = [_TREE.sub("", line).partition("#")[0].strip() for line in lines]
            else:
                names = [lines[0].strip(" ({[")]
            self._fact(f"{lead}\n{block.text}".strip(), [f"`{name}`" for name in names if len(name) > 1][:12])

    def _attach(self, text: str) -> None:
        """Add a text to the memory before it."""
        content = self.reading.drafts[-1].content
        name = _MAIN_FIELD.get(self.reading.drafts[-1].category, "trigger")
        if isinstance(content[name], str):
            content[name] = shorten(f"{content[name]}\n{text}", MAX_TEXT_CHARS)

    def _fact(self, text: str, names: list[str]) -> None:
        if text.strip("- \n"):
            self.facts.append(text)
            self.names += names

    def _finish(self) -> None:
        """The memories of the commands and of the facts."""
        facts = "\n".join(self.facts).strip()
        if self.steps:
            trigger = ". ".join([part for part in (self.topic, facts) if part]) or self.source.path
            content: Fields = {"trigger": shorten(trigger, 1000), "steps": shorten_all(self.steps)}
            content["verification"] = NOT_STATED
            says_much = len(self.heading.split()) > 3 and not self.heading.endswith(CUT)
            title = (
                make_title(self.title_head)
                if says_much
                else listing_title(self.title_head or "Commands", self.commands)
            )
            self._draft("runbook", title, content, "steps")
            if len(facts) < 900:
                return
        if not facts:
            return
        if len(facts) < MIN_FACT_CHARS:
            if self.reading.drafts and self.reading.drafts[-1].category in _MAIN_FIELD:
                self._attach(facts)
                self.reading.parts.append((f"{self.source.path}#{self.section.place}", "the rule before it"))
            else:
                self.left_aside["too short to say something by itself"] += 1
            return
        content = {
            "kind": "technical",
            "rule": shorten(facts),
            "impact": [NOT_STATED],
            "severity": "low",
            "active": True,
        }
        self._draft("constraint", self._title_of_facts(), content, "")

    def _title_of_facts(self) -> str:
        first = self.facts[0]
        if len(self.names) == 1 and first.startswith("- ") and len(first.split()) > MIN_RULE_WORDS:
            return make_title(first[2:], self.title_head)
        if self.names and first.startswith("- "):
            return listing_title(self.title_head or self.source.path, self.names)
        if first.startswith(("```", "\u251c", "\u2514")) or (
            self.names and not first.rstrip().endswith((".", ":")) and "\n" in first
        ):
            return listing_title(self.title_head or self.source.path, self.names)
        sentence = first_sentence_of(" ".join(first.split("\n\n")[0].split()))
        if sentence.endswith(":") and self.names:
            return listing_title(self.title_head or sentence.rstrip(":"), self.names)
        head = self.title_head
        return make_title(sentence, head if head and head.lower() not in sentence.lower() else "")

    def _draft(self, category: str, title: str, content: Fields, key: str) -> None:
        heading = f"{self.section.place} > {key}" if key else self.section.place
        self.keys[heading] += 1
        if self.keys[heading] > 1:
            heading = f"{heading} ({self.keys[heading]})"
        topic = re.sub(r"[^\w]+", "-", self.heading.lower()).strip("-")
        tags = tuple(dict.fromkeys([*self.source.tags, *([topic] if 2 < len(topic) <= 30 else [])]))
        source = self.source
        self.reading.drafts.append(
            ImportedDraft(category, title, content, source.kind, source.path, heading, tags, source.anchors)
        )


def _telling_part(text: str) -> str:
    """What a title is made of: the first sentence that is a rule, where the text does not begin with one."""
    rest = text
    while rest:
        sentence = first_sentence_of(rest)
        for clause in (sentence, *re.split(r"\s[\u2013\u2014]\s", sentence)[1:]):
            if rule_words.is_rule(clause) and not _LEANING.match(clause) and len(clause.split()) > MIN_RULE_WORDS:
                is_long = len(sentence) > MAX_TITLE_CHARS and clause == sentence and "\u2014" in sentence
                if not is_long or rule_words.is_rule(re.split(r"\s[\u2013\u2014]\s", sentence)[0]):
                    return rest if clause == sentence else clause
        rest = rest[len(sentence) :].strip()
    return text


def _key_of(title: str) -> str:
    """What identifies a rule in its section: its first words."""
    return " ".join(re.findall(r"\w[\w'./-]*", title.lower())[:MAX_KEY_WORDS]) or "rule"


def _name_of(item: str) -> str:
    """What an item is about: its label, else the code in it, else its first words."""
    label = _LABEL.match(item)
    if label and len(label.group(1).split()) < 7:
        return f"`{label.group(1)}`" if item.startswith("`") else label.group(1)
    code = _CODE.match(item)
    if code:
        return f"`{code.group(1)}`"
    words = first_sentence_of(item).rstrip(".").split()
    return " ".join(words[:MAX_NAME_WORDS])


def _holds_command(item: str) -> bool:
    return any(Block("code", code).is_shell for code in _CODE.findall(item))
