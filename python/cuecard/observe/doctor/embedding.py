"""Checks the embedder of the settings: what it needs, and which memories have no vector.

Rules: docs/reference/models.md, "Doctor".
"""

import os

from ...errors import ModelError, StoreError
from ...files.environment import Environment
from ...files.locate import locate
from ...retrieval.config import Config
from .finding import Finding

MAKE = "`cuecard embed` makes them; until then the built-in table is used"
NOT_THERE = "the built-in table is used instead of the embedder"


def examine_embedding(root: str | os.PathLike[str] | None) -> list[Finding]:
    """A finding about the embedder; empty if the settings name none. Sends nothing and loads no model."""
    environment = Environment()
    try:
        project = locate(root, environment)
    except StoreError:
        # `examine_project` reports this.
        return []
    settings = Config(project[1], environment, []).embedding
    if settings is None:
        return []
    from ...models.embedders.choice import open_embedder
    from ...models.vectors.embed_plan import plan_embedding
    from ...models.vectors.vectors_update import other_files

    facts: dict[str, object] = {"provider": settings.provider, "model": settings.model}
    embedder = open_embedder(settings)
    try:
        embedder.check()
        plan = plan_embedding(project, embedder)
    except ModelError as error:
        return [Finding("embedding", "warn", f"{NOT_THERE}: {error.what}", error.hint, facts=facts)]
    missing, others = len(plan.missing), other_files(project[1], embedder.fingerprint)
    facts |= {
        "fingerprint": f"{embedder.fingerprint:08x}",
        "memories": plan.total,
        "missing": missing,
        "restamped": len(plan.restamped),
        "other_files": others,
    }
    details = [f"{name} belongs to another embedder, and may be deleted" for name in others]
    if plan.problem:
        return [Finding("embedding", "warn", plan.problem, MAKE, details, facts)]
    without = missing + len(plan.restamped)
    if without:
        words = f"{without} of {plan.total} memories have no vector of `{embedder.name}`"
        return [Finding("embedding", "warn", words, MAKE, details, facts)]
    words = f"each memory has a vector of `{embedder.name}`, {plan.total} in all"
    if embedder.is_local:
        words += "; only `cuecard mcp` keeps the model in memory"
    return [Finding("embedding", "ok", words, details=details, facts=facts)]
