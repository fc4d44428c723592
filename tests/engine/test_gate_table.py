"""The table of the gate: each feature has a value, words and a group, and training keeps the words (SPEC 28)."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from cuecard import _pure as pure
from cuecard._pure.rank.recall import Recall
from cuecard._pure.requests.request import Request
from cuecard._pure.settings.gate_model import Judgment
from cuecard.basics.gate_table import ALONE, FEATURE_NAMES, FEATURES, GROUPS, LOGITS
from cuecard.cli.show import plain_words
from cuecard.retrieval.trace import Feature
from hybrid_cases import NUMBERS, stored_files
from snapshot_cases import files_of
from snapshots import build

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "python/cuecard/assets/tables/gate.txt"
KINDS = {"share", "word", "score", "count", "none"}


def test_each_feature_of_the_table_is_computed_and_no_other() -> None:
    snapshot = build(pure, files_of(stored_files("backend")), NUMBERS)
    recall = Recall(snapshot, Request("how do we roll a deploy back?", 3, pure.Settings()))
    found = recall.candidates.ranked[:3]
    assert found
    for candidate in found:
        assert sorted(recall.gate.features(candidate)) == sorted(FEATURE_NAMES)


def test_a_value_is_found_by_its_name_and_not_by_its_place() -> None:
    values = {name: 100 * number for number, name in enumerate(FEATURE_NAMES)}
    turned = dict(reversed(values.items()))
    assert (Judgment(turned).shares, Judgment(turned).logit) == (Judgment(values).shares, Judgment(values).logit)


def test_a_feature_without_a_value_is_an_error() -> None:
    values = dict.fromkeys(FEATURE_NAMES, 0)
    del values["score"]
    with pytest.raises(KeyError, match="score"):
        Judgment(values)


def test_each_feature_has_its_own_name_and_words_and_a_known_group_and_kind() -> None:
    assert len(set(FEATURE_NAMES)) == len({feature.words for feature in FEATURES}) == len(FEATURES)
    assert {feature.group for feature in FEATURES} == {*GROUPS, ALONE}
    assert {feature.kind for feature in FEATURES} <= KINDS
    assert all(re.fullmatch(r"[a-z][a-z_]*", feature.name) for feature in FEATURES)


def test_the_words_for_a_cue_are_the_same_for_points_and_in_the_gate() -> None:
    for cue in plain_words.CUES.keys() & set(FEATURE_NAMES):
        assert plain_words.explain_feature(Feature(cue, 1024, 1)) == f"the prompt {plain_words.CUES[cue]}"


def test_training_writes_the_numbers_and_keeps_the_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "gate"))
    write = import_module("table_file").write

    model = SimpleNamespace(
        knots=[feature.knots for feature in FEATURES],
        slopes=[feature.slopes for feature in FEATURES],
        bias=LOGITS["bias"],
        words=dict(_general_words()),
    )
    thresholds = {name: LOGITS[name] for name in ("precise", "balanced", "eager")}
    table = tmp_path / "gate.txt"
    table.write_bytes(TABLE.read_bytes())
    write(model, thresholds, table)
    assert table.read_text("utf-8") == TABLE.read_text("utf-8")
    model.slopes[0], model.words = (7, 8, 9), {"why": -3}
    write(model, thresholds | {"eager": -2000}, table)
    changed = set(table.read_text("utf-8").split("\n")) - set(TABLE.read_text("utf-8").split("\n"))
    first = FEATURES[0]
    knots = " ".join(map(str, first.knots))
    assert changed == {
        f"{first.name} {knots} 7 8 9 {first.kind} {first.group} {first.words}",
        "eager -2000 from which `eager` shows a memory",
        "why -3",
    }


def _general_words() -> list[tuple[str, int]]:
    rows = TABLE.read_text("utf-8").partition("\n[general_words]\n")[2].strip().split("\n")
    return [(word, int(weight)) for word, weight in (row.split(" ") for row in rows)]
