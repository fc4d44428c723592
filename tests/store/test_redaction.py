"""Secrets are found and replaced before a memory is written; ordinary text is not changed."""

import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuecard.store.intake.redaction import redact
from cuecard.store.intake.secret_rules import TABLES, read_rules
from secret_cases import FORMATS, HEX, build

ROOT = Path(__file__).parents[2]
EVALUATION = Path(os.environ.get("CUECARD_EVAL", ROOT.parent / "shared" / "eval"))
OWN_RULES = read_rules(TABLES[:1])
CASES = [(kind, parts) for kind, formats in FORMATS.items() for parts in formats]

# Texts about secrets, and texts that look similar to a secret.
ORDINARY = r"""
never commit the API key
password: see 1Password
| An error while the user is typing in a focused field | **Bug**: check it later |
user: admin, password: Stored on the team server
user: admin, password: Managed by the operators
DATABASE_URL=postgresql://app:<password>@127.0.0.1:5433/ledger
redis://:<db-password>@10.0.0.1:6379/0
mysql://root:wrong-password@db.internal/ledger is refused
curl -u admin:wrong-password https://db.internal/login answers 401
the password is required and must have 12 characters
token=$GITHUB_TOKEN
token: ${{ secrets.DEPLOY_TOKEN }}
apiKey: process.env.API_KEY
secret_key = os.environ["SECRET_KEY"]
password = request.form["password"]
def login(password: str, token: Optional[str] = None) -> Session
Authorization: Bearer <your-token>
curl -u "$USER:$PASS" https://host/
curl -H "Authorization: Bearer $TOKEN" https://host/
postgres://app:${DB_PASSWORD}@db/app
https://<token>@host/path
git clone git@host:org/repo.git
API_KEY=your-api-key-here
password: xxxxxxxx
password: ********
PASSWORD=changeme
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
the prefixes are sk-ant-, ghp_, xoxb- and AKIA
max_tokens=128000, token_count: 4096, token_ttl: 3600s
PASSWORD_RESET_TIMEOUT=259200
tokenizer: cl100k_base
secretName: my-app-tls
csrf_token: {{ csrf_token() }}
the token is base64-encoded with AES256-GCM
password_hash = argon2id
secret/data/prod/db2
Pass: 1, Fail: 2
fixed in 3f2a9c1b7d8e4f60a1b2c3d4e5f60718293a4b5c
id 123e4567-e89b-12d3-a456-426614174000
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
integrity sha512-Zk3vT9qLx0Wm7RbY2NcHs8DfUg5PjE1aZk3vT9qLx0Wm7RbY2NcHs8DfUg5PjE1aAA==
aGVsbG8= and SGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXN0
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host
src/app/components/UserProfileCardWithAvatar2.tsx
S3AFileSystem/S3AInputStream and useVeryLongIdentifierNameForHook2
https://host/document/d/1CAI5z01sCYvvLnprJc5i5rCjAzSs8X-aMY97NVbMDrA/edit
v1.2.3-rc.1+build.20240101 of @types/react-dom@18.2.7
node-v18.17.0-linux-x64
비밀번호는 1Password에 있다
토큰은 환경 변수로 넘긴다
密码：见保险库
-----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----
-----BEGIN RSA PRIVATE KEY-----\nMIIE...\n-----END RSA PRIVATE KEY-----
""".strip().split("\n")


def strings(value: object) -> Iterator[str]:
    """Every string in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from strings(member)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def record_with(text: str, place: int) -> dict[str, object]:
    """A memory with `text` in one of the fields that may contain text."""
    record: dict[str, Any] = {
        "schema_version": "1.0",
        "category": "runbook",
        "id": "rotate-the-key",
        "title": "Rotate the key",
        "created_at": "2026-11-21T06:00:00Z",
        "tags": ["keys"],
        "related_files": ["src/keys.py"],
        "content": {"trigger": "a leak", "steps": ["one", "two"], "examples": {"prefer": ["x"]}},
        "changes": [{"date": "2026-11-21T06:00:00Z", "summary": "made", "old_value": "a"}],
        "cuecard": {"origin": {"note": "by hand"}},
    }
    places: list[tuple[Any, str | int]] = [
        (record, "title"),
        (record["tags"], 0),
        (record["related_files"], 0),
        (record["content"]["steps"], 1),
        (record["content"]["examples"]["prefer"], 0),
        (record["changes"][0], "old_value"),
        (record["cuecard"]["origin"], "note"),
    ]
    holder, key = places[place % len(places)]
    holder[key] = text
    return record


@pytest.mark.parametrize(("kind", "parts"), CASES, ids=[f"{kind}-{place}" for place, (kind, _) in enumerate(CASES)])
def test_a_secret_of_every_format_is_replaced(kind: str, parts: list[Any]) -> None:
    text, secret = build(parts, seed=1)
    redacted, report = redact({"content": {"steps": ["first", f"then {text} is used"]}})
    assert redacted == {"content": {"steps": ["first", f"then {text} is used".replace(secret, f"[redacted:{kind}]")]}}
    assert [(found.field, found.kind, found.count) for found in report] == [("content.steps[1]", kind, 1)]


@pytest.mark.parametrize(("kind", "parts"), CASES, ids=[f"{kind}-{place}" for place, (kind, _) in enumerate(CASES)])
def test_a_stand_in_of_the_same_format_stays(kind: str, parts: list[Any]) -> None:
    if kind == "wallet-phrase":
        pytest.skip("words have no stand-in")
    stand_in = "".join([part if isinstance(part, str) else "x" * part[1] for part in parts]).replace("|", "")
    assert redact({"title": stand_in}) == ({"title": stand_in}, [])


def test_every_rule_of_our_own_has_an_example() -> None:
    assert {rule.kind for rule in OWN_RULES} - {"encoded"} <= FORMATS.keys()


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    record: dict[str, object] = {"title": text, "content": {"steps": [text, f"`{text}`"]}}
    assert redact(record) == (record, [])


def test_text_in_base64_is_read_whatever_scripts_and_blanks_it_has() -> None:
    secret = build(FORMATS["github-token"][0], 1)[0]
    for text in (f"\ufeffexport A={secret}", f"export\xa0A={secret} 🔑", f"\u202eA={secret}"):
        encoded = base64.b64encode(text.encode()).decode()
        assert redact({"title": f"decode {encoded}"})[0] == {"title": "decode [redacted:github-token]"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("password: größe2024", "password: [redacted:password]"),
        ("пароль: синий7781", "пароль: [redacted:password]"),
        ("password: …2024…", "password: …2024…"),
        ("nimPässPass=kestrel2229", "nimPässPass=[redacted:password]"),
    ],
)
def test_letters_beyond_ascii_count_as_letters(text: str, wanted: str) -> None:
    assert redact({"title": text})[0] == {"title": wanted}


def test_members_named_as_secrets_are_lose_their_values() -> None:
    value = build([(HEX, 24)], 1)[0]
    members = {"password": "hunter" + "2", "apiToken": value, "token_ttl": "3600s", "note": value, "secret": "in Vault"}
    redacted, report = redact({"cuecard": {"db": members}})
    kept = {"token_ttl": "3600s", "note": "[redacted:secret]", "secret": "in Vault"}
    assert redacted == {"cuecard": {"db": {"password": "[redacted:password]", "apiToken": "[redacted:secret]"} | kept}}
    assert [found.count for found in report] == [1, 1, 1]


def key_block(join: str) -> str:
    """A private key in PEM format; its lines are joined by `join`."""
    lines = [build([("ABCDEFabcdef0123456789+/", 64)], seed)[0] for seed in range(3)]
    name = "RSA PRIVATE" + " KEY-----"
    return join.join([f"-----BEGIN {name}", *lines, build([(HEX, 9)], 9)[0] + "=", f"-----END {name}"])


@pytest.mark.parametrize("join", ["\n", "\r\n", "\\n", " ", '",\n"'])
def test_a_private_key_is_replaced_between_its_marks(join: str) -> None:
    text = key_block(join)
    (redacted,) = strings(redact({"content": f"use {text} here"})[0])
    begin, end = re.findall("-----[^-]*-----", text)
    assert redacted == f"use {begin}{join}[redacted:private-key]{join}{end} here"


def test_a_private_key_with_a_line_an_item_is_replaced() -> None:
    lines = key_block("\n").split("\n")
    redacted, report = redact({"content": {"steps": ["so:", *lines, "then restart"]}})
    mark = "[redacted:private-key]"
    assert redacted == {"content": {"steps": ["so:", lines[0], mark, mark, mark, mark, lines[-1], "then restart"]}}
    assert {found.kind for found in report} == {"private-key"}


def test_a_secret_is_replaced_wherever_else_it_stands() -> None:
    secret = "Tr0ub4dor" + "&3x"
    record: dict[str, object] = {"title": f"the one is {secret}", "content": {"steps": [f"DB_PASSWORD={secret}"]}}
    redacted, report = redact(record)
    assert not any(secret in text for text in strings(redacted))
    assert {found.field for found in report} == {"title", "content.steps[0]"}


def test_an_id_made_of_a_title_with_a_secret_loses_it_and_stays_a_slug() -> None:
    token = build(FORMATS["github-token"][0], 1)[0]
    slug = token.lower().replace("_", "-")
    redacted, _ = redact({"id": f"rotate-{slug}", "title": f"Rotate {token}"})
    assert redacted == {"id": "rotate-redacted-github-token", "title": "Rotate [redacted:github-token]"}


def test_the_report_names_no_member_that_could_hold_a_secret() -> None:
    token = build(FORMATS["github-token"][0], 1)[0]
    _, report = redact({"cuecard": {token: token}})
    assert [found.field for found in report] == ["cuecard.?"]


def test_values_that_are_not_text_and_the_record_itself_stay() -> None:
    record: dict[str, object] = {"confidence": 0.5, "times_updated": 3, "content": {"active": True, "expires": None}}
    assert redact(record) == (record, [])
    token = build(FORMATS["npm-token"][0], 1)[0]
    record = {"content": {"steps": [token]}}
    redact(record)
    assert record == {"content": {"steps": [token]}}


@given(st.sampled_from(CASES), st.integers(0, 10**9), st.integers(0, 6), st.text(max_size=30), st.text(max_size=30))
def test_a_planted_secret_never_survives(
    case: tuple[str, list[Any]], seed: int, place: int, before: str, after: str
) -> None:
    text, secret = build(case[1], seed)
    if case[0] == "high-entropy" and place == 2:
        # File names may be random characters, so random characters in a file name do not count as a secret.
        place = 0
    redacted, report = redact(record_with(f"{before} {text} {after}", place))
    assert not any(secret in string for string in strings(redacted))
    assert report
    assert secret not in repr(report)
    assert redact(redacted) == (redacted, [])


WORDS = [
    "password",
    "token",
    "secret",
    "key",
    "api",
    "the",
    "is",
    "to",
    "=",
    ":",
    "--",
    '"',
    "'",
    "://",
    "@",
    "a",
    "b1",
]


@given(
    st.lists(
        st.one_of(
            st.sampled_from(WORDS), st.text(max_size=8), st.sampled_from(CASES).map(lambda case: build(case[1], 3)[0])
        ),
        max_size=12,
    ).map("".join)
)
def test_redacting_again_changes_nothing(text: str) -> None:
    redacted, _ = redact({"id": "a", "title": text, "content": {"steps": [text[::-1], text], "password": text}})
    assert redact(redacted) == (redacted, [])


@given(
    st.lists(
        st.sampled_from(sorted(set(" ".join(ORDINARY[:3]).split()) | {"키", "토큰", "密码", "deploy"})), max_size=30
    )
)
def test_ordinary_words_never_change(words: list[str]) -> None:
    record: dict[str, object] = {"title": " ".join(words)}
    assert redact(record) == (record, [])


HOSTILE = {literal + "-" for rule in read_rules(TABLES) for literal in rule.literals[:1]} | set(
    "a|aA1|token=|password=|token |://a:|eyJ-|-eyJaaaaaaaaaaaa|curl a |\\n|Bearer |-----BEGIN PRIVATE KEY-----".split(
        "|"
    )
)


@pytest.mark.slow
# A rule that looks from each place to the end of the text takes a minute for this size.
@pytest.mark.timeout(30)
@pytest.mark.parametrize("seed", sorted(HOSTILE))
def test_a_large_record_takes_no_more_than_its_size_asks(seed: str) -> None:
    redact({"content": {"steps": [(seed * (1 << 16))[: 1 << 16]]}})


def read_memories() -> Iterator[dict[str, object]]:
    for file in sorted((EVALUATION / "dev").glob("*/memories.jsonl")):
        yield from (json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line)


@pytest.mark.skipif(not (EVALUATION / "dev").is_dir(), reason="the memories of the dev split are not on this machine")
def test_the_memories_of_the_dev_split_stay() -> None:
    found = [(memory["id"], report.kind) for memory in read_memories() for report in redact(memory)[1]]
    # One memory of the set really contains a signing key and a token that was made with it.
    assert found == [("creating-a-jwt-secret", "high-entropy"), ("creating-a-jwt-secret", "jwt")]


def test_the_memories_of_this_repository_stay() -> None:
    for file in sorted((ROOT / ".claude" / "memory").glob("[!.]*/*.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        assert redact(record) == (record, [])


@pytest.mark.parametrize(
    "text",
    [
        "gh" + "p_1234567890abcdefghijklmnopqrstuvwxyz",
        "gl" + "pat-abcdefghij1234567890",
        "xox" + "b-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
        "Authorization: Bearer abcdef1234567890" + "ABCDEF",
        "DB_PASSWORD=correcthorse" + "batterystaple",
        "SECRET_KEY='django-insecure-abc123" + "def456ghi789'",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_has_the_form_of_a_secret_goes_even_where_it_may_be_an_example(text: str) -> None:
    _redacted, found = redact({"content": {"context": f"we use {text} here"}})
    assert len(found) == 1
