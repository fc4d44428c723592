"""Why an event showed a memory or not, and its replay with what holds now."""

import json
import time
from pathlib import Path

import pytest

from cuecard._pure.prompt.prompt_path import SHOWN
from cuecard._pure.requests.request import KeptTerms
from cuecard._pure.settings.gate_model import BALANCED, lowest_shown
from cuecard.retrieval.loaded_project import LoadedProject
from cuecard.retrieval.recall import open_recall
from cuecard.retrieval.trace import unsure
from logged_events import (
    NATIVE_HOOK,
    NO_NETWORK,
    PLAIN_WORDS,
    PROMPT,
    RELEASE,
    TWINS,
    ask,
    event,
    ids,
    stamp,
    write_log,
)
from small_project import SampleMemory

# Why


def test_why_at_an_event_names_the_stage_that_lost_the_memory(project: Path) -> None:
    made = event(None, NATIVE_HOOK, TWINS, at=1)
    made.memories.append(("RUNBOOK", RELEASE.path, "gate", -1500, 900))
    made.memories.append(("CONSTRAINT", NO_NETWORK.path, "session", 1500, 900))
    write_log(project, made)
    usual = LoadedProject((str(project), str(project / ".claude/memory"))).config().recall.gate_shift + BALANCED
    best = max(logit for *_named, logit, _score in made.memories if logit is not None)
    least = lowest_shown(usual, best, has_questions=False)
    assert least != usual
    assert [verdict(project, one) for one in (NATIVE_HOOK, TWINS, RELEASE, NO_NETWORK, PLAIN_WORDS)] == [
        "shown with its text: place 1 of 2",
        "shown with its gist: place 2 of 2",
        f"not shown: {unsure(-1500, least, usual, 'balanced')}",
        "not shown: the session had already been shown it, unchanged",
        "not shown: it was not among the 4 best",
    ]


def verdict(project: Path, memory: SampleMemory, *options: str) -> str:
    document = ask(project, "why", memory.name, *options, "--json").document
    lines = ask(project, "why", memory.name, *options).stdout.splitlines()
    assert lines[0] == document["verdict"]
    return str(document["verdict"])


@pytest.mark.parametrize(
    ("silence", "words"),
    [("short", "the prompt was too short"), ("no_match", "no memory matched"), ("error", "something went wrong")],
)
def test_why_at_a_silent_event_gives_its_reason(project: Path, silence: str, words: str) -> None:
    write_log(project, event(None, TWINS, at=1), event(silence, at=2))
    assert verdict(project, TWINS).startswith(f"not shown: {words}")
    assert verdict(project, TWINS, "--event", ids(project)[0]) == "shown with its text: place 1 of 1"


def test_why_knows_that_a_memory_was_made_later(project: Path) -> None:
    young = SampleMemory("decision", "young", "A young decision")
    record = young.record | {"created_at": stamp(int(time.time()))}
    (project / young.path).write_text(json.dumps(record), encoding="utf-8")
    write_log(project, event(None, TWINS, at=1), event("gate", at=2))
    first, _last = ids(project)
    assert verdict(project, young, "--event", first) == "not shown: it was made later"


def test_why_traces_the_text_that_an_event_has(project: Path) -> None:
    made = event(None, NATIVE_HOOK)
    made.history, made.setting = ["1 s:hook=256;"], "precise"
    write_log(project, made)
    document = ask(project, "why", "native-hook", "--json").document
    trace = open_recall(project).trace(PROMPT, "native-hook", [KeptTerms("1 s:hook=256;")], setting="precise")
    assert (document["prompt"], document["trace"]) == (PROMPT, trace.as_dict())
    ran = ask(project, "why", "native-hook")
    assert f"the same prompt now, with the memories and settings as they are:\n\n{trace.verdict}\n" in ran.stdout


def test_why_without_a_text_has_no_stages_but_those_of_a_prompt_that_is_given(project: Path) -> None:
    write_log(project, event(None, NATIVE_HOOK, keeps_texts=False))
    ran = ask(project, "why", "native-hook")
    assert (ran.code, "term  256" in ran.stdout) == (0, False)
    assert ran.stderr.startswith("note: the event has no text to trace\nhint: `--prompt TEXT` shows every stage")
    ran = ask(project, "why", "native-hook", "--event", ids(project)[0], "--prompt", PROMPT)
    assert ran.stdout.startswith("shown with its text: place 1 of 1\n")
    assert "term  256" in ran.stdout


def test_why_at_an_act_of_a_tool_asks_no_prompt_again(project: Path) -> None:
    made = event(None, NO_NETWORK, prompt="src/app.py")
    made.kind, made.setting, made.forbids = "need", None, ["import: re\x1b[31mquests"]
    write_log(project, made)
    ran = ask(project, "why", NO_NETWORK.name)
    verdict = "shown with its text: place 1 of 1, because it forbids `import: re[31mquests`"
    assert ran.stdout.startswith(f"{verdict}\n")
    assert (ran.code, "the same prompt now" in ran.stdout, ran.stderr) == (0, False, "")
    assert ask(project, "why", NO_NETWORK.name, "--json").document["trace"] is None


def test_why_of_what_is_not_there_is_an_error(project: Path) -> None:
    ran = ask(project, "why", "twins")
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr == (
        "error: no event is logged yet\nhint: ask about a prompt: `cuecard why MEMORY --prompt TEXT`\n"
    )
    write_log(project, event(None, TWINS))
    for options in (["twins", "--event", "nothing"], ["twins", "--event", ""]):
        assert ask(project, "why", *options).code == 2
    assert ask(project, "why", "twinz").stderr.endswith("hint: did you mean `twins`?\n")


# Replay


def test_replay_shows_what_comes_in_and_goes_out(project: Path) -> None:
    [shown] = open_recall(project).inject(PROMPT).memories
    assert (shown.hit.path, shown.outcome in SHOWN) == (NATIVE_HOOK.path, True)
    same, session = event(None, NATIVE_HOOK, at=0), event("session", at=3)
    session.memories = [("DECISION", NATIVE_HOOK.path, "session", 2000, 5000)]
    same.memories = [("DECISION", NATIVE_HOOK.path, shown.outcome, 2000, 5000)]
    tier = event(None, at=5)
    tier.memories = [("DECISION", NATIVE_HOOK.path, "line", 2000, 5000)]
    other = event(None, TWINS, at=1)
    write_log(project, same, event(None, TWINS, keeps_texts=False), other, event("gate", at=2), session, tier)
    ran = ask(project, "replay")
    assert ran.stdout.splitlines() == [
        "asked again  5 prompts, 3 with another answer",
        "answered     4 before, 5 now",
        "memories     4 before, 5 now: 2 in, 1 out, 1 in another tier",
        f"{ids(project)[2]}  {PROMPT}",
        f"  + native-hook  [DECISION]  {shown.outcome}",
        "  - twins  [DECISION]  full",
        f"{ids(project)[3]}  {PROMPT}",
        f"  + native-hook  [DECISION]  {shown.outcome}",
        f"{ids(project)[5]}  {PROMPT}",
        f"  ~ native-hook  [DECISION]  line -> {shown.outcome}",
    ]
    assert ran.stderr == (
        "note: 1 of 6 prompts cannot be asked again: the texts were not kept\n"
        "hint: `cuecard config log.prompts true --user` keeps the texts of prompts\n"
    )
    document = ask(project, "replay", "--events", "2", "--json").document
    assert (document["prompts"], document["changes"]) == (2, {"in": 0, "out": 0, "tier": 1})


def test_a_short_prompt_that_goes_on_is_replayed_as_the_hook_answers_it(project: Path) -> None:
    made = event("session", prompt="continue")
    made.memories = [("DECISION", NATIVE_HOOK.path, "session", 2000, 5000)]
    made.history = ["0 s:execut=256; s:hook=256; s:nativ=256;"]
    write_log(project, made, event("short", prompt="continue", at=1))
    assert ask(project, "replay", "--json").document["changes"] == {"in": 0, "out": 0, "tier": 0}
    document = ask(project, "why", "native-hook", "--event", ids(project)[0], "--json").document
    assert document["trace"]["verdict"].startswith("shown ")


def test_replay_tries_settings(project: Path, tmp_path: Path) -> None:
    write_log(project, event("gate"))
    settings = tmp_path / "new.json"
    settings.write_text('{"retrieval": {"enabled": false}}')
    assert ask(project, "replay", "--config", str(settings), "--json").document["changes"]["in"] == 0
    settings.write_text('{"retrieval": {"gate_setting": "off", "max_inject": 2, "nonsense": 1}}')
    assert ask(project, "replay", "--config", str(settings), "--json").document["changes"]["in"] == 2
    assert ask(project, "replay", "--setting", "off", "--json").document["changes"]["in"] > 1
    settings.write_text('{"retrieval": {"max_inject": "many"}}')
    assert "new.json: " in ask(project, "replay", "--config", str(settings)).stderr
    assert ask(project, "replay", "--config", "missing.json").code == 2
    assert ask(project, "replay", "--setting", "loud").code == 2
