"""Sets what a test's project and its user set."""

from cuecard import Hit, Strategy
from scratch_home import write_user_settings

PROMPT = "why is the hook not a python script?"
STRATEGIES: tuple[Strategy, ...] = ("hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic")
DESCRIPTIONS = {
    "decision": {"description": "why the hook and the executable are native"},
    "runbook": {"description": "how to release"},
}


def titles(hits: list[Hit]) -> list[str]:
    return [hit.title for hit in hits]


def configure(**retrieval: object) -> None:
    write_user_settings({"retrieval": retrieval})
