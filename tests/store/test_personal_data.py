"""Personal data is found in a record, by its form and its check digit, and a person is asked before it is written."""

import json
from pathlib import Path

import pytest

from command_process import error_of, run_in
from cuecard import Store
from cuecard.capture.commit import commit_drafts
from cuecard.capture.inbox import read_inbox
from cuecard.capture.review import accept
from cuecard.errors import InputError
from cuecard.files.user_folder import data_path
from cuecard.mcp.project import OpenProject
from cuecard.mcp.write_tools import save
from cuecard.store.intake.personal_data import find_in_shared, find_personal_data
from handed_in import Json, draft

PERSONAL = {
    "a mail address": [
        "ask jana.novak@kolibri-tea.cz about it",
        "write to <mailto:tom.w@firm.co.uk>",
        "이메일은 minsu.kim@naver.com 입니다",
        "j.doe+shop@gmail.com",
    ],
    "a card number": [
        "4929 1234 5678 9015 was declined",
        "5425233430109903",
        "3782-822463-10005",
        "card 6011000990139424.",
    ],
    "an IBAN": [
        "pay to DE75 5121 0800 1245 1261 99 until May",
        "GB33BUKB20201555555555",
        "FR1420041010050500013M02606",
    ],
    "a national id": [
        "her SSN is 219-09-9999",
        "주민번호 850214-2345678",
        "11010519491231002X",
        "12345678Z",
        "RSSMRA85T10A562S",
        "529.982.247-25",
        "AB 12 34 56 C",
        "Steuer-ID: 86 095 742 719",
    ],
    "a telephone number": [
        "+49 (30) 1234-5678",
        "call +821012345678",
        "(415) 555-2671",
        "010-1234-5678",
        "Tel. 0221 47110815",
        "전화번호: 02 345 6789",
    ],
}
HARMLESS = [
    "git clone git@github.com:team/tea.git",
    "noreply@kolibri-tea.cz and support@kolibri-tea.cz answer",
    "postgres://app@db.internal.example.com/shop",
    "npm i react@18.2.0 @types/node@20",
    "icon@2x.png",
    "huber@mail.invalid, build@ci.internal, dev-apps-tea@lists.kolibri-tea.cz, 4711+jane@users.noreply.github.com",
    "1a2b3c4 5d6e7f8 from 2026-11-28 to 2027-01-31 at 10:15:00+09:00",
    "4929 1234 5678 9016 has a wrong check digit",
    "order 1234567890123456, timestamp 1764288000000, 20 000 000 rows",
    "DE75 5121 0800 1245 1261 98 has a wrong check digit",
    "ports 5432-5433, lines 120-4096, version 10.15.7.2023",
    "UUID 123e4567-e89b-12d3-a456-426614174000",
    "sha 4f1234567890123456789012345678901234567",
    "RFC 7396, ISO 20022, CVE-2024-12345, PR 1234-5678",
    "192.168.100.200 and 10.0.0.1:8080",
    "000-12-3456 was never given, 12345678A has a wrong letter",
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in PERSONAL.items() for text in texts])
def test_personal_data_is_found(kind: str, text: str) -> None:
    [found] = find_personal_data({"title": "t", "content": {"rule": text}})
    assert (found.kind, found.field) == (kind, "content.rule")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert find_personal_data({"title": text, "content": {"rule": text, "impact": [text]}}) == []


def test_names_of_files_and_sources_are_passed_over() -> None:
    mail = "jana.novak@kolibri-tea.cz"
    assert find_personal_data({"related_files": [mail], "cuecard": {"source": {"path": mail}}}) == []


def test_the_users_own_store_travels_with_nothing(tmp_path: Path) -> None:
    fields = {"title": "Call +49 30 12345678"}
    assert find_in_shared(f"{data_path()}/memory/.claude/memory", fields) == []
    assert find_in_shared(str(tmp_path), fields) != []


# The question

MAIL = "Refunds over 500 euros are released by jana.novak@kolibri-tea.cz, by nobody else."


def with_mail(**members: object) -> Json:
    return draft(
        "Large refunds are released by one person", content={"status": "accepted", "decision": MAIL}, **members
    )


def test_a_draft_with_personal_data_is_refused_once_and_then_waits_for_the_user(store: Store) -> None:
    [refused] = commit_drafts(store, [with_mail()], asks=True).outcomes
    assert refused.status == "refused"
    assert refused.error is not None
    assert "a mail address" in refused.error.what
    assert "novak" not in json.dumps(refused.as_dict()["error"])
    [waiting] = commit_drafts(store, [with_mail()], asks=True).outcomes
    assert (waiting.status, store.memories()) == ("waiting", [])
    [decided] = accept(store, read_inbox(store.memory_dir))
    assert decided.is_discarded
    assert [memory.title for memory in store.memories()] == ["Large refunds are released by one person"]


def test_a_program_that_cannot_answer_leaves_it_to_the_user(store: Store) -> None:
    [outcome] = commit_drafts(store, [with_mail()]).outcomes
    assert outcome.status == "waiting"
    assert len(read_inbox(store.memory_dir)) == 1


def test_an_update_with_personal_data_waits_too(store: Store) -> None:
    commit_drafts(store, [draft("Large refunds are released by one person")])
    [outcome] = commit_drafts(store, [with_mail(action="update")]).outcomes
    assert outcome.status == "waiting"
    assert "novak" not in str([memory.record for memory in store.memories()])


def test_a_draft_without_it_is_not_asked_about(store: Store) -> None:
    [outcome] = commit_drafts(store, [draft()], asks=True).outcomes
    assert outcome.status == "created"


def test_the_report_and_the_review_say_what_it_has_and_accept_all_passes_over_it(store: Store) -> None:
    ran = run_in(store, "capture", "commit", send=[with_mail()])
    assert ran.code == 1
    assert "has personal data" in ran.stdout
    assert "leave it out; the same draft, saved again, waits for the user" in ran.stderr
    assert run_in(store, "capture", "commit", send=[with_mail()]).code == 0
    assert "note: it has a mail address" in run_in(store, "review", "show", read_inbox(store.memory_dir)[0].id).stdout
    ran = run_in(store, "review", "accept", "--all")
    assert "has personal data, and still waits" in ran.stderr
    assert store.memories() == []


def test_nobody_writes_it_without_a_person(store: Store) -> None:
    record = {"category": "preference", "title": "Call +49 30 12345678 first", "tags": ["tea"]}
    with pytest.raises(InputError, match="a telephone number in `title`"):
        save(OpenProject(store.root), {**record, "content": {"topic": "t", "value": "v", "strength": "soft"}})
    ran = run_in(store, "add", "Call +49 30 12345678 first", "--json")
    assert ran.code == 1
    assert "a telephone number" in error_of(ran)["what"]
    assert run_in(store, "add", "Call the lawyer first").code == 0
    ran = run_in(store, "update", "call-the-lawyer-first", send={"content": {"reason": "reach her at 010-1234-5678"}})
    assert ran.code == 1
    assert len(store.memories()) == 1


def test_an_import_passes_over_it_and_says_so(store: Store) -> None:
    file = Path(store.root, "CLAUDE.md")
    file.write_text(
        "# Rules\n\n- Always ask jana.novak@kolibri-tea.cz before a release.\n- Always use pnpm, never npm.\n"
    )
    rows = run_in(store, "import", file, "--json").document["outcomes"]
    assert [row["why"] for row in rows if row["status"] == "skipped" and "mail address" in str(row["why"])]
    [kept] = store.memories()
    assert "Always use pnpm, never npm." in kept.data.decode()
