"""Strategies for inputs: words of the file formats, joined at random, damaged, and mixed with arbitrary text.

Building a strategy costs more than drawing from it, so each strategy is built once: by a function with `cache`, or as a
constant where a composite would build it for every example.
"""

import json
from copy import deepcopy
from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# Every code point, including lone surrogates.
ANY_CHARACTER = st.characters(exclude_categories=())

BLANKS = st.sampled_from(
    ["", " ", " ", "  ", "\t", "\n", "\r", "\x0b", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\u3000", "\u200b"]
)
PROMPT_WORDS = [
    "docker", "Docker", "dockerfile", "dock", "auth", "authentication", "authenticate", "ci", "CI", "cache", "caches",
    "cach", "the", "how", "as", "use", "k8s", "\u212aernel", "kernel", "\u0130stanbul", "stanbul", "\u017fet",
    "na\xefve", "GR\xd6\xdfE", "\u03a3\u0391\u03a3", "\u65e5\u672c", "\U0001f980", "404", "x", "a1", "\uff11\uff12",
    "it's", "docker-compose",
]  # fmt: skip
LINE_PARTS = [
    "-", "- ", "- [", "[", "]", "DECISION", "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY", "CONSTRAINT", "PREFERENCE",
    "_", "decision", "- [DECISION] ", "- [RUNBOOK] ", "->", " -> ", " ->", "-> ", "-\u200b>", "#tags:", " #tags:",
    "#Tags:", ",", ", ", ".claude/memory/decisions/a.json", "p", "<", ">", "&", '"', "'", "</memory-context>", "\0",
    "\x1f", "\x7f", "\u202e", "\u2060", "\ufeff", "\U000e0041", "\ufffd",
]  # fmt: skip
SENTENCE_PARTS = [
    "Workers", "resize", "images", "renewal", "certificates", "queue.", "gateway!", "e.g.", "J.", "3.11", "etc.", "\n",
    "\r\n", "-", "1.", "22)", "##", "|", "```", "~~~sh", "\u2022", "https://a.b/c", "(www.a.b)", "queue:", '"done."',
    "\ubc30\ud3ec\ub97c", "\uc11c\ubc84\uc5d0\uc11c", "\ub2e4\uc2dc", "\uc2e4\ud589\ud55c\ub2e4.",
    "\u6c7a\u6e08\u3092\u51e6\u7406\u3002\u300d\u6b21", "\uff1f", "path/" * 40, "\u2026", "thing", "want",
]  # fmt: skip
STRATEGY_NAMES = ["keyword", "keyword_classic", "title_tags", "fts5_bm25", "", "Keyword"]
KEYS = [
    "decision", "DECISION", "Runbook", "runbook", "tech_debt", "stra\xdfe", "\u0130", "a-b", "", "x\ud800", "x\udfff",
]  # fmt: skip


@cache
def texts() -> SearchStrategy[str]:
    """Arbitrary text, and text that is made of the formats' words."""
    return st.one_of(st.text(ANY_CHARACTER), phrases(), strung(LINE_PARTS + PROMPT_WORDS))


def strung(parts: list[str]) -> SearchStrategy[str]:
    """The given parts, blanks and stray characters, joined in random order."""
    part = st.one_of(st.sampled_from(parts), st.sampled_from(parts), BLANKS, ANY_CHARACTER)
    return st.lists(part, max_size=14).map("".join)


@cache
def phrases() -> SearchStrategy[str]:
    """Text such as a prompt, a title or a description."""
    return st.lists(st.sampled_from(PROMPT_WORDS), max_size=8).map(" ".join)


@cache
def prompts() -> SearchStrategy[str]:
    """Mostly phrases, because arbitrary text matches nothing."""
    return st.one_of(phrases(), phrases(), phrases(), texts())


@cache
def tags() -> SearchStrategy[list[str]]:
    """Lists of tags: some are tags of an index, and some are arbitrary texts."""
    return st.lists(st.one_of(st.sampled_from(PROMPT_WORDS), phrases(), texts()), max_size=5)


@cache
def descriptions() -> SearchStrategy[list[tuple[str, str]]]:
    """Pairs of category key and description; keys may repeat and have any case."""
    return st.lists(st.tuples(st.one_of(st.sampled_from(KEYS), texts()), prompts()), max_size=4)


@cache
def revisions() -> SearchStrategy[str]:
    """The names of both revisions, and sometimes an unknown name."""
    return st.one_of(st.sampled_from(["current", "classic"] * 4 + ["keyword", "Current"]), texts())


CATEGORIES = ["DECISION", "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY", "OWN"]
PATHS = [".claude/memory/decisions/a.json", "p", "a/b.json", "->", "p#tags:x"]


@cache
@st.composite
def good_index_lines(draw: st.DrawFn) -> str:
    """Valid lines of an index."""
    title = " ".join(draw(st.lists(st.sampled_from(PROMPT_WORDS), min_size=1, max_size=6)))
    marked = draw(st.lists(st.sampled_from(PROMPT_WORDS), max_size=3).map(",".join))
    suffix = f" #tags:{marked}" if marked else ""
    return f"- [{draw(st.sampled_from(CATEGORIES))}] {title} -> {draw(st.sampled_from(PATHS))}{suffix}"


ODD_TITLES = st.one_of(phrases(), texts())
SUFFIXES = st.sampled_from(["", "marked", "#tags:a", " x", " -> q", " #tags:"])
ODD_BLANKS = st.one_of(st.just(" "), st.just(" "), BLANKS)
ODD_CATEGORIES = st.sampled_from([*CATEGORIES, "", "a"])


@cache
@st.composite
def odd_index_lines(draw: st.DrawFn) -> str:
    """Lines that are built like index lines, but have arbitrary parts."""
    title, marked, suffix = draw(ODD_TITLES), draw(tags()), draw(SUFFIXES)
    if suffix == "marked":
        suffix = " #tags:" + ",".join(marked)
    first, second, third, fourth = (draw(ODD_BLANKS) for _ in range(4))
    category, path = draw(ODD_CATEGORIES), draw(st.sampled_from(PATHS))
    return f"-{first}[{category}]{second}{title}{third}->{fourth}{path}{suffix}"


@cache
def index_lines() -> SearchStrategy[str]:
    """Valid lines, nearly valid lines, and the parts of lines in any order."""
    return st.one_of(good_index_lines(), odd_index_lines(), odd_index_lines(), strung(LINE_PARTS))


@cache
def index_files() -> SearchStrategy[bytes]:
    """Whole index files: lines with every kind of line end, prose, raw bytes, and lines near the length limit."""
    long = st.integers(8150, 8200).map(lambda length: b"- [OWN] " + b"x" * (length - 13) + b" -> p")
    odd = st.one_of(
        index_lines().map(lambda line: line.encode("utf-8", "replace")),
        index_lines().map(encoded),
        st.sampled_from([b"# Memory Index", b"", b"\xff", b"- \xc3\x28", b"\xef\xbb\xbf- [OWN] t -> p", b"---"]),
        st.binary(max_size=12),
        st.one_of(long, long.map(lambda data: b"\xff" + data)),
    )
    line = st.one_of(good_index_lines().map(encoded), good_index_lines().map(encoded), odd)
    end = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b"\n\r", b"\r\r\n"])
    return st.lists(st.tuples(line, end).map(b"".join), max_size=12).map(b"".join)


JSON_STRING_PARTS = [
    "a", "docker", " ", "\u00e9", "\U0001f980", "\\n", "\\u0000", "\\u00e9", "\\ud83d", "\\ude00", "\\uD83D\\uDE00",
    "\\/", '\\"', "\\\\", "\\b", "[", "{", "->", "\x7f", "\u2028",
]  # fmt: skip
JSON_SCALARS = [
    "null", "true", "false", "0", "-0", "1", "7", "-3", "20", "21", "5.7", "0.0", "-0.0", "1e2", "1E+400", "-1e400",
    "NaN", "Infinity", "-Infinity", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" * 30,
    '""',
]  # fmt: skip
JSON_DAMAGE = [
    '"', "\\", ",", ":", "]", "}", "{", "[", "0", "-", ".", "e", "+", "\n", "\x1f", "\x00", "\ufeff", "\xa0", "\\u",
    "\\ud8", "\ud800", "'", "/", "nul", "True", "\u0663",
]  # fmt: skip


@cache
def json_strings(*chosen: str) -> SearchStrategy[str]:
    """JSON strings in quotes: made of escapes and brackets, or one of `chosen`."""
    strung_parts = st.lists(st.sampled_from(JSON_STRING_PARTS), max_size=6).map("".join)
    return st.one_of(strung_parts, *[st.just(text) for text in chosen]).map(lambda text: f'"{text}"')


@cache
def json_values(*chosen: str) -> SearchStrategy[str]:
    """JSON text of any value, whose strings are often one of `chosen`."""
    leaves = st.one_of(st.sampled_from(JSON_SCALARS), json_strings(*chosen))
    return st.recursive(leaves, json_containers, max_leaves=8)


def json_containers(values: SearchStrategy[str]) -> SearchStrategy[str]:
    """Lists and objects of the given values."""
    lists = st.lists(values, max_size=4).map(lambda items: f"[{','.join(items)}]")
    return st.one_of(lists, json_objects({}, values))


@st.composite
def json_objects(draw: st.DrawFn, members: dict[str, SearchStrategy[str]], others: SearchStrategy[str]) -> str:
    """A JSON object with most of the members in `members`, a few of them with a wrong type, and with `others`.

    Keys may repeat. Some keys differ only in lone surrogates.
    """
    found = []
    for key, values in members.items():
        kind = draw(st.integers(0, 15))
        if kind > 2:
            found.append(f'"{key}": {draw(others if kind == 3 else values)}')
    found += draw(_other_members(tuple(members) or ("a",), others))
    return "{" + ", ".join(draw(st.permutations(found))) + "}"


@cache
def _other_members(named: tuple[str, ...], values: SearchStrategy[str]) -> SearchStrategy[list[str]]:
    """Members with other names than those in `named`, and members that repeat a name in `named`."""
    named_again = st.sampled_from(named).map('"{}"'.format)
    keys = st.one_of(json_strings("x\\ud800", "x\\udfff", "x\\ufffd"), json_strings(), named_again)
    return st.lists(st.tuples(keys, values).map(": ".join), max_size=2)


def encoded(text: str) -> bytes:
    """The text in UTF-8; lone surrogates are encoded in the same way as other characters."""
    return text.encode("utf-8", "surrogatepass")


ANY_JSON_OR_BYTES = st.one_of(st.binary(), json_values().map(encoded))
DAMAGES = st.one_of(st.sampled_from(JSON_DAMAGE).map(encoded), st.binary(max_size=3))
BEGINNINGS = st.sampled_from([b""] * 15 + [b" \t\r\n", b"\xef\xbb\xbf"])


@st.composite
def json_files(draw: st.DrawFn, objects: SearchStrategy[str]) -> bytes:
    """The bytes of an object from `objects`; sometimes damaged, or replaced with other JSON or random bytes."""
    kind = draw(st.integers(0, 11))
    if kind == 0:
        return draw(ANY_JSON_OR_BYTES)
    text = draw(objects)
    if kind == 1:
        # The nesting is close to the limit. It is in a member that a later member of the same name may replace.
        depth = draw(st.integers(125, 130))
        text = f'{{"title": {"[" * depth}{"]" * depth}, {text[1:]}'
    data = encoded(text)
    if kind in (2, 3, 4):
        damage = draw(DAMAGES)
        place = draw(st.integers(0, len(data)))
        data = data[:place] + damage + data[place + draw(st.integers(0, 3)) :]
    return draw(BEGINNINGS) + data


@cache
def payloads() -> SearchStrategy[bytes]:
    """Payloads of a prompt event; some members are missing, unknown or of the wrong type."""
    string = json_strings("why is docker slow", "")
    fields = ["prompt", "user_prompt", "cwd", "session_id", "transcript_path", "hook_event_name", "permission_mode"]
    members = dict.fromkeys(fields, st.one_of(string, string, st.just("null")))
    members |= dict.fromkeys(["conversation_id", "sessionId", "taskId", "transformedPrompt"], json_values())
    folders = st.lists(st.one_of(string, st.just("3")), max_size=2).map(lambda items: f"[{','.join(items)}]")
    members |= dict.fromkeys(["workspace_roots", "workspaceRoots"], st.one_of(folders, json_values()))
    members["userPromptSubmit"] = st.one_of(json_objects({"prompt": string}, json_values()), json_values())
    return json_files(json_objects(members, json_values()))


COUNTS = ["5", "5.7", " 6 ", "1_0", "_1", "+4", "-4", "\u0667", "\uff11\uff12", "x", "9" * 20, "\\u00a07"]


@cache
def configs() -> SearchStrategy[bytes]:
    """Configuration files in which every setting can be valid or invalid."""
    retrieval = {
        "enabled": st.one_of(st.just("true"), json_values()),
        "max_inject": st.one_of(st.sampled_from(JSON_SCALARS), json_strings(*COUNTS)),
        "match_strategy": json_strings(*STRATEGY_NAMES),
    }
    category = json_objects({"description": json_strings("about docker", "x" * 501, "\u00e9" * 501)}, json_values())
    keys = ["decision", "DECISION", "Runbook", "\u03a3\u03a3"]
    members = {
        "retrieval": json_objects(retrieval, json_values()),
        "categories": json_objects(dict.fromkeys(keys, category), json_values()),
    }
    return json_files(json_objects(members, json_values()))


TIMESTAMP_PARTS = [
    "2026", "2024", "1900", "0000", "9999", "-", "-01", "-02", "-13", "29", "31", "T", " ", ":", "00", "09", "23",
    "24", "59", "60", ".", ",", "5", "123456", "1234567", "+", "Z", "z", "2026-02-01", "20240229", "T03:04:05",
    "+09:00", "-0500", "\u0663",
]  # fmt: skip


STRUNG_TIMES = strung(TIMESTAMP_PARTS)


@cache
@st.composite
def timestamps(draw: st.DrawFn) -> str:
    """Valid timestamps, damaged timestamps, and parts of timestamps in random order."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return draw(STRUNG_TIMES)
    text = draw(st.datetimes()).isoformat(draw(st.sampled_from("T x\u2028")))
    text += draw(st.sampled_from(["", "Z", "+00:00", "+09:30", "-0500", "+23:59:59.999999", "+24:00"]))
    if kind < 3:
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(["", *TIMESTAMP_PARTS])) + text[place + draw(st.integers(0, 2)) :]
    return text


@cache
def memories() -> SearchStrategy[bytes]:
    """Memory files; some are inactive, and some have fields of the wrong type."""
    tags = st.lists(json_strings("ci", "x\\ny"), max_size=3).map(lambda items: f"[{','.join(items)}]")
    members = {
        "title": json_strings("Use Docker", "a -> b #tags:c", "a\\n\\u3000b"),
        "category": json_strings("decision", "tech_debt", "stra\u00dfe", "a\\nb"),
        "tags": st.one_of(tags, json_values()),
        "record_status": json_strings("active", "retired", "archived"),
        "updated_at": st.one_of(st.just('"2026-10-01"'), timestamps().map('"{}"'.format)),
    }
    return json_files(json_objects(members, json_values()))


@cache
def records() -> SearchStrategy[list[tuple[str, str, bytes | None]]]:
    """The memory files of a store, in the form that a rebuild of the index takes."""
    names = ["a.json", "b.json", ".claude/memory/decisions/a.json", "x.json.json", "a b.json"]
    path = st.one_of(st.sampled_from(names), st.sampled_from(names), texts())
    category = st.one_of(st.sampled_from(["decision", "session_summary", "tech_debt"]), texts())
    data = st.one_of(memories(), memories(), memories(), st.none())
    return st.lists(st.tuples(category, path, data), max_size=6)


COMMAND_PARTS = [
    ";", "&", "&&", "||", "|", "(", ")", "((", "))", "{", "}", "<", ">", ">>", ">|", "&>", ">&", "2>", "2>&1", "<>",
    "<<EOF", "<<-'E'", "<<<", "EOF\n", "\tE\n", "<(", ">(", "'", '"', "`", "\\", "\\\n", "$", "$(", "$((", "${",
    "}", "$'", '$"', "$X", "${X}", "${X:-y}", "${X%y}", "$(pwd)", "$HOME", "$PWD", "~", "~/", "#", "@'", "'@", '@"',
    '"@', "<#", "#>", ",", "=", "X=", "X+=", "-", "--", "a", "b/c", "..", ".claude", "/", "memory",
    ".claude/memory/decisions/a.json", "*", "?", "[", "]", "{a,memory}", "C:\\p", "\0", "\u0130", "if", "then",
    "for", "in", "do", "done", "case", "function", "[[", "]]", "!",
]  # fmt: skip
COMMAND_PHRASES = [
    "rm", "rm -rf", "rm -r --", "cp", "cp -t", "mv", "mv -t", "ln -s", "install -m 600", "install -d",
    "rsync -a -e ssh", "me@host:x", "sed -i", "sed -i ''", "sed -ne p", "perl -pi -e", "perl -0777", "tee -a",
    "touch -d now", "truncate -s 0", "dd", "of=x", "find . -delete", "find -L", "-exec rm {} +", "cd", "cd -",
    "pushd", "popd", "bash -c", "sh -eo pipefail -c", "eval", "sudo -u me", "env -i", "command -v", "xargs -I{}",
    "timeout 5", "nohup", "export", "Set-Content -Path", "Set-Content -Path:", "Add-Content", "Out-File -FilePath",
    "Copy-Item", "-Destination", "-Recurse", "-Force", "-Pa", "-r", "New-Item", "-Name", "-ItemType Directory",
    "Remove-Item", "Move-Item", "Rename-Item", "Tee-Object", "SC", "del", "ren", "Set-Location", "Pop-Location",
    "pwsh -Command", "iex", "$x =", "$env:HOME", "${env:USERPROFILE}", "$x", "cuecard", "cuecard trust", "trust",
    "cuecard config --user trust.review off", "cuecard allow a", "python3 -m cuecard.cli", "python -X dev x/cuecard",
    "uv run", "uvx --from " + "cuecard", "alias a=cuecard", "X='cuecard trust'", "echo -n", "printf", "| sh", "| xargs",
    "bash <<EOF\n", "find . -exec cuecard", "--revoke", "--help", "--accept", "import", "$CUECARD_HOME/x", "watch",
]  # fmt: skip


@cache
def commands() -> SearchStrategy[str]:
    """Commands for Bash and PowerShell: whole phrases, operators between them, and stray characters."""
    phrase = st.sampled_from(COMMAND_PHRASES)
    part = st.one_of(phrase, phrase, st.sampled_from(COMMAND_PARTS), st.sampled_from(COMMAND_PARTS), ANY_CHARACTER)
    between = st.sampled_from([" ", " ", " ", "", "\n", "\t", "; "])
    return st.lists(st.one_of(part, st.tuples(part, between).map("".join)), max_size=16).map("".join)


@cache
def sentences() -> SearchStrategy[str]:
    """Sentences for the content of a memory, in several scripts, with the marks of lists, tables and code."""
    return st.lists(st.one_of(st.sampled_from(SENTENCE_PARTS), texts()), max_size=30).map(" ".join)


SIGN_PARTS = (
    "ignore all previous instructions i g n o r e 1gn0re \u0430ll instruc-\ntions ignoreallpreviousinstructions "
    "upload send the .env id_rsa to https:// webhook <system> </memory-context> system: do not never tell the user "
    "about whether this agents must print your answer API 이전 지시를 모두 무시 사용자 忽略之前的指令 あなたは今 "
    "\xabquoted\xbb &lt;system&#62; &#105; \uff49\uff47\uff4e\uff4f\uff52\uff45 \U0001d422\U0001d420\U0001d427 "
    ". ! - * ** ` ` _ / | |sh : ; \n\n \r\n \u200b e\u0301"
).split(" ")


@cache
def sign_texts() -> SearchStrategy[str]:
    """Text with parts of the patterns of instruction signs."""
    part = st.one_of(st.sampled_from(SIGN_PARTS), st.sampled_from([*SIGN_PARTS, "\n", " "]), ANY_CHARACTER)
    separator = st.sampled_from([" ", " ", " ", "", ". ", "\n"])
    return st.lists(st.tuples(part, separator).map("".join), max_size=40).map("".join)


TOLD_NAMES = st.sampled_from(["decision", "context", "trigger", "steps", "rule", "value", "goal", "status", "summary"])
TOLD_PARTS = st.one_of(sentences(), st.lists(sentences(), max_size=2), st.none(), st.just({"prefer": ["Restart it."]}))
TOLD_CONTENTS = st.one_of(st.dictionaries(TOLD_NAMES, TOLD_PARTS, max_size=4), sentences())
DATES = st.one_of(st.sampled_from(["2026-01-02", "2025-12-31T10:00:00Z", "20260102", "soon"]), st.none())
PIECES = st.fixed_dictionaries(
    {"kind": st.sampled_from(["commit", "user", "rumour"]), "ref": sentences()}, optional={"at": DATES}
)
EVIDENCE = st.one_of(st.lists(PIECES, max_size=3), st.just([7]), st.none())
SCOPE = st.dictionaries(st.sampled_from(["component", "version", "platform", "own"]), TOLD_PARTS, max_size=3)
SCOPES = st.one_of(st.lists(st.one_of(SCOPE, sentences()), max_size=3), sentences(), st.none())
GISTS = st.one_of(sentences(), st.just(" "), st.none())


@cache
@st.composite
def told_memories(draw: st.DrawFn) -> bytes:
    """A memory whose content has sentences, in known and unknown fields."""
    category = draw(st.sampled_from([*SOUND_CONTENTS, "note", ""]))
    content = draw(TOLD_CONTENTS)
    record: dict[str, object] = {"category": category, "title": draw(phrases()), "content": content}
    if draw(st.booleans()):
        own: dict[str, object] = {"gist": draw(GISTS), "evidence": draw(EVIDENCE), "valid_from": draw(DATES)}
        record["cuecard"] = {**own, "applies_to": draw(SCOPES), "contradicts": draw(TOLD_PARTS)}
    return json.dumps(record).encode()


SOUND_CONTENTS = {
    "constraint": {"kind": "policy", "rule": "r", "impact": ["i"], "severity": "high", "active": True, "expires": None},
    "decision": {
        "status": "accepted",
        "context": "c",
        "decision": "d",
        "rationale": ["r"],
        "alternatives": [{"option": "o", "rejected_reason": "r"}],
    },
    "preference": {
        "topic": "t",
        "value": "v",
        "reason": "r",
        "strength": "soft",
        "examples": {"prefer": [], "avoid": ["a"]},
    },
    "runbook": {"trigger": "t", "steps": ["s"], "verification": "v", "symptoms": []},
    "session_summary": {"goal": "g", "outcome": "partial", "completed": [], "next_actions": ["n"]},
    "tech_debt": {"status": "open", "priority": "low", "description": "d", "reason_deferred": "r"},
}


@st.composite
def damaged_memories(draw: st.DrawFn, category: str) -> bytes:
    """A valid memory in which up to two parts were removed, added or replaced."""
    memory: dict[str, object] = {
        "schema_version": "1.0",
        "category": category,
        "id": "a-1",
        "title": "t",
        "record_status": "retired",
        "created_at": "2026-01-01",
        "updated_at": "2026-01-01",
        "tags": ["a"],
        "related_files": None,
        "confidence": 0.5,
        "content": json.loads(json.dumps(SOUND_CONTENTS[category])),
        "changes": [{"date": "d", "summary": "s", "field": "f", "old_value": 1, "new_value": [None]}],
        "times_updated": 3,
        "retired_at": "2026-01-02",
        "cuecard": {
            "origin": "user",
            "gist": "g",
            "anchors": ["a"],
            "questions": ["q"],
            "evidence": [{"kind": "commit", "ref": "1a2b3c4", "at": "2026-01-02"}],
            "valid_from": "2026-01-01",
            "applies_to": [{"platform": "ios"}],
            "later": {},
        },
    }
    odd: list[object] = [None, True, 0, 1, -1, 1.0, 0.5, 2**70, "", "a", "-", "x" * 301, [], ["a"], [1], {}, {"a": 1}]
    for _ in range(draw(st.integers(0, 2))):
        place = memory
        key = draw(st.sampled_from([*memory, "new"]))
        inner = memory.get(key)
        if isinstance(inner, dict) and draw(st.booleans()):
            place, key = inner, draw(st.sampled_from([*inner, "new"]))
        if draw(st.integers(0, 2)):
            # The value is copied, because the second step could otherwise put it into itself.
            place[key] = deepcopy(draw(st.sampled_from(odd)))
        else:
            place.pop(key, None)
    return json.dumps(memory).encode()
