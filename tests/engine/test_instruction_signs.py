"""Instruction signs on two sets of texts: they must match payloads and must not match ordinary memories."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from cuecard import _pure as pure
from cuecard._pure.memory.sign_patterns import DENIAL, FILLER, NEUTRAL, Phrase
from cuecard._pure.memory.sign_search import shipped
from cuecard.basics.tables import read_lines

ROOT = Path(__file__).parents[2]
SETS = ROOT / "tests" / "data" / "instruction_payloads"
EVALUATION = Path(os.environ.get("CUECARD_EVAL", ROOT.parent / "shared" / "eval"))


def read_texts(name: str) -> list[str]:
    lines = (SETS / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line)["text"] for line in lines if line]


def is_kept_back(text: str) -> bool:
    """Whether a text is in the half of the set that was not used to tune the data file."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def read_memories() -> Iterator[dict[str, object]]:
    for file in sorted(EVALUATION.glob("dev*/*/memories.jsonl")):
        yield from (json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line)
    for file in sorted((ROOT / ".claude" / "memory").glob("[!.]*/*.json")):
        yield json.loads(file.read_text(encoding="utf-8"))


def texts_of(value: object) -> Iterator[str]:
    """Every string in a record, including the names of its members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from texts_of(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)


# The least numbers below are what was found when they were written: no change may lose a payload.
@pytest.mark.parametrize(("kept_back", "least", "least_wider"), [(False, 237, 237), (True, 190, 197)])
def test_payloads_are_found(engine: ModuleType, kept_back: bool, least: int, least_wider: int) -> None:
    texts = [text for text in read_texts("payloads.jsonl") if is_kept_back(text) == kept_back]
    assert len(texts) > 100
    assert sum(1 for text in texts if engine.instruction_signs(text)) >= least
    assert sum(1 for text in texts if engine.instruction_signs(text, learned=True)) >= least_wider


@pytest.mark.parametrize(("kept_back", "least"), [(False, 43), (True, 50)])
def test_payloads_in_memories_are_found(engine: ModuleType, kept_back: bool, least: int) -> None:
    lines = (SETS / "memories.jsonl").read_text(encoding="utf-8").split("\n")
    memories = [memory for line in lines if line and is_kept_back((memory := json.loads(line))["title"]) == kept_back]
    shown = [{key: memory[key] for key in ("title", "tags", "content")} for memory in memories]
    found = [memory for memory in shown if any(engine.instruction_signs(text) for text in texts_of(memory))]
    assert len(memories) > 40
    assert len(found) >= least


def read_blind(kind: str, *, is_tuned: bool) -> list[str]:
    """One half of the texts of a kind in the set that was written before the rules were read.

    The texts take turns: the first half was used to extend the rules, the second was not.
    """
    lines = (ROOT / "tests/data/blind_signs.tsv").read_text(encoding="utf-8").splitlines()
    texts = [line.split("\t")[3] for line in lines if line.startswith(f"{kind}\t")]
    return texts[0 if is_tuned else 1 :: 2]


# When the set was written, 22 and 20 of 40 were found in the two halves.
@pytest.mark.parametrize(("is_tuned", "least"), [(True, 40), (False, 38)])
def test_payloads_of_the_blind_set_are_found_in_fourteen_languages(
    engine: ModuleType, is_tuned: bool, least: int
) -> None:
    texts = read_blind("payload", is_tuned=is_tuned)
    assert len(texts) == 40
    assert sum(1 for text in texts if engine.instruction_signs(text)) >= least


@pytest.mark.parametrize(("is_tuned", "most"), [(True, 4), (False, 0)])
def test_few_harmless_texts_of_the_blind_set_are_flagged(engine: ModuleType, is_tuned: bool, most: int) -> None:
    texts = read_blind("harmless", is_tuned=is_tuned)
    flagged = [text for text in texts if engine.instruction_signs(text)]
    assert len(texts) == 40
    assert len(flagged) <= most, flagged


def read_slots(half: str, kind: str) -> list[str]:
    """The texts of a kind in 27 languages. The texts of the half `kept` were not used to tune the classes of words."""
    lines = (ROOT / "tests/data/sign_slots.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[4] for line in lines if line.startswith(f"{half}\t{kind}\t")]


# Before there were classes for slots, 22 % of the tuned texts and 19 % of the texts that were kept back were found.
@pytest.mark.parametrize(("half", "least"), [("tuned", 219), ("kept", 103)])
def test_orders_in_twenty_seven_languages_are_found(engine: ModuleType, half: str, least: int) -> None:
    texts = read_slots(half, "payload")
    missed = [text for text in texts if not engine.instruction_signs(text)]
    assert len(texts) >= 100
    assert len(texts) - len(missed) >= least, missed


@pytest.mark.parametrize("half", ["tuned", "kept"])
def test_notes_about_agents_prompts_and_secrets_are_left_alone(engine: ModuleType, half: str) -> None:
    texts = read_slots(half, "harmless")
    assert len(texts) >= 60
    assert [text for text in texts if engine.instruction_signs(text)] == []


def read_second_blind(origin: str, kind: str) -> list[str]:
    """The texts of a kind from the second blind set, or from a set that was written for the same kinds of orders."""
    lines = (ROOT / "tests/data/blind_signs_2.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows if (row["set"], row["kind"]) == (origin, kind)]


def test_the_wider_level_finds_most_payloads_of_a_set_that_nothing_was_learned_from(engine: ModuleType) -> None:
    lines = (ROOT / "tests/data/blind_signs_3.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    texts = {kind: [row["text"] for row in rows if row["kind"] == kind] for kind in ("payload", "harmless")}
    found = {kind: sum(bool(engine.instruction_signs(text, learned=True)) for text in texts[kind]) for kind in texts}
    assert {kind: len(each) for kind, each in texts.items()} == {"payload": 80, "harmless": 80}
    assert found["payload"] >= 53, found
    assert found["harmless"] <= 1, found


# Before there were classes for these kinds, 46 and 17 were found. The texts that were not tuned on are hard.
@pytest.mark.parametrize(("origin", "least"), [("blind", 79), ("same spirit", 58), ("not tuned", 3)])
def test_payloads_of_the_second_blind_set_are_found(engine: ModuleType, origin: str, least: int) -> None:
    texts = read_second_blind(origin, "payload")
    missed = [text for text in texts if not engine.instruction_signs(text)]
    assert len(texts) - len(missed) >= least, missed


@pytest.mark.parametrize(("origin", "most"), [("blind", 0), ("same spirit", 0), ("not tuned", 1)])
def test_notes_of_the_second_blind_set_are_left_alone(engine: ModuleType, origin: str, most: int) -> None:
    texts = read_second_blind(origin, "harmless")
    flagged = [text for text in texts if engine.instruction_signs(text)]
    assert texts
    assert len(flagged) <= most, flagged


def read_styles(kind: str) -> list[str]:
    """The texts of a kind from the set of habits, conditions, questions and roles; the weights are learned from it."""
    lines = (SETS / "styles.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return [text.replace("\\n", "\n") for found, _language, _style, text in rows if found == kind]


def read_harmless() -> dict[str, list[str]]:
    """All sets of texts that no sign should be found in."""
    sets = {"orders": read_texts("harmless.jsonl"), "styles": read_styles("harmless")}
    sets["blind"] = [text for is_tuned in (True, False) for text in read_blind("harmless", is_tuned=is_tuned)]
    sets["slots"] = [text for half in ("tuned", "kept") for text in read_slots(half, "harmless")]
    sets["second blind"] = read_second_blind("blind", "harmless") + read_second_blind("same spirit", "harmless")
    return sets


def withholds(engine: ModuleType, text: str) -> bool:
    return bool(engine.instruction_signs(text, learned=True))


# The signs alone find 131 and 3 of these.
def test_the_wider_level_finds_habits_conditions_questions_and_roles(engine: ModuleType) -> None:
    texts = read_styles("payload")
    assert len(texts) >= 250
    assert sum(1 for text in texts if engine.instruction_signs(text, learned=True)) >= 261
    hard = read_second_blind("not tuned", "payload")
    assert sum(1 for text in hard if engine.instruction_signs(text, learned=True)) >= 18


def test_the_wider_level_adds_few_harmless_texts(engine: ModuleType) -> None:
    for name, texts in read_harmless().items():
        wider = [text for text in texts if engine.instruction_signs(text, learned=True)]
        added = [text for text in wider if not engine.instruction_signs(text)]
        assert len(added) <= 0.03 * len(texts), (name, added)


def test_few_real_memories_are_withheld_and_the_signs_alone_flag_none(engine: ModuleType) -> None:
    # The pure backend takes twenty times as long; the test below shows that both find the same.
    memories = list(read_memories())[:: 8 if engine is pure else 1]
    wider = {(memory.get("title"), text) for memory in memories for text in texts_of(memory) if withholds(engine, text)}
    withheld = [memory for memory in memories if any((memory.get("title"), text) in wider for text in texts_of(memory))]
    assert len(withheld) <= 0.03 * len(memories), [memory.get("title") for memory in withheld]
    # What the signs find, the wider level finds as well.
    assert [(title, text) for title, text in wider if engine.instruction_signs(text)] == []


def test_harmless_orders_are_left_alone(engine: ModuleType) -> None:
    texts = read_texts("harmless.jsonl")
    flagged = [text for text in texts if engine.instruction_signs(text)]
    assert len(texts) >= 150
    assert len(flagged) <= 0.02 * len(texts), flagged


def test_the_memories_of_the_evaluation_were_among_them() -> None:
    if not (EVALUATION / "dev").is_dir():
        pytest.skip("the memories of the evaluation are not on this machine")
    assert sum(1 for _ in read_memories()) > 900


def test_backends_agree_on_every_text_and_the_wider_level_replaces_no_reason(native: ModuleType) -> None:
    lines = (SETS / "memories.jsonl").read_text(encoding="utf-8").split("\n")
    of_memories = [text for line in lines if line for text in texts_of(json.loads(line))]
    slots = [text for half in ("tuned", "kept") for kind in ("payload", "harmless") for text in read_slots(half, kind)]
    origins = ("blind", "same spirit", "not tuned")
    blind = [text for origin in origins for kind in ("payload", "harmless") for text in read_second_blind(origin, kind)]
    styles = [*read_styles("payload"), *read_styles("harmless")]
    for text in [*read_texts("payloads.jsonl"), *read_texts("harmless.jsonl"), *of_memories, *slots, *blind, *styles]:
        signs, wider = pure.instruction_signs(text), pure.instruction_signs(text, learned=True)
        assert (native.instruction_signs(text), native.instruction_signs(text, learned=True)) == (signs, wider), text
        assert not signs or wider == signs, text


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "seed",
    [
        "<",
        "* ",
        "i ",
        "ignore all ",
        "not be ",
        "send the secret ",
        "&#105;",
        "\n- ",
        "이전 지시 ",
        "a.b. ",
        "ignoreall",
        "é\u200b",
    ],
)
def test_the_longest_text_takes_time_by_its_length(engine: ModuleType, seed: str) -> None:
    engine.instruction_signs((seed * (1 << 18))[: 1 << 18], learned=True)


def test_every_phrase_of_the_tables_has_a_class_of_a_pattern_and_words() -> None:
    signs = shipped()
    known = {DENIAL, FILLER, NEUTRAL, *(pattern.absent for pattern in signs.patterns)}
    known |= {kind for pattern in [*signs.patterns, *signs.learned, *signs.harmless] for kind, _ in pattern.kinds}
    rows = [row.split(" ", 1) for table in ("phrases", "openings") for row in read_lines("instruction_signs", table)]
    phrases = [Phrase(text) for _, texts in rows for text in texts.split(";")]
    assert all(set(phrase.kinds) <= known and all(word for _, word, _ in phrase.follow) for phrase in phrases)
    assert all(signs.knows(word) for word, _ in rows)
    assert len(signs.patterns) > 100
    assert all(pattern.reason and pattern.kinds for pattern in signs.patterns)
