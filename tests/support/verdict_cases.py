"""Runs the test vectors of verdicts on the pure backend; the engine's own tests run them on the native one."""

from cuecard._pure.rank.verdicts import Verdicts, is_similar, is_withheld_at_random


def is_wrong(data: str, path: str, trust_hash: str, kept: str) -> bool:
    """Whether the memory at a path is wrong for a prompt, by a file of verdicts."""
    return Verdicts(data.encode()).is_wrong(path, trust_hash, kept)


def verdict_points(data: str, path: str, trust: str) -> list[int]:
    """The shift of the gate, and the points of the memory at a path."""
    verdicts = Verdicts(data.encode())
    return [verdicts.shift, verdicts.prior(path, trust)]


VERDICT_PARTS = {
    "is_similar": is_similar,
    "is_withheld_at_random": is_withheld_at_random,
    "is_wrong": is_wrong,
    "verdict_points": verdict_points,
}
