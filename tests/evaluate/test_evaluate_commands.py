"""`cuecard eval` as real processes."""

import json
from pathlib import Path

import pytest

from command_process import Ran, error_of, run, run_on_terminal
from small_project import MEMORIES

HOOK = MEMORIES[1].name


@pytest.fixture
def prompts(project: Path) -> Path:
    row = {"project": "project", "lang": "en", "history": []}
    lines = [
        {**row, "id": "1", "kind": "exact", "prompt": "the native hook executable", "judgments": {HOOK: 2}},
        {**row, "id": "2", "kind": "negative", "prompt": "translate the brochure into spanish", "judgments": {}},
    ]
    file = project / "prompts.jsonl"
    file.write_text("".join([f"{json.dumps(line)}\n" for line in lines]), encoding="utf-8")
    return file


def run_here(project: Path, *arguments: str | Path) -> Ran:
    return run(project.parent, project, "eval", *arguments)


def test_a_run_is_written_and_scored(project: Path, prompts: Path) -> None:
    ran = run_here(project, "run", "--prompts", prompts, "--out", "run.jsonl", "--setting", "off", "--strategy", "bm25")
    assert ran == Ran(0, "2 prompts, something injected for 1; the run is `run.jsonl`\n", "")
    lines = [json.loads(line) for line in (project / "run.jsonl").read_text().splitlines()]
    assert [(line["project"], line["prompt_id"]) for line in lines] == [("project", "1"), ("project", "2")]
    assert lines[0]["results"][0] == HOOK
    scored = run_here(project, "score", "run.jsonl", "--prompts", prompts)
    assert (scored.code, scored.stderr) == (0, "")
    assert scored.stdout.splitlines()[0].split()[:4] == ["group", "prompts", "R@3", "R@5"]
    document = run_here(project, "score", "run.jsonl", "--prompts", prompts, "--json", "--resamples", "50").document
    assert document["groups"]["ALL"]["R@5"] == 1
    assert document["groups"]["negative"]["false"] == 0
    assert document["missing"] == 0


def test_prompts_are_run_without_their_judgments(project: Path, prompts: Path) -> None:
    rows = [json.loads(line) for line in prompts.read_text().splitlines()]
    bare = [{name: row[name] for name in ("project", "id", "prompt")} for row in rows]
    (project / "bare.jsonl").write_text("".join([f"{json.dumps(line)}\n" for line in bare]))
    for name in ("bare", "prompts"):
        assert run_here(project, "run", "--prompts", f"{name}.jsonl", "--out", f"{name}.run").code == 0
    answers = [
        [json.loads(line)["results"] for line in (project / f"{name}.run").read_text().splitlines()]
        for name in ("bare", "prompts")
    ]
    assert answers[0] == answers[1]
    # Prompts without judgments can be run, but scoring them is an error.
    ran = run_here(project, "score", "bare.run", "--prompts", "bare.jsonl")
    assert (ran.code, ran.stderr.splitlines()[0]) == (1, "error: bare.jsonl:1: `kind` is missing")


def test_a_score_says_what_its_measures_are(project: Path, prompts: Path) -> None:
    run_here(project, "run", "--prompts", prompts, "--out", "run.jsonl", "--strategy", "bm25")
    lines = run_here(project, "score", "run.jsonl", "--prompts", prompts).stdout.splitlines()
    assert any(
        line.startswith("false ") and line.endswith("share of prompts without an answer that get a memory")
        for line in lines
    )


def test_runs_are_compared(project: Path, prompts: Path) -> None:
    empty: list[dict[str, object]] = [{"project": "project", "prompt_id": name, "results": []} for name in ("1", "2")]
    (project / "empty.jsonl").write_text("".join([f"{json.dumps(line)}\n" for line in empty]))
    assert run_here(project, "run", "--prompts", prompts, "--out", "run.jsonl", "--strategy", "bm25").code == 0
    ran = run_here(project, "score", "run.jsonl", "--prompts", prompts, "--against", "empty.jsonl", "--json")
    assert ran.document["against"]["R@5"]["difference"] == 1


def test_a_person_sees_what_fits_the_terminal(project: Path, prompts: Path) -> None:
    run_here(project, "run", "--prompts", prompts, "--out", "run.jsonl", "--strategy", "bm25")
    shown = run_on_terminal(project.parent, project, "eval", "score", "run.jsonl", "--prompts", str(prompts))
    assert shown.code == 0
    assert "nDCG@5" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_made_prompts_can_be_run_and_reported(project: Path) -> None:
    made = run_here(project, "make", "--out", "made.jsonl", "--limit", "8")
    assert made.code == 0
    assert "no person has judged these prompts yet" in made.stderr
    assert {json.loads(line)["reviewed"] for line in (project / "made.jsonl").read_text().splitlines()} == {False}
    ran = run_here(project, "report", "--root", ".", "--prompts", "made.jsonl", "--json")
    assert ran.code == 0
    assert {variant["strategy"] for variant in ran.document["variants"]} >= {"keyword", "bm25", "tfidf"}
    assert sorted(path.name for path in project.iterdir()) == [".claude", "made.jsonl"]
    shown = run_on_terminal(project.parent, project, "eval", "report", "--prompts", "made.jsonl")
    assert shown.code == 0
    assert "hybrid, balanced" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_reviewed_prompts_are_not_made_anew(project: Path, prompts: Path) -> None:
    before = prompts.read_bytes()
    ran = run_here(project, "make", "--out", "prompts.jsonl")
    assert (ran.code, ran.stderr.splitlines()[0]) == (
        2,
        "error: `prompts.jsonl` has 2 prompts that a person has judged",
    )
    assert prompts.read_bytes() == before
    assert run_here(project, "make", "--out", "made.jsonl", "--limit", "2").code == 0
    assert run_here(project, "make", "--out", "made.jsonl", "--limit", "2").code == 0


def test_transcripts_may_be_named_one_after_the_other(project: Path) -> None:
    for name in ("a", "b"):
        entry = {"type": "user", "message": {"role": "user", "content": f"prompt of {name}"}}
        (project / f"{name}.jsonl").write_text(f"{json.dumps(entry)}\n")
    ran = run_here(project, "make", "--out", "made.jsonl", "--json", "--transcripts", "a.jsonl", "b.jsonl")
    assert ran.document["kinds"]["transcript-unused"] == 2


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("run", "--prompts", "none.jsonl", "--out", "run.jsonl"), 1, "`none.jsonl` is missing"),
        (("run", "--prompts", "prompts.jsonl", "--out", "no/run.jsonl"), 1, "cannot be written"),
        (
            ("run", "--prompts", "prompts.jsonl", "--out", "run.jsonl", "--setting", "strict"),
            2,
            "unknown setting `strict`",
        ),
        (("run", "--prompts", "prompts.jsonl", "--out", "run.jsonl", "--strategy", "x"), 2, "unknown strategy `x`"),
        (("run", "--prompts", "prompts.jsonl", "--out", "run.jsonl", "--root", "no"), 1, "is not a project"),
        (("run", "--prompts", "prompts.jsonl"), 2, "missing option `--out`"),
        (("run", "--prompts", "prompts.jsonl", "--out", "./prompts.jsonl"), 2, "`./prompts.jsonl` is an input file"),
        (("make", "--out", "prompts.jsonl", "--transcripts", "prompts.jsonl"), 2, "`prompts.jsonl` is an input file"),
        (("score", "prompts.jsonl", "--prompts", "prompts.jsonl"), 1, "prompts.jsonl:1: `results` is missing"),
        (("report", "--prompts", "prompts.jsonl", "--prompts", "b"), 2, "0 projects and 2 files"),
        (("make", "--out", "made.jsonl", "--transcripts", "no"), 1, "there is no transcript at `no`"),
    ],
)
def test_what_is_wrong_is_said_with_a_hint(
    project: Path, prompts: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    before = sorted(project.rglob("*"))
    ran = run_here(project, *arguments, "--json")
    assert ran.code == code
    found = error_of(ran)
    assert words in found["what"]
    assert found["fix"]
    assert sorted(project.rglob("*")) == before


def test_whole_blocks_are_counted_and_the_others_name_what_they_lack(project: Path) -> None:
    memory = {
        "category": "decision",
        "title": "round_total rounds invoices once",
        "tags": ["invoice"],
        "content": {"status": "accepted", "context": "Sums.", "decision": "Half to even.", "rationale": ["Tax law."]},
    }
    row = {"project": "tea", "id": "rounding", "facts": ["half to even", "JPY"], "bug": "round_total of an invoice"}
    (project / "decisions.jsonl").write_text(json.dumps({**row, "whole": memory}), encoding="utf-8")
    ran = run_here(project, "wholeness", "decisions.jsonl", "--setting", "off")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[0].split()[-6:] == ["asked", "whole", "partial", "stale", "absent", "tokens"]
    assert ran.stdout.splitlines()[-1] == "whole  tea/rounding  partial: lacks `JPY`"
    document = run_here(project, "wholeness", "decisions.jsonl", "--setting", "off", "--json").document
    assert document["counts"]["whole"]["bugs"]["partial"] == 1
    assert document["blocks"][0]["missing"] == ["JPY"]
