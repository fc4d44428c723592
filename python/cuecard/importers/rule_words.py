"""Classifies a line of instructions: a rule, a fact, a pointer to another document, or boilerplate.

Rules: docs/reference/import.md, "Instructions".
"""

import re

from ..basics.tables import read_words
from ..basics.time_limit import check_time

_VERBS = read_words("import_words", "verbs")
# These words are often nouns, so the next word must fit a verb.
_VERBS_OR_NOUNS = read_words("import_words", "verbs or nouns")
_PLAIN_VERBS = frozenset((*_VERBS, *_VERBS_OR_NOUNS, "store", "contain", "provide", "serve", "own", "listen", "live"))
_PLAIN_VERBS -= frozenset(("test", "place", "name", "comment", "guard", "stage", "address", "tag", "plan", "script"))
_BEHIND_A_THING = "is are was were has had must should would may might can could cannot will won't can't need come"
_AFTER_A_THING = frozenset((*_VERBS, *_BEHIND_A_THING.split(" ")))
_EFFECT = re.compile(r"^\W*(?:(?:never|always|only|also) )?([A-Za-z]{3,}s)\s+[`*\"'(]*(\w+)", re.IGNORECASE)
# `The tests do not need a database` is a description. `Do not` is an order at the beginning of a clause, or after a
# word for the person who is told, such as `you`.
_FORBIDS = re.compile(
    r"\b(never|must not|mustn['\u2019]t|forbidden|prohibited|not allowed|shall not|cannot be|no longer allowed"
    r"|disallowed|banned)\b|금지|절대|하지 ?마|禁止|しないで"
    r"|(?:^|[^\w\s]\s*|\b(?:please|and|but|so|then|you|we|agents?|developers?)\s+)(?:do not|don['\u2019]t|dont)\b"
    r"(?! (?:need|have to|require|worry))",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"(?<!not )(?<!don['\u2019]t )(?<!no )(?<!that )(?<!which )(?<!who )\b(?:must|have to|has to"
    r"|need to|needs to|shall"
    r"|(?:is|are|be) (?:\w+ )?(?:required|mandatory)"
    r"|required (?:for|to|by|before|on|in)|no exceptions|(?-i:CRITICAL|REQUIRED|MANDATORY))\b"
    r"|^\W*(?:required|mandatory)\b|반드시|必ず|必须",
    re.IGNORECASE,
)
# `Use it when you need to read` demands nothing, and `No test is required` neither.
_CLAUSE_OF_CONDITION = re.compile(
    r"(?:^|(?<=[\w.;:,!?)] ))(?:when|whenever|if|whether|in case)\b[^,.;:\n]{0,200}", re.IGNORECASE
)
_SOME_NEED = re.compile(r"^\W*(?:some|many|several|certain) [^.,;:]{1,40}? (?:need|have) to\b", re.IGNORECASE)
_NO_NEED = re.compile(r"^\W*no [^.]{1,80}\b(?:required|needed|necessary)\b", re.IGNORECASE)
_WISHES = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )\balways\b"
    r"(?! (?:has|is|are|runs|returns|uses|contains|wins|means|gets|takes|needs|available|present|true|on"
    r"|\w+[^e\W]ed(?<!embed))\b)"
    r"|\b(should|shouldn['\u2019]t|prefer(?:red|ably)?|avoid|recommended|ideally|make sure|be sure|only use"
    r"|please|ensure)\b|하세요|하십시오|してください",
    re.IGNORECASE,
)
_BEHIND_A_VERB = (
    "the|a|an|all|any|every|each|new|your|both|only|with|in|for|on|to|it|them|no|code|and|before|after|as|early|how|what"
    "|deprecated|known|existing|relevant|specific|important"
    "|this|these|that|through|from|out|up|if|when|behavior|changes|related|similar|shared|small|large|one"
)
_IMPERATIVE = re.compile(
    r"^(?!always \w+[^e\W]ed(?<!embed)\b)"
    r"(?:please |then |also |finally |first,? |next,? |(?:explicit|careful|manual|clear|immediate)ly )?(?:"
    rf"(?:{'|'.join(map(re.escape, _VERBS))})\b(?!\s*[:=(/-]\s|[-/]\w)(?!\s+(?:of|is|are|was|cases?)\b|\s+\d)"
    rf"|(?:{'|'.join(_VERBS_OR_NOUNS)})\s+(?:`|(?:{_BEHIND_A_VERB})\b))",
    re.IGNORECASE,
)
_MAY_ORDER = re.compile(rf"^(?:{'|'.join(_VERBS_OR_NOUNS)})\s+[a-z`](?!\w*\s(?:is|are|has|have)\b)", re.IGNORECASE)
_CONDITION = re.compile(
    r"^(?:when|if|for|before|after|during|while|in|on|where|once|unless|to)\b(?:[^,:.]|\.(?=\w)){3,120}[,:]\s+(.+)$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:[`*_]*)([^:.`*_]{2,50})(?:[`*_]*)\s*(?::|\s[-\u2013\u2014])\s+(.+)$")
# What stands behind such a label says what something is for, and is no order.
_DESCRIBING_LABEL = re.compile(
    r"^(?:purpose|description|use cases?|role|responsibilit(?:y|ies)|summary|overview|what it (?:does|is)"
    r"|when to (?:use|apply)"
    r"|use when|usage|status|location|returns?|arguments?|parameters?|inputs?|outputs?|used (?:for|by|in)|goal"
    r"|objective|target|example)\W*$",
    re.IGNORECASE,
)
_LABEL_OF_CODE = re.compile(
    r"^`[^`]{1,80}`(?:\s*(?:,|and|/|or)\s*`[^`]{1,80}`)*\s*(?::|\([^)]*\)|[-\u2013\u2014\u2192=]|\||is\b"
    r"|are\b|contains?\b|has\b)"
)
_NO_THING = re.compile(r"^no [a-z`_](?!.*\b(?:required|needed|necessary)\b)", re.IGNORECASE)

_BOILERPLATE = re.compile(
    r"^(?:this rule (?:is|depends|prevents|applies|ensures|was|provides|enforces|defines|governs)\b"
    r"|this (?:file|document|guide|page|section) (?:provides|contains|describes|gives|is (?:automatically "
    r"|auto-?)?(?:loaded|read|generated|for|a|the|intended|used|optimi[sz]ed|written|meant)|applies (?:only )?to"
    r"|has (?:been )?(?:moved|superseded)|covers|offers|outlines|defines|explains|helps|serves)"
    r"|(?:these are |the following are )?(?:instructions|guidance|guidelines|context|rules|notes"
    r"|repository guidelines|project context) (?:for|to) "
    r"(?:\w+[ /,]+){0,6}?(?:agents?|assistants?|claude|copilot|gemini|codex|cursor|ai|llms?|models?)\b[^.]{0,120}\.?$"
    r"|(?:\w+ )?guidance (?:for|on|when)\b[^.]{0,160}\.?$"
    r"|(?:auto-?generated|generated by|last updated|last modified|version:|do not edit|table of contents"
    r"|welcome to)\b"
    r"|act (?:as an?|like) |(?:project|repo(?:sitory)?)[- ]specific (?:rules|instructions|guidance|notes)\b"
    r"|(?:purpose|goal|audience)\b\W{1,4}[^.]{0,120}\b(?:ai|agents?|assistants?|claude|copilot)\b"
    r"|(?:\w+ ){0,4}guide for (?:ai|agents?|coding agents?|assistants?|claude|copilot|developers and)\b"
    r"|you are an? (?:[\w-]+ ){0,4}(?:expert|senior|experienced|ai|helpful|assistant|skilled)\b|\[?back to top)",
    re.IGNORECASE,
)
_RULES_THEMSELVES = re.compile(
    r"^\W*(?:(?:the|these|our|all|some|general|key|common|core|additional|(?:\w+-)?specific|coding|code|style) ){0,3}"
    r"(?:guidelines|rules|patterns|conventions|standards|practices|principles|instructions|notes)"
    r" (?:for|of|on|about|observed|used|specific|that|when|to|below|we)\b"
    r"(?![^.]*\b(?:must|never|not|always|requires?|should|only|needs?)\b)",
    re.IGNORECASE,
)
# `Package-scoped rules.` and `Rules for the API, distilled from reviews` say nothing that holds.
_ONLY_RULES = re.compile(
    r"^\W*(?:[\w/-]+ ){0,3}(?:rules|guidelines|guidance|conventions|instructions|notes"
    r"|standards)(?: distilled\b.*|[.,;].*)?$",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\b(?:these|them|they|this (?:file|document|section|guide))\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!])\s+(?=[A-Z])")
# The document stands right behind the verb: `Check the status` gives an order, `Check docs/status.md` names a document.
_NAMED_BEHIND = (
    r"(?=(?: (?!if\b|that\b|whether\b)[\w'\u2019-]+){0,3}?:? ?[`*\"'(<]*(?:\[[^\]]*\]\(|https?://|@[\w./-]"
    r"|[\w./~*-]+\.(?:md|mdx|mdc|rst|txt|pdf|html|adoc)\b|docs?/))"
)
_POINTER = re.compile(
    r"^(?:\W*)(?P<label>(?![^:]{0,60}\b(?:see|refer to)\b)[\w /&-]{2,40}\W{0,3}(?::|\s[-\u2013\u2014])\W{0,3}\s)?"
    r"(?:please )?"
    rf"(?:see|refer to|start with|cf|->|(?:check(?: out)?|consult|read|look at|view|visit){_NAMED_BEHIND}|more:|more in"
    r"|details:|details in|documentation:|docs:"
    r"|(?:for|to) [^.]{3,120}?(?:,? (?:please )?(?:see|refer to)"
    rf"|, (?:please )?(?:check(?: out)?|consult|visit|view){_NAMED_BEHIND})|for (?:more|further) \w+, read"
    r"|[^.]{3,80}? (?:is|are) (?:documented|described|explained|indexed|detailed|specified) (?:in|at|by)"
    r"|load(?: all of| the)?(?= [`@\w./-]{1,100}\.mdx?\b))(?!\w)",
    re.IGNORECASE,
)
# `append, prepend, replace` are names.
_NAMES = re.compile(r"^`?[\w-]+`?(?:, (?:and |or )?`?[\w-]+`?){2,20}\.?$")
_DIVIDER = re.compile(r"^[=~#*_-]{2,}[^=\n]{0,100}[=~#*_-]{2,}$")
# `The rules live in AGENTS.md`
_KEPT_IN = re.compile(
    r"\b(?:lives?|(?:is|are) (?:kept|maintained|defined|listed)) (?:in|at)\W*[\w./-]*\w\.(?:md|mdx|rst|adoc)\b"
    r"|\ball of\W+[\w./-]+\.md\W+(?:also )?appl(?:y|ies)\b",
    re.IGNORECASE,
)
_TARGET = re.compile(
    r"(?<!\w)@[\w./~-]{1,200}|\[[^\]]*\]\([^)]*\)|https?://\S+|`?(?<![\w./@~-])[\w./@~-]{1,200}\.(?:md"
    r"|mdx|mdc|rst|txt|pdf|html)`?(?:#\S+)?|`[\w.-]{1,80}(?:/[\w.*-]{1,80}){0,12}/?`",
    re.IGNORECASE,
)
_BARE_PATH = re.compile(r"(?<![`\w])\.?[\w-]+(?:/[\w.-]+)+/?(?!`)|(?<![`\w])\.?[\w-]+/(?!\S)")
_DOCUMENT_NAME = re.compile(r"[\w/-]\.(?:md|mdx|rst|adoc)\b", re.IGNORECASE)
_LINK_ITEM = re.compile(r"^\W*(?:\[[^\]]+\]\([^)]+\)|https?://\S+|\*\*\[[^\]]+\]\([^)]+\)\*\*|@[\w./-]+\.\w+)")
_SEE = re.compile(r"(?:[\u2192\u2014\u2013:-]|->)\s*(?:see |read )?\[[^\]]*\]\([^)]*\)\s*\.?$", re.IGNORECASE)
# `Standards: docs/standards.md - what must be followed` names a document, despite its demand.
_LABELLED_DOCUMENT = re.compile(
    r"^\W*(?:[^:`\[]{2,50}:\W{1,4})?`?@?(?:[\w.~-]+/){0,8}[\w.-]{1,80}\.(?:md|mdx|rst|adoc|pdf)`?\W*(?=$|\s)",
    re.IGNORECASE,
)
_NOTE_LINK = re.compile(r"\]\([^()\s]{1,200}\.md(?:#[^()\s]*)?\)|\[\[[^\[\]]{1,100}\]\]", re.IGNORECASE)
_BELOW = re.compile(r"\b(?:see|described|listed|shown|as) (?:above|below)\b", re.IGNORECASE)
MAX_WORDS_OF_DOCUMENT = 9
MAX_DIVIDER_CHARS = 120
MIN_SAID_CHARS = 60
MIN_WORDS_BESIDE_LINKS = 3

# Longer texts are judged by their beginning.
MAX_CHARS = 2000

# The kinds of headings. A line below such a heading that gives no order itself is read as this kind. The first match
# counts.
LINKS, DEBT, BANS, CONVENTIONS, LIMITS, TOPICS, FACTS = "links debt bans conventions limits topics facts".split()
_HEADINGS = (
    (
        LINKS,
        r"^(?:further reading|references?|resources|see also"
        r"|(?:useful |helpful |quick |important |key |external )?links|related(?: \w+)*"
        r"|table of contents|contents|toc|more information|getting help|licen[sc]e"
        r"|acknowledge?ments?|credits|contact|support|(?:additional|key|reference|detailed|important|project|other) "
        r"(?:resources|documentation|docs|references)|documentation|docs|where to find \w+|package documentation"
        r"|reading list|documentation (?:index|map|references?|links))$",
    ),
    (
        DEBT,
        r"(?<!not )\b(?:todos?(?!(?: comments?)? (?:policy|rules?|guidelines?|conventions?|format|style"
        r"|markers?))|(?<!things )(?<!what )(?<!how )to do(?! without\b| when\b| if\b)"
        r"|tech(?:nical)? debt|known (?:issues|bugs|problems)"
        r"|fixme|(?:code )?cleanup (?:tasks?|items?|list|needed|backlog)|needs cleanup)\b",
    ),
    (FACTS, r"^(?:(?:package )?purpose|(?:project |package )?scope|responsibilit(?:y|ies))\b"),
    (
        BANS,
        r"^(?:out of scope|non-?goals?)\b|^(?:never|do not|don['\u2019]?ts?|avoid|forbidden|prohibited|must not"
        r"|what not to|what to avoid"
        r"|things to avoid|not allowed|banned|off[- ]limits)\b|\banti-?patterns?\b"
        r"|\b(?:pitfalls|mistakes|errors|traps|patterns|practices|things) to avoid\b|\bnever do\b|\bnot to\b"
        r"|^no [a-z]|금지",
    ),
    (
        CONVENTIONS,
        r"\b(?:styl(?:e|ing)|conventions?|guidelines?|rules?|practices|standards?|principles?|naming|formatting"
        r"|philosophy|preferences?|tone|voice|etiquette|guidance|dos|import order|ordering|code quality"
        r"|commit messages?|(?<!pre-)commits|expectations|checklist|boundaries|polic(?:y|ies)|communication)\b|규칙",
    ),
    (
        LIMITS,
        r"\b(?:gotchas?|pitfalls?|caveats?|quirks?|limitations?|limits?|restrictions?|constraints?|lessons?"
        r"|(?<!deprecation )warnings?"
        r"|common (?:issues|problems|errors|mistakes)|edge cases?|invariants?|things to know)\b|제약",
    ),
    (
        TOPICS,
        r"\b(?:requirements?|security|troubleshooting|errors$|issues$|problems$|failures$|error handling|performance)\b"
        r"|^(?:very )?(?:important|critical|key|technical)?\W*(?:important|critical|notes?|remember|tips|points"
        r"|reminders?|information|details|considerations)\W*$",
    ),
    (
        FACTS,
        r"\b(?:architecture|structure|overview|stack|technolog(?:y|ies)|layout|components?|classes|modules?|packages?"
        r"|types|dependencies|director(?:y|ies)|files?|terminology|glossary|concepts?|endpoints?|how it works|about"
        r"|features?|models?|background|data ?flow|environments?|variables?|usage|api|import paths?|implementation"
        r"|examples?|monorepo|codebase|project|repository|organization|integrations?|services?|configuration"
        r"|what (?:is|this))\b|아키텍처|구조",
    ),
)
_HEADING_PATTERNS = tuple([(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _HEADINGS])
_FORBIDDING_HEADING = re.compile(
    r"^\W*(?:never|do not|don['\u2019]?ts?|avoid|forbidden|prohibited|must not|(?:what|things) (?:not to do|to avoid)"
    r"|not allowed|banned|off[- ]limits|out of scope|non-?goals|(?:common )?anti-?patterns?"
    r"|(?:common |other |known )?(?:pitfalls|mistakes|errors|traps|patterns|practices|things) to avoid"
    r"|(?:do not|don['\u2019]t|never) do(?: this)?)\W*$",
    re.IGNORECASE,
)
_STACK_LABEL = re.compile(
    r"^\W*(?:(?:programming )?languages?|runtimes?|frameworks?|stack|stores?|storage|databases?|licen[cs]e|build tool"
    r"|build|package manager|tests?|test runner|hosting|platforms?|python|node|version|dependencies|ui|frontend|ci"
    r"|backend|orm|cache|queue|styling|bundler|linter|formatter)\W*$",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"\b(?:deploy\w*|releas(?:e|es|ing)|set ?up|install\w*|how to|workflows?|migrat\w*|getting started|quick ?start"
    r"|procedures?|steps?|adding|creating|updating|publishing|upgrading|process)\b|배포|실행",
    re.IGNORECASE,
)
# Matches a line that comments on the line before it.
_REMARK = re.compile(
    r"^\W*(?:(?:why|benefits?|advantages?|reasons?|rationale)\b[^:.]{0,40}(?::|$)|(?:note|nb|notes|example|examples|e\.g"
    r"|bad|good|wrong|exceptions?|tip|see also|this means|in other words|for example|for instance)\b\W*(?::|,|$)"
    r"|(?:it|this|these|they|those|that|also|in addition|otherwise|except|and|or|but|so|thus|therefore|same"
    r"|both|then|instead|even in)\b)",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(r"^(?:must|should|can|cannot|may|has|is|are)\b", re.IGNORECASE)
_DESCRIBES = re.compile(
    r"^(?:\S+\s+){0,7}?(?:is|are|was|were|has|have|contains|provides|lives?|handles|generates|represents|exposes"
    r"|inherits|runs|lacks|makes|supports|depends?|returns|reads|writes|covers|defines)\b",
    re.IGNORECASE,
)
# Below a heading for conventions, `components are functions` is a convention, `tokens are defined in app.css` a fact.
_STATES = re.compile(
    r"^(?:\S+\s+){0,7}?(?:(?:is|was) (?:an?|the|where)|are the|(?:is|are|was|were) (?:\w+ly )?\w+(?:ed|en|t|de) "
    r"(?:in|by|at|from|via|through|under|below|with|on)|contains|provides|lives? (?:in|at|under)|handles|generates"
    r"|represents|exposes|inherits|lacks|supports|depends?|returns|covers|defines|makes|added|broke|caused|fixed|failed"
    r"|uses|runs|executes|triggers|happens|fails|deploys|publishes|includes|\S+ (?:\S+ ){0,5}automatically)\b",
    re.IGNORECASE,
)
# `Each module uses one logger` says how it should be.
_FOR_ALL = re.compile(r"^\W*(?:all|each|every|any|new)\b", re.IGNORECASE)
_STATES_OF_THE = re.compile(
    r"^(?:the|our|this|there|we)\b[^.;]{0,80}?\b(?:is|are|has|have|contains?|uses?|lives?|runs?|serves?|comes?)\b",
    re.IGNORECASE,
)
_COMMAND_ITEM = re.compile(r"^(?:[^`:]{1,60}:\s*)?`(?:\$ )?((?:\./|[^\s`]+ )[^`]{1,200})`")
_BOUND_TO_A_TIME = re.compile(r"\b(?:before|after|when|whenever|always|never|every|each|instead|if)\b", re.IGNORECASE)
_DOCUMENT = re.compile(
    r"^\W*(?:[^:`\[]{2,50}:\W{1,4})?(?:\[[^\]]+\]\([^)\s]+\)|@?[\w./~-]{1,200}\.(?:md|mdx|mdc|rst|txt|pdf|html|adoc)\b|https?://\S+)",
    re.IGNORECASE,
)


def forbids(text: str) -> bool:
    """Whether a text forbids something."""
    return bool(_FORBIDS.search(text[:MAX_CHARS]))


def demands(text: str) -> bool:
    """Whether a text demands something."""
    text = _SOME_NEED.sub(" ", _CLAUSE_OF_CONDITION.sub(" ", text[:MAX_CHARS]))
    return bool(_DEMANDS.search(text)) and not _NO_NEED.match(text)


def is_strict(text: str) -> bool:
    """Whether a text forbids or demands something."""
    return forbids(text) or demands(text)


def is_binding(text: str) -> bool:
    """Whether a text forbids or demands something, or says that something must not be, such as `No soft deletes`.

    A statement that binds is a constraint. This decides for an import and for `cuecard add`.
    """
    line = text[:MAX_CHARS].strip().lstrip("*_ ")
    label = _LABEL.match(line)
    return is_strict(text) or bool(_NO_THING.match(line) or (label and _NO_THING.match(label.group(2))))


def is_rule(text: str) -> bool:
    """Whether a line tells somebody what to do: it forbids, demands or recommends, or begins with an imperative."""
    check_time()
    text = text[:MAX_CHARS]
    if _LABEL_OF_CODE.match(text) and not is_strict(text):
        return False
    if is_strict(text) or _WISHES.search(text):
        return True
    line = text.strip().lstrip("*_\u2705\u274c\u2757\u26a0\ufe0f ")
    label = _LABEL.match(line)
    if label and _DESCRIBING_LABEL.match(label.group(1)):
        return False
    # The order may follow a label, a condition, or both.
    for rest in (line, label.group(2).strip("*_` ") if label else ""):
        condition = _CONDITION.match(_mask(rest))
        orders = (rest, condition.group(1).strip("*_` ") if condition else "")
        if _NAMES.match(rest):
            return False
        if _NO_THING.match(rest) or any(_IMPERATIVE.match(order) for order in orders):
            return True
    return False


def begins_with_effect(text: str) -> bool:
    """Whether a line begins with a verb that says what something does, such as `Excludes` or `Never retries`."""
    words = _EFFECT.match(text)
    # `Commits follow a form` begins with a thing.
    if not words or words.group(2).lower() in _AFTER_A_THING:
        return False
    verb = words.group(1).lower()
    return verb in ("has", "is", "does") or any(stem in _PLAIN_VERBS for stem in _stems(verb))


def is_verb(word: str) -> bool:
    """Whether a word in small letters is a verb, such as `drop`, `rejects` or `isn't`, and no noun that looks alike."""
    word = word.replace("\u2019", "'")
    return word in _AFTER_A_THING or any(stem in _AFTER_A_THING for stem in _stems(word.removesuffix("n't")))


def _stems(verb: str) -> tuple[str, ...]:
    """What may be the plain form of a verb that ends with `s`."""
    return (verb[:-1], verb[:-2], f"{verb[:-3]}y") if verb.endswith("s") else ()


def is_imperative(text: str) -> bool:
    """Whether a line begins with an order, such as `Use` or `Commit`."""
    return bool(_IMPERATIVE.match(text[:MAX_CHARS].strip().lstrip("*_ ")) or may_order(text))


def names_stack(text: str) -> bool:
    """Whether a line says what the project is made with, such as `Stores: PostgreSQL and Redis`."""
    label = _LABEL.match(text[:MAX_CHARS].strip())
    return bool(label and _STACK_LABEL.match(label.group(1)))


def is_describing_label(label: str) -> bool:
    """Whether a label says what kind of description follows, such as `Purpose`."""
    return bool(_DESCRIBING_LABEL.match(label))


def may_order(text: str) -> bool:
    """Whether a line may be an order if its neighbours are orders, such as `Place tests beside the code`."""
    return bool(_MAY_ORDER.match(text.strip().lstrip("*_` "))) and not states(text)


def is_absence(text: str) -> bool:
    """Whether a line says that something does not exist, such as `No build step: files are served as they are`."""
    line = text[:MAX_CHARS].strip().lstrip("*_` ")
    return bool(_NO_THING.match(line)) and not (is_strict(text) or _WISHES.search(text))


def _mask(line: str) -> str:
    """A line in which the punctuation within code is replaced, so that no clause ends there."""
    return re.sub(r"`[^`]*`", lambda code: re.sub(r"[,.:;]", "_", code.group()), line)


def is_condition(text: str) -> bool:
    """Whether a line is only a condition for what follows, such as `When preparing a release:`."""
    return bool(
        re.match(
            r"^(?:when|if|for|before|after|during|while|in|on|once)\b(?:`[^`]*`|[^,;.`]|\.(?=\w)){0,120}:$",
            text.strip(),
            re.IGNORECASE,
        )
    )


def is_boilerplate(raw: str) -> bool:
    """Whether a paragraph only says what every file of instructions says about itself."""
    return bool(_BOILERPLATE.match(raw.strip("*_>#` \n")))


def is_about_rules(text: str) -> bool:
    """Whether a paragraph only says what the rules below it are: `Patterns used in the code. Follow these.`"""
    first, *behind = _SENTENCE_END.split(" ".join(text.split())[:MAX_CHARS])
    is_about = bool(_RULES_THEMSELVES.match(first) or (_ONLY_RULES.match(first) and not is_rule(first)))
    return is_about and all(_OF_THEM.search(each) or is_pointer(each) for each in behind) and not first.endswith(":")


def is_divider(text: str) -> bool:
    """Whether a paragraph only divides a file, such as `=== rules of the team ===`."""
    line = text.strip()
    return len(line) <= MAX_DIVIDER_CHARS and bool(_DIVIDER.match(line))


def is_pointer(raw: str) -> bool:
    """Whether a line, with its links, only says where to read more, in one sentence or in each of several."""
    raw = raw[:MAX_CHARS]
    parts = re.split(r"(?<=[.!])\s+(?=See\b)", raw)
    return _is_one_pointer(raw) or (len(parts) > 1 and all(map(_is_one_pointer, parts)))


def _is_one_pointer(raw: str) -> bool:
    uncoded = re.sub(r"`[^`]*`", " code ", raw)
    paths = _BARE_PATH.findall(uncoded)
    if paths and len(re.findall(r"\w{2,}", _BARE_PATH.sub(" ", uncoded))) <= MIN_WORDS_BESIDE_LINKS * len(paths):
        return True
    named = _LABELLED_DOCUMENT.match(raw)
    if named and len(re.findall(r"\w{2,}", raw[named.end() :])) <= MAX_WORDS_OF_DOCUMENT:
        return True
    if _BELOW.search(raw) and len(raw.split()) <= MAX_WORDS_OF_DOCUMENT:
        return True
    if _KEPT_IN.search(raw) and len(raw.split()) <= 2 * MAX_WORDS_OF_DOCUMENT and not is_strict(raw):
        return True
    if not _TARGET.search(raw):
        return False
    rest = " ".join(re.sub(r"[*_()\[\]`:]", " ", _TARGET.sub(" ", raw)).split())
    pointer = _POINTER.match(raw)
    points = pointer is not None and not is_rule(pointer["label"] or "")
    # A text of several sentences says more than where to look.
    if len(re.findall(r"[.!?](?:\s|$)", rest)) > 1 + points or is_strict(rest):
        return False
    if _DOCUMENT_NAME.search(raw) and len(rest.split()) <= 2 * MIN_WORDS_BESIDE_LINKS and not is_rule(raw):
        return True
    if "](" in raw and len(re.findall(r"\w{2,}", rest)) <= MIN_WORDS_BESIDE_LINKS:
        return True
    return bool(points or _LINK_ITEM.match(raw) or _SEE.search(raw)) and len(rest) < 2 * MIN_SAID_CHARS


def kind_of_heading(heading: str) -> str:
    """The kind of lines that a heading announces; "" if it announces no kind."""
    return next((kind for kind, pattern in _HEADING_PATTERNS if pattern.search(heading)), "")


def forbids_below(heading: str) -> bool:
    """Whether a heading is the beginning of a prohibition that each line below it continues, such as `Do not`."""
    return bool(_FORBIDDING_HEADING.match(heading))


def is_remark(text: str) -> bool:
    """Whether a line only makes sense after the line before it, such as `Note: ...` or `This means ...`."""
    return bool(_REMARK.match(text)) or (text.startswith("(") and text.rstrip(".").endswith(")"))


def lacks_subject(text: str) -> bool:
    """Whether a sentence depends on the text before it, or does not name its subject."""
    return is_remark(text) or bool(_NO_SUBJECT.match(text))


def describes(text: str) -> bool:
    """Whether a line has a verb that says how something is."""
    return bool(_DESCRIBES.match(text[:MAX_CHARS]))


def states(text: str) -> bool:
    """Whether a line says what or where something is, rather than how it should be."""
    text = text[:MAX_CHARS]
    if _FOR_ALL.match(text):
        return False
    return begins_with_effect(text) or bool(_STATES.match(text.partition(" (")[0]) or _STATES_OF_THE.match(text))


def find_command(item: str) -> str:
    """The code at the beginning of an item, after its label; "" if there is none or the item names a time."""
    found = _COMMAND_ITEM.match(item)
    return "" if not found or _BOUND_TO_A_TIME.search(re.sub("`[^`]*`", "", item)) else found.group(1)


def is_document(raw: str) -> bool:
    """Whether an item begins with the name of a document, or a link."""
    return bool(_DOCUMENT.match(raw))


def links_note(raw: str) -> bool:
    """Whether a line has a link to a Markdown file."""
    return bool(_NOTE_LINK.search(raw[:MAX_CHARS]))


def has_steps_below(heading: str) -> bool:
    """Whether a heading announces steps to be done in order."""
    return bool(_STEPS.search(heading))


def is_target(raw: str) -> bool:
    """Whether an item names a document, a folder or a link."""
    return bool(_TARGET.search(raw[:MAX_CHARS]))
