"""The rules of the ledger: typed text, quotations, entries, states and moments, as data in `tests/data/ledger.toml`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ledger_parts
from bundles import for_each
from cuecard._backend import estimate_tokens
from cuecard.capture.ledger.ledger_lines import read_ledger
from cuecard.capture.ledger.moments import Moment, next_look
from cuecard.capture.ledger.request import MAX_ENTRY_TOKENS
from cuecard.capture.ledger.weights import MOST, weigh
from cuecard.store.records.record_check import FORBIDDING
from vector_cases import Case, as_lists, decode, encode, read_file_cases

# What a request may have besides entries and memories.
MAX_FIXED_TOKENS = 450
CASES = read_file_cases(Path(__file__).parents[1] / "data" / "ledger.toml")


@for_each("case", CASES, [case.id for case in CASES])
def test_the_ledger_follows_its_rules(case: Case) -> None:
    arguments = {name: decode(form) for name, form in case.table["input"].items()}
    if "data" in arguments:
        arguments["data"] = encode(arguments["data"])
    value = getattr(ledger_parts, case.function)(**arguments)
    assert (value.decode() if isinstance(value, bytes) else as_lists(value)) == decode(case.table["value"])


def ledger_of(*entries: dict[str, object]) -> str:
    part = {"base": 0, "from": 0, "to": 1000, "is_stop": True, "entries": entries}
    line = {"v": 1, "kind": "part", "time": "2026-03-09T10:00:00Z", "host": "codex", "transcript": "t", **part}
    return json.dumps(line) + "\n"


def prompt(at: int, text: str, quoted: Sequence[list[int]] = (), signs: Sequence[str] = ()) -> dict[str, object]:
    return {"k": "prompt", "at": at, "text": text, "quoted": quoted, "signs": signs, "is_substantial": True}


def said(at: int, text: str) -> dict[str, object]:
    return {"k": "agent", "at": at, "text": text, "signs": [], "edits": 0}


def entry_of(typed: str) -> dict[str, Any]:
    record = {"type": "user", "message": {"role": "user", "content": typed}}
    (entry,) = ledger_parts.ledger_entries("", "s", json.dumps(record) + "\n", "", False)[0]
    return json.loads(entry)  # type: ignore[no-any-return]


def test_what_stands_below_a_long_log_is_kept() -> None:
    log = "".join(f"10:00:00 ERROR worker {number}: 10.0.0.1:5432\n" for number in range(4000))
    entry = entry_of(f"{log}\nremember: retry three times")
    assert entry["text"].endswith("\n\nremember: retry three times")
    assert entry["quoted"] == [[0, 385]]


def test_a_long_text_of_the_user_is_cut_in_its_middle() -> None:
    text = entry_of("first " + "so many words " * 20_000 + "last")["text"]
    assert (len(text), text[:6], text[-5:], " ... " in text) == (7999, "first ", " last", True)


def test_a_quotation_across_the_cut_stays_marked_on_both_sides() -> None:
    entry = entry_of(f'"{"word " * 60}word" mine ' * 60)
    left = [entry["text"][: entry["quoted"][0][0]]]
    for (_, end), (begin, _) in zip(entry["quoted"], [*entry["quoted"][1:], [8000, 8000]], strict=True):
        left.append(entry["text"][end:begin].strip())
    assert set(left) == {"", "mine", "..."}


def test_a_request_fits_however_long_a_session_is() -> None:
    ledger = ledger_of(*[prompt(number, "so many words " * 40, [[0, 20]]) for number in range(60)])
    request = ledger_parts.capture_request("prompts", [ledger, ledger])
    assert estimate_tokens(request) <= MAX_ENTRY_TOKENS + MAX_FIXED_TOKENS + 50
    assert "[120] user: " in request
    assert "characters are left out here. All of it stands in /w/whole.txt.)" in request
    assert request.endswith("cuecard capture commit /w <<'CUECARD'\n[DRAFT, ...]\nCUECARD")


def test_the_fixed_text_of_a_request_has_at_most_450_tokens() -> None:
    for cause in ("prompts", "compaction", "earlier", "word"):
        assert estimate_tokens(ledger_parts.capture_request(cause, [])) <= MAX_FIXED_TOKENS


def test_a_request_says_which_memories_can_forbid_something() -> None:
    assert f"forbids ({', '.join(FORBIDDING)}):" in ledger_parts.capture_request("prompts", [])


def test_a_request_asks_for_relations_only_beside_memories_that_exist() -> None:
    assert "relations" not in ledger_parts.capture_request("prompts", [])
    assert "`relations: [{id, verdict}]`" in ledger_parts.capture_request("prompts", [], near="<memory-context>")


def test_one_long_prompt_does_not_push_the_others_out() -> None:
    paste = "here is the log " + "0123456789 " * 1200 + "so use ULIDs"
    request = ledger_parts.capture_request(
        "prompts", [ledger_of(prompt(0, "invoices have one currency"), prompt(1, paste))]
    )
    assert "[1] user: invoices have one currency\n" in request
    assert "[2] user: here is the log 0123456789" in request
    assert "so use ULIDs\n" in request
    assert "read that file" not in request


def test_the_words_of_the_agent_stay_where_the_next_prompt_answers_them() -> None:
    entries: list[dict[str, object]] = []
    for number in range(0, 60, 3):
        entries += [
            said(number, f"the rest of it {number} " * 20),
            prompt(number + 1, f"and now part {number} of it, please " * 8),
        ]
    entries += [said(61, "Which one: a) the queue, b) the table? " * 3), prompt(62, "b", signs=["answers_choice"])]
    request = ledger_parts.capture_request("prompts", [ledger_of(*entries)])
    assert "the table? Which one: a) the queue, b) the table? \n[21] user (answers a choice): b\n" in request
    assert "the rest of it 0" not in request


def test_a_quotation_is_shortened_and_never_emptied() -> None:
    quotation = "Operators must never restart the controller. " * 9
    entries = [
        prompt(number, f"{quotation}\nwhat do they mean by number {number} of it?", [[0, 400]]) for number in range(30)
    ]
    request = ledger_parts.capture_request("prompts", [ledger_of(*entries)])
    assert request.count("[quoted from others: Operators must never") >= 8
    assert "[quoted from others: ]" not in request
    assert "never restart the controller. Operators must never restart the controller. Operators" not in request


def test_the_day_and_the_id_of_each_session_stand_in_a_request() -> None:
    request = ledger_parts.capture_request(
        "earlier", [ledger_of(prompt(0, "use redis")), ledger_of(prompt(0, "use ULIDs"))]
    )
    assert "-- session s-0, 2026-03-09 --\n[1] user: use redis\n-- session s-1, 2026-03-09 --\n" in request


def test_what_is_open_is_weighed_after_eight_prompts_and_at_every_second_one_from_then_on() -> None:
    def look(count: int) -> int:
        ledger = read_ledger(ledger_of(*[prompt(at, "we move the queue to redis") for at in range(count)]).encode())
        return next_look(Moment(ledger, "s", 0))

    assert list(map(look, (0, 7, 8, 9, 14, 15, 16))) == [8, 9, 10, 11, 16, 17, 18]


def transcript_of(*turns: tuple[str, Sequence[tuple[str, bool]], str]) -> str:
    """A transcript of Claude Code with prompts, commands that failed or passed, and answers."""
    records: list[dict[str, object]] = []
    for number, (typed, commands, answer) in enumerate(turns):
        records += [_message("user", typed)] if typed else []
        for place, (command, has_failed) in enumerate(commands):
            key = f"{number}-{place}"
            call = {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": command}}
            result = {"type": "tool_result", "tool_use_id": key, "content": "x", "is_error": has_failed}
            records += [_message("assistant", [call]), _message("user", [result])]
        records.append(_message("assistant", [{"type": "text", "text": answer}]))
    return "".join([json.dumps(record) + "\n" for record in records])


def _message(role: str, content: object) -> dict[str, object]:
    return {"type": role, "message": {"role": role, "content": content}}


def entries_of(ledger: str, transcript: str) -> list[dict[str, object]]:
    found, _is_unwatched, _is_read_only = ledger_parts.ledger_entries(ledger, "s", transcript, "", False)
    return [json.loads(entry) for entry in found]


def test_the_answer_to_an_ask_about_another_session_is_no_entry_and_no_sign() -> None:
    ask = {"v": 1, "kind": "ask", "time": "x", "id": "a", "cause": "earlier", "by": "s", "from": 0, "to": 0}
    ledger = ledger_of(prompt(0, "what does the build script do here")) + json.dumps(ask) + "\n"
    commit = "cuecard capture commit /x <<'CUECARD'\n[]\nCUECARD"
    answer = ("", [(commit, True), ("python3 check.py", True), ("python3 check.py", False), (commit, False)], "Done.")
    found = entries_of(ledger, transcript_of(answer, ("and now the tests please", [], "Green.")))
    assert [entry.get("text") for entry in found] == ["and now the tests please", "Green."]


def test_a_command_of_cuecard_is_no_failure_and_no_sign_at_any_time() -> None:
    own = ("cuecard search redis", "cd /w && /opt/bin/cuecard capture commit /x")
    commands = [(command, has_failed) for command in (*own, "make test") for has_failed in (True, False)]
    found = entries_of("", transcript_of(("please run it", commands, "Done.")))
    assert [entry.get("command") for entry in found if entry["k"] == "passed"] == ["make test"]
    assert not [entry for entry in found if entry["k"] == "failed"]


def test_an_agent_that_says_that_nothing_is_worth_keeping_is_no_entry() -> None:
    found = entries_of("", transcript_of(("please run it", [], "Nothing worth keeping."), ("go on then", [], "Done.")))
    assert [entry.get("text") for entry in found] == ["please run it", "go on then", "Done."]


def test_the_same_answer_to_two_prompts_is_two_entries() -> None:
    found = entries_of("", transcript_of(("please run it", [], "Done."), ("and the other", [], "Done.")))
    assert [entry.get("text") for entry in found] == ["please run it", "Done.", "and the other", "Done."]


def cause(entries: Sequence[dict[str, object]], earlier: Sequence[dict[str, object]] = ()) -> str:
    own = ledger_of(*entries).replace('"is_stop": true', '"is_stop": false')
    return ledger_parts.capture_cause(own, "s", 0, [ledger_of(*earlier)] if earlier else [], 8)[0]


def test_a_correction_asks_after_eight_prompts_and_at_the_first_stop_of_the_next_session() -> None:
    eight = [prompt(number, "we change this part of the parser") for number in range(8)]
    first = [prompt(0, "what is in this folder here")]
    second = [*first, prompt(1, "and what is in that one there")]
    correction = [prompt(9, "no, use redis", signs=["refusal"])]
    assert cause([*eight, *correction]) == "prompts"
    assert cause([*eight[:6], *correction]) == ""
    assert cause(first, correction) == "earlier"
    assert cause(second, correction) == "prompts"
    tasks = [prompt(number, "we always move the queue to redis") for number in range(4)]
    assert cause(first, tasks) == cause(second, tasks) == ""
    assert cause(first, tasks * 2) == "earlier"
    agreement = [prompt(9, "yes, that is fine with me", signs=["answers_choice"])] * 3
    assert cause([*eight, *agreement]) == ""
    assert cause(second, agreement) == ""


def test_words_that_last_weigh_more_than_a_task_and_a_question_weighs_nothing() -> None:
    assert weigh([prompt(0, "never use floats for money, because they round")], 24) == MOST
    assert weigh([prompt(0, "en los tests nunca esperamos con sleep")], 24) == 5
    assert weigh([prompt(0, "테스트에서는 절대 sleep을 쓰지 마세요")], 24) == 5
    assert weigh([prompt(0, "rename this function in all the files")], 24) == 1
    assert weigh([prompt(0, "why does the parser never use the cache?")], 24) == 0
    assert weigh([prompt(0, "must not fail\n" * 40)], 24) == 0
    assert weigh([prompt(0, "rename this function in all the files"), prompt(0, "no", signs=["refusal"])], 24) == 25
