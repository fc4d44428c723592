"""The rules of the ledger: typed text, quotations, entries, states and moments, as data in `tests/data/ledger.toml`."""

from __future__ import annotations

from pathlib import Path

import ledger_parts
from bundles import for_each
from cuecard.capture.ledger.moments import next_look
from vector_cases import Case, as_lists, decode, encode, read_file_cases

CASES = read_file_cases(Path(__file__).parents[1] / "data" / "ledger.toml")
NEAR = [
    ("DECISION", "Use <redis> for `order` events", ".claude/memory/decisions/redis.json", False),
    ("RUNBOOK", "x" * 200, ".claude/memory/runbooks/<x>.json", True),
]


@for_each("case", CASES, [case.id for case in CASES])
def test_the_ledger_follows_its_rules(case: Case) -> None:
    arguments = {name: decode(form) for name, form in case.table["input"].items()}
    if "data" in arguments:
        arguments["data"] = encode(arguments["data"])
    value = getattr(ledger_parts, case.function)(**arguments)
    assert (value.decode() if isinstance(value, bytes) else as_lists(value)) == decode(case.table["value"])


def test_a_request_fits_however_long_a_session_is() -> None:
    prompt = f'"text":"{"so many words " * 40}","quoted":[[0,20]],"signs":[],"is_substantial":true'
    entries = ",".join([f'{{"k":"prompt","at":{number},{prompt}}}' for number in range(60)])
    part = f'"base":0,"from":0,"to":1000,"is_stop":true,"entries":[{entries}]'
    ledger = f'{{"v":1,"kind":"part","time":"x","host":"codex","transcript":"t",{part}}}\n'
    where = "/w/whole.txt", "cuecard capture commit /w"
    request = ledger_parts.capture_request("prompts", [ledger, ledger], NEAR, True, *where)
    assert 5000 < len(request) <= 9500
    assert "/w/whole.txt: read that file first" in request
    assert request.endswith("cuecard capture commit /w <<'CUECARD'\n[DRAFT, ...]\nCUECARD")


def test_signals_are_counted_after_eight_prompts_and_not_again_before_ten() -> None:
    prompt = {"k": "prompt", "signs": [], "is_substantial": True}
    assert [next_look([prompt] * count, 8) for count in (0, 7, 8, 9, 10)] == [8, 8, 10, 10, 11]
