"""Ids of titles: letters that are spelled out, and names that Windows cannot check out."""

import pytest

from cuecard import Store
from cuecard.basics.memory_name import is_id
from cuecard.store.records.slug import id_of_title, is_same_title, slugify
from records import draft


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Straßen und Maße", "strassen-und-masse"),
        ("GROẞ", "gross"),
        ("Æsir, œuvre, smørrebrød", "aesir-oeuvre-smorrebrod"),
        ("Zażółć gęślą jaźń", "zazolc-gesla-jazn"),
        ("Đà Nẵng", "da-nang"),
        ("Þing and ħarsa ısı", "thing-and-harsa-isi"),
        ("Crème brûlée", "creme-brulee"),
        ("日本", ""),
    ],
)
def test_a_letter_is_spelled_and_not_dropped(title: str, wanted: str) -> None:
    assert slugify(title) == wanted


@pytest.mark.parametrize("title", ["Con", "PRN", "aux.", "nul", "COM1", "lpt9", "com0"])
def test_the_name_of_a_device_is_no_id(title: str) -> None:
    assert slugify(title) == f"{title.lower().strip('.')}-memory"
    assert id_of_title("decision", title) == slugify(title)


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("换线提示最长 10 秒，不是 60 秒", "constraint-10-60-4d98a9055c"),
        ("GTFS 时间可以超过 24:00，例如 25:10", "constraint-gtfs-24-00-25-10-ed59eb5326"),
        ("Use Redis: 注文の計算に使う", "use-redis"),
        ("Ребёнок", "constraint-6f0817230a"),
        ("Crème brûlée " * 20, ("creme-brulee-" * 20)[:80].rstrip("-")),
    ],
)
def test_an_id_that_lacks_most_of_the_title_has_the_category_and_a_hash(title: str, wanted: str) -> None:
    assert id_of_title("constraint", title) == wanted


@pytest.mark.parametrize(
    ("title", "other", "wanted"),
    [
        ("Use C++ for the parser", "Use C# for the parser", False),
        ("所有 API 都要认证", "所有 API 都不要认证", False),
        ("Limit of 10.0 seconds", "Limit of 100 seconds", False),
        ("नीति: कल", "नीति: काल", False),
        ("Use Redis.", "use redis", True),
        ("Crème brûlée", "Creme  brulee", True),
        ("Opt-in, by default", "Opt in by default", True),
    ],
)
def test_titles_are_the_same_but_for_case_blanks_and_punctuation(title: str, other: str, wanted: bool) -> None:
    assert is_same_title(title, other) is wanted


def test_two_titles_of_another_script_have_two_ids() -> None:
    titles = ("所有 API 都要认证", "所有 API 都不要认证", "所有 API 都要认证 " + "长" * 40 + " a" * 30)
    ids = {id_of_title("decision", title) for title in titles}
    assert len(ids) == len(titles)
    assert all(is_id(one) for one in ids)


@pytest.mark.parametrize("title", ["Console", "aux input", "com10", "null", "com"])
def test_a_longer_name_is_an_id_as_it_is(title: str) -> None:
    assert slugify(title) == title.lower().replace(" ", "-")


def test_a_memory_with_such_a_title_is_written_and_found_by_its_title(store: Store) -> None:
    written = store.add(draft("Con"))
    assert written.target == ".claude/memory/decisions/con-memory.json"
    assert store.show("Con").id == "con-memory"
    assert store.add(draft("Nul", id="nul")).id == "nul-memory"
