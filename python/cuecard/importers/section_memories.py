"""Makes the memories of a section of instructions: one for each rule, one for all commands, one for all facts.

Rules: docs/reference/import.md, "Instructions".
"""

import itertools
from collections import Counter
from dataclasses import dataclass, field

from ..basics.time_limit import check_time
from ..store.records.record_file import Fields
from . import rule_words, section_words
from .draft import (
    CUT,
    MAX_ITEM_CHARS,
    MAX_TEXT_CHARS,
    NOT_STATED,
    ImportedDraft,
    Reading,
    shorten,
    shorten_all,
)
from .instruction_source import InstructionSource
from .line_names import (
    BOLD_LABEL,
    MAX_LABEL_WORDS,
    MIN_RULE_WORDS,
    are_names,
    as_code,
    command_of,
    key_of,
    name_of,
    names_of_tree,
    tells_to_do,
    title_of,
)
from .marks import negated
from .markup.markdown import Block, Section, code_lines, joined_items, plain, without_markup
from .section_blocks import LED, kept_blocks, right_commands, without_wrong
from .section_facts import MAX_LEAD_WORDS, is_named, only_describes, title_of_facts
from .section_words import MIN_FACT_WORDS
from .selection import CODE, DESCRIPTION, EXAMPLE, MIXED, NAMES, POINTER, REST, is_foreign
from .subjects import MAX_TOPICS, topics_of, with_subject
from .titles import clean_heading, first_sentence_of, listing_title, make_title

MIN_FACT_CHARS = 30
MAX_FACTS_OF_STEPS = 900
# The longest name of a file that is put in front of the titles of its sections.
MAX_HEAD_CHARS = 30
# A paragraph of at least this many lines that all have a label is read as a list.
MIN_FIELDS = 3
_SHOWN_AS_WRONG = "commands that are shown as wrong"
_NO_STEPS = (rule_words.CONVENTIONS, rule_words.BANS)
_MAIN_FIELD = {"preference": "value", "constraint": "rule", "tech_debt": "description"}


@dataclass
class SectionReader:
    """Reads one section of a file of instructions."""

    section: Section
    source: InstructionSource
    reading: Reading = field(default_factory=Reading)
    left_aside: Counter[str] = field(default_factory=Counter)
    facts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """The subjects of the facts, for the title of their memory."""
    steps: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    keys: Counter[str] = field(default_factory=Counter)
    is_behind_fact: bool = False
    """Whether the last thing that was read is a fact, and no rule."""
    has_numbered_steps: bool = False
    """Whether the section has numbered steps, so that a condition behind them belongs to them."""
    is_behind_commands: bool = False
    """Whether the block that is read stands behind commands, so that a remark is about them."""

    def __post_init__(self) -> None:
        heading = clean_heading(self.section.heading)
        above = [clean_heading(name) for name in self.section.above[-2:]]
        known = [name for name in above if not section_words.is_generic(name) and name not in self.source.titles]
        heading = "" if heading in self.source.titles and not self.source.name else heading
        self.heading = heading
        self.topic = " > ".join([*known, heading]) if heading else self.source.name
        parents = [name for name in known[-1:] if len(heading.split()) <= MAX_LABEL_WORDS]
        own = (
            [heading] if heading and heading not in self.source.titles and not section_words.is_generic(heading) else []
        )
        # The file's title is needed if the heading names no subject, or if the file is about a part of the project.
        is_form = bool(heading) and section_words.names_form(heading) and not known
        self.topic = self.source.topic_of(self.topic, is_form=is_form and heading not in self.source.titles)
        is_named = self.source.name and (
            is_form or not own or (self.source.anchors and len(self.source.name) <= MAX_HEAD_CHARS)
        )
        name = [self.source.name] if is_named else []
        self.title_head = ": ".join(dict.fromkeys([*name, *[part for part in parents if own], *own]))
        parent = above[-1] if above and above[-1] not in self.source.titles else ""
        inherited = "" if rule_words.has_steps_below(heading) else rule_words.kind_of_heading(parent)
        self.is_listed = inherited == rule_words.LINKS
        self.kind = (not self.is_listed and rule_words.kind_of_heading(heading or self.source.name)) or inherited
        self.about = f"{parent} {heading}"
        self.headings = [*map(clean_heading, self.section.above), heading, self.source.name]
        self.is_glossary = any(map(section_words.is_glossary, self.headings))

    def read(self) -> Reading:
        """All memories of the section, with report rows for the parts that were left out."""
        blocks, self.left_aside = kept_blocks(self.section, self.kind, is_listed=self.is_listed)
        lead = ""
        for at, block in enumerate(blocks):
            check_time()
            following = blocks[at + 1].kind if at + 1 < len(blocks) else ""
            before = blocks[at - 1 - bool(lead)] if at > bool(lead) else None
            self.is_behind_commands = before is not None and before.is_shell
            is_next = bool(self.reading.drafts) and len(lead.split()) < MIN_FACT_WORDS
            is_order = bool(lead) and tells_to_do(lead) and not is_next
            if is_order and block.kind in ("code", "table") and not right_commands(block):
                below = block.text if block.kind == "code" else "; ".join(block.items)
                self._rule(f"{lead}\n{below}", title=title_of(lead, lead, "", self.title_head))
            elif block.kind == "code":
                self._code(block, lead)
            elif block.kind == "list":
                self._list(block, lead)
            elif block.kind == "quote" and lead:
                self._quote(block, lead)
            elif block.kind == "table":
                rows = [f"- {row}" for row in block.items]
                self._fact("\n".join([lead, *rows] if lead else rows), [row.partition(":")[0] for row in block.items])
            elif (section_words.is_bold_line(block.raw) and not rule_words.is_rule(block.text)) or (
                block.text.rstrip().endswith(":") and following in LED
            ):
                lead = " ".join(block.text.split())
                lead = lead if lead.endswith((":", ".", "!", "?")) else f"{lead}:"
                if following in LED:
                    continue
                self.left_aside["a heading: it names what is below it"] += 1
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

    def _paragraph(self, block: Block) -> None:
        line = " ".join(block.text.split())
        is_rule = tells_to_do(line) and (not self.is_glossary or rule_words.is_strict(line))
        fields = [each.strip() for each in block.text.split("\n") if each.strip()]
        if len(fields) >= MIN_FIELDS and all(rule_words.is_labelled(each) for each in fields):
            self._items([(each, each) for each in fields], "", is_ordered=False)
        elif self.kind == rule_words.DEBT:
            self._debt(line)
        elif command_of(line):
            self._procedure([line], "")
        elif self._points_at_nothing(line):
            self.left_aside[f"left to the agent: {POINTER}"] += 1
        elif self._is_remark(line) or section_words.points_back(line):
            self._remark(line)
        elif is_rule or self._is_convention(line):
            self._rule(line, raw=" ".join(block.raw.split()))
        else:
            self._fact(block.text.strip(), [])

    def _is_remark(self, line: str) -> bool:
        """Whether a line belongs to the line before it."""
        return (section_words.gives_reason(line) and bool(self.reading.drafts)) or (
            rule_words.is_remark(line) and not tells_to_do(line)
        )

    def _points_at_nothing(self, line: str) -> bool:
        """Whether an order needs what stands before it, and nothing does. `Use this for x` is about the heading."""
        is_completed = self.steps or self.reading.drafts or self.facts or (self.title_head and line[:8] == "Use this")
        return section_words.points_back(line) and not is_completed

    def _quote(self, block: Block, lead: str) -> None:
        """Add a quotation together with the line that leads to it."""
        said = lead.rstrip(":")
        text = "\n".join([lead, *[f"> {line}".rstrip() for line in block.text.split("\n")]])
        if tells_to_do(said) or tells_to_do(" ".join(block.text.split())) or self._is_convention(said):
            self._rule(text, title=title_of(said, said, "", self.title_head))
        else:
            self._fact(text, [])

    def _list(self, block: Block, lead: str) -> None:
        told = []
        for raw, item in zip(block.raw_items, block.items, strict=True):
            head, *below = [line for line in raw.split("\n") if line.strip()] or [raw]
            is_led = len(below) > 1 and head.rstrip("*_ ").endswith(":") and all(map(BOLD_LABEL.match, below))
            if is_led and any(tells_to_do(plain(line)) or rule_words.describes(plain(line)) for line in below):
                self._items([(line, plain(line).rstrip(";")) for line in below], "", is_ordered=False)
            elif rule_words.is_pointer(" ".join(raw.split())):
                self.left_aside["it only says where to read more"] += 1
            elif self.source.is_index and rule_words.links_note(raw):
                self.left_aside["it sums up a note that is a source itself"] += 1
            else:
                told.append((raw, item))
        begins = [at for at, (_raw, item) in enumerate(told[:-1]) if item.endswith(":")]
        if begins:
            # An item that ends with a colon leads to the items after it.
            for begin, end in itertools.pairwise([0, *begins, len(told)] if begins[0] else [*begins, len(told)]):
                head = told[begin][1] if begin in begins else lead
                self._items(told[begin + (begin in begins) : end], head, is_ordered=False)
            return
        self._items(told, lead, is_ordered=block.is_ordered)

    def _items(self, told: list[tuple[str, str]], lead: str, *, is_ordered: bool) -> None:
        # Items such as a lone red cross have no text.
        told = [(raw, item) for raw, item in told if item.strip()]
        items = [item for _raw, item in told]
        rules = sum(map(tells_to_do, items))
        strict = sum(map(rule_words.is_binding, items))
        commands = sum([bool(self._command_of(item)) for item in items])
        labels = sum([bool(BOLD_LABEL.match(raw)) for raw, _item in told])
        named = sum([bool(rule_words.is_named_thing(item)) for item in items])
        are_steps = rule_words.has_steps_below(f"{self.heading} {lead}") or 2 * max(labels, named) < len(items)
        are_more = len(items) > 1 or (bool(self.steps) and rule_words.has_steps_below(self.heading))
        is_ordered = is_ordered and are_steps and are_more and self.kind not in _NO_STEPS
        is_procedure = len(items) >= MIN_FIELDS and rule_words.has_steps_below(
            f"{self.about if section_words.names_form(self.heading) else self.heading} {lead}"
        )
        if not items:
            return
        if self.kind == rule_words.DEBT:
            for item in items:
                self._debt(item)
        elif lead and rule_words.is_remark(lead) and not rule_words.is_condition(lead):
            self._remark("\n".join([lead, *[f"- {item}" for item in items]]))
        elif 2 * commands > len(items) and self.kind == rule_words.BANS:
            self._banned([self._command_of(item) or item for item in items])
        elif 2 * commands > len(items) or (
            is_ordered and (is_procedure or 2 * rules >= len(items)) and len(items) > 2 * strict
        ):
            self.has_numbered_steps = self.has_numbered_steps or is_ordered
            self._procedure(items, lead, is_choice=not is_ordered and not rule_words.has_steps_below(lead))
        elif section_words.says_one_thing(lead, items):
            self._join(lead, items, is_rule=2 * rules >= len(items))
        elif len(items) > 1 and all(len(item.split()) <= MIN_RULE_WORDS and not tells_to_do(item) for item in items):
            self._join(lead or f"{self.heading}:".lstrip(":"), items, is_rule=False)
        else:
            are_orders = 2 * rules >= len(items) > 1
            for raw, item in told:
                if are_orders and not tells_to_do(item) and rule_words.may_order(item):
                    self._rule(item, lead, raw)
                else:
                    self._item(raw, item, lead)

    def _join(self, lead: str, items: list[str], *, is_rule: bool) -> None:
        """Add one memory, or one fact, for a list and the line before it (`lead`)."""
        wanted = is_rule or tells_to_do(lead) or self.kind in (rule_words.BANS, rule_words.CONVENTIONS)
        wanted = wanted and not section_words.announces_effects(lead)
        said = lead.rstrip(":")
        if not wanted:
            lines = [*([lead] if lead else []), *[f"- {item}" for item in items]]
            names = [said] if 0 < len(said.split()) <= MAX_LABEL_WORDS else [name_of(item) for item in items]
            self._fact("\n".join(lines), names)
            return
        items = [item.rstrip(".;") for item in items]
        text = joined_items(lead, items)
        is_open = section_words.is_fragment(lead) or rule_words.is_condition(lead) or not tells_to_do(lead)
        is_open = is_open or len(said.split()) <= MIN_FACT_WORDS
        if (first := first_sentence_of(said)) != said and tells_to_do(first) and len(first.split()) >= MIN_RULE_WORDS:
            lead, is_open = first, False
        self._rule(
            text,
            title=listing_title(without_markup(said), [item.partition("\n")[0] for item in items], "; ")
            if is_open
            else title_of(lead, lead, "", self.title_head),
        )

    def _item(self, raw: str, item: str, lead: str) -> None:
        """Add an item as a rule or as a fact. An item that is no memory by itself joins the facts of the section."""
        words, said = len(item.split()), lead.rstrip(":")
        is_condition = section_words.is_conditional(item) and not lead and not rule_words.is_binding(item)
        if self._is_remark(item):
            self._remark(item)
        elif self.has_numbered_steps and self.steps and is_condition:
            self.steps.append(item)
        elif rule_words.kind_of_heading(said) == rule_words.BANS and len(said.split()) <= MAX_LABEL_WORDS:
            title = make_title(item, said)
            self._constraint(title, f"{said}: {item}", "policy", "high", key_of(title))
        elif (self.kind == rule_words.FACTS and rule_words.is_absence(item)) or (
            rule_words.is_named_code(item) and not rule_words.is_strict(item) and self.kind != rule_words.BANS
        ):
            self._fact(f"- {item}", [name_of(item)])
        elif self.kind == rule_words.BANS and rule_words.forbids_below(self.heading):
            self._rule(negated(item), lead, negated(raw))
        elif self.kind == rule_words.BANS and not rule_words.is_rule(first_sentence_of(item)):
            self._rule(f"{self.heading}: {item}", title=make_title(item, self.heading))
        elif tells_to_do(item):
            self._rule(item, lead, raw)
        elif self._is_convention(item):
            self._rule(item, f"{self.heading}:" if rule_words.leads_each(self.heading) else lead, raw)
        elif self.kind == rule_words.TOPICS and words >= MIN_FACT_WORDS and section_words.may_be_sentence(item):
            self._own_fact(item, raw)
        else:
            if lead and lead not in self.facts:
                self.facts.append(lead)
            self._fact(f"- {item}", [said if 0 < len(said.split()) <= MAX_LABEL_WORDS else name_of(item)])

    def _is_convention(self, item: str) -> bool:
        """Whether an item without a demand is a convention because of the heading above it.

        An example is `kebab-case for files` below `Conventions`. Where only the heading above that one is about
        conventions, the item needs a label, a bound or a verb.
        """
        if self.kind != rule_words.CONVENTIONS or section_words.has_examples_below(self.heading):
            return False
        only_name = (section_words.names_thing, section_words.has_only_paths, section_words.names_activity)
        if any(is_met(item) for is_met in only_name):
            return False
        is_clear = rule_words.is_labelled(item) or section_words.sets_bound(item) or rule_words.is_imperative(item)
        if not is_clear and not rule_words.kind_of_heading(self.heading or self.source.name):
            return False
        return not (rule_words.states(item) or item.startswith("`") or rule_words.names_stack(item))

    def _own_fact(self, text: str, raw: str) -> None:
        """Add a memory for a fact that is independent of other lines."""
        kind = "limitation" if rule_words.has_limits_below(self.about) else "technical"
        title = title_of(text, raw, "" if rule_words.describes(text) else self.title_head, self.title_head)
        self._constraint(title, text, kind, "medium" if rule_words.is_strict(text) else "low", key_of(title))

    def _constraint(self, title: str, text: str, kind: str, severity: str, key: str) -> None:
        content: Fields = {"kind": kind, "rule": shorten(text)}
        content["impact"] = shorten_all(section_words.reasons_of(text)) or [NOT_STATED]
        self._draft("constraint", title, content | {"severity": severity, "active": True}, key)

    def _rule(self, text: str, lead: str = "", raw: str = "", title: str = "") -> None:
        if len(text.split()) < MIN_RULE_WORDS and not lead and not self.heading:
            self.left_aside["too short to say something by itself"] += 1
            return
        said = f"{lead} {text}" if lead and not section_words.says_nothing(lead) else text
        if not lead and section_words.is_conditional(self.heading):
            said = f"{self.heading}: {text}"
        is_label = lead and (len(lead.split()) > MAX_LABEL_WORDS or rule_words.announces(lead))
        before = "" if is_label else lead.rstrip(":")
        title = title or title_of(text, raw, before, self.title_head)
        is_rule = rule_words.is_rule(text)
        about = text if section_words.allows_below(self.heading) else f"{self.about} {text}"
        is_stressed = is_rule and section_words.is_stressed(about)
        is_binding = rule_words.is_binding(text) or rule_words.has_limits_below(self.about)
        if is_binding or is_stressed or self.kind == rule_words.BANS:
            severity = "high" if is_stressed or rule_words.forbids(text) else "medium"
            self._constraint(title, said, "policy" if is_rule else "limitation", severity, key_of(title))
            return
        reasons = section_words.reasons_of(text)
        strength = "strong" if self.source.is_always or section_words.is_strong(text) else "default"
        reason = shorten(reasons[0], 1000) if reasons else NOT_STATED
        content: Fields = {"topic": self.topic or title, "value": shorten(said), "reason": reason, "strength": strength}
        self._draft("preference", title, content, key_of(title))

    def _debt(self, text: str) -> None:
        reasons = section_words.reasons_of(text)
        content: Fields = {"status": "open", "priority": "medium", "description": shorten(text)}
        content["reason_deferred"] = shorten(reasons[0], 1000) if reasons else NOT_STATED
        title = make_title(text)
        self._draft("tech_debt", title, content, key_of(title))

    def _procedure(self, told: list[str], lead: str, *, is_choice: bool = False) -> None:
        """Add commands as steps. Commands to choose from are one step, a list."""
        self.steps += [lead] if lead and self.steps else []
        listed = "\n".join([f"- {item}" for item in told])
        is_one = is_choice and len(told) > 1 and len(listed) < MAX_ITEM_CHARS
        self.steps += [listed] if is_one else told
        self.commands += [lead.rstrip(":")] if lead and not self.heading else []
        self.commands += [as_code(self._command_of(item)) or name_of(item) for item in told]

    def _command_of(self, item: str) -> str:
        """The command of an item. Below a heading for commands, a program may have any name."""
        is_told = "command" in self.heading.lower() and rule_words.is_only_command(item)
        return command_of(item) or (rule_words.find_command(item) if is_told else "")

    def _code(self, block: Block, lead: str) -> None:
        """Add a block of code. Commands become steps; other code joins the text before it."""
        is_wrong = block.is_shell and without_wrong(block.text) != block.text
        if block.is_shell and self.kind == rule_words.BANS:
            self._banned(code_lines(f"```\n{block.text}\n```"))
        elif lines := right_commands(block):
            self.left_aside += Counter({_SHOWN_AS_WRONG: int(is_wrong)})
            head = lead.rstrip(":")
            self.steps += [f"{head}: {lines[0]}"] if head and len(lines) == 1 else [*([head] if head else []), *lines]
            self.commands += [name for line in lines if (name := as_code(line.partition("  #")[0]))]
        elif self.steps and not is_wrong:
            self.steps.append(f"{lead} {block.text}".strip())
        elif self.reading.drafts and not self.facts and not lead.endswith("."):
            self._attach(f"{lead}\n{block.text}".strip())
        elif is_wrong and not lead:
            self.left_aside[_SHOWN_AS_WRONG] += 1
        elif names := names_of_tree(block.text):
            self._fact(f"{lead}\n{block.text}".strip(), [f"`{name}`" for name in names][:12])
        elif lead or self.facts or self.title_head:
            self._fact(f"{lead}\n{block.text}", [])
        else:
            self.left_aside["code without a word about it"] += 1

    def _banned(self, lines: list[str]) -> None:
        """Add one rule for all commands below a heading that bans them."""
        commands = [line.partition("  #")[0].strip() for line in lines]
        title = listing_title("Never run", commands)
        self._constraint(title, f"{self.topic}: never run: {'; '.join(lines)}", "policy", "high", key_of(title))

    def _remark(self, text: str) -> None:
        """Add a line that comments on the preceding text to the commands, to the last memory, or to the facts."""
        if self.is_behind_commands and self.steps:
            self.steps[-1] += f"\n{text}"
        elif self.reading.drafts and not self.is_behind_fact:
            self._attach(text)
        else:
            self._fact(text, [])

    def _attach(self, text: str) -> None:
        """Add a text to the main field of the last memory."""
        content = self.reading.drafts[-1].content
        name = _MAIN_FIELD.get(self.reading.drafts[-1].category, "trigger")
        if isinstance(content[name], str):
            content[name] = shorten(f"{content[name]}\n{text}", MAX_TEXT_CHARS)

    def _fact(self, text: str, names: list[str]) -> None:
        if text.strip("- \n"):
            self.facts.append(text)
            self.names += names
            self.is_behind_fact = True

    def _finish(self) -> None:
        """Add the memories of the collected commands and facts."""
        if not self.steps and len(self.facts) > 1 and all(command_of(fact.removeprefix("- ")) for fact in self.facts):
            self._procedure([fact.removeprefix("- ") for fact in self.facts], "")
            self.facts.clear()
        facts = "\n".join(self.facts).strip()
        if self.steps:
            trigger = ". ".join([part for part in (self.topic, facts) if part]) or self.source.path
            content: Fields = {"trigger": shorten(trigger, 1000), "steps": shorten_all(self.steps)}
            content["verification"] = NOT_STATED
            says_much = len(self.heading.split()) > MAX_LABEL_WORDS - 1 and rule_words.has_steps_below(self.heading)
            names = [name for name in self.commands if not name.endswith(CUT)]
            head = self.title_head or (names.pop(0) if names[1:] else "Commands")
            title = listing_title(head, [] if says_much else names)
            if not says_much and not names and not rule_words.has_steps_below(self.title_head):
                self.left_aside[f"left to the agent: {NAMES}"] += 1
                return
            self._draft("runbook", title, content, "steps")
        if not facts or (self.steps and len(facts) < MAX_FACTS_OF_STEPS):
            return
        if len(facts) < MIN_FACT_CHARS:
            if self.is_behind_fact and self.reading.drafts and self.reading.drafts[-1].category in _MAIN_FIELD:
                self._attach(facts)
                self.reading.parts.append((f"{self.source.path}#{self.section.place}", "the rule before it"))
            else:
                self.left_aside["too short to say something by itself"] += 1
            return
        why = self._why_no_facts(facts)
        if why:
            self.left_aside[f"left to the agent: {why}"] += 1
        else:
            self._constraint(title_of_facts(self.facts, self.names, self.title_head), facts, "technical", "low", "")

    def _why_no_facts(self, facts: str) -> str:
        """Why the facts of the section are left to the agent; "" if they become a memory."""
        if self.kind == rule_words.LINKS:
            return POINTER
        lines = [line.removeprefix("- ") for fact in self.facts for line in fact.split("\n")]
        binds = rule_words.is_strict if self.is_glossary else self._orders
        if only_describes(self.facts, self.headings, is_glossary=self.is_glossary) and not any(map(binds, lines)):
            return DESCRIPTION
        if any(map(section_words.has_examples_below, (self.heading, self.facts[0]))):
            return EXAMPLE
        is_description = self.kind == rule_words.FACTS or bool(self.reading.drafts) or is_named(self.facts, self.names)
        is_description = is_description and not section_words.is_about_commands(self.about) and not is_foreign(facts)
        if is_description and not any(self._orders(line.removeprefix("- ")) for line in facts.split("\n")):
            return DESCRIPTION
        first = self.facts[0]
        listed = [line for fact in self.facts for line in fact.split("\n") if line.startswith("- ")]
        if len(self.facts) == 1 and self.facts[0].rstrip().endswith(":"):
            return REST
        if self.facts[0].startswith("\n") and not self.names:
            return CODE
        if any(self._orders(line.removeprefix("- ")) for line in listed):
            return MIXED
        is_rest = len(listed) == 1 and len(self.facts) <= 2 and bool(self.reading.drafts)
        if is_rest and not rule_words.describes(listed[0].removeprefix("- ")):
            return REST
        prose = [fact for fact in self.facts[1:] if not fact.startswith("- ") and "\n" not in fact]
        is_more = any(len(fact.split()) > MAX_LEAD_WORDS for fact in prose)
        is_headless = not self.title_head and (first.startswith("- ") or "\n" not in first)
        return (
            NAMES if is_named(self.facts, self.names) and (is_more or is_headless or not are_names(self.names)) else ""
        )

    def _orders(self, line: str) -> bool:
        """Whether a line in the facts gives an order, and so is a rule."""
        is_thing = rule_words.is_absence(line) or rule_words.is_named_code(line)
        return rule_words.is_strict(line) or (tells_to_do(line) and not is_thing)

    def _draft(self, category: str, title: str, content: Fields, key: str) -> None:
        heading = f"{self.section.place} > {key}" if key else self.section.place
        self.keys[heading] += 1
        self.is_behind_fact = False
        if self.keys[heading] > 1:
            heading = f"{heading} ({self.keys[heading]})"
        source = self.source
        if category != "runbook":
            title = source.with_part(with_subject(title, self.title_head, source.name))
        topics = dict.fromkeys([*topics_of(self.heading), *source.tags, *topics_of(*self.section.above[-1:])])
        tags = tuple(topics)[:MAX_TOPICS]
        self.reading.drafts.append(
            ImportedDraft(category, title, content, source.kind, source.path, heading, tags, source.anchors)
        )
