"""Short explanations of the names in scores and traces."""

import math

from ..terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...library.hit import Part
    from ...library.trace import Feature

# The cues that are found in a prompt; each phrase continues "the prompt ...".
CUES = {
    "asks_how": "asks how",
    "asks_why": "asks why",
    "asks_what": "asks what, which or where",
    "asks_yes_no": "asks for a yes or no",
    "edit": "asks for a change",
    "tool_prefix": "begins with the name of a tool",
    "error": "speaks of an error",
    "continues": "goes on with earlier work",
    "refers": "may point at something said before",
    "chat": "is nothing but a courtesy",
    "asks_past": "asks what was before",
}
# Kinds of points that do not come from a word of the prompt.
PARTS = {
    "recency": "updated at most 30 days ago",
    "burst": "a session of the last eight hours",
    "decay": "its age",
    "path": "anchored to a path of the prompt",
    "changed": "anchored to a file that has changed",
    "focus": "in the focus",
    "boost": "the factor that the caller gave",
}
# The fields in which a memory can have a term. A term without a word of the prompt comes from the concept graph.
FIELDS = ("title", "tag", "question", "body")
# The features of the gate: a phrase for each, and the kind of its value ("" for a feature that is shown without it).
FEATURES = {
    "bias": ("where every memory begins", ""),
    "lexical_margin": ("lead over the tenth memory, by words", "word"),
    "lexical_points": ("points for its words", "word"),
    "lexical_share": ("points for its words, of all that the prompt can give", "share"),
    "semantic_rank": ("place by meaning", "place"),
    "score": ("its score", "score"),
    "score_share": ("its score, beside that of the best memory", "share"),
    "prompt_share": ("share of the prompt that it has", "share"),
    "information": ("words of the prompt that it has", "word"),
    "window_share": ("share that it has of the part of the prompt that fits best", "share"),
    "missing": ("rarity of the rarest word that only others have", "share"),
    "title_words": ("words of the prompt in its title and tags", "count"),
    "prompt_share_of_title": ("share of the prompt that its title has", "share"),
    "title_information": ("words of the prompt that its title has", "word"),
    "title_share": ("share of its title that the prompt names", "share"),
    "prompt_share_of_question": ("share of the prompt that its best question has", "share"),
    "question_share": ("share of its best question that the prompt names", "share"),
    "question": ("how well its best question fits", "share"),
    "question_margin": ("lead of its best question over the tenth memory's", "share"),
    "question_lead": ("lead of its best question over all others", "share"),
    "tech_debt": ("a tech debt", ""),
    "unknown_words": ("words of the prompt that no memory has", "count"),
    "prompt_words": ("words of the prompt", "count"),
    "prompt_information": ("what the prompt says", "word"),
    "general_words": ("general words of the prompt that say whether it needs a memory", ""),
    "history": ("read together with the prompts before", ""),
    "other_script": ("letters of the prompt beyond ASCII", ""),
    "question_mark": ("a question mark in the prompt", ""),
    "embedding": ("lead over the tenth memory, by the embedder", "spread"),
    "path": ("anchored to a path of the prompt", ""),
    "behind": ("far behind the surest memory", ""),
}
# Values of features are in 1/1024, counts as logarithms; scores and cosines are in 1/4096.
UNIT = 1024
SCORE_UNIT = 4096


def explain_part(part: "Part") -> str:
    """The reason for points in words: which part of the prompt matched which part of the memory, or another reason."""
    if part.kind in PARTS:
        return PARTS[part.kind]
    if part.kind == "embedding":
        return f"meaning by the embedder, {visible(part.matched)}"
    if part.kind == "description":
        return f"{visible(part.token) or 'words'} in the description of {visible(part.matched)}"
    if part.kind == "semantic":
        # The strategy `vectors` has nothing else: its score is the cosine.
        return f"meaning, {visible(part.matched)}" if part.matched else f"cosine {part.points / SCORE_UNIT:.2f}"
    if part.kind in CUES and not part.token:
        return f"the prompt {CUES[part.kind]}, which its category is for"
    if part.kind in FIELDS and not part.token:
        return f"{visible(part.matched)}, which often stands beside words of the prompt"
    if part.token in ("", part.matched):
        return visible(part.matched)
    return f"{visible(part.token)} ~ {visible(part.matched)}"


def percent(share: float) -> str:
    """A share from 0 to 1 as text in percent, without decimals."""
    return f"{share * 100:.0f}%"


def plural(count: int, noun: str) -> str:
    """A count with its noun, which gets an "s" unless the count is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def explain_feature(feature: "Feature") -> str:
    """A feature of the gate in words, with its value."""
    if feature.name in CUES:
        return f"the prompt {CUES[feature.name]}"
    phrase, kind = FEATURES.get(feature.name, (feature.name.replace("_", " "), ""))
    if kind == "share":
        return f"{phrase}: {percent(feature.value / UNIT)}"
    if kind == "score":
        return f"{phrase}: {feature.value * 4}"
    if kind == "word":
        return f"{phrase}: {feature.value * 100 / UNIT:+.0f}% of the rarest word"
    if kind == "spread":
        return f"{phrase}: {feature.value / UNIT:+.1f} spreads"
    if kind:
        count = round(math.expm1(feature.value / UNIT))
        return f"{phrase}: {count + (kind == 'place')}"
    return phrase
