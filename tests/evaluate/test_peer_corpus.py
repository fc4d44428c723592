"""`benches/peers.py` gets its texts and queries also on a machine that has only Debian's short descriptions."""

from pathlib import Path

import pytest

import peer_corpus


@pytest.fixture(autouse=True)
def few_descriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_corpus, "_MADE_DESCRIPTIONS", 3000)
    monkeypatch.setattr(peer_corpus, "_MADE_VOCABULARY", 20_000)


@pytest.mark.parametrize("count", [0, 5000])
def test_there_are_as_many_queries_without_long_descriptions(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = [(f"package{number}", f"tools for the number {number}") for number in range(count)]
    monkeypatch.setattr(peer_corpus, "read_debian", lambda: list(short))
    said = peer_corpus.write_corpus(tmp_path, 600)
    assert said == "600 made-up descriptions, 0 generated memories"
    assert len(peer_corpus.read_texts(tmp_path, 600)) == 600
    for name in peer_corpus.QUERY_SETS:
        queries = peer_corpus.read_queries(tmp_path, name)
        assert len(queries) == 300
        assert all(queries)
        assert len(set(queries)) > 290


def test_long_descriptions_of_debian_are_taken_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    descriptions = peer_corpus.make_descriptions()
    monkeypatch.setattr(peer_corpus, "read_debian", lambda: list(descriptions))
    assert peer_corpus.write_corpus(tmp_path, 600) == "600 Debian's descriptions, 0 generated memories"
