"""`--explain`, `why` and `Trace`: the parts add up to the score; the output suits people, pipes and programs."""

import json
import pickle
import re
from pathlib import Path

import pytest

import cuecard
from command_process import Ran, run, run_on_terminal
from cuecard import GateSetting, MissingError, StoreError, Trace, UsageError
from cuecard._pure.rank import priors
from cuecard._pure.settings.gate_model import probability
from cuecard._pure.text import cues
from cuecard.basics.gate_table import FEATURE_NAMES
from cuecard.cli.show import plain_words
from cuecard.cli.show.events.show_trace import choose_terms, grouped
from cuecard.retrieval.hit import Part
from cuecard.retrieval.recall import open_recall
from cuecard.retrieval.trace import Feature, Term, unsure
from small_project import MEMORIES, SampleMemory, write_project

# A prompt that two memories answer.
BOTH = "the hook is a native executable and never opens the network"
PROMPT = "how does the native hook open the network?"
# A prompt that has no word, and no part of a word, in common with the memories or with the table of vectors.
UNKNOWN = "\u3042\u3044\u3046\u3048\u304a \u304b\u304d\u304f\u3051\u3053"
SILENT = "what colour has the sky over the sea"
NO_NETWORK, NATIVE_HOOK, TWINS = MEMORIES[0], MEMORIES[1], MEMORIES[2]
SETTINGS: tuple[GateSetting, ...] = ("precise", "balanced", "eager", "off")

pytestmark = pytest.mark.usefixtures("clean_environment")


def ask(project: Path, *arguments: str) -> Ran:
    return run(project.parent, project, *arguments)


def is_sound(trace: Trace) -> None:
    """Assert that the parts of a trace add up to its score and its logit."""
    assert trace.ranks is not None
    assert sum(part.points for part in trace.parts) == trace.ranks.score
    assert sum(feature.share for feature in trace.features) == trace.logit
    assert (trace.features[0].name, trace.features[0].value) == ("bias", 1024)
    names = [feature.name for feature in trace.features[1:]]
    assert names == [*FEATURE_NAMES]
    moved = [part.points for part in trace.parts if part.kind in (*cues.CUES, "burst", "decay")]
    assert trace.ranks.fused + sum(moved) == trace.ranks.score


# From Python


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("prompt", [PROMPT, SILENT, "why twins?", "publish"])
def test_a_trace_agrees_with_recall_about_every_memory(project: Path, prompt: str, setting: GateSetting) -> None:
    store = cuecard.open(project)
    shown = store.recall(prompt, setting=setting, explain=True)
    places = {hit.path: place for place, hit in enumerate(shown)}
    for memory in MEMORIES:
        trace = store.trace(prompt, memory.path, setting=setting)
        assert trace.place == places.get(memory.path)
        assert trace.is_shown == (memory.path in places)
        assert trace.verdict.startswith("shown " if memory.path in places else "not shown: ")
        assert (trace.title, trace.path, trace.tags) == (memory.title, memory.path, tuple(sorted(memory.tags)))
        if memory.path in places:
            hit = shown[places[memory.path]]
            is_sound(trace)
            assert trace.ranks
            assert (trace.ranks.score, trace.parts, trace.probability) == (hit.score, hit.parts, hit.probability)


def test_recall_of_a_store_is_that_of_a_recaller(project: Path) -> None:
    store, recaller = cuecard.open(project), open_recall(project)
    for setting in (None, *SETTINGS):
        for history in ((), ("the native hook",)):
            found = store.recall(PROMPT, history, setting=setting, limit=2, explain=True)
            assert found == recaller.recall(PROMPT, history, setting=setting, limit=2, explain=True)
            assert store.trace(PROMPT, "twins", history, setting=setting) == recaller.trace(
                PROMPT, "decision/twins", history, setting=setting
            )
    assert store.recall("hook", setting="off") == []
    assert not any(hit.parts for hit in store.recall(PROMPT))
    assert store.recall(PROMPT, strategy="keyword")[0].probability is None


def test_each_reason_for_silence_has_its_verdict(tmp_path: Path) -> None:
    root = write_project(tmp_path / "reasons", *MEMORIES, config={"retrieval": {"max_inject": 1}})
    store = cuecard.open(root)

    def verdict(prompt: str, memory: str, setting: GateSetting = "balanced") -> str:
        return store.trace(prompt, memory, setting=setting).verdict

    assert re.fullmatch(
        r"shown (with its text|with its gist|by its title): place 1 of at most 1", verdict(PROMPT, "no-network")
    )
    assert verdict(BOTH, "native-hook") == "not shown: a better memory fills the place"
    assert verdict(PROMPT, "native-hook", "off") == "not shown: rank 2, and at most 1 is shown"
    assert verdict(PROMPT, "old-hook") == "not shown: it is retired"
    assert verdict("hook", "no-network") == "not shown: the prompt is under 10 characters"
    assert verdict("thanks a lot, that is good", "plain-words") == "not shown: the prompt is nothing but a courtesy"
    assert verdict(UNKNOWN, "release", "off") == "not shown: no retriever finds it"
    trace = store.trace(SILENT, "plain-words")
    assert trace.probability is not None
    assert trace.threshold is not None
    assert trace.verdict == (
        f"not shown: the gate is {trace.probability * 100:.0f}% sure of it, and `balanced` shows from "
        f"{trace.threshold * 100:.0f}%"
    )
    switched_off = write_project(tmp_path / "off", config={"retrieval": {"enabled": False}})
    verdict_then = cuecard.open(switched_off).trace(PROMPT, "no-network").verdict
    assert verdict_then == "not shown: recall is switched off by `retrieval.enabled`"


def test_the_gate_looks_at_no_more_than_ten(tmp_path: Path) -> None:
    hooks = [SampleMemory("runbook", f"h{number}", f"Mend the native hook number {number}") for number in range(12)]
    store = cuecard.open(write_project(tmp_path / "many", *hooks))
    verdicts = [store.trace("how do I mend the native hook", memory.path).verdict for memory in hooks]
    assert sum(verdict.endswith(", and the gate judges only the first 10") for verdict in verdicts) == 2


def test_a_probability_is_that_of_the_logit_and_the_threshold_that_of_the_setting(project: Path) -> None:
    store = cuecard.open(project)
    traces = {setting: store.trace(PROMPT, "native-hook", setting=setting) for setting in SETTINGS}
    assert len({trace.logit for trace in traces.values()}) == 1
    assert traces["balanced"].probability == probability(traces["balanced"].logit) / 1024
    thresholds = [traces[setting].threshold for setting in ("eager", "balanced", "precise")]
    assert thresholds == sorted(thresholds, key=lambda threshold: threshold or 0)
    assert traces["off"].threshold is None
    assert store.trace(UNKNOWN, "release").probability is None


def test_history_counts_in_a_trace(project: Path) -> None:
    store = cuecard.open(project)
    words = {term.word for term in store.trace("and the network?", "no-network", ["a native hook"]).terms}
    assert "hook" in words
    assert "hook" not in {term.word for term in store.trace("and the network?", "no-network").terms}


def test_what_is_related_says_so(project: Path) -> None:
    trace = cuecard.open(project).trace("throttle the publishing of builds", "release")
    assert any(term.term != term.word and term.weight < 256 for term in trace.terms)
    assert any(part.token != part.matched for part in trace.parts if part.token)


def test_a_trace_is_a_value_with_a_document(project: Path) -> None:
    trace = cuecard.open(project).trace(PROMPT, "native-hook")
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert eval(repr(trace.features[0]), {"Feature": Feature}) == trace.features[0]
    with pytest.raises(AttributeError, match="a Trace is frozen"):
        trace.place = 0  # type: ignore[misc]
    document = json.loads(json.dumps(trace.as_dict()))
    assert sum(part["points"] for part in document["parts"]) == document["ranks"]["score"]
    assert sum(feature["share"] for feature in document["features"]) == document["logit"]
    assert document["verdict"] == trace.verdict


def test_what_cannot_be_traced_is_an_error(project: Path) -> None:
    store = cuecard.open(project)
    with pytest.raises(MissingError, match="there is no memory `nowhere`"):
        store.trace(PROMPT, "nowhere")
    with pytest.raises(UsageError, match="`bm25` has no stages to trace"):
        store.trace(PROMPT, "twins", strategy="bm25")
    with pytest.raises(UsageError, match="unknown setting `loud`"):
        store.trace(PROMPT, "twins", setting="loud")  # type: ignore[arg-type]
    for strategy in ("hybrid", "keyword"):
        with pytest.raises(UsageError, match="unknown setting `loud`"):
            store.recall(PROMPT, setting="loud", strategy=strategy)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the limit 0 is too small"):
        store.recall(PROMPT, limit=0)
    with pytest.raises(UsageError, match="`history` is a single string"):
        store.recall(PROMPT, "the native hook")
    (project / ".claude" / "memory" / "decisions" / "twins.json").write_text("[]")
    with pytest.raises(StoreError, match="cannot be found by recall"):
        store.trace(PROMPT, "twins")


def test_parts_sum_with_filters_and_limits_too(tmp_path: Path) -> None:
    hooks = [SampleMemory("runbook", f"h{number:02}", f"Mend the hook {number}", ("hook",)) for number in range(30)]
    root = write_project(tmp_path / "many", *MEMORIES, *hooks, config={"retrieval": {"candidate_pool": 10}})
    store = cuecard.open(root)
    for limit in (1, 10, 40):
        for narrowed in ({}, {"categories": "decision"}, {"status": "retired"}, {"status": "all", "tags": "hook"}):
            found = store.search("mend the native hook", limit, explain=True, **narrowed)  # type: ignore[arg-type]
            assert found
            assert all(sum(part.points for part in hit.parts) == hit.score for hit in found)


# For pipes and for programs


def test_explain_shows_parts_and_shares_that_sum(project: Path) -> None:
    ran = ask(project, "recall", BOTH, "--explain")
    assert (ran.code, ran.stderr) == (0, "")
    blocks = re.split(r"^(?= *\d+  - \[)", ran.stdout, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(cuecard.recall(BOTH, root=project, explain=True)) == 2
    for block in blocks:
        head, *lines = block.splitlines()
        *parts, whole = [line.split() for line in lines if not line.startswith("     gate  ")]
        sure, *shares, logit = [line.removeprefix("     gate  ") for line in lines if line.startswith("     gate  ")]
        assert whole == [head.split()[0], "sum"]
        assert int(whole[0]) == sum(int(part[0]) for part in parts)
        found = re.fullmatch(r"(\d+)% sure; `balanced` shows from (\d+)%(?: beside a surer memory)?", sure)
        assert found
        assert int(found[1]) >= int(found[2])
        reached = re.fullmatch(r" *([+-]\d+)  sum, and `balanced` shows from ([+-]\d+)", logit)
        assert reached
        assert int(reached[1]) == sum(int(share.split()[0]) for share in shares)
        assert int(reached[1]) >= int(reached[2])
        assert shares[0].split()[1] == "bias"


def test_how_unsure_the_gate_is_stands_in_percent_and_in_points_where_those_are_the_same() -> None:
    assert unsure(-1024, 0, 0, "balanced") == "the gate is 27% sure of it, and `balanced` shows from 50%"
    beside = "the gate is 27% sure of it, and `balanced` shows from 50% beside a surer memory"
    assert unsure(-1024, 0, -500, "balanced") == beside
    assert unsure(-5, 0, 0, "eager") == "the gate is 50% sure of it, 5 points too few for `eager`"


def test_explain_of_a_silent_prompt_shows_what_came_nearest_and_why_not(project: Path) -> None:
    ran = ask(project, "recall", SILENT, "--explain")
    assert ran.stderr == "note: nothing is injected: no memory is sure enough for `balanced`\n"
    heads = [line for line in ran.stdout.splitlines() if "  - [" in line]
    near = open_recall(project).recall(SILENT, setting="off", limit=3, explain=True)
    assert len(heads) == len(near) > 0
    assert all(line.startswith("not shown  ") for line in heads)
    gate = r"^     not shown: the gate is \d+% sure of it, and `balanced` shows from \d+%( beside a surer memory)?$"
    assert len(re.findall(gate, ran.stdout, re.MULTILINE)) > 0
    # Without `--explain`, the explanation does not appear.
    assert ask(project, "recall", SILENT).stdout == ""


def test_a_prompt_that_is_never_answered_has_nothing_near(project: Path) -> None:
    ran = ask(project, "recall", "hook", "--explain")
    assert (ran.stdout, ran.stderr) == ("", "note: nothing is injected: the prompt is under 10 characters\n")
    ran = ask(project, "recall", "thanks a lot", "--explain")
    assert (ran.stdout, ran.stderr) == ("", "note: nothing is injected: the prompt is nothing but a courtesy\n")
    assert "near" not in ask(project, "recall", "thanks a lot", "--explain", "--json").document


def test_setting_and_history_are_those_of_the_library(project: Path) -> None:
    for setting in SETTINGS:
        ran = ask(project, "recall", PROMPT, "--setting", setting, "--json")
        found = open_recall(project).recall(PROMPT, setting=setting, explain=True)
        assert [hit["path"] for hit in ran.document["hits"]] == [hit.path for hit in found]
    before = ("--history", "a native hook", "--history", "two twins")
    ran = ask(project, "recall", "and the result?", *before, "--setting", "off", "--json")
    found = open_recall(project).recall("and the result?", ["a native hook", "two twins"], setting="off", explain=True)
    assert ran.document["hits"] == [hit.as_dict() for hit in found]
    ran = ask(project, "recall", PROMPT, "--setting", "precise", "--strategy", "bm25")
    assert (ran.code, ran.stderr) == (0, "note: `bm25` has no gate: the setting changes nothing\n")
    ran = ask(project, "recall", PROMPT, "--setting", "loud")
    assert (ran.code, ran.stderr.splitlines()[0]) == (2, "error: unknown setting `loud`")


@pytest.mark.parametrize("name", ["native-hook", "native-hook.json", "decisions/native-hook.json", NATIVE_HOOK.path])
def test_why_tells_every_stage_of_one_memory(project: Path, name: str) -> None:
    ran = ask(project, "why", name, "--prompt", PROMPT)
    trace = open_recall(project).trace(PROMPT, "native-hook")
    verdict, memory, *lines = ran.stdout.splitlines()
    assert (ran.code, ran.stderr, verdict) == (0, "", trace.verdict)
    assert memory == f"memory  {NATIVE_HOOK.line}"
    kinds = list(dict.fromkeys([line.split()[0] for line in lines]))
    assert kinds == ["cue", "term", "retriever", "part", "score", "gate"]
    assert "cue  asks_how  the prompt asks how" in lines
    assert "term  256  hook" in lines
    assert trace.ranks
    retrievers = [
        re.fullmatch(r"retriever  \w+ +rank \d+, (?:score|cosine) [\d.]+: (\d+) points", line) for line in lines
    ]
    assert sum(int(retriever[1]) for retriever in retrievers if retriever) == trace.ranks.fused
    assert any(f"  rank {trace.ranks.semantic_rank + 1}, cosine {trace.ranks.cosine / 4096:.2f}: " in x for x in lines)
    parts = [int(line.split()[1]) for line in lines if line.startswith("part ")]
    assert sum(parts) == trace.ranks.score
    score = next(line for line in lines if line.startswith("score "))
    assert score.endswith(f"{trace.ranks.score} points, rank {trace.ranks.rank + 1}")
    document = ask(project, "why", name, "--prompt", PROMPT, "--json").document
    assert list(document) == ["root", "strategy", "prompt", "path", "verdict", "event", "trace", "notes"]
    assert (document["verdict"], document["event"]) == (trace.verdict, None)
    assert document["trace"] == trace.as_dict()


def test_why_of_nothing_is_an_error(project: Path) -> None:
    ran = ask(project, "why", "native-hok", "--prompt", PROMPT)
    assert (ran.code, ran.stdout) == (1, "")
    assert ran.stderr == "error: there is no memory `native-hok`\nhint: did you mean `native-hook`?\n"
    ran = ask(project, "why", "native-hook", "--prompt", PROMPT, "--strategy", "keyword")
    assert (ran.code, ran.stderr.splitlines()[0]) == (2, "error: `keyword` has no stages to trace")


def test_documents_have_traces_where_they_were_asked_for(project: Path) -> None:
    plain = ask(project, "recall", PROMPT, "--json").document
    explained = ask(project, "recall", PROMPT, "--json", "--explain").document
    assert list(plain) == list(explained)
    for hit, known in zip(explained["hits"], plain["hits"], strict=True):
        trace = hit.pop("trace")
        assert (hit, trace["parts"]) == (known, hit["parts"])
    silent = ask(project, "recall", SILENT, "--json", "--explain").document
    assert silent["hits"] == []
    assert [hit["trace"]["place"] for hit in silent["near"]] == [None] * len(silent["near"])
    found = ask(project, "search", "native hook", "--json", "--explain", "--status", "all").document
    assert found["hits"][0]["path"] == NATIVE_HOOK.path
    assert all(sum(one["share"] for one in hit["trace"]["features"]) == hit["trace"]["logit"] for hit in found["hits"])
    assert all(hit["trace"]["parts"] == hit["parts"] for hit in found["hits"])


# For people


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", PROMPT, "--explain"],
        ["recall", SILENT, "--explain"],
        ["why", "twins", "--prompt", PROMPT],
        ["search", "native hook", "--explain"],
    ],
    ids=["explain", "silent", "why", "search"],
)
def test_a_terminal_shows_all_of_it_in_its_width(project: Path, arguments: list[str], columns: int) -> None:
    ran = run_on_terminal(project.parent, project, *arguments, columns=columns)
    assert ran.code == 0
    assert all(len(line) <= columns for line in ran.stdout.splitlines() if not line.startswith("note: "))
    words = " ".join(ran.stdout.split())
    assert "start value of every memory" in words
    assert "% sure; `balanced` shows from" in words
    assert "sum, and `balanced` shows from" in words
    assert ("not shown: " in words) == (SILENT in arguments or "why" in arguments)


def test_nothing_stored_steers_a_terminal_from_a_trace(tmp_path: Path) -> None:
    evil = SampleMemory("decision", "evil", "Evil \x1b[31mhook\x9b2J \u202etxet [bold]b[/bold]", ("a\x07b",))
    root = write_project(tmp_path / "evil", evil, *MEMORIES)
    prompt = "what is an evil \x1b[1mhook txet"
    for asked in (["recall", prompt, "--explain"], ["why", "evil", "--prompt", prompt]):
        ran = ask(root, *asked, "--setting", "off")
        assert "Evil [31mhook2J txet [bold]b[/bold]" in ran.stdout
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", ran.stdout + ran.stderr)


def test_everything_that_is_named_has_plain_words() -> None:
    assert set(plain_words.CUES) == set(cues.CUES)
    assert {"bias", *FEATURE_NAMES} <= set(plain_words.FEATURES) | set(plain_words.CUES)
    assert {name for name, _categories, _points in priors.INTENTS} <= set(plain_words.CUES)
    for name in ("bias", *FEATURE_NAMES):
        words = plain_words.explain_feature(Feature(name, 710, 1))
        assert "_" not in words
    assert (
        plain_words.explain_feature(Feature("title_words", 1125, 1)) == "words of the prompt in the title and tags: 2"
    )
    assert plain_words.explain_part(Part("title", "throttle", "rate", 1)) == "throttle ~ rate"
    assert plain_words.explain_part(Part("body", "", "rate", 1)).startswith("rate, which often occurs with")
    assert plain_words.explain_feature(Feature("lexical_margin", 640, 1)).endswith(": +62% of the rarest word")
    assert plain_words.explain_part(Part("semantic", "", "", 2048)) == "cosine 0.50"
    assert plain_words.explain_part(Part("boost", "", "", 1)) == "the factor given by the caller"


def test_features_that_say_nearly_the_same_are_summed_up() -> None:
    assert {name for members in plain_words.GROUPS.values() for name in members} <= set(FEATURE_NAMES)
    features = [
        Feature("bias", 1024, -700),
        Feature("information", 900, 500),
        Feature("tech_debt", 1024, 300),
        Feature("score", 512, 250),
        Feature("title_information", 900, -400),
    ]
    words, score = [name for name in plain_words.GROUPS if "words" in name or "score" in name]
    assert grouped(features) == [
        ("", [features[0]], -700),
        ("", [features[2]], 300),
        (score, [features[3]], 250),
        (words, [features[1], features[4]], 100),
    ]


def test_people_see_few_related_words_and_only_in_the_scripts_of_the_prompt() -> None:
    related = [Term(f"pay{letter}", 90, "payment") for letter in "abcdefg"]
    terms = (Term("payment", 256, "payment"), Term("\uacb0\uc81c", 100, "payment"), *related, Term("slow", 256, "slow"))
    assert choose_terms(terms) == [terms[0], *related[:5], terms[-1]]
    assert choose_terms((Term("\uacb0\uc81c", 256, "\uacb0\uc81c"), terms[1])) == [
        Term("\uacb0\uc81c", 256, "\uacb0\uc81c"),
        terms[1],
    ]
