"""Fits the weights of general words, which show whether a prompt needs a memory at all."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from logistic import solve

from judged import Case

UNIT = 1024
# A word must occur in prompts of at least this many projects, so that no word of a single subject gets a weight.
PROJECTS = 6
# The penalty on the squares of the weights of words.
PENALTY = 60.0
# Words with a smaller absolute weight, in 1/1024, are left out of the table.
LEAST = 40
# Nouns of software are left out: their frequency in one kind of prompt is an accident of the judged projects.
NOUNS = frozenset(
    "api app branch bug build certificate ci class cli column columns commit config console core css csv data "
    "date dir docker endpoint field file files filter folder frame function git github header html http id image "
    "js json key label log loop machine main map message mobile modules names null numbers oauth order page path "
    "pdf people plan pr project prod py react regex release report repo row rows rs screen script service sh sql "
    "src string table tag test tests text ticket title ts type ui unit url user users variable version windows "
    "xml yaml".split()
)

# The sources of the prompts from whose words the weights are fitted.
SOURCES = ("judged", "orders", "talk")

Weights = dict[str, int]


def fit_words(cases: Sequence[Case]) -> Weights:
    """The weight of each general word, in 1/1024: the higher, the less likely a prompt with it needs a memory."""
    taught = [case for case in cases if case.source in SOURCES and case.size is None and not case.is_chat]
    prompts = {(case.project, case.kind, case.words): case for case in taught}
    projects: dict[str, set[str]] = defaultdict(set)
    for case in prompts.values():
        for word in case.words:
            projects[word].add(case.project)
    least = min(PROJECTS, len({case.project for case in cases}))
    words = sorted([word for word, found in projects.items() if len(found) >= least and _is_general(word)])
    if not words:
        return {}
    places = {word: place for place, word in enumerate(words)}
    x = np.zeros((len(prompts), len(words)))
    for row, case in enumerate(prompts.values()):
        for word in case.words & places.keys():
            x[row, places[word]] = 1
    y = np.array([not case.is_answerable for case in prompts.values()], float)
    weights = solve(x, y, PENALTY)[1:]
    rounded = {word: round(float(weight) * UNIT) for word, weight in zip(words, weights, strict=True)}
    return {word: weight for word, weight in rounded.items() if abs(weight) >= LEAST}


def _is_general(word: str) -> bool:
    return word.isalpha() and word not in NOUNS
