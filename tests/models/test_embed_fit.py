"""An embedder that knows only Latin letters is refused for a store with other letters: it makes recall worse."""

from pathlib import Path

import pytest

from cuecard import ModelError, Store
from cuecard._pure.settings.reader import read_settings
from cuecard.files.locate import locate
from cuecard.models.embedders import choice
from cuecard.models.embedders.embedder import Embedder
from cuecard.models.vectors import embed_written
from cuecard.models.vectors.embed_plan import plan_embedding
from cuecard.models.vectors.embed_run import embed_store
from cuecard.models.vectors.memory_text import is_latin
from cuecard.observe.doctor.embedding import examine_embedding
from records import make_store, put, stored
from scratch_home import write_user_settings

KOREAN = "데이터베이스 백업은 매일 밤에 만들고 한 달 동안 보관한다. 복구는 한 주에 한 번 시험한다. " * 20


class Latin(Embedder):
    """An embedder in this process; it says whether it knows only Latin letters."""

    name = "latin"
    dimension = 4

    def __init__(self, *, is_latin: bool = True) -> None:
        self.is_latin = is_latin

    @property
    def fingerprint(self) -> int:
        return 7

    def encode(self, texts: list[str], timeout: float | None) -> list[bytes]:
        return [bytes([1, 2, 3, 4]) for _ in texts]


def fill(store: Store, latin: int, korean: int) -> None:
    for number in range(latin):
        put(store, stored(f"latin-{number}"))
    for number in range(korean):
        put(store, stored(f"korean-{number}", title=KOREAN[:40], content={"decision": KOREAN}))


def embed(store: Store, embedder: Embedder) -> int:
    return embed_store(locate(store.root), embedder, lambda _done, _total: None).embedded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[(text, True) for text in ("plain text", "", "12 + 34", "Überweisung für Łódź", "백업 ab", "備份 db")],
        *[(text, False) for text in ("백업은 매일", "резервная копия", "備份資料庫 db")],
    ],
)
def test_a_text_is_latin_if_half_of_its_letters_are(text: str, expected: bool) -> None:
    assert is_latin(text) is expected


def test_one_memory_in_five_may_be_in_other_letters(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    fill(store, 8, 2)
    assert embed(store, Latin()) == 10
    put(store, stored("one-more", title=KOREAN[:40], content={"decision": KOREAN}))
    with pytest.raises(
        ModelError, match="the model knows only English, and 3 of 11 memories are in other letters"
    ) as raised:
        embed(store, Latin())
    assert "multilingual" in raised.value.hint
    # An embedder that knows all letters is not refused.
    assert embed(store, Latin(is_latin=False)) == 1


def test_retired_memories_do_not_count(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    fill(store, 4, 1)
    put(store, stored("gone", title=KOREAN[:40], content={"decision": KOREAN}, record_status="retired"))
    plan = plan_embedding(locate(store.root), Latin())
    assert (plan.total, len(plan.missing)) == (5, 5)


def test_a_dry_run_and_the_doctor_refuse_as_the_run_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_user_settings({"embedding": {"provider": "minilm"}})
    store = make_store(tmp_path / "project")
    fill(store, 1, 1)
    with pytest.raises(ModelError, match="1 of 2 memories are in other letters"):
        plan_embedding(locate(store.root), Latin())
    monkeypatch.setattr(choice, "open_embedder", lambda _settings: Latin())
    [found] = examine_embedding(store.root)
    assert (found.verdict, "1 of 2 memories are in other letters" in found.words) == ("warn", True)
    assert "multilingual" in found.hint


def test_a_write_embeds_nothing_before_a_run_over_all_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_user_settings({"embedding": {"provider": "minilm"}})
    store = make_store(tmp_path / "project")
    fill(store, 2, 0)
    config = read_settings(b'{"embedding": {"provider": "minilm"}}', None)
    path = ".claude/memory/decisions/latin-0.json"
    vectors = Path(store.memory_dir) / ".cuecard" / "vectors-00000007"
    for embedder, exists in ((Latin(), False), (Latin(is_latin=False), True)):
        monkeypatch.setattr(embed_written, "open_embedder", lambda _settings, embedder=embedder: embedder)
        assert embed_written.embed_written(str(store.memory_dir), config, path) == []
        assert vectors.exists() is exists
