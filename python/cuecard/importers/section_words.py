"""Classifies the headings of a section of instructions and the lines before its lists.

Rules: docs/reference/import.md, "Instructions".
"""

import re
from itertools import islice

from . import rule_words
from .draft import find_because
from .line_names import tells_to_do
from .titles import sentences_of

_GENERIC = re.compile(
    r"^(?:(?:project |quick |general |brief )?(?:overview|about|introduction|description|summary|background|context"
    r"|details|notes?|general|important(?: notes?)?|key points|reference|guidelines?|(?:key )?rules|usage|information)"
    r"|(?:claude|agents?|gemini|memory)(?:\.md)?|(?:github )?copilot instructions|.{0,30}\.(?:md|mdc)|tips"
    r"|misc(?:ellaneous)?|other|tl;?dr\b.{0,20}|in short|at a glance)$",
    re.IGNORECASE,
)
_FRAGMENTS = re.compile(
    r"\b(?:that|for|if|when|to|include|includes|including|are|is|of|by|as|with|needs?|example|use|using|from|on"
    r"|before|after|requires?|must|should|never|always|can|cannot|not|do|don't|where):$|^e\.g",
    re.IGNORECASE,
)
# A line that is bold as a whole is a heading.
_BOLD_LINE = re.compile(r"^\s*(?:\*\*[^*\n]{2,160}\*\*|__[^_\n]{2,160}__):?\s*$")
_STRONG = re.compile(r"\b(always|never|must|required|do not|don't|strictly|mandatory|critical)\b", re.IGNORECASE)
_EXAMPLES = re.compile(
    r"^(?:example|sample)s?\b|^(?:[\w-]+ ){1,4}examples$"
    r"|^here(?:['\u2019]s| is| are) (?:an? )?(?:\w+ )?(?:examples?|samples?)\b",
    re.IGNORECASE,
)
_STRESSED = re.compile(
    r"\b(?:must[- ](?:be )?follow(?:ed)?|no exceptions?|without exceptions?|non[- ]negotiable|mandatory|hard rules?"
    r"|absolute rules?)\b",
    re.IGNORECASE,
)
# `React support` names what there is.
_THING = re.compile(r"^[^:`]{1,60}\b(?:support|integration|compatibility)\W*$", re.IGNORECASE)
_COMMANDS = re.compile(r"\b(?:commands?|scripts?)\b", re.IGNORECASE)


_BECAUSE = re.compile(r"\b(?:because|since|as|so that)\b.*", re.IGNORECASE)
_SAYS_STEPS = re.compile(
    r"\b(?:steps?|process|procedure|workflow|sequence|order|follow\w*|phases|stages)\b", re.IGNORECASE
)
_EFFECTS = re.compile(
    r"\b(?:currently (?:runs|has|uses|contains|supports)|(?:it|workflow|job|pipeline|suite|script) (?:runs|contains"
    r"|includes|has|does|builds)):$"
    r"|\b(?:will(?: automatically| then| also)?|does(?: the following)?|automatically(?: \w+)?):$"
    r"|^\W*(?!you\b|we\b)(?:[\w-]+ ){1,6}?(?:will|(?:is|are) used)\b[^.]{0,150}\bto:$",
    re.IGNORECASE,
)
# Headings above what is done in order, numbered or not.
_PROCEDURE = re.compile(
    r"^(?:how to\b|steps\b|(?:adding|creating|updating|publishing|upgrading|releasing|deploying|migrating|installing"
    r"|implementing|removing|setting up|running|building|regenerating|bumping)\b|(?:add|create"
    r"|implement)(?:/\w+)? (?:an?|new)\b)",
    re.IGNORECASE,
)
# A line before a list of what is done in order: `Follow these steps:`.
_STEPS_FOLLOW = re.compile(
    r"\b(?:steps?|procedure|process|workflow|sequence|(?:in|following) (?:this|the following) order)\b[^.:]{0,60}:\W*$",
    re.IGNORECASE,
)
# What says only that several things follow, and not which: `Follow these patterns to stay safe.`
_ANNOUNCES = re.compile(
    r"\b(?:these|the following)(?: [\w-]+){0,2}? (?:patterns|principles|rules|guidelines|conventions|practices"
    r"|standards"
    r"|instructions|requirements|mechanisms)\b(?![^.]*:\s*\S)"
    r"|^\W*(?:there are |we have |use one of )?(?:two|three|four|five|six|seven"
    r"|several) (?:[\w-]+ ){0,2}?(?:ways|mechanisms"
    r"|options|kinds|types|cases|levels|layers|approaches|methods|modes|stages|categories|variants|things|principles"
    r"|reasons)\b(?![^.]*:\s*\S)",
    re.IGNORECASE,
)
_NESTED_STEP = re.compile(r"^\s+\d{1,2}[.)]\s", re.MULTILINE)
_CHOICE = re.compile(r"\b(?:priority|preference|options?|one of|either|any of|levels?|kinds|types)\b", re.IGNORECASE)
MIN_NESTED_STEPS = 3
_CHECKLIST = re.compile(r"\bcheck-?lists?\b", re.IGNORECASE)
_REMEDY = re.compile(r"\btroubleshoot\w*|\bfailure modes\b", re.IGNORECASE)
# Orders of these verbs say how something should be, and not what is done next.
_ADVISES = re.compile(
    r"^\W*(?:prefer|avoid|keep|ensure|consider|always|never|make sure|do not|don['\u2019]t|only|try|favou?r"
    r"|limit|be|use"
    r"|follow|treat|remember|respect|maintain|stick|assume|include|mock|name)\b",
    re.IGNORECASE,
)
# A line that says no more than that rules follow.
_EMPTY_LEAD = re.compile(
    r"^\W*(?:in particular|specifically)\W*$"
    r"|^\W*(?:(?:please |always |you must |must )?(?:follow|adhere to|observe|respect|keep to|apply|use) )?"
    r"(?:these|the following)(?: \w+){1,2}\W*$"
    r"|^\W*(?:(?:key |general |important )?(?:guidelines|rules|notes?|conventions|best practices|tips|principles"
    r"|requirements|points))\W*$",
    re.IGNORECASE,
)
_REASON = re.compile(r"^\W*(?:why|reasons?|rationale|benefits?|advantages?)\b[^:.]{0,40}:", re.IGNORECASE)
# Behind the label of an item: a path, and what may stand between two of them.
_PATH = re.compile(r"`[^`<>/]*/[^`<>]*`")
_BETWEEN_PATHS = re.compile(r"\([^()]*\)|\b(?:and|or)\b")
MAX_LABEL_CHARS = 60
_GLOSSARY = re.compile(r"^(?:(?:project|domain) )?(?:glossary|terminology|definitions|vocabulary)$", re.IGNORECASE)
# Headings that say what kind of text follows, and not what it is about.
_FORM = re.compile(
    r"^(?:\w+ )?(?:checklists?|steps|procedures?|workflows?|process|goals|principles|review|caveats?|questions)$",
    re.IGNORECASE,
)
# Headings that say nothing without the title of their file.
_VAGUE = re.compile(
    r"^(?:when in doubt|(?:common|frequent|typical) (?:\w+ ){0,2}(?:issues|problems|questions|points|tasks)"
    r"|things to \w+|deep dives?|how to work|first steps|(?:useful )?resources"
    r"|setting up\b.{0,30})\W*$",
    re.IGNORECASE,
)
# `When to use mocks` asks a question, and is no condition.
_CONDITIONAL = re.compile(r"^(?:(?:if|when)\b(?! (?:not )?to\b)|unless\b|otherwise\b)", re.IGNORECASE)
# A sentence that says why the sentence before it holds: `It is slow because every call waits`.
_SAYS_WHY = re.compile(r"^(?:because\b(?! of\b)|(?:it|this|that)\b.{3,200}?\bbecause\b)", re.IGNORECASE)


def reasons_of(text: str) -> list[str]:
    """The reasons in the first sentence of a rule, or else the sentence behind it, if that says why."""
    first, *behind = [*islice(sentences_of(text), 2)] or [""]
    reasons = find_because(first)
    if reasons or not behind or not _SAYS_WHY.match(behind[0]) or tells_to_do(behind[0]):
        return reasons
    return behind


_ALLOWS = re.compile(r"^\W*(?:may|can|allowed|permitted|optional|you (?:may|can))\W*$", re.IGNORECASE)


_WHEN = re.compile(r"^when (?:not )?to\b", re.IGNORECASE)
_CALL = re.compile(r"^[\w.]+\(\)$")


def tells_when(heading: str) -> bool:
    """Whether a heading, such as `When not to use it`, is completed by the items of a list."""
    return bool(_WHEN.match(heading))


def names_call(heading: str) -> bool:
    """Whether a heading only names a function, which is described below it: `queue.push()`."""
    return bool(_CALL.match(heading))


def allows_below(heading: str) -> bool:
    """Whether a heading announces what somebody may do."""
    return bool(_ALLOWS.match(heading))


def says_nothing(lead: str) -> bool:
    """Whether a line says no more than that rules follow, such as `Follow these guidelines:`."""
    return bool(_EMPTY_LEAD.match(lead))


def gives_reason(text: str) -> bool:
    """Whether a line says why the rule before it holds, such as `Reason: ...`."""
    return bool(_REASON.match(text))


def has_only_paths(item: str) -> bool:
    """Whether an item has only paths behind its label, and so says where something is."""
    label, _colon, said = item[: rule_words.MAX_CHARS].partition(":")
    rest, paths = _PATH.subn(" ", said)
    is_label = len(label) <= MAX_LABEL_CHARS and "`" not in label
    return is_label and paths > 0 and not re.search(r"\w", _BETWEEN_PATHS.sub(" ", rest))


def names_form(heading: str) -> bool:
    """Whether a heading says what kind of text follows, such as `Review checklist`, and not what it is about."""
    return bool(_FORM.match(heading)) or is_vague(heading)


def is_vague(heading: str) -> bool:
    """Whether a heading, such as `When in doubt`, says nothing without the title of its file."""
    return bool(_VAGUE.match(heading))


def is_conditional(item: str) -> bool:
    """Whether an item or a heading begins with a condition."""
    return bool(_CONDITIONAL.match(item)) and len(item.split()) > 2


# An item that only names an activity: `Reviewing the changes`.
_ACTIVITY = re.compile(
    r"^(?!(?:string|spring|nothing|everything|something)\b)[a-z]{3,40}ing\b[^:.;,\u2014]*$", re.IGNORECASE
)
_EDGES = " *_()[]`'\":.;,!?-\u2013\u2014"
_VERB_END = re.compile(r"\s\w+(?:[^\Ws]s|ed)\b")
_WORD = re.compile(r"[a-z]+(?:['\u2019]t)?")


def names_activity(item: str) -> bool:
    """Whether an item only names an activity, and does not say how it is done."""
    return bool(_ACTIVITY.match(item.strip(_EDGES))) and not _has_verb(item)


def is_sentence(text: str) -> bool:
    """Whether a text seems to be a sentence, and no phrase: it has a verb or ends like one."""
    return _has_verb(text) or text.rstrip().endswith((".", "\u3002"))


def may_be_sentence(item: str) -> bool:
    """Whether an item is a sentence, or has a word that can be a verb by its end and that no table has to know."""
    return is_sentence(item) or bool(_VERB_END.search(item))


def _has_verb(text: str) -> bool:
    # A statement begins with what it is about.
    return any(map(rule_words.is_verb, _WORD.findall(text.lower())[1:]))


def is_glossary(heading: str) -> bool:
    """Whether a heading as a whole announces words with their meanings. `Type definitions` does not."""
    return bool(_GLOSSARY.match(heading))


def announces_effects(lead: str) -> bool:
    """Whether a line leads to what a program does by itself: `The action will:`, `The tool uses x, because:`."""
    line = lead.strip("*_ ")
    said = _BECAUSE.sub("", line)
    is_description = said != line and rule_words.states(said) and not tells_to_do(said)
    return bool(_EFFECTS.search(line)) or (is_description and not _SAYS_STEPS.search(said))


def tells_how(heading: str) -> bool:
    """Whether a heading announces how something is done, such as `Adding a provider`."""
    return bool(_PROCEDURE.match(heading))


def leads_to_steps(lead: str) -> bool:
    """Whether a line says that steps follow, such as `Follow these steps:`."""
    return bool(_STEPS_FOLLOW.search(lead))


def nested_steps(raw: str) -> int:
    """The number of steps in a numbered list within an item, to which its first line leads; 0 if there is none."""
    steps, lead = len(_NESTED_STEP.findall(raw)), raw.partition("\n")[0].rstrip("*_ ")
    is_lead = lead.endswith(":") and not _CHOICE.search(lead)
    return steps if steps >= MIN_NESTED_STEPS and is_lead else 0


def announces(text: str) -> bool:
    """Whether a paragraph says that several things follow, and asks for nothing else."""
    told = [sentence for sentence in sentences_of(text) if not _ANNOUNCES.search(sentence)]
    return bool(_ANNOUNCES.search(text)) and not any(map(rule_words.is_rule, told))


def is_checklist(heading: str) -> bool:
    """Whether what stands below a heading is gone through item by item."""
    return bool(_CHECKLIST.search(heading))


def tells_remedy(heading: str) -> bool:
    """Whether a heading, such as `Troubleshooting`, announces what is done where something fails."""
    return bool(_REMEDY.search(heading))


def advises(heading: str) -> bool:
    """Whether a heading says how something should be, such as `Always sign off commits`."""
    return bool(_ADVISES.match(heading)) and rule_words.is_rule(heading)


def is_step(rule: str) -> bool:
    """Whether a rule of a procedure is one of its steps, and does not say how something should be."""
    return rule_words.is_imperative(rule) and not rule_words.is_strict(rule) and not _ADVISES.match(rule)


def is_generic(heading: str) -> bool:
    """Whether a heading names no topic, such as `Overview`."""
    return bool(_GENERIC.match(heading))


def is_fragment(lead: str) -> bool:
    """Whether a line before a list is a part of a sentence that each item continues."""
    return bool(_FRAGMENTS.search(lead))


def is_bold_line(raw: str) -> bool:
    """Whether a paragraph is bold as a whole, and so is a heading."""
    return bool(_BOLD_LINE.match(raw))


def is_strong(text: str) -> bool:
    """Whether a text says that it holds strictly."""
    return bool(_STRONG.search(text))


def is_stressed(text: str) -> bool:
    """Whether a rule, or the heading above it, says that there is no exception, such as `MUST FOLLOW`."""
    return bool(_STRESSED.search(text))


def has_examples_below(heading: str) -> bool:
    """Whether a heading announces examples."""
    return bool(_EXAMPLES.match(heading))


def names_thing(text: str) -> bool:
    """Whether a line only names something that there is, such as `React support`."""
    return bool(_THING.match(text))


def is_about_commands(headings: str) -> bool:
    """Whether headings announce commands, so that a list below them is none of descriptions."""
    return bool(_COMMANDS.search(headings))


_ASKS = re.compile(
    r"^\W*(?:(?:what|which|who|whom|whose|why|how|that)\b|(?:when|where)\b[^,]*$)",
    re.IGNORECASE,
)


def asks(heading: str) -> bool:
    """Whether a heading is a question or a clause that names what is below it, such as `What you must know`."""
    return bool(_ASKS.match(heading))


_SAME = re.compile(r"^\W*the same\b", re.IGNORECASE)


def comments(line: str) -> bool:
    """Whether a line belongs to what stands before it: a reason, a note, an example."""
    return gives_reason(line) or bool(_SAME.match(line)) or (rule_words.is_remark(line) and not tells_to_do(line))


_BAD_THINGS = re.compile(
    r"\banti-?patterns?\b|\b(?:common|frequent|typical|known) (?:mistakes|pitfalls)\b|\b(?:code smells|bad practices)\b"
    r"|\b(?:mistakes|pitfalls|traps|patterns|practices|things) to avoid\b",
    re.IGNORECASE,
)
_GOOD_TOO = re.compile(r"\b(?:and|vs|versus|or)\b|[&/]", re.IGNORECASE)
_CURE = re.compile(
    r"^\W*(?:(?:do|use|prefer)(?: this)? instead|instead|the fix|fix|cure|remedy|solution|better|correct(?:ly)?|right"
    r"|good|preferred|recommended|alternatives?)\b[^:.\n]{0,30}:",
    re.IGNORECASE,
)


def names_bad_things(heading: str) -> bool:
    """Whether each section below a heading describes what is to be avoided: `Anti-patterns`, `Common mistakes`."""
    is_bad = rule_words.forbids_below(heading) or bool(_BAD_THINGS.search(heading))
    return is_bad and not _GOOD_TOO.search(heading)


_CURE_NAMES = re.compile(
    r"^\W*(?:(?:the )?(?:right|correct|better|good|recommended|preferred|proper) (?:way|approach|practice|pattern)s?\b"
    r"|(?:solutions?|remed(?:y|ies)|fix(?:es)?|cures?|prevention|best practices|checklist|alternatives?|instead)\b"
    r"|how to (?:fix|avoid|prevent|debug)\b|(?:\w+ )?tips\b)",
    re.IGNORECASE,
)


def names_cure(heading: str) -> bool:
    """Whether a heading among things to be avoided says what to do instead, such as `Correct approach`."""
    return bool(_CURE_NAMES.match(heading))


def gives_cure(text: str) -> bool:
    """Whether a line says what to do instead of what stands before it, such as `Instead: ...`."""
    return bool(_CURE.match(text))


_GOALS = re.compile(r"^\W*(?:(?:our|key|main) )?(?:goals?|objectives?|aims?|benefits?|advantages?)\W*$", re.IGNORECASE)
# A part of the work in which things go wrong, and no thing that could be avoided.
_TOPIC = re.compile(
    r"^\W*[\w-]+\W*$|\b(?:handling|management|quality|safety|design|testing|validation|security|performance|style)\W*$",
    re.IGNORECASE,
)


def names_goals(heading: str) -> bool:
    """Whether a heading says that what is below it is wished for, such as `Goals` or `Benefits`."""
    return bool(_GOALS.match(heading))


def names_topic(heading: str) -> bool:
    """Whether a heading among bad things says only where they are, such as `Security` or `Error handling`."""
    return bool(_TOPIC.search(heading))
