"""`cuecard eval calibrate`: its proposals, and its changes to the settings."""

import json
import math
from pathlib import Path

import pytest

from command_process import Ran, error_of, run
from cuecard import evaluate
from cuecard._backend import engine
from cuecard._pure.settings.gate_model import gate_threshold
from cuecard.errors import InputError, UsageError
from cuecard.evaluate import calibrating, judged_shift
from cuecard.evaluate.calibrating import LEAST_MEMORIES, NOTHING, REFERENCE_PERCENT, propose
from cuecard.evaluate.judged_shift import PRIOR, fit
from cuecard.store.settings.settings_edit import edit, write_setting
from scratch_home import write_user_settings
from small_project import SampleMemory, write_project

NAMES = ("billing", "search", "deploys", "metrics", "backups", "sessions")
ACTS = ("retries", "caching", "the schema", "logging", "timeouts", "ownership")
MEMORIES = [
    SampleMemory("decision", f"{name}-{number}", f"How {name} handles {act}", (name,))
    for name in NAMES
    for number, act in enumerate(ACTS)
]
BALANCED = gate_threshold("balanced") or 0
LEFT = 100 - REFERENCE_PERCENT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project", *MEMORIES)


def settings_of(project: Path) -> Path:
    return project / ".claude" / "memory" / "memory-config.json"


def run_here(project: Path, *arguments: str) -> Ran:
    return run(project.parent, project, "eval", "calibrate", *arguments)


# Proposals


@pytest.mark.parametrize(
    ("logits", "hundredths"),
    [
        ([BALANCED] * 100, 0),
        ([BALANCED + 1024] * 100, 50),
        ([BALANCED - 512] * 100, -25),
        # Half of the distance is proposed, rounded to 1/100: 5/1024 is rounded down to 0, and 5.5/1024 up to 1/100.
        ([BALANCED + 10] * 100, 0),
        ([BALANCED + 11] * 100, 1),
        ([BALANCED + 100_000] * 100, 100),
        ([NOTHING] * 100, -100),
        # The memories below the reference share stay below the threshold, which is the logit of the next memory.
        ([BALANCED - 4096] * LEFT + [BALANCED] * (100 - LEFT), 0),
        ([BALANCED - 2048] * (LEFT + 1) + [BALANCED] * (99 - LEFT), -100),
    ],
)
def test_half_of_the_way_to_the_reference_share_is_proposed(logits: list[int], hundredths: int) -> None:
    assert propose(logits, BALANCED) == hundredths


def test_the_shares_are_those_of_the_engine(project: Path) -> None:
    found = evaluate.calibrate(root=project)
    assert (found.memories, len(found.logits), found.shift) == (36, 36, 0)
    assert list(found.logits) == sorted(found.logits)
    shares = [found.shown(setting, 0) for setting in ("precise", "balanced", "eager")]
    assert shares == sorted(shares, key=lambda share: share or 0)
    assert found.shown("off", 0) is None
    assert found == evaluate.calibrate(root=project)
    assert not settings_of(project).exists()
    # With the proposed shift, the share of shown memories comes closer to the reference share.
    assert found.hundredths is not None
    then, now = found.shown("balanced", found.proposed_shift or 0) or 0, shares[1] or 0
    assert (then <= now) if found.hundredths > 0 else (then >= now)
    assert (found.hundredths > 0) == (now > REFERENCE_PERCENT / 100)


def test_memories_that_have_nothing_in_common_are_shown_more(tmp_path: Path) -> None:
    words = [f"{chr(97 + number)}zq{chr(97 + number)}k" for number in range(26)] + [f"7{n}x{n}7" for n in range(10)]
    apart = [SampleMemory("decision", word, f"{word} {word[::-1]}") for word in words]
    found = evaluate.calibrate(root=write_project(tmp_path / "apart", *apart))
    assert found.hundredths is not None
    assert found.hundredths < 0
    assert found.shown("balanced", 0) == 0


def test_many_titles_are_spaced_evenly(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(calibrating, "MOST_MEMORIES", 7)
    found = evaluate.calibrate(root=project, progress=lambda done, total: asked.append(total - done))
    assert (found.memories, len(found.logits), asked) == (36, 7, [6, 5, 4, 3, 2, 1, 0])


def test_the_retired_do_not_count(tmp_path: Path) -> None:
    active, retired = MEMORIES[: LEAST_MEMORIES - 1], MEMORIES[LEAST_MEMORIES:]
    gone = [SampleMemory(one.category, one.name, one.title, status="retired") for one in retired]
    found = evaluate.calibrate(root=write_project(tmp_path / "few", *active, *gone), is_applied=True)
    assert (found.memories, found.logits, found.proposal) == (LEAST_MEMORIES - 1, (), None)
    assert not settings_of(tmp_path / "few").exists()


def test_a_strategy_without_a_gate_has_nothing_to_calibrate(tmp_path: Path) -> None:
    config = {"retrieval": {"match_strategy": "bm25"}}
    write_user_settings(config)
    with pytest.raises(UsageError, match="`bm25` has no gate"):
        evaluate.calibrate(root=write_project(tmp_path / "words", *MEMORIES))


# The command


def test_a_proposal_is_shown_and_applied(project: Path) -> None:
    ran = run_here(project)
    assert ran.code == 0
    assert ran.stdout.splitlines()[0].startswith("36 titles of 36 memories")
    assert "nothing was written" in ran.stderr
    document = run_here(project, "--json").document
    assert (document["titles"], document["applied"], document["gate_shift"]["now"]) == (36, False, 0)
    shift = document["gate_shift"]["proposed"]
    assert f'"retrieval": {{"gate_shift": {shift:g}}}' in ran.stdout
    assert not settings_of(project).exists()
    assert run_here(project, "--apply").code == 0
    assert json.loads(settings_of(project).read_text()) == {"retrieval": {"gate_shift": shift}}
    again = run_here(project, "--json").document
    assert again["gate_shift"]["proposed"] == shift
    assert again["gate_shift"]["now"] == pytest.approx(shift, abs=1 / 1024)
    assert again["shown"]["now"] == document["shown"]["proposed"] == again["shown"]["proposed"]
    assert "already has this setting" in run_here(project).stderr


def test_a_small_project_gets_no_proposal(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project")
    ran = run_here(project, "--apply")
    assert (ran.code, ran.stdout) == (0, "")
    assert "too few active memories to calibrate by: 5 of at least 30" in ran.stderr
    assert run_here(project, "--json").document["gate_shift"]["proposed"] is None


def test_settings_that_cannot_be_edited_stay(project: Path) -> None:
    settings_of(project).write_text("[]")
    ran = run_here(project, "--apply", "--json")
    assert ran.code == 1
    assert "is not a JSON object" in error_of(ran)["what"]
    assert settings_of(project).read_text() == "[]"


# Judged prompts


def write_judged(project: Path, *, is_helpful: bool, count: int = 36, is_reviewed: bool = True) -> str:
    """Write judged prompts to a file, and return its path.

    Each prompt is the title of a memory. With `is_helpful`, it is judged to need this memory, else to need none.
    """
    prompts = []
    for one in MEMORIES[:count]:
        judgments = {one.name: 2} if is_helpful else {}
        prompts.append(
            evaluate.JudgedPrompt(
                "project", one.name, one.title, "exact", "en", judgments=judgments, is_reviewed=is_reviewed
            )
        )
    evaluate.write_prompts(str(project.parent / "judged.jsonl"), prompts)
    return str(project.parent / "judged.jsonl")


def test_outcomes_as_likely_as_said_shift_nothing() -> None:
    added, deviation = fit([(0.0, True), (0.0, False)] * 50)
    assert added == pytest.approx(0, abs=1e-9)
    assert deviation == pytest.approx((25 + PRIOR**-2) ** -0.5)


def test_many_outcomes_overcome_the_prior_and_few_do_not() -> None:
    # 3 of 4 memories are helpful, but only half of them were expected to be: this is a shift of ln 3.
    few, many = [fit([(0.0, True)] * 3 * count + [(0.0, False)] * count)[0] for count in (1, 10_000)]
    assert 0 < few < 0.02
    assert many == pytest.approx(math.log(3), abs=0.02)
    assert fit([]) == pytest.approx((0, PRIOR))


def test_judgments_open_or_close_the_gate(project: Path) -> None:
    found = evaluate.calibrate_by_prompts(evaluate.read_prompts(write_judged(project, is_helpful=True)), root=project)
    refused = evaluate.calibrate_by_prompts(
        evaluate.read_prompts(write_judged(project, is_helpful=False)), root=project
    )
    assert (found.prompts, found.unreviewed, refused.helpful) == (36, 0, 0)
    assert found.helpful > 0
    assert found.memories == refused.memories >= 36
    assert found.expected == refused.expected > 0
    assert refused.hundredths > max(0, found.hundredths)
    assert not settings_of(project).exists()


def test_no_judgments_propose_more_than_the_settings_take(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged_shift, "fit", lambda _outcomes: (7.5, 0.1))
    found = evaluate.calibrate_by_prompts(evaluate.read_prompts(write_judged(project, is_helpful=True)), root=project)
    assert (found.hundredths, found.proposal) == (-100, "-1")


def test_fewer_judgments_change_less(project: Path) -> None:
    shifts = []
    for count in (2, 8, 36):
        judged = evaluate.read_prompts(write_judged(project, is_helpful=False, count=count))
        shifts.append(evaluate.calibrate_by_prompts(judged, root=project).hundredths)
    assert shifts == sorted(set(shifts))


def test_what_no_person_has_judged_does_not_count(project: Path) -> None:
    judged = evaluate.read_prompts(write_judged(project, is_helpful=True, is_reviewed=False))
    with pytest.raises(UsageError, match="no person has reviewed"):
        evaluate.calibrate_by_prompts(judged, root=project)


def test_a_shift_by_judged_prompts_is_shown_and_applied(project: Path) -> None:
    judged = write_judged(project, is_helpful=False)
    ran = run_here(project, "--prompts", judged)
    assert ran.code == 0
    assert "helpful by the judgments                  0" in ran.stdout
    assert "nothing was written" in ran.stderr
    assert not settings_of(project).exists()
    document = run_here(project, "--prompts", judged, "--json", "--apply").document
    shift = document["gate_shift"]["proposed"]
    assert document["applied"] is True
    assert json.loads(settings_of(project).read_text()) == {"retrieval": {"gate_shift": shift}}
    # The proposal is computed without the shift that the project has already, so it stays the same.
    again = run_here(project, "--prompts", judged, "--json").document
    assert again["gate_shift"]["proposed"] == shift
    assert again["gate_shift"]["now"] == pytest.approx(shift, abs=1 / 1024)


# The settings


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{"retrieval": {"gate_shift": 0.5}}'),
        ('{ "a" : 1 }\n', '{ "a" : 1, "retrieval": {"gate_shift": 0.5} }\n'),
        ('{"retrieval": {}}', '{"retrieval": {"gate_shift": 0.5}}'),
        ('{"retrieval":{"gate_shift":-1e0,"x":2}}', '{"retrieval":{"gate_shift":0.5,"x":2}}'),
        ('{"retrieval":{"x":"}"},"b":[1]}', '{"retrieval":{"x":"}","gate_shift": 0.5},"b":[1]}'),
        ('{\n\t"a": null\n}\n', '{\n\t"a": null,\n\t"retrieval": {\n\t\t"gate_shift": 0.5\n\t}\n}\n'),
        (
            '{\r\n    "retrieval": {\r\n        "k": 3\r\n    },\r\n    "z": {}\r\n}',
            '{\r\n    "retrieval": {\r\n        "k": 3,\r\n        "gate_shift": 0.5\r\n    },\r\n    "z": {}\r\n}',
        ),
        # If a JSON object has a name twice, readers use the last value.
        ('{"retrieval": 1, "retrieval": {"gate_shift": 0}}', '{"retrieval": 1, "retrieval": {"gate_shift": 0.5}}'),
        ('{"re\\u0074rieval": {"gate\\u005fshift": 0}}', '{"re\\u0074rieval": {"gate\\u005fshift": 0.5}}'),
        ('{"말": "값", "x": NaN}', '{"말": "값", "x": NaN, "retrieval": {"gate_shift": 0.5}}'),
    ],
)
def test_only_the_number_changes(before: str, after: str) -> None:
    assert edit(before, "retrieval", "gate_shift", "0.5") == after
    assert edit(after, "retrieval", "gate_shift", "0.5") == after
    assert engine.read_settings(after.encode(), None).gate_shift == 512


@pytest.mark.parametrize("text", ["", "[]", "7", "{", '{"retrieval": []}', '{"retrieval": 1}', "{} x", '{"a": 1,}'])
def test_what_is_no_object_is_not_edited(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        edit(text, "retrieval", "gate_shift", "0.5")


def test_a_missing_file_is_made(project: Path) -> None:
    write_setting(str(project / ".claude" / "memory"), "retrieval", "gate_shift", "-0.25")
    assert settings_of(project).read_text() == '{\n  "retrieval": {\n    "gate_shift": -0.25\n  }\n}\n'


def test_settings_behind_a_link_stay(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.json"
    target.write_text("{}")
    settings_of(project).symlink_to(target)
    with pytest.raises(InputError, match="is a link"):
        write_setting(str(project / ".claude" / "memory"), "retrieval", "gate_shift", "1")
    assert target.read_text() == "{}"


@pytest.mark.parametrize("data", [b"\xff{}", b"", b"{" + b'"a":[' * 100_000])
def test_a_file_that_is_no_json_stays(project: Path, data: bytes) -> None:
    settings_of(project).write_bytes(data)
    if data:
        with pytest.raises(InputError):
            write_setting(str(project / ".claude" / "memory"), "retrieval", "gate_shift", "1")
        assert settings_of(project).read_bytes() == data
    else:
        write_setting(str(project / ".claude" / "memory"), "retrieval", "gate_shift", "1")
        assert b'"gate_shift": 1' in settings_of(project).read_bytes()


def test_a_byte_order_mark_in_front_of_settings_stays(project: Path) -> None:
    settings_of(project).write_bytes("\ufeff{}".encode())
    write_setting(str(project / ".claude" / "memory"), "retrieval", "gate_shift", "1")
    written = settings_of(project).read_bytes().decode()
    assert written.startswith("\ufeff{")
    assert engine.read_settings(None, written.encode()).gate_shift == 1024


# The effect of the shift


def test_the_shift_moves_the_threshold_of_every_setting(tmp_path: Path) -> None:
    prompt = "how does billing handle caching?"
    project = write_project(tmp_path / "project", *MEMORIES)
    logits = {}
    for number, shift in enumerate((0, 2, -2)):
        write_user_settings({"retrieval": {"gate_shift": shift}})
        for setting in ("precise", "balanced", "eager"):
            ran = run(
                tmp_path / f"{number}", project, "why", "billing-1", "--prompt", prompt, "--setting", setting, "--json"
            )
            trace = ran.document["trace"]
            assert trace["usual"] == (gate_threshold(setting) or 0) + 1024 * shift
            assert (trace["place"] is not None) == (trace["logit"] >= trace["least"])
            logits[trace["logit"]] = 1
        shown = run(tmp_path / f"{number}", project, "recall", prompt, "--setting", "off", "--json").document["hits"]
        assert len(shown) == 5
    assert len(logits) == 1
