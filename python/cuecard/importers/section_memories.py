"""Makes the memories of a section of instructions: one for the whole section, or several if it is long.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from ..basics.time_limit import check_time
from ..store.intake.personal_data import kinds_of
from ..store.records.record_file import Fields
from ..store.records.record_limits import MAX_TITLE_CHARS
from . import rule_words, section_words
from .draft import BOILERPLATE, CUT, MAX_TEXT_CHARS, NOT_STATED, ImportedDraft, Reading, shorten, shorten_all
from .instruction_source import InstructionSource
from .line_names import as_code, key_of, name_of, names_of_all, title_of
from .markup.markdown import Block, Section, plain, without_markup
from .procedures import is_procedure
from .runbooks.steps import fitting, steps_of
from .section_names import MAX_NAME_CHARS, MIN_TITLE_WORDS, in_folder, joined, names_of, short_name, words_in
from .section_units import MAX_STEPS_CHARS, Unit, announces, items_of, leads, pieces_of, shown_parts, text_of
from .section_weights import MIN_SENTENCES, Weights, forbids_behind, lead_of, only_points, rows_of, weigh, without_wrong
from .selection import (
    ABOUT_ITSELF,
    CODE,
    DESCRIPTION,
    EXAMPLE,
    LANGUAGE,
    MIXED,
    NAMES,
    POINTER,
    TOO_MUCH,
    is_foreign,
    points_outside,
)
from .subjects import MAX_TOPICS, leans_on_another, names_subject, topics_of, with_subject
from .titles import clean_heading, first_sentence_of, listing_title, make_title, sentences_of, shorten_words

# The longest name of a file that is put in front of the titles of its sections.
MAX_HEAD_CHARS = 30
MAX_PARENT_WORDS = 4
# A heading with at least so many words says what is below it.
MIN_HEADING_WORDS = 4
MIN_BEGUN_CHARS = 20
MAX_TRIGGER_CHARS = 1000
ONLY_POINTS = "it only says where to read more"
OF_A_NOTE = "it sums up a note that is a source itself"
# What stands above all rules of a file, and says only that they hold.
_OF_THE_FILE = re.compile(
    r"\b(?:rules|guidelines|instructions|conventions|sections) below\b|\brelevant (?:section|file|document)s?\b"
    r"|\b(?:this|these) (?:file|doc|document|guidelines"
    r"|instructions|rules?|guide|references?|page|skill)\b",
    re.IGNORECASE,
)
MAX_ABOUT_WORDS = 200
# A part of a section that says so needs another part.
_ABOVE = re.compile(
    r"\b(?:see|rules?|steps?|notes?|as|the|described|listed|shown|mentioned)\b[^.\n]{0,30}\babove\b", re.IGNORECASE
)
# The mark of an item, which a single item does not need.
_ITEM_MARK = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# The room for ` (part 2)` behind a title that another part has.
MAX_PART_CHARS = 10
Parts = tuple[tuple[str, str], ...]
_JOINED = "the memory of the section that it belongs to"


@dataclass
class UnitReader:
    """Reads one section of a file of instructions, with the sections that belong to it."""

    unit: Unit
    source: InstructionSource
    reading: Reading = field(default_factory=Reading)
    keys: Counter[str] = field(default_factory=Counter)
    titles: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.section: Section = self.unit.section
        titles = self.source.titles
        heading = clean_heading(self.section.heading)
        above = [clean_heading(name) for name in self.section.above[-2:]]
        known = [name for name in above if name and not section_words.is_generic(name) and name not in titles]
        self.heading = "" if heading in titles and not self.source.name else heading
        heading = self.heading
        topic = " > ".join([*known, heading]) if heading else self.source.name
        is_short = len(heading.split()) <= MAX_PARENT_WORDS
        parents = [name for name in known[-1:] if is_short or len(name) + len(heading) <= MAX_NAME_CHARS]
        own = [heading] if heading and heading not in titles and not section_words.is_generic(heading) else []
        # The file's title is needed if the heading names no subject, or if the file is about a part of the project.
        is_form = bool(heading) and section_words.names_form(heading) and not known
        self.topic = self.source.topic_of(topic, is_form=is_form and heading not in titles)
        is_named = self.source.name and (
            is_form or not own or (self.source.anchors and len(self.source.name) <= MAX_HEAD_CHARS)
        )
        is_named = is_named and not (self.source.part and len(self.source.name) > MAX_HEAD_CHARS)
        name = [self.source.name] if is_named else []
        self.title_head = ": ".join(dict.fromkeys([*name, *[part for part in parents if own], *own]))
        parent = above[-1] if above and above[-1] not in titles else ""
        inherited = "" if rule_words.has_steps_below(heading) else rule_words.kind_of_heading(parent)
        self.is_listed = inherited == rule_words.LINKS
        self.kind = "" if self.is_listed else rule_words.kind_of_heading(heading or self.source.name) or inherited
        self.about = f"{parent} {heading}"
        # A heading such as `Void responses must not call json()` is the rule that its section explains.
        self.is_sentence = words_in(heading) >= MIN_HEADING_WORDS and not section_words.asks(heading)
        self.is_rule = self.is_sentence and rule_words.is_strict(heading) and self.kind != rule_words.BANS
        # What a section below `Anti-patterns` describes is forbidden, and its heading names it.
        names_above = [*above[-1:], self.source.name, self.source.part]
        self.named_above = next(filter(section_words.names_bad_things, names_above), "")
        is_below = bool(own) and heading not in names_above and any(map(section_words.names_bad_things, names_above))
        is_other = section_words.names_bad_things(heading) or section_words.names_cure(heading)
        self.is_bad = is_below and not rule_words.is_rule(heading) and not is_other

    def read(self) -> Reading:
        """The memories of the section, with report rows for what was left out."""
        blocks = self._kept_blocks()
        for section in self.unit.below:
            self.reading.parts.append((f"{self.source.path}#{section.place}", _JOINED))
        if not blocks:
            return self.reading
        weights = self._weigh(blocks)
        is_runbook = self._is_runbook(weights)
        whole = is_runbook or self.unit.is_in_order or self.kind == rule_words.DEBT or self.is_bad
        pieces = [blocks] if whole else pieces_of(blocks)
        for piece in pieces:
            check_time()
            told = weights if len(pieces) == 1 else self._weigh(piece)
            self._piece(piece, told, "" if len(pieces) == 1 else self._name_of(piece))
        return self.reading

    def _kept_blocks(self) -> list[Block]:
        kept = []
        for block in self.unit.blocks:
            is_text = block.kind in ("paragraph", "quote", "html")
            is_empty = rule_words.is_boilerplate(block.raw) or rule_words.is_about_rules(plain(block.raw))
            if is_text and (is_empty or rule_words.is_divider(block.text)):
                self._leave(BOILERPLATE)
                continue
            if block.kind == "list":
                chosen = self._admitted_items(block)
                if not chosen:
                    continue
                block = block if len(chosen) == len(block.raw_items) else items_of(block, chosen)
            kept.append(block)
        return kept

    def _admitted_items(self, block: Block) -> list[int]:
        """The positions of a list's items, without those that sum up a note or have personal data."""
        chosen = []
        left: dict[str, None] = {}
        for at, raw in enumerate(block.raw_items):
            if self.source.is_index and rule_words.links_note(raw):
                left[OF_A_NOTE] = None
            elif personal := kinds_of(raw):
                left[f"{', '.join(personal)} in an item, which is left out"] = None
            else:
                chosen.append(at)
        for why in left:
            self._leave(why)
        return chosen

    def _weigh(self, blocks: list[Block]) -> Weights:
        weights = weigh(blocks, self.kind, self.heading or self.source.name, self.about)
        if self.is_rule:
            weights.add(self.heading, is_strict=True, is_ban=rule_words.forbids(self.heading))
            weights.names.pop()
        return weights

    def _is_runbook(self, weights: Weights) -> bool:
        """Whether most of a section is steps or commands."""
        headings = (self.heading, *map(clean_heading, self.section.above[1:]))
        return is_procedure(weights, self.kind, headings, self.unit.blocks)

    def _piece(self, blocks: list[Block], weights: Weights, name: str) -> None:
        text = text_of(blocks)
        lines = [block for block in blocks if block.kind != "heading"]
        if len(lines) == 1 and len(lines[0].source_items) == 1:
            text = _ITEM_MARK.sub("", text_of(lines), count=1)
            if "\n" not in text and weights.rules and not text[:1].isascii():
                # A mark before a single rule is no text.
                text = weights.rules[0]
        if self._completes(text):
            text = f"{self.heading}:{chr(10) if chr(10) in text else ' '}{text}"
        why = self._why_left(blocks, text, weights)
        if self.is_bad and len(text) <= MAX_TEXT_CHARS and any(block.kind in ("paragraph", "list") for block in blocks):
            self._bad_thing(blocks, weights)
            return
        if not why and name and _ABOVE.search(text):
            why = f"left to the agent: {POINTER}"
        if why:
            self._leave(why, name and names_of_all(blocks))
        elif self.kind == rule_words.DEBT:
            content: Fields = {"status": "open", "priority": "medium", "description": text}
            content["reason_deferred"] = NOT_STATED
            self._draft("tech_debt", self._title(blocks, weights, name), content, name, self._sections(blocks, text))
        elif self.unit.is_in_order or self._is_runbook(weights) or not weights.asking:
            self._runbook(blocks, text, weights, name)
        else:
            self._rules(blocks, text, weights, name)

    def _completes(self, text: str) -> bool:
        """Whether each line of a text continues the heading, such as `Do not` or `When nodes do not join`."""
        heading = self.heading
        is_begun = rule_words.forbids_below(heading) or section_words.is_conditional(heading)
        is_begun = is_begun or section_words.allows_below(heading)
        is_begun = is_begun or (section_words.tells_when(heading) and _ITEM_MARK.match(text) is not None)
        return is_begun and not text.startswith("#")

    def _why_left(self, blocks: list[Block], text: str, weights: Weights) -> str:
        """Why a text becomes no memory; "" if it becomes one."""
        if all(block.kind == "heading" for block in blocks):
            return "a heading: it names what is below it"
        lines = [block for block in blocks if block.kind != "heading"]
        if not weights.strict and all(_only_points(block, self.kind) for block in lines):
            return ONLY_POINTS
        if self.kind == rule_words.LINKS and not weights.strict:
            return f"left to the agent: {POINTER}"
        if len(lines) == 1 and (leads(lines[0]) or announces(lines[0])) and lines[0].kind == "paragraph":
            return "a line that leads to what follows"
        if self.kind == rule_words.DEBT:
            return ""
        if section_words.names_goals(self.heading) and 2 * weights.bans < weights.all:
            return f"left to the agent: {DESCRIPTION}"
        if section_words.names_call(self.heading) and not weights.bans:
            return f"left to the agent: {DESCRIPTION}"
        above = map(clean_heading, self.section.above)
        if section_words.has_examples_below(self.heading):
            return f"left to the agent: {EXAMPLE}"
        if any(map(section_words.is_glossary, (*above, self.heading))) and not weights.strict:
            return f"left to the agent: {DESCRIPTION}"
        doing = weights.asking + weights.steps + len(weights.commands)
        if not any(map(rule_words.is_rule, weights.rules)) and not self._is_runbook(weights) and is_foreign(text):
            return f"left to the agent: {LANGUAGE}"
        is_prose = all(block.kind in ("paragraph", "quote", "html") for block in lines)
        if is_prose and self.section.level < 2 and _OF_THE_FILE.search(text) and len(text.split()) < MAX_ABOUT_WORDS:
            return f"left to the agent: {ABOUT_ITSELF}"
        if points_outside(text):
            return f"left to the agent: {POINTER}"
        code = [block for block in lines if block.kind == "code"]
        if code == lines and not any(replace(_without_wrong(block), language="").is_shell for block in code):
            return f"left to the agent: {CODE}"
        # A description may stand between rules, as long as these are not lost in it.
        is_mixed = not self.is_listed and self.kind != rule_words.FACTS and 3 * doing >= weights.all
        if not doing or (2 * doing < weights.all and not is_mixed and not self.is_rule):
            return f"left to the agent: {MIXED if weights.rules else DESCRIPTION}"
        if len(text) > (MAX_STEPS_CHARS if self._is_runbook(weights) or self.unit.is_in_order else MAX_TEXT_CHARS):
            return f"left to the agent: {TOO_MUCH}"
        return ""

    def _rules(self, blocks: list[Block], text: str, weights: Weights, name: str) -> None:
        title = self._title(blocks, weights, name)
        is_one = weights.all == 1
        prose = [plain(block.text.partition("\n```")[0]) for block in blocks if block.kind not in ("heading", "code")]
        reasons = shorten_all(section_words.reasons_of("\n".join(prose))) if is_one else []
        about = self.heading if section_words.allows_below(self.heading) else f"{self.about} {text}"
        is_stressed = bool(weights.rules) and section_words.is_stressed(about)
        is_limit = weights.limits > len(weights.rules)
        if is_limit or is_stressed or 2 * weights.strict >= len(weights.rules):
            severity = "high" if is_stressed or 2 * weights.bans > weights.asking else "medium"
            content: Fields = {"kind": "limitation" if is_limit else "policy", "rule": text}
            content |= {"impact": reasons or [NOT_STATED], "severity": severity, "active": True}
            self._draft("constraint", title, content, name, self._sections(blocks, text), tuple(weights.rules))
            return
        strength = (
            "strong" if self.source.is_always or (is_one and section_words.is_strong(" ".join(prose))) else "default"
        )
        value: Fields = {"topic": self.topic or title, "value": text}
        value |= {"reason": shorten(reasons[0], 1000) if reasons else NOT_STATED, "strength": strength}
        self._draft("preference", title, value, name, self._sections(blocks, text), tuple(weights.rules))

    def _bad_thing(self, blocks: list[Block], weights: Weights) -> None:
        """A section about what is to be avoided: what it is, what to do instead, and then all else."""
        cures, others = _split_cures(blocks)
        begin = [*others[:1], *cures]
        avoided = f"Avoid: {self.heading}"
        if section_words.names_topic(self.heading) and self.named_above:
            avoided = f"{self.named_above}: {self.heading}"
        text = f"{avoided}\n\n{text_of([*begin, *others[1:]])}"
        severity = "high" if weights.bans else "medium"
        content: Fields = {"kind": "policy", "rule": text, "impact": [NOT_STATED], "severity": severity, "active": True}
        # One part: a block must not show how to find it without what to do instead.
        sections = (("", text),)
        is_said = section_words.names_bad_things(self.source.part)
        title = make_title(avoided) if is_said else self.source.with_part(make_title(avoided))
        self._draft("constraint", title, content, "", sections, (avoided, *weights.rules))

    def _runbook(self, blocks: list[Block], text: str, weights: Weights, name: str) -> None:
        steps = [_ITEM_MARK.sub("", step, count=1) for step in fitting(steps_of(_sections_in(blocks)))] or [text]
        if len(steps) > 1 and "\n" not in steps[0] and steps[0].rstrip("*_ ").endswith(":"):
            # The line that leads to the steps is in the trigger.
            del steps[0]
        first = next((block for block in blocks if block.kind in ("list", "code", "heading")), blocks[0])
        before = " ".join(plain(text_of(blocks[: blocks.index(first)])).split())
        trigger = ". ".join([part for part in (self.topic, before) if part]) or self.source.path
        content: Fields = {"trigger": shorten(trigger, MAX_TRIGGER_CHARS), "steps": steps, "verification": NOT_STATED}
        names = [each for command in weights.commands if (each := as_code(command)) and not each.endswith(CUT)]
        says_much = words_in(self.title_head) >= MIN_HEADING_WORDS or weights.steps > len(weights.commands)
        says_much = says_much and not name
        head = self.title_head or self.source.name or (names.pop(0) if names[1:] else "Commands")
        title = self.source.with_part(listing_title(head, [] if says_much else names))
        if not names and len(title.split()) < MIN_TITLE_WORDS:
            told = [first_sentence_of(plain(step.partition("\n")[0])).rstrip(" .:") for step in steps[:2]]
            title = self._title(blocks, weights, name) if weights.rules else listing_title(title, told, "; ")
        if not names and not rule_words.has_steps_below(self.title_head) and len(title.split()) < MIN_TITLE_WORDS:
            self._leave(f"left to the agent: {NAMES}", name)
            return
        self._draft("runbook", title, content, name, self._sections(blocks, text) or (("", text),))

    def _title(self, blocks: list[Block], weights: Weights, name: str) -> str:
        """The heading, and behind it what the text is about: its only rule, or the names of its items."""
        says_all = self.is_sentence and rule_words.is_rule(self.heading)
        title = "" if says_all else self._title_of_one(blocks, weights)
        if title:
            return self.source.with_part(title)
        is_clear = words_in(self.title_head) >= MIN_HEADING_WORDS and not name
        is_clear = is_clear and not rule_words.forbids_below(self.heading)
        # The title of a file says nothing of what stands below it.
        is_clear = is_clear and clean_heading(self.section.heading) not in self.source.titles
        names = [] if is_clear else names_of(blocks, weights)
        if not names_subject(self.title_head):
            # `Update it with the code` says less than another rule.
            names = [each for each in names if not leans_on_another(each)] or names
        if not names and (not self.title_head or self.kind == rule_words.DEBT or name):
            first = next((block for block in blocks if not leads(block) and block.kind != "code"), blocks[0])
            names = [make_title(" ".join(plain((first.items or (first.text,))[0]).split()))]
        room = MAX_TITLE_CHARS - len(self.title_head) - len(": ")
        begun = [short_name(each) for each in names]
        names = begun if begun and len(clean_heading(begun[0])) <= MAX_NAME_CHARS else names
        sizes = [(each, len(clean_heading(each))) for each in names]
        short = [each for each, size in sizes if size <= MAX_NAME_CHARS]
        fits = [each for each, size in sizes[:1] if size <= room]
        if sizes and sizes[0][1] > MAX_NAME_CHARS and self.title_head and not name:
            # The first rule, as far as a clause of it, says more than a later one that is short.
            is_clause = not listing_title(self.title_head, names[:1]).endswith(CUT)
            short = names[:1] if is_clause else [each for each in short if not leans_on_another(each)]
        short = short or fits
        if short or (len(self.title_head.split()) > 1 and not name):
            names = short
        title = listing_title(self.title_head, names, "; ") if self.title_head else joined(names)
        is_part = bool(name) and "\n" in text_of(blocks)
        if title.endswith(CUT) and words_in(self.title_head) >= MIN_HEADING_WORDS and not is_part:
            title = make_title(self.title_head)
        return self.source.with_part(title or self.topic)

    def _title_of_one(self, blocks: list[Block], weights: Weights) -> str:
        """The title for a text of one rule: its sentence with the heading in front; "" if that says too little."""
        lines = [block for block in blocks if block.kind not in ("heading", "code")]
        raw = (lines[0].raw_items or (lines[0].raw,))[0].strip() if lines else ""
        if lines and lines[0].kind in ("paragraph", "quote"):
            raw = " ".join((raw if lines[0].kind == "paragraph" else lines[0].text).split())
        if weights.all != 1 or len(lines) != 1 or "\n" in raw or not weights.names or lines[0].kind == "table":
            return ""
        sentences = [without_markup(sentence) for sentence in sentences_of(weights.names[0])]
        told = title_of(weights.names[0], raw if weights.names[0] == plain(raw) else "", "")
        room = MAX_TITLE_CHARS - len(": ") - len(told)
        heads = [self.title_head, self.title_head.rpartition(": ")[2]]
        heads = [head for head in heads if len(head) <= room] or heads[-1:]
        is_roomy = len(heads[0]) <= room
        # A part of a long sentence, or a sentence among many, does not stand alone.
        is_whole = any(sentence.startswith(told[:MIN_BEGUN_CHARS]) for sentence in sentences)
        if not is_whole or len(sentences) >= MIN_SENTENCES or not (is_roomy or names_subject(told)):
            return ""
        heads += [] if self.source.part else [self.source.name]
        title = with_subject(told, *heads, is_needed=is_roomy)
        return "" if title.endswith(CUT) and self.title_head else title

    def _name_of(self, blocks: list[Block]) -> str:
        """The name of a part of the section, which identifies it when the source is read again."""
        lines = [block for block in blocks if block.kind != "heading"] or blocks
        # Several parts may have the same line above them.
        told = lines[1] if leads(lines[0]) and lines[1:] and lines[1].items else lines[0]
        first = (told.items or (told.text,))[0]
        return key_of(name_of(" ".join(plain(first).split())))

    def _sections(self, blocks: list[Block], text: str) -> Parts:
        """The parts of a text of several lines, which a block shows with their lines; a part alone has no heading."""
        if "\n" not in text:
            return ()
        parts = shown_parts(blocks, text, "" if text == text_of(blocks) else text)
        if len(parts) == 1:
            return (("", text),)
        return tuple([_headed(part) for part in parts])

    def _leave(self, why: str, name: str = "") -> None:
        place = f"{self.section.place} > {name}" if name else self.section.place
        self.reading.skipped.append((f"{self.source.path}#{place}", why))

    def _draft(
        self, category: str, title: str, content: Fields, key: str, sections: Parts, rules: tuple[str, ...] = ()
    ) -> None:
        """Add a memory."""
        title = in_folder(title, self.source.anchors)
        self.titles[title] += 1
        if self.titles[title] > 1:
            title = f"{shorten_words(title, MAX_TITLE_CHARS - MAX_PART_CHARS)} (part {self.titles[title]})"
        heading = f"{self.section.place} > {key}" if key else self.section.place
        self.keys[heading] += 1
        if self.keys[heading] > 1:
            heading = f"{heading} ({self.keys[heading]})"
        source = self.source
        topics = dict.fromkeys([*topics_of(self.heading), *source.tags, *topics_of(*self.section.above[-1:])])
        tags = tuple(topics)[:MAX_TOPICS]
        draft = ImportedDraft(category, title, content, source.kind, source.path, heading, tags, source.anchors)
        self.reading.drafts.append(replace(draft, rules=rules, sections=sections))


def _split_cures(blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """The blocks that say what to do instead, each with what it leads to, and the other blocks."""
    cures: list[Block] = []
    others: list[Block] = []
    for before, block in zip([None, *blocks], blocks, strict=False):
        is_led = before is not None and leads(before) and any(before is cure for cure in cures)
        line = f"{block.text.lstrip('# ')}:" if block.kind == "heading" else block.text
        (cures if is_led or section_words.gives_cure(line) else others).append(block)
    return cures, others


def _headed(part: list[Block]) -> tuple[str, str]:
    """A part of a text with what it is about: the heading at its beginning, or the name of its first line."""
    first, *rest = part
    if first.kind == "heading" and rest:
        return without_markup(first.text.lstrip("# ")), text_of(rest)
    told = next((block for block in part if block.items), first)
    return make_title(name_of(" ".join(plain((told.items or (told.text,))[0]).split()))), text_of(part)


def _only_points(block: Block, kind: str) -> bool:
    """Whether a block only names other documents."""
    if block.kind in ("list", "table"):
        is_other = rule_words.is_target if kind == rule_words.LINKS else only_points
        rows = rows_of(block)
        return 2 * sum(map(is_other, rows)) > len(rows)
    return block.kind != "code" and (only_points(block.raw) or leads(block))


def _sections_in(blocks: list[Block]) -> list[Section]:
    """The blocks as sections, each with the heading that stands above it, and without commands shown as wrong."""
    found = [Section(1, "")]
    for before, block, behind in zip([None, *blocks], blocks, [*blocks[1:], None], strict=False):
        is_effect = before and block.kind == "list" and section_words.announces_effects(plain(before.text))
        if is_effect or _is_forbidden(before, block) or (behind and _is_forbidden(block, behind)):
            # What a program does by itself is no step, and what is forbidden is none.
            block = replace(block, kind="quote")
        if block.kind == "heading":
            found.append(Section(block.text.index(" "), block.text.lstrip("# "), above=("",)))
        else:
            right = _without_wrong(block)
            found[-1].blocks += (right,) if right.text.strip() else ()
    return [section for section in found if section.blocks]


def _is_forbidden(before: Block | None, block: Block) -> bool:
    return block.kind in ("list", "code") and forbids_behind(lead_of(before))


def _without_wrong(block: Block) -> Block:
    """A block of commands without those that are shown as wrong; another block as it is."""
    if not block.is_shell:
        return block
    return replace(block, text=without_wrong(block.text), source=without_wrong(block.source))
