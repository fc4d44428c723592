"""Convert the rules of gitleaks into the subset of regular expressions that docs/reference/secrets.md names.

    go mod download github.com/zricethezav/gitleaks/v8@v8.30.1
    python tools/gen_gitleaks_rules.py "$(go env GOMODCACHE)"/github.com/zricethezav/gitleaks/v8@v8.30.1/config/*.toml

It writes `python/cuecard/assets/secret_rules_gitleaks.tsv`. Rules that our own table covers are left out, and so are
the rules in `LEFT_OUT`, which gives the reasons. Run it again for a newer version of gitleaks, then compare what the
old and the new rules find in the two judged sets.
"""

import re
import sys
from pathlib import Path
from typing import Any

# The parser of `re` reads the patterns, so that flags and classes can be written out in full.
from re import _constants as codes  # type: ignore[attr-defined]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined]  # isort: skip

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

from cuecard.store.intake.secret_rules import read_rules  # noqa: E402
from vector_cases import toml_reader  # noqa: E402

TARGET = ROOT / "python" / "cuecard" / "assets" / "secret_rules_gitleaks.tsv"
OWN = ROOT / "python" / "cuecard" / "assets" / "secret_rules.tsv"
HEADER = """\
# Made by tools/gen_gitleaks_rules.py from the rules of gitleaks {version}; do not edit.
# gitleaks is MIT licensed: see secret_rules_gitleaks.LICENSE.txt. docs/reference/secrets.md explains the columns.
"""
LEFT_OUT = {
    "generic-api-key": "finds 9 of 115 harmless texts; our own rules for names of secrets stand in its place",
    "private-key": "searches lazily without a bound; `find_private_keys` does it",
    "curl-auth-header": "searches without a bound; our own rules for headers cover it",
    "curl-auth-user": "searches without a bound; our own rule for programs covers it",
    "kubernetes-secret-yaml": "searches without a bound; encoded values are decoded and searched",
    "jwt": "our own rule",
    "jwt-base64": "encoded values are decoded and searched",
    "sourcegraph-access-token": "takes every commit for a token where a text names Sourcegraph",
    "vault-service-token": "takes `s.` and 24 letters for a token",
    "facebook-access-token": "takes any long number before a percent sign for one",
    "sidekiq-sensitive-url": "our own rule for addresses",
    "nuget-config-password": "our own rule for attributes",
    "freemius-secret-key": "our own rules for names of secrets",
    "hashicorp-tf-password": "our own rules for names of secrets",
    "sonar-api-token": "its first group is no secret; our own rule finds the tokens",
    "microsoft-teams-webhook": "its first group is no secret; our own rule",
    "mailchimp-api-key": "our own rule needs no word in front",
    "mailgun-private-api-token": "our own rule needs no word in front",
    "telegram-bot-api-token": "our own rule needs no word in front",
    "new-relic-user-api-key": "our own rule needs no word in front",
    "atlassian-api-token": "our own rule needs no word in front",
    "linear-client-secret": "its word `linear` is part of too many texts",
    "openai-api-key": "our own rule",
    "flyio-access-token": "our own rule",
    "aws-access-token": "our own rule",
    "slack-webhook-url": "our own rule",
    "slack-legacy-workspace-token": "our own rule",
    "slack-legacy-token": "our own rule",
    "slack-user-token": "our own rule",
    "lob-api-key": "its word `lob` is part of too many others",
    "lob-pub-api-key": "a public key",
    "flutterwave-public-key": "a public key",
    "mailgun-pub-key": "a public key",
    "1password-secret-key": "every part is of upper-case letters and digits: `a3-` names too much",
}
# Client identifiers are not secrets.
PUBLIC = re.compile(r"client-id|access-id|-user-api-id$|mapbox|browser-api")
_ASSIGNED = "(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,)"
_CONTROLS = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Unfit(Exception):
    """A pattern that cannot be written in the subset of docs/reference/secrets.md."""


def main() -> None:
    """Read the files named on the command line, write the table, and print the rules that cannot be converted."""
    path = Path(sys.argv[1])
    rules = toml_reader.loads(path.read_text(encoding="utf-8"))["rules"]
    own = [literal for rule in read_rules([OWN]) if rule.check in ("exact", "doubtful") for literal in rule.literals]
    version = re.search(r"@(v[0-9.]+)", str(path))
    lines, unfit = [], []
    for rule in rules:
        name = rule["id"]
        if "regex" not in rule or name in LEFT_OUT or PUBLIC.search(name):
            continue
        try:
            literals, is_folded, is_assigned, pattern = convert(rule)
        except Unfit as error:
            unfit.append(f"{name}: {error}")
            continue
        if not is_assigned and all(any(_begin_alike(literal, known) for known in own) for literal in literals):
            continue
        check = "doubtful" if is_assigned else "exact"
        text = "folded" if is_folded else "as-is"
        lines.append("\t".join(["rule", name, check, text, " ".join(literals), pattern]))
    TARGET.write_text(HEADER.format(version=version[1] if version else "") + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} of {len(rules)} rules")
    print("\n".join(unfit))


def _begin_alike(literal: str, known: str) -> bool:
    return len(known) > 1 and (literal.lower().startswith(known.lower()) or known.lower().startswith(literal.lower()))


def convert(rule: dict[str, Any]) -> tuple[list[str], bool, bool, str]:
    """Convert a rule: its literals, whether it reads folded text, whether the vendor's name must precede, its pattern.

    Raises Unfit if no literal can be found.
    """
    source = scoped_flags(rule["regex"].replace("[[:alnum:]]", "[A-Za-z0-9]").replace("\\z", "\\Z"))
    is_assigned = _ASSIGNED in source
    is_folded = is_assigned or source.startswith("(?i:")
    if is_folded:
        source = _strip_frame(source)
    tree = parser.parse(source)
    pattern = _sequence(list(tree), is_folded, False)
    if "(?P<secret>" not in pattern:
        pattern = f"(?P<secret>{pattern})"
    if not is_assigned:
        pattern = _with_start(pattern.replace("(?P<secret>%{START}", "(?P<secret>"))
    pattern = re.sub(r"%\{END\}(\)+)(?:%\{END\})?$", r"\1%{END}", pattern)
    literals = [_literal(keyword, pattern, is_folded) for keyword in rule["keywords"]]
    found = sorted({literal for literal in literals if literal})
    prefix = re.match(r"(?:%\{START\})?(?:\(\?P<secret>)?([A-Za-z0-9_-]{4,})(?![?{])", pattern)
    if not found and prefix:
        found = [prefix[1]]
    if not found:
        raise Unfit("the pattern contains no keyword")
    return found, is_folded, is_assigned, pattern


def scoped_flags(source: str) -> str:
    """Replace `(?i)` inside a pattern by a group up to the end of the enclosing group, as Python requires."""
    while found := re.search(r"\(\?(i|-i)\)", source):
        end, depth, in_class = found.end(), 0, False
        while end < len(source):
            char = source[end]
            if char == "\\":
                end += 2
                continue
            if in_class:
                in_class = char != "]"
            elif char == "[":
                in_class = True
            elif char == "(":
                depth += 1
            elif char == ")":
                if depth == 0:
                    break
                depth -= 1
            end += 1
        source = f"{source[: found.start()]}(?{found[1]}:{source[found.end() : end]}){source[end:]}"
    return source


def _strip_frame(source: str) -> str:
    """The pattern without the part before the vendor's name; that part matches any text and only costs time."""
    return source.replace("[\\w.-]{0,50}?", "").replace("(?-i:", "(?:").replace("(?i:", "(?:").replace("(?i)", "")


def _with_start(pattern: str) -> str:
    return (
        pattern if pattern.startswith("%{START}") or not re.match(r"\(\?P<secret>", pattern) else "%{START}" + pattern
    )


def _literal(keyword: str, pattern: str, is_folded: bool) -> str:
    """The keyword in the spelling of the pattern; "" if the pattern does not contain the whole keyword."""
    plain = pattern.replace("[.]", ".")
    found = re.search(re.escape(keyword), plain, re.IGNORECASE)
    if not found:
        return ""
    return found[0].lower() if is_folded else found[0]


# --- the tree of the parser ---------------------------------------------------------------------------------------


def _sequence(items: list[Any], is_folded: bool, ignores_case: bool) -> str:
    parts = []
    for place, (code, value) in enumerate(items):
        if code is codes.AT:
            # Anchors at the end of the text are dropped, because a line end is always put after the text.
            if value is codes.AT_BOUNDARY:
                parts.append("%{START}" if place == 0 else "%{END}")
            continue
        parts.append(_node(code, value, is_folded, ignores_case))
    return "".join(parts).replace("%{END}%{END}", "%{END}")


def _node(code: object, value: Any, is_folded: bool, ignores_case: bool) -> str:  # noqa: ANN401
    if code is codes.LITERAL:
        return _char(chr(value), is_folded, ignores_case)
    if code is codes.NOT_LITERAL:
        return f"[^{_class_char(chr(value))}]"
    if code is codes.ANY:
        return "[^\\n]"
    if code is codes.IN:
        return _class(value, is_folded, ignores_case)
    if code is codes.BRANCH:
        return _branch(value[1], is_folded, ignores_case)
    if code is codes.SUBPATTERN:
        group, added, removed, items = value
        inner = _sequence(list(items), is_folded, (ignores_case or bool(added & re.I)) and not removed & re.I)
        return f"(?P<secret>{inner})" if group == 1 else f"(?:{inner})"
    if code is codes.MAX_REPEAT:
        least, most, items = value
        inner = _sequence(list(items), is_folded, ignores_case)
        if len(list(items)) > 1 or inner.startswith("%{"):
            inner = f"(?:{inner})"
        return inner + _count(least, most)
    raise Unfit(f"{code}")


def _count(least: int, most: int) -> str:
    if most is codes.MAXREPEAT:
        # A limit replaces "unlimited", because nothing that must match may follow an unlimited repetition.
        most = 512
    if (least, most) == (0, 1):
        return "?"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _branch(branches: list[Any], is_folded: bool, ignores_case: bool) -> str:
    texts = [_sequence(list(branch), is_folded, ignores_case) for branch in branches]
    if "" in texts and any(text.startswith("[") and "n" in text for text in texts):
        # A class of characters that end a token, or the end of the text.
        return "%{END}"
    texts = list(dict.fromkeys([text for text in texts if text]))
    return texts[0] if len(texts) == 1 else f"(?:{'|'.join(texts)})"


def _char(char: str, is_folded: bool, ignores_case: bool) -> str:
    if is_folded:
        return _plain(char.lower())
    if ignores_case and char.isalpha():
        return f"[{char.upper()}{char.lower()}]"
    return _plain(char)


def _plain(char: str) -> str:
    if char in _CONTROLS:
        return _CONTROLS[char]
    return f"[{char}]" if char in ".$*+?()|{}" else f"\\{char}" if char in "\\[]^" else char


def _class(items: list[Any], is_folded: bool, ignores_case: bool) -> str:
    parts: list[str] = []
    for code, value in items:
        if code is codes.NEGATE:
            parts.insert(0, "^")
        elif code is codes.LITERAL:
            char = chr(value)
            parts += [
                _class_char(each)
                for each in (
                    {char.upper(), char.lower()}
                    if ignores_case and not is_folded
                    else {char.lower() if is_folded else char}
                )
            ]
        elif code is codes.RANGE:
            first, last = map(chr, value)
            cased = first.isalpha() and last.isalpha()
            if cased and is_folded:
                parts.append(f"{first.lower()}-{last.lower()}")
            elif cased and ignores_case:
                parts += [f"{first.upper()}-{last.upper()}", f"{first.lower()}-{last.lower()}"]
            else:
                parts.append(f"{first}-{last}")
        elif code is codes.CATEGORY:
            parts.append(
                {
                    codes.CATEGORY_DIGIT: "0-9",
                    codes.CATEGORY_WORD: "a-z0-9_" if is_folded else "A-Za-z0-9_",
                    codes.CATEGORY_SPACE: " \\t\\r\\n",
                }.get(value, "")
            )
            if not parts[-1]:
                raise Unfit(f"{value}")
        else:
            raise Unfit(f"{code}")
    kept = list(dict.fromkeys(parts))
    if len(kept) == 1 and len(kept[0]) == 1 and kept[0].isalnum():
        return kept[0]
    # A hyphen comes last in a class, where it has no special meaning.
    return f"[{''.join([part for part in kept if part != '-'])}{'-' if '-' in kept else ''}]"


def _class_char(char: str) -> str:
    if char in _CONTROLS:
        return _CONTROLS[char]
    return f"\\{char}" if char in "\\]^[&~" else char


if __name__ == "__main__":
    main()
