"""The words and weights of the claude-memory plugin, revision v5-0220 (SPEC 41.4)."""

from .triage_patterns import Category, Revision, words

V5_0220 = Revision(
    "v5-0220",
    (
        Category(
            "decision",
            words("decided", "chose", "selected", "went with", "picked"),
            words("because", "due to", "reason", "rationale", "over", "instead of", "rather than"),
            0.3,
            0.5,
            1.9,
            0.4,
        ),
        Category(
            "runbook",
            words("error", "exception", "traceback", r"stack\s*trace", "failed", "failure", "crash"),
            words("fixed by", "resolved", "root cause", "solution", "workaround", "the fix"),
            0.2,
            0.6,
            1.8,
            0.4,
        ),
        Category(
            "constraint",
            words("limitation", "api limit", "cannot", "restricted", "not supported", "quota", "rate limit"),
            words("discovered", "found that", "turns out", "permanently", "enduring", "platform"),
            0.3,
            0.5,
            1.9,
            0.5,
        ),
        Category(
            "tech_debt",
            words("TODO", "deferred", "tech debt", "workaround", "hack", "will address later", "technical debt"),
            words("because", "for now", "temporary", "acknowledged", "deferring", "cost", "risk"),
            0.3,
            0.5,
            1.9,
            0.4,
        ),
        Category(
            "preference",
            words("always use", "prefer", "convention", "from now on", "standard", "never use", "established"),
            words("agreed", "going forward", "consistently", "rule", "practice", "workflow"),
            0.35,
            0.5,
            2.05,
            0.4,
        ),
    ),
    0.6,
)
