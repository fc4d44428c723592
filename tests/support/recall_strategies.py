"""Strategies for hybrid recall: stores with words that have a meaning, prompts, histories and settings."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from cuecard.basics.category import FOLDERS
from format_strategies import prompts, texts
from pooled import pooled
from snapshot_strategies import CONTENTS, STORE, changes_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from snapshot_strategies import File

# Words with common synonyms, related terms and stems; also names in code, Korean words, weak words, and words without
# meaning.
WORDS = """
deploy deployment release rollback revert helm kubernetes k8s pod cluster database postgres dump backup
restore migration schema auth login logout session token jwt cache redis queue kafka consumer worker job cron
retry timeout latency slow error exception certificate tls expired renew rotate secret vault credentials leak
throttle rate limit quota api endpoint invoice billing cents money test flaky login lint review merge branch
upload image picture thumbnail bucket storage disk full space log logs trace alert page incident user customer
tenant privacy region europe search index embedding vector getUserName user_id loadOrderItems HTTPServer
docker-compose v2.3 404 500 zzz qux blorp the how why what use new thing 배포 배포를 롤백
되돌리다 로그인 로그아웃을 세션 인증서 만료 갱신 데이터베이스 백업 복구 큐 캐시 테스트 실패 업로드 이미지
Überweisung Überweisungen Fehler der und nicht wie lange para los cuánto contraseñas ошибка для что サーバー
サーバーが 設定 設定を返す 返 通知チャンネル 备份失败 りんご の
chekout checkout gatewya gateway supercapcitro supercapacitor refundservice refund service attack attach depolyment
""".split()  # fmt: skip
# Beginnings and ends of prompts; they determine the cues of a prompt.
OPENINGS = [
    "", "", "how do I", "why do we", "what is our", "should we", "can you", "fix the", "rename", "eslint: fix",
    "ERROR:", "thanks", "ok, continue", "and then", "왜", "어떻게", "고마워",
]  # fmt: skip
ENDINGS = ["", "", "?", " please", " failed with 500", " 해줘", "인가요?"]
SETTINGS = ("precise", "balanced", "eager", "off")
NOW = 1_767_312_000_000_000
DATES = ("2026-01-02", "2026-01-01T23:00:00Z", "2025-06-30", "2019-01-01", "2030-01-01", "soon")
CATEGORIES = ("decision", "runbook", "constraint", "tech_debt", "preference", "session_summary", "own", "OWN")


# Values that decide whether a memory is valid: the status in its content, and two dates. NOW is 2026-01-02.
STATES = ("", "", "", "", "accepted", "superseded", "deprecated", "rejected", "Superseded")
LIMITS = (None, None, None, None, *DATES, "2026-01-02T00:00:00.000001Z", "2026-01-01", "20260101")


def extension_of(questions: list[str], limits: tuple[str | None, str | None]) -> dict[str, object]:
    """The member `cuecard` of a memory with these questions and dates (`valid_from`, `valid_until`)."""
    named = {"questions": questions, "valid_from": limits[0], "valid_until": limits[1]}
    return {name: value for name, value in named.items() if value}


def memory(
    words: list[str],
    counts: tuple[int, int, int],
    status: str,
    updated_at: str | None,
    state: str = "",
    extension: dict[str, object] | None = None,
) -> bytes:
    """A memory file; its title, tags and content take `counts` words each from `words`, in order."""
    title, tags, content = counts
    made: dict[str, object] = {
        "title": " ".join(words[:title]),
        "tags": words[title : title + tags],
        "content": {"text": " ".join(words[title + tags : title + tags + content])},
    }
    if state:
        made["content"] = {"status": state, "text": " ".join(words[title + tags : title + tags + content])}
    if status:
        made["record_status"] = status
    if updated_at:
        made["updated_at"] = updated_at
    if extension:
        made["cuecard"] = extension
    return json.dumps(made, ensure_ascii=False).encode()


@cache
def words(most: int) -> SearchStrategy[list[str]]:
    """Up to `most` words."""
    return st.lists(st.sampled_from(WORDS), max_size=most)


@cache
@st.composite
def memories(draw: st.DrawFn) -> bytes:
    """Memory files that are made of words with a meaning."""
    counts = draw(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 12)))
    status = draw(st.sampled_from(["", "", "", "", "active", "retired", "archived"]))
    updated_at = draw(st.sampled_from([None, *DATES]))
    asked = draw(st.lists(words(7).map(" ".join), max_size=3)) if draw(st.booleans()) else []
    limits = draw(st.tuples(st.sampled_from(LIMITS), st.sampled_from(LIMITS)))
    return memory(
        draw(words(20)), counts, status, updated_at, draw(st.sampled_from(STATES)), extension_of(asked, limits)
    )


def _any_contents() -> SearchStrategy[bytes | None]:
    return st.one_of(memories(), memories(), memories(), memories(), CONTENTS)


# Contents of memory files; some of them are arbitrary.
ANY_CONTENTS = pooled(_any_contents)


@cache
def some_places(most: int) -> SearchStrategy[list[tuple[str, str]]]:
    """Up to `most` memory files, each as folder and name; all are different."""
    places = [(folder, f"{name}.json") for folder, _category in FOLDERS for name in "abcd"]
    return st.lists(st.sampled_from(places), max_size=most, unique=True)


@st.composite
def stores(draw: st.DrawFn, most: int = 14) -> list[File]:
    """The memory files of a store; some of them have arbitrary content."""
    files: list[File] = []
    for folder, name in draw(some_places(most)):
        data = draw(ANY_CONTENTS)
        files.append((dict(FOLDERS)[folder], f"{STORE}{folder}/{name}", data, len(data or b""), 7))
    return files


@cache
@st.composite
def changed_stores(draw: st.DrawFn) -> tuple[list[File], list[File], list[str]]:
    """The files of a store, files that are written later, and paths that are removed later."""
    files = draw(stores())
    changed, removed = draw(changes_of(files))
    return files, changed, removed


@cache
def questions() -> SearchStrategy[str]:
    """Prompts; most are made of the same words as the memories."""
    spoken = st.tuples(st.sampled_from(OPENINGS), words(9).map(" ".join), st.sampled_from(ENDINGS))
    asked = spoken.map(lambda parts: f"{parts[0]} {parts[1]}{parts[2]}")
    return st.one_of(asked, asked, asked, asked, prompts(), texts())


EARLIER_PROMPTS = pooled(questions)


@cache
def histories() -> SearchStrategy[list[str]]:
    """The earlier prompts of a session."""
    return st.one_of(st.just([]), st.lists(EARLIER_PROMPTS, max_size=7))


def _retrieval_settings() -> SearchStrategy[dict[str, object]]:
    weight: SearchStrategy[object] = st.sampled_from([0, 0.001, 0.5, 1, 1.75, 16])
    half_life: SearchStrategy[object] = st.sampled_from([0, 0.00001, 1, 30, 36500])
    categories = st.lists(st.sampled_from(CATEGORIES), max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "fusion": st.sampled_from(["score", "rrf"]),
            "rrf_k": st.sampled_from([1, 60, 1000]),
            "candidate_pool": st.sampled_from([10, 11, 50, 200]),
            "related_terms": st.booleans(),
            "graph": st.booleans(),
            "priors": st.booleans(),
            "weights": st.fixed_dictionaries({}, optional=dict.fromkeys(["lexical", "semantic", "graph"], weight)),
            "decay": st.fixed_dictionaries({}, optional={"half_life_days": half_life, "categories": categories}),
        },
    )


# Valid settings of every kind for recall; most of them set only some values.
CONFIGS = pooled(lambda: _retrieval_settings().map(lambda chosen: json.dumps({"retrieval": chosen}).encode()))


@cache
def times() -> SearchStrategy[int]:
    """Times at which a prompt is asked, in microseconds since 1970."""
    return st.sampled_from([NOW, NOW + 3_600_000_000, 0, -1, 2**63 - 1, -(2**63)])
