"""Proposes what a memory forbids, from the sentences of its rule (docs/reference/import.md, "What a rule forbids").

Only what a sentence clearly forbids is proposed: `Never use print(), use the logger` forbids `print()` alone.
"""

import builtins
import re

from ..._backend import BUILT_IN, normalize_forbid
from .record_limits import MAX_FORBIDS

MAX_TEXT_CHARS = 4000
# No rule is longer. A pattern below is tried at each place of a sentence and may read on to its end, so the time grows
# with the square of this number. That holds as long as two neighbours in a pattern never fit the same blanks or words.
MAX_SENTENCE_CHARS = 600
# A text in backticks. In the pattern below, each is a word `\0NUMBER\0`.
_CODE = re.compile(r"`([^`\n]{1,120})`")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\0*])|\n+|;\s|\s[-\u2013\u2014]{1,2}\s|\u2014")
_SPAN = re.compile(r"\0(\d+)\0")
# The rest of a list of things.
_LISTED = re.compile(r"^(?:(?:\s*[,;/]\s*|\s+)(?:(?:and|or|nor)\s+)?\0\d+\0)+")

# The words that begin a prohibition, with the verb behind them.
_FORBIDDING = re.compile(
    r"\b(?:never(?! \w+[^s\W]s\b)|do not|don't|must(?: not|n't)|may not|should(?: not|n't)|shall not|"
    r"(?:(?<=you )|(?<=we ))(?:cannot|can't)|"
    r"avoid|no|not|forbidden|banned|prohibited|disallowed|instead of|rather than|over|nobody|no one|nothing)\b",
    re.IGNORECASE,
)
_IN_EXAMPLE = re.compile(r"\b(?:e\.g\.|i\.e\.|for (?:example|instance)\b)[^.;)]*$", re.IGNORECASE)
# `It only affects `a`, not `b`` describes, and so does `the hook uses `a`, not `b``.
_AFFECTS = re.compile(r"\b[a-z]+[^s\W]s\s+[*_]*\0\d+\0[*_]*,?\s*$")
_DOER = re.compile(r"\b(?:it|they|which|who|that)\s+$", re.IGNORECASE)
_IS_FAULT = re.compile(
    r"\b(?:typed|declared|defined|written|done|made|stored|passed|used) (?:as|with|by|in)\s+\0\d+\0\s+$"
)
_COMPARING = ("over", "rather than", "instead of")
_PREFERS = re.compile(r"\b(?:prefer|favou?r)(?:s|red|ably)?\b", re.IGNORECASE)
_DESCRIBES = re.compile(
    r"^\W*(?:calls|checks|imports|reads|returns|runs|sends|sets|takes|uses|writes)\b", re.IGNORECASE
)
_NEEDS_A_THING = ("not", "no", "over", "nothing")
# What ends it: the recommended thing, the exception or the reason follows.
_ENDING = re.compile(
    r"\b(?:instead(?! of)|prefer|but|except|unless|only|outside|because|since|so|which|that|when|where|while|if|"
    r"always|in favou?r of|replaced?|switch to|go through|goes? through|allowed|fine|ok)\b|"
    r"[,:(]\s*(?:please\s+)?(?:use|call|run|import|write|edit|log|take|we|it|they|the|and (?:use|run|call))\b",
    re.IGNORECASE,
)
# `print() is forbidden`: the thing stands before.
_AFTER = re.compile(
    # `whose `x` is never called` says what happens, and so does every other participle.
    r"\b(?:is|are)\s+(?:strictly\s+|always\s+)?(?:forbidden|banned|prohibited|disallowed|off limits|"
    r"(?:not|never) (?:allowed|permitted))\b|"
    # `may not be visible` and `cannot be trusted` forbid nothing.
    r"\b(?:must|may|should|shall|can)(?:\s+(?:not|never)|not)\s+be\s+(?:\w+ly\s+)?(?:\w+-)?(?:used|called|invoked|run|executed"
    r"|imported|installed|added|introduced|edited|changed|modified|touched|committed|written|deleted|renamed|moved)\b",
    re.IGNORECASE,
)
_EDITED = re.compile(r"[^.]{0,40}?\b(?:edited|changed|modified|touched|committed|written to)\b", re.IGNORECASE)
# A rule about one case, such as a command without an option, forbids nothing by itself.
_CONDITION = re.compile(
    r"^[\s\w,*]{0,12}\b(?:without|unless|until|before|prior to|after|except|outside|more than|if|when|other than)\b",
    re.IGNORECASE,
)
_LEADING_CONDITION = re.compile(
    r"^[\s*_+-]*(?:(?:when|whenever|if|while|where|unless)\b"
    r"|(?:only )?(?:for|on|during|inside|within) (?:an?|the|each|every|all|any|\0\d+\0))[^,]{3,160},",
    re.IGNORECASE,
)
# What an example forbids is one case of the rule.
_EXAMPLE = re.compile(r"^[\s*_+>\d.)-]*(?:for (?:example|instance)|examples?|e\.g)\b", re.IGNORECASE)
# The words before a place: what follows is where, and not what.
_PLACE = re.compile(
    r"\b(?:in|inside|within|under|below|into|to|from|on|at|with|of|for|by|via|through|between)\s+(?:(?:the|an?)\s+)?$",
    re.IGNORECASE,
)
_VERBS = {
    "import": re.compile(
        r"\b(?:import|depend on|rely on|require|pull in|add a dependency on)(?:s|d|ed|ing)?\b", re.IGNORECASE
    ),
    "path": re.compile(
        r"\b(?:(?:hand-)?edit|modify|change|touch|write to|commit|check in|delete|rename|move|update)"
        r"(?:s|d|ed|ting|ing)?\b",
        re.IGNORECASE,
    ),
    "call": re.compile(r"\bcall(?:s|ed|ing)?\b", re.IGNORECASE),
    "command": re.compile(r"\b(?:run|execute|invoke|ship with)(?:s|d|ed|ning|ing)?\b", re.IGNORECASE),
}
_USING = (
    "use call import run execute invoke add introduce install require depend rely pull bring ship edit hand-edit modify"
    " change touch write commit check delete rename move update raise throw return hardcode hard-code access reach"
    " switch fall"
).split(" ")
_FORMS = "|".join([rf"{verb.removesuffix('e')}(?:e|es|ed|s|{verb[-1]}?ing)?" for verb in _USING])
# All that may stand between the word that forbids and the thing: a verb that uses the thing, and words that do not
# make it another one. `Never mock x` and `no global x` forbid something else than `x`.
_REACHES = re.compile(
    r"\W*(?:(?:ever|please|again|to|(?:try|attempt)(?:ing)? to|\w+ly)\s+)*"
    rf"(?:(?:{_FORMS})(?:\s+(?:on|to|in|back|for|with))*\s+)?"
    r"(?:(?:the|an?|any|raw|bare|plain|old|legacy|deprecated|built-?in|direct|native|manual|new|your own|calls? to"
    r"|use of|usage of|uses of|imports? of|library|module|package|command|function)[^\w\s]*\s+)*"
    r"(?:(?:[\w-]+\s+){0,4}?(?:files?|artifacts?|outputs?)(?:\s+(?:like|such as))?[^\w\s]*\s+)?[(:]?\s*",
    re.IGNORECASE,
)
# What stands behind the thing, and makes the rule one about something else, or about one case of it.
_NARROWED = re.compile(
    r"\s*(?:\+|suffix|prefix|naming|names?\b|named|styled?\b|format|branch|labels?\b|checks?\b|from\b|by default\b"
    r"|,?\s*(?:and|or)\s+(?:[\w-]+\s+){0,3}names\b|(?:[\w-]+\s+)?(?:for|between|as|again|during|while|with|on)\s"
    r"|in\s+(?:[\w-]+\s+){0,2}tests?\b|only\b|\u2192|->"
    # ``No `tools` entry``.
    r"|(?:entry|entries|fields?|keys?|headers?|claims?|tags?|attributes?|parameters?|columns?|props|subfolders?|folders?"
    r"|director(?:y|ies)|workflows?)\b"
    # One situation: ``inside of a transaction``, ``in a loop``, ``around a wrong type``.
    r"|(?:from )?(?:inside|within|around)\b|in\s+an?\s+(?:\w+\s+)?(?:loop|transaction)\b"
    # The thing is a verb with an object: ``do not `Get` an object you just wrote``.
    r"|(?:an?|the|each|every|all|any(?! more| longer)|your|\0\d+\0)\s+[\w\0`])",
    re.IGNORECASE,
)
# `Never x (or y) a z` is about `x` of `z`. Signs of emphasis mean nothing.
_BESIDE = re.compile(r"^[*_\s)]*(?:\([^()]{0,80}\)\s*)?")
# `Do not add x to the primary y`: it may be added to something else. A project and its dependencies are everything.
_ADDS = re.compile(r"\b(?:add|attach|append|apply|pass|introduce|bind)(?:s|ed|ing)?\b", re.IGNORECASE)
_TO_ONE_THING = re.compile(
    r"\s*to\s+(?!(?:(?:the|this|our|your|any|all|a)\s+)?(?:[\w-]+\s+)?"
    r"(?:dependenc|project|code|repo|bundle|build|package))",
    re.IGNORECASE,
)
# A verb that takes the preposition behind it.
_TAKES = re.compile(
    r"\b(?:depend(?:ing)? on|rely(?:ing)? on|write to|switch(?:ing)?(?: back)? to|fall back to|ship with)\s+$",
    re.IGNORECASE,
)
# Programs whose commands people write into rules.
_PROGRAMS = frozenset(
    "ansible apt aws bazel black brew bun bundle bunx cargo cmake composer conda curl deno docker docker-compose "
    "dotnet flutter gem gh git go gradle gradlew helm jest kubectl kustomize make mix mvn nodemon npm npx nx php pip "
    "pip3 pipenv pnpm poetry psql pytest python python3 rails rake redis-cli rm rsync ruby rustup sbt sed ssh sudo "
    "swift systemctl terraform tox tsc twine uv vagrant virtualenv wget yarn yum".split(" ")
)
# `git commands` names a kind of command, and no command.
_NO_SUBCOMMAND = frozenset(
    ("commands", "command", "operations", "scripts", "script", "tools", "hooks", "itself", "manually")
)
_KEYWORDS = frozenset(
    "abstract admin and any array async await bool boolean break byte case catch char class const continue def "
    "default delete develop do double dynamic elif else enum except export extends false final finally float for "
    "function fn func global goto head if if-else implements import int interface lambda latest let list long loop "
    "main master mod module mut new nil none null number object origin override package panic private protected "
    "public raise record return root self short signed static str string struct super switch symbol this throw trait "
    "true try tuple type typedef undefined union unknown unsafe unsigned use using var virtual void while with "
    "yield".split(" ")
)
_BARE = re.compile(
    r"\b(?:run|use|execute|invoke|call)\s+("
    + "|".join(sorted(_PROGRAMS, key=len, reverse=True))
    + r")((?:\s+-{1,2}[A-Za-z][\w-]*|\s+[a-z][a-z-]+)*)"
)
_NAME = re.compile(r"[A-Za-z_$@#][\w$.:!@/-]*[\w!$]|[A-Za-z_$]")
_PLAIN_NAME = re.compile(r"[a-z_]\w*")
_CALL = re.compile(r"([.@]?[A-Za-z_$][\w$.:]*!?)\(([^()\[\]{}]*)\)?")
# A value with a name, which cannot be another one: `shell=True`.
_NAMED_VALUE = re.compile(r"\b(([A-Za-z_]\w*) ?= ?(?:True|False|None|true|false|null))(?=\s*(?:,|$))")
# Names whose value is a danger in each call that has it, unlike `axis`.
_DANGEROUS_NAMES = frozenset(
    "Loader allow_pickle autoescape check_hostname shell trust_remote_code verify verify_ssl".split()
)
# The words directly before the name of a module, where it stands without one of the verbs above.
_BEFORE_MODULE = re.compile(
    r"(?:^|\b(?:us|add|install|introduc|pull in|bring in|writ|call)(?:e|es|ing|s)?|,|"
    r"\b(?:no|never|avoid|of|than|over|and|or|nor))\s*(?:(?:the|any|a)\s+)?$",
    re.IGNORECASE,
)
# What so many types have that the name alone says nothing. With its type, as in `Session.close`, it is clear.
_COMMON_NAMES = frozenset(
    "add all append apply begin bind build call cancel check clear clone close commit compare connect copy count "
    "create decode delete describe disconnect dispose do done encode end equal equals error execute exists fetch "
    "filter find first flush format get handle hash init insert invoke item items join keys last len length list "
    "listen load lock map match merge new next notify open parse patch poll pop post process publish push put query "
    "read receive reduce register release reload remove rename render replace request reset resolve restart resume "
    "rollback run save search select send set size skip sort split start status stop store submit subscribe swap sync "
    "test then trim update upload validate value values wait watch write".split()
)
# A method of a variable whose name says nothing: `r.Update` is ordinary code, whatever `r` is.
_VARIABLE = re.compile(
    r"(?:[a-z]|self|this|cls|obj|ctx|req|res|resp|client|conn|db|tx|session)\.(\w+)(?:\(.*)?", re.DOTALL
)
# A module that is called one: ``the package `request` `` and ``the `request` package``.
_MODULE_WORD = r"(?:packages?|modules?|library|libraries|dependency|dependencies|crates?|gems?)"
_MODULE_BEFORE = re.compile(rf"\b{_MODULE_WORD}\s+$", re.IGNORECASE)
_MODULE_BEHIND = re.compile(rf"[*_\s]*{_MODULE_WORD}\b", re.IGNORECASE)
_USES_MODULE = re.compile(
    r"\b(?:(?:use|import|install|add|introduce|require|depend|rely|pull|bring)(?:s|ing)?|using|introducing|requiring|no"
    r"|avoid|never|not|instead of|rather than)\s+(?:(?:on|in)\s+)?(?:(?:the|an?|any)\s+)?(?:\w+\s+)?"
    rf"(?:{_MODULE_WORD}\s+)?$",
    re.IGNORECASE,
)
# A rule about how things are named gives names as examples.
_ON_NAMES = re.compile(
    r"\b(?:naming|prefix|suffix|underscores?|stutter\w*|spell\w*|abbreviat\w*|(?:camel|snake|pascal|kebab)\W?case)\b"
    r"|\bnames?:",
    re.IGNORECASE,
)
# Names that stand for any other. `example/config.json` is a file.
_PLACEHOLDER = re.compile(
    r"(?:(?:foo|bar|baz|qux|xxx|(?-i:[a-z]{2,}X))\b|example\b(?!/)|#(?:n+|\d+)\b|@(?:name|user(?:name)?|mention|handle)\b)",
    re.IGNORECASE,
)
# An order to use a thing: what one sentence of a rule recommends is not forbidden by another one.
_ORDERED = re.compile(r"(?:^|[\n.;:*-])\s*(?:always\s+)?(?:use|prefer|call)\s+\0(\d+)\0", re.IGNORECASE)
_USES = re.compile(r"\b(?:use[sd]?|using|import|install|prefer|choose)(?:s|ed|ing)?\b", re.IGNORECASE)
# What is recommended in place of a thing: if it is code, the thing is no module.
_RECOMMENDED = re.compile(r"[a-z][A-Z]|[(=]")
_MODULE = re.compile(r"@?[A-Za-z_][\w./@-]*")
_IMPORT = re.compile(r"(?:import|from|use|require|#include)\s+[\"'<(]*([@\w][\w./:@-]*)")
_FILE = re.compile(
    r"[\w.*?@~-]+(?:/[\w.*?@-]*)+|\*\.\w+|[\w-]+(?:\.d)?\.(?:json|lock|toml|ya?ml|sql|proto|cfg|ini|env|md|txt|csv|mod|sum"
    r"|[cm]?[jt]sx?|py|rs|go|java|kt|rb|css|scss|html|sh)"
)


def propose_forbids(text: str) -> list[str]:
    """What the sentences of a rule forbid, as entries of `forbids`; empty if none is clear."""
    spans: list[str] = []

    def hide(found: "re.Match[str]") -> str:
        spans.append(found[1].strip())
        return f"\0{len(spans) - 1}\0"

    hidden = _CODE.sub(hide, text[:MAX_TEXT_CHARS].replace("\0", " ").replace("\u2019", "'"))
    ordered = {spans[int(found[1])] for found in _ORDERED.finditer(hidden)}
    entries: list[str] = []
    for sentence in _SENTENCE.split(hidden):
        entries += _of_sentence(sentence[:MAX_SENTENCE_CHARS], spans, ordered)
    normal = [normalize_forbid(entry) for entry in entries]
    return list(dict.fromkeys([entry for entry in normal if entry]))[:MAX_FORBIDS]


def _of_sentence(sentence: str, spans: list[str], ordered: set[str]) -> list[str]:
    """The entries of one sentence, in which the texts in backticks are hidden, without those that are `ordered`."""
    entries: list[str] = []
    if _LEADING_CONDITION.match(sentence) or _EXAMPLE.match(sentence):
        return entries
    for begin, end in _forbidden_ranges(sentence):
        clause = sentence[begin:end]
        # `Files in src/gen/ must not be edited`: the place is what is forbidden.
        is_about_files = _EDITED.match(sentence, end) is not None
        for found in _SPAN.finditer(clause):
            before, behind = clause[: found.start()], sentence[begin + found.end() :]
            alone = _without_list(before)
            is_place = _PLACE.search(alone) is not None and not _TAKES.search(alone)
            if (is_place and not is_about_files) or _CONDITION.search(behind) or not _reaches(alone):
                continue
            if spans[int(found[1])] in ordered:
                continue
            rest = _BESIDE.sub(" ", _LISTED.sub("", behind), count=1)
            if _NARROWED.match(rest) or (_ADDS.search(alone) and _TO_ONE_THING.match(rest)):
                continue
            if _is_spelling(spans[int(found[1])], sentence, sentence[:begin], spans):
                continue
            is_code = _is_beside_code(sentence[:begin], spans, is_first=not alone.strip())
            if _is_called_module(spans[int(found[1])], sentence[: begin + found.start()], behind):
                entries.append(f"import: {spans[int(found[1])]}")
                continue
            entries += _entry_of(spans[int(found[1])], "edit " if is_about_files else before, is_code=is_code)
        bare = _BARE.search(clause)
        if bare and not _CONDITION.search(clause[bare.end() :]):
            entries += _bare_command(bare[1], bare[2].split())
    return entries


def _forbidden_ranges(sentence: str) -> list[tuple[int, int]]:
    """The parts of a sentence that name what is forbidden."""
    ranges = []
    for found in _AFTER.finditer(sentence):
        # Only the things directly before: `print() and eval() are banned`.
        listed = re.search(
            r"(?:\0\d+\0(?:\s*,\s*|\s+(?:and|or|nor)\s+|\s*,\s*(?:and|or)\s+)?)+\s*(?:\w+\s+)?$",
            sentence[: found.start()],
        )
        if listed:
            ranges.append((listed.start(), found.start()))
    at = 0
    while (begun := _FORBIDDING.search(sentence, at)) is not None:
        at = begun.end()
        if not _begins_anew(begun, sentence):
            continue
        ending = _ENDING.search(sentence, at)
        end = ending.start() if ending else len(sentence)
        again = _FORBIDDING.search(sentence, at, end)
        end = again.start() if again and _begins_anew(again, sentence) else end
        # A comma ends it, unless a list goes on.
        for comma in re.finditer(r",(?!\s*(?:\0|or\s|and\s+\0|nor\s))", sentence[at:end]):
            end = at + comma.start()
            break
        ranges.append((at, end))
        at = max(at, end)
    return ranges


def _begins_anew(found: "re.Match[str]", sentence: str) -> bool:
    """Whether a word in a sentence begins a prohibition."""
    word = found[0].lower()
    before = sentence[: found.start()]
    # `Fields typed as a instead of b` tells what is wrong.
    if word in _COMPARING and _IS_FAULT.search(before):
        return False
    if (word in _COMPARING or word == "not") and (_IN_EXAMPLE.search(before) or _AFFECTS.search(before)):
        return False
    # `They never call x()` describes, and who prefers one thing does not forbid the other.
    if (word == "never" and _DOER.search(before)) or (word in _COMPARING and _PREFERS.search(before)):
        return False
    return word not in _NEEDS_A_THING or _forbids_thing(word, sentence, found.start())


def _forbids_thing(word: str, sentence: str, at: int) -> bool:
    """Whether a short word at a place forbids the thing behind it, and does not only say how something is.

    `No print()` and `use a, not b` do; `the table sets no limit` and `it runs over items` do not.
    """
    if not re.match(r"\s+(?:the\s+|any\s+|use of\s+)?(?:\w+\s+)?\0", sentence[at + len(word) :]):
        return False
    before = sentence[:at]
    # `Parts are built directly (no `x`)` and `Uses `y` (not `x`)` describe.
    if before.rstrip().endswith("(") and (word == "no" or _DESCRIBES.match(before)):
        return False
    if word == "over":
        return bool(re.search(r"\b(?:choose|use|pick)\b", before, re.IGNORECASE))
    return bool(re.search(r"(?:^|[^\w\s]|\b(?:and|but|use|have|add|allow|please))\s*$", before, re.IGNORECASE))


def _is_called_module(text: str, before: str, behind: str) -> bool:
    """Whether a sentence says of a text in backticks that it is a package, and that it is not to be used."""
    is_called = _MODULE_BEFORE.search(before) or _MODULE_BEHIND.match(behind)
    return bool(is_called and _MODULE.fullmatch(text) and _USES_MODULE.search(before))


def _is_spelling(text: str, sentence: str, before: str, spans: list[str]) -> bool:
    """Whether a name is an example of how names are not to be written: `userId`, not `userID`."""
    if not re.fullmatch(r"\w+(?:\(.*)?", text):
        return False
    if _ON_NAMES.search(sentence):
        return True
    recommended = _SPAN.findall(before)[-1:]
    return any(_folded(spans[int(each)]) == _folded(text) for each in recommended)


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _is_beside_code(before: str, spans: list[str], *, is_first: bool) -> bool:
    """Whether a thing is no module, because of the text before the prohibition that names it.

    With `Use a instead of b`, both are of one kind; `Use start, not dev` and `use a (never b)` tell of names.
    """
    recommended = _SPAN.findall(before)[-1:] if before.endswith((" of", " than", " over")) else []
    is_code = any(_RECOMMENDED.search(spans[int(each)]) for each in recommended)
    is_term = re.search(r"\((?:instead of|rather than)$", before) and not _USES.search(before)
    return is_code or bool(is_term) or (is_first and re.search(r"\b(?:not|never)$", before, re.IGNORECASE) is not None)


def _reaches(before: str) -> bool:
    """Whether the words before a thing, from the word that forbids on, forbid the thing itself."""
    before = re.sub(r"\s+", " ", before)
    tail = before.rpartition(" or ")[2]
    return bool(_REACHES.fullmatch(before) or (tail.strip() and _REACHES.fullmatch(tail)))


def _without_list(before: str) -> str:
    """The text before a list of things in backticks, if it ends with one."""
    return re.sub(r"(?:\0\d+\0(?:\s*[,;/]\s*|\s+(?:and|or|nor)\s+|\s*,\s*(?:and|or)\s+))+$", "", before)


def _entry_of(text: str, before: str, *, is_code: bool) -> list[str]:
    """The entry for a text in backticks, judged by itself and by the verb before it; empty if its kind is not clear.

    `is_code` says that the text is no module, because of what is recommended in its place.
    """
    last = max(
        ((found.start(), kind) for kind, verb in _VERBS.items() for found in verb.finditer(before)), default=(0, "")
    )[1]
    if "*" in text and "import" in text:
        # Another way to import the module stays allowed.
        return []
    if _PLACEHOLDER.match(text):
        return []
    if last == "import" and re.search(r"\.[A-Z]", text):
        # `settings.SITE_ID` is no module.
        last = ""
    imported = _IMPORT.fullmatch(text.rstrip(";\"')>")) or _IMPORT.match(text)
    if imported:
        return [f"import: {imported[1]}"]
    words = text.split()
    if (words and words[0].removeprefix("$") in ("", *_PROGRAMS)) or (len(words) > 1 and last == "command"):
        words = words[1:] if words[0] == "$" else words
        is_plain = all(re.fullmatch(r"[\w./:@=+-]+", word) for word in words)
        return ["command: " + " ".join(words)] if words and is_plain else []
    if last == "path" or (_FILE.fullmatch(text) and "/" in text and last != "import"):
        is_file = _FILE.fullmatch(text) and not text.startswith(("/", "~"))
        return [f"path: {text}"] if is_file and last == "path" else []
    name = text.partition("(")[0]
    of_variable = _VARIABLE.fullmatch(text)
    if of_variable and (of_variable[1].lower() in _COMMON_NAMES or len(of_variable[1]) == 1):
        return []
    is_common = name.lower() in _COMMON_NAMES and name not in BUILT_IN
    if last == "call" and _PLAIN_NAME.fullmatch(text) and not is_common:
        return [f"code: {text}()"]
    if last == "command" and len(words) == 1 and _NAME.fullmatch(text):
        return [f"command: {text}"]
    if is_common and last != "import":
        return []
    called = _CALL.fullmatch(text)
    if called and called[1] in _KEYWORDS:
        return []
    if called:
        named = [value for value, name in _NAMED_VALUE.findall(called[2]) if name in _DANGEROUS_NAMES]
        if "=" not in called[2]:
            return [f"code: {called[1]}()"]
        # A call with a named value is one use of a function, and not each of them.
        return [f"code: {value}" for value in named] if len(named) == called[2].count("=") == 1 else []
    if last == "import" and _MODULE.fullmatch(text):
        return [f"import: {text}"]
    is_thing = not is_code and _BEFORE_MODULE.search(_without_list(before)) is not None
    return _entry_of_name(text, is_thing=is_thing)


def _entry_of_name(text: str, *, is_thing: bool) -> list[str]:
    if text in BUILT_IN:
        return [f"code: {text}()"]
    is_name = _NAME.fullmatch(text) is not None and len(text) > 1
    is_marked = bool(re.search(r"[._$:!@#]|[a-z][A-Z]|[A-Z]{2}|^[A-Z][a-z]+$|/", text.rstrip(".:")))
    if is_name and is_marked and not text.startswith(("--", "/")) and not _FILE.fullmatch(text):
        return [f"code: {text}"]
    # Another word of small letters is a module, if it is none of the words that languages and Git have.
    is_module = is_thing and re.fullmatch(r"[a-z][a-z0-9-]{2,}", text) and text not in _KEYWORDS
    is_module = is_module and not hasattr(builtins, text)
    return [f"import: {text}"] if is_module else []


def _bare_command(program: str, behind: list[str]) -> list[str]:
    """A command that stands in a sentence without backticks: its program, a word, and the options behind that."""
    if behind[:1] and behind[0] in _NO_SUBCOMMAND:
        return []
    words = [program]
    for place, word in enumerate(behind):
        if not word.startswith("-") and (
            place or word in ("in", "on", "to", "for", "at", "as", "directly", "here", "and", "or", "by")
        ):
            break
        words.append(word)
    return ["command: " + " ".join(words)] if len(words) > 1 or program in ("npm", "yarn", "sudo", "pip") else []
