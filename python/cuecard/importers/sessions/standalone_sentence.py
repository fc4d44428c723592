"""Decides which sentences found by triage can be understood on their own as a memory.

Rules: docs/reference/import.md, "Transcripts".

Triage asks an agent that took part in the session; an import cannot ask anybody. So a sentence must name its subject,
and must not depend on the text around it. The rules were developed with 281 agent sessions of four public repositories.
"""

import re

from ...capture.triage.triage_patterns import CURRENT

# A Korean sentence needs fewer words than an English sentence.
MIN_WORDS, MIN_KOREAN_WORDS = 7, 4
MAX_SENTENCE_CHARS = 400

# Korean verb endings show whether something was decided; the patterns of triage include them.
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WORD = re.compile(r"[^\W\d_]{2,}|[aI]\b")
_POINTING = re.compile(
    r"\b(?:use|go(?:ing)? with|keep|drop|switch to|move to|adopt|choose|prefer)"
    r" (?:this|that|these|those|it|them|both)\b"
    r"|\b(?:each|all|any|both|some|none|one) of (?:this|that|these|those|them)\b|\bthose things\b"
    r"|\byour (?:\w+ )?(?:rec+om+end|suggest|proposal|idea|plan|option)"
    r"|\b(?:issues?|items?|options?|points?|steps?|improvements?|phases?|findings?|comments?|fix|nits?) #?\d+\b"
    r"|^(?:we|i|let)'\w+ (?:\w+ )?(?:this|that|it)\b|\(\d+\)|^for \d|\b(?:above|below|aforementioned)\b",
    re.IGNORECASE,
)
# Continuing something is not a decision, and a program's output is nobody's decision.
_GOING_ON = re.compile(r"\b(?:let's|let us) (?:just )?keep \w+ing\b", re.IGNORECASE)
_PRINTED = re.compile(
    r"^(?:npm|yarn|pip|error|warn(?:ing)?|info|debug|traceback|fatal|at)\b[ :\[]|^[\[({$%]|[{\[]\"", re.IGNORECASE
)
_MARKS = re.compile("[\u2190-\u21ff\u2600-\u27bf\U0001f300-\U0001faff]|\\*\\*|^[\\w./-]+\\.\\w{1,4}:\\d")
_ABOUT_TO = re.compile(
    r"^(?:(?:now|next|first|then|so|and|but|ok|okay)\b,? ?)?"
    r"(?:i'll|i will|i need|i should|i can|i'm|let me|let's|now|next|before|while|once)\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:would|could|might|may|likely|probably|perhaps|possibly|arguably|reasonable|if you|you'd|we should)\b",
    re.IGNORECASE,
)
_RULE_GIVEN = next(category.said for category in CURRENT.categories if category.name == "preference")
_EXPLICIT = {
    "decision": re.compile(
        r"\b(?:we|i|team|they)\b[^.;]{0,40}\b(?:decided|chose|chosen|settled|agreed|opted|adopted|picked|selected"
        r"|went with|switch(?:ed|ing)|moved|dropp(?:ed|ing)|replac(?:ed|ing)|stay(?:ed|ing)|go(?:ing)? with|use|keep)\b"
        r"|\b(?:decision|final call)\b[^.;:]{0,30}:|\b(?:was|were|is|are) (?:chosen|selected|picked)\b",
        re.IGNORECASE,
    ),
    # A runbook must name both cause and fix.
    "runbook": re.compile(
        r"(?=.*(?:\b(?:cause|culprit|problem|issue|bug|reason)\b[^.;]{0,60}?(?:\b(?:was|is|were)\b|:)|\bcaused by\b"
        r"|\bbecause\b|\bturn(?:s|ed) out\b|\bdue to\b|원인|때문|문제는))"
        r"(?=.*(?:\bfix(?:ed|es)? (?:by|it|in|now|with|the|this|that|is|was)\b"
        r"|\b(?:is|was|now|been|and|problem) (?:then )?fixed\b"
        r"|\bfix(?:ed)?\s?[:!]|\bsolv(?:ed|es) (?:by|it|the|this|with)\b|\b(?:solution|workaround)\s?(?::|is\b|was\b)"
        r"|\b(?:is|was|now|been) (?:resolved|solved)\b|\bresolved (?:by|it|the|now|with)\b|\bwent away\b"
        r"|해결|고쳤|고침|수정|조치))",
        re.IGNORECASE,
    ),
    "constraint": re.compile(
        r"\b(?:found|discovered|turn(?:s|ed) out|not configurable|by design|polic(?:y|ies)|plan|vendor|api|quota"
        r"|rate[- ]limit\w*|per (?:second|minute|hour|day|request|account|user)|contract\w*|legal\w*|compliance"
        r"|must (?:not|never)|prohibited|customers?|firewall|only (?:lets?|allows?|accepts?|permits?))\b",
        re.IGNORECASE,
    ),
    "tech_debt": re.compile(
        r"\b(?:for now|temporar\w+|later|follow-?up|until|once|after the|before the|tech(?:nical)? debt|workaround"
        r"|no time|not enough time|stop-?gap|quick fix)\b",
        re.IGNORECASE,
    ),
    "preference": re.compile(
        r"\b(?:from now on|going forward|convention is"
        r"|(?:we|you|team|user|project) (?:have |has )?(?:agreed|prefers?|always|never|default|stick))\b",
        re.IGNORECASE,
    ),
}


def stands_alone(sentence: str, category: str, is_typed: bool) -> bool:
    """Whether a sentence says what is to be remembered even without the text around it."""
    is_korean = bool(_HANGUL.search(sentence))
    words = len(sentence.split()) if is_korean else len(_WORD.findall(sentence))
    if len(sentence) > MAX_SENTENCE_CHARS or words < (MIN_KOREAN_WORDS if is_korean else MIN_WORDS):
        return False
    if sentence.endswith((":", "?", ",", "\u2026")) or _POINTING.search(sentence):
        return False
    if _GOING_ON.search(sentence) or (category == "runbook" and not _EXPLICIT[category].search(sentence)):
        return False
    if is_typed:
        # Users often talk about rules; only a sentence that gives a rule counts.
        is_given = category != "preference" or bool(_RULE_GIVEN and _RULE_GIVEN.search(sentence))
        return is_given and not _PRINTED.search(sentence)
    if _MARKS.search(sentence) or _ABOUT_TO.search(sentence) or not sentence.endswith((".", "!", "\u3002", "\ub2e4")):
        return False
    return is_korean or (bool(_EXPLICIT[category].search(sentence)) and not _MAYBE.search(sentence))
