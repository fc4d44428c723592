"""Finds the clusters of scripts that are written without blanks between words (SPEC 19.4)."""

from ...basics.chars import within
from ...basics.tables import read_rows

# The maximal number of characters of a cluster, so that every pair of clusters fits into a term.
MAX_CHARS = 8


def split_clusters(run: str) -> list[str]:
    """Return the clusters of a run: each letter with its marks, and the vowels and letters joined to it."""
    clusters: list[str] = []
    for place, char in enumerate(run):
        is_joined = _is_in("continues_cluster", char) or (place > 0 and _is_in("joins_next", run[place - 1]))
        if clusters and is_joined and len(clusters[-1]) < MAX_CHARS:
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def cluster_pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring clusters in a run; a run of one cluster is returned itself."""
    clusters = split_clusters(run)
    return [clusters[place] + clusters[place + 1] for place in range(len(clusters) - 1)] or [run]


def _is_in(table: str, char: str) -> bool:
    return within(read_rows("characters", table), ord(char))
