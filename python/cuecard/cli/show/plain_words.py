"""Short explanations of the names in scores and traces."""

import math

from ...basics import gate_table
from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...retrieval.hit import Part
    from ...retrieval.trace import Feature

# The cues that are found in a prompt; each phrase continues "the prompt ...".
CUES = {
    "asks_how": "asks how",
    "asks_why": "asks why",
    "asks_what": "asks what, which or where",
    "asks_yes_no": "asks for a yes or no",
    "edit": "asks for a change",
    "tool_prefix": "begins with the name of a tool",
    "error": "mentions an error",
    "continues": "continues earlier work",
    "refers": "may refer to something said before",
    "chat": "is nothing but a courtesy",
    "asks_past": "asks about the past",
}
# Reasons for points that do not come from a word of the prompt.
PARTS = {
    "recency": "updated at most 30 days ago",
    "burst": "a session summary of the last eight hours",
    "decay": "the age of the memory",
    "path": "anchored to a path of the prompt",
    "changed": "anchored to a file that has changed",
    "focus": "in an area of the focus",
    "boost": "the factor given by the caller",
}
# The fields of a memory that can contain a term. Points for a term without a word of the prompt come from the concept
# graph.
FIELDS = ("title", "tag", "question", "body")
# What adds to the gate's logit: a phrase for each, and the kind of its value ("none" if the value is not shown).
FEATURES = {
    **{name: (words, kind) for name, (kind, words) in gate_table.ADDITIONS.items()},
    **{feature.name: (feature.words, feature.kind) for feature in gate_table.FEATURES},
}
# The features of each group, by the group's phrase. Features of a group say nearly the same and are shown together,
# because their shares may have opposite signs: only the sum of a group says whether it speaks for the memory. Other
# features are groups of their own.
GROUPS = {
    words: tuple([feature.name for feature in gate_table.FEATURES if feature.group == group])
    for group, words in gate_table.GROUPS.items()
}
# The unit of the values of features is 1/1024; of a count it is log(1 + count). The unit of scores and cosines is
# 1/4096.
UNIT = 1024
SCORE_UNIT = 4096


def explain_part(part: "Part") -> str:
    """The reason for the points of a part, such as a word of the prompt and the word in the memory that it matched."""
    if part.kind in PARTS:
        return PARTS[part.kind]
    if part.kind == "embedding":
        return f"meaning by the embedder, {visible(part.matched)}"
    if part.kind == "description":
        return f"{visible(part.token) or 'words'} in the description of {visible(part.matched)}"
    if part.kind == "semantic":
        # With the strategy `vectors` the whole score is the cosine.
        return f"meaning, {visible(part.matched)}" if part.matched else f"cosine {part.points / SCORE_UNIT:.2f}"
    if part.kind in CUES and not part.token:
        return f"the prompt {CUES[part.kind]}, and the category fits"
    if part.kind in FIELDS and not part.token:
        return f"{visible(part.matched)}, which often occurs with words of the prompt"
    if part.token in ("", part.matched):
        return visible(part.matched)
    return f"{visible(part.token)} ~ {visible(part.matched)}"


def percent(share: float) -> str:
    """A share from 0 to 1 as text in percent, without decimals."""
    return f"{share * 100:.0f}%"


def explain_feature(feature: "Feature") -> str:
    """A feature of the gate in words, with its value."""
    phrase, kind = FEATURES.get(feature.name, (feature.name.replace("_", " "), "none"))
    if kind == "share":
        return f"{phrase}: {percent(feature.value / UNIT)}"
    if kind == "score":
        return f"{phrase}: {feature.value * 4}"
    if kind == "word":
        return f"{phrase}: {feature.value * 100 / UNIT:+.0f}% of the rarest word"
    if kind == "spread":
        return f"{phrase}: {feature.value / UNIT:+.1f} standard deviations"
    if kind == "count":
        return f"{phrase}: {round(math.expm1(feature.value / UNIT))}"
    return phrase
