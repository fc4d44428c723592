"""The names of settings by the kind of their values, made by `tools/gen_settings.py`."""

from typing import Literal, TypeAlias

# fmt: off
Switch: TypeAlias = Literal[
    "retrieval.enabled", "retrieval.related_terms", "retrieval.graph", "retrieval.priors", "retrieval.session",
    "retrieval.situation.paths", "retrieval.situation.git", "retrieval.situation.focus", "retrieval.situation.need",
    "retrieval.judge.enabled", "retrieval.judge.include_conversation_context", "categories.session_summary.enabled",
    "categories.decision.enabled", "categories.runbook.enabled", "categories.constraint.enabled",
    "categories.tech_debt.enabled", "categories.preference.enabled", "categories.session_summary.auto_capture",
    "categories.decision.auto_capture", "categories.runbook.auto_capture", "categories.constraint.auto_capture",
    "categories.tech_debt.auto_capture", "categories.preference.auto_capture", "triage.enabled", "triage.permit",
    "triage.parallel.enabled", "log.events", "log.prompts", "scopes.parent", "scopes.user", "scopes.team",
    "scopes.root", "variables", "sync.at_session_start"
]
Integer: TypeAlias = Literal[
    "retrieval.max_inject", "retrieval.max_tokens", "retrieval.rrf_k", "retrieval.candidate_pool",
    "retrieval.judge.timeout_ms", "retrieval.judge.candidate_pool_size", "retrieval.judge.context_turns",
    "embedding.timeout_ms", "categories.session_summary.max_retained", "categories.decision.max_retained",
    "categories.runbook.max_retained", "categories.constraint.max_retained", "categories.tech_debt.max_retained",
    "categories.preference.max_retained", "max_memories_per_category", "delete.grace_period_days", "capture.every",
    "capture.background.runs_per_day", "capture.background.tokens_per_day", "triage.max_messages",
    "triage.quiet_seconds", "learning.holdout"
]
Number: TypeAlias = Literal[
    "retrieval.gate_shift", "retrieval.weights.lexical", "retrieval.weights.semantic", "retrieval.weights.graph",
    "retrieval.decay.half_life_days", "retrieval.lexical.k1", "retrieval.lexical.weights.title",
    "retrieval.lexical.weights.tags", "retrieval.lexical.weights.questions", "retrieval.lexical.weights.body",
    "retrieval.lexical.b.title", "retrieval.lexical.b.tags", "retrieval.lexical.b.questions",
    "retrieval.lexical.b.body", "embedding.weight", "triage.thresholds.session_summary", "triage.thresholds.decision",
    "triage.thresholds.runbook", "triage.thresholds.constraint", "triage.thresholds.tech_debt",
    "triage.thresholds.preference"
]
Choice: TypeAlias = Literal[
    "retrieval.match_strategy", "retrieval.gate_setting", "retrieval.fusion", "retrieval.judge.provider",
    "embedding.provider", "capture.ledger", "capture.background.provider", "triage.revision",
    "triage.parallel.default_model", "triage.parallel.verification_model",
    "triage.parallel.category_models.session_summary", "triage.parallel.category_models.decision",
    "triage.parallel.category_models.runbook", "triage.parallel.category_models.constraint",
    "triage.parallel.category_models.tech_debt", "triage.parallel.category_models.preference", "trust.review"
]
Other: TypeAlias = Literal[
    "retrieval.decay.categories", "retrieval.synonyms", "retrieval.judge.url", "retrieval.judge.model",
    "retrieval.judge.api_key_env", "embedding.url", "embedding.model", "embedding.path", "embedding.api_key_env",
    "categories.session_summary.description", "categories.decision.description", "categories.runbook.description",
    "categories.constraint.description", "categories.tech_debt.description", "categories.preference.description",
    "capture.background.model", "capture.background.url", "capture.background.api_key_env", "scopes.exclude",
    "scopes.allow", "network.proxy", "sync.teams"
]
GroupName: TypeAlias = Literal[
    "architecture", "capture", "capture.background", "categories", "delete", "embedding", "learning", "log", "logging",
    "network", "retrieval", "retrieval.decay", "retrieval.judge", "retrieval.lexical", "retrieval.lexical.b",
    "retrieval.lexical.weights", "retrieval.situation", "retrieval.weights", "scopes", "sync", "triage",
    "triage.parallel", "triage.parallel.category_models", "triage.thresholds", "trust"
]
SettingName: TypeAlias = Switch | Integer | Number | Choice | Other
