"""Reads and checks the `relations` of a draft: how the new memory relates to existing memories.

This module imports little, because the hook that approves drafts also runs in a Python without packages. Rules:
docs/reference/succession.md.
"""

from ...errors import Problem, ValidationError

SAME, UPDATES, CONTRADICTS, UNRELATED = VERDICTS = ("same", "updates", "contradicts", "unrelated")
MAX_RELATIONS = 100


def read_relations(value: object, place: str = "relations") -> list[tuple[str, str]]:
    """The name and the verdict of each relation in `[{id, verdict}]`. Raises `ValidationError` with every problem."""
    if value is None:
        return []
    problems = []
    found: dict[str, str] = {}
    rows = value if isinstance(value, list) and len(value) <= MAX_RELATIONS else None
    if rows is None:
        problems.append(Problem(place, f"a list of at most {MAX_RELATIONS}", "something else", "send [{id, verdict}]"))
    for number, row in enumerate(rows or ()):
        name, verdict = (row.get("id"), row.get("verdict")) if isinstance(row, dict) else (None, None)
        if not isinstance(name, str) or not name.strip():
            problems.append(
                Problem(f"{place}[{number}].id", "CATEGORY/ID", "no text", "repeat the `id` of the question")
            )
        elif verdict not in VERDICTS:
            shown = f"`{str(verdict)[:60]}`"
            listed = ", ".join([f"`{choice}`" for choice in VERDICTS])
            problems.append(Problem(f"{place}[{number}].verdict", f"one of {listed}", shown, f"use {listed}"))
        elif found.setdefault(name.strip(), verdict) != verdict:
            problems.append(
                Problem(f"{place}[{number}].id", "each memory once", f"`{name[:60]}` twice", "choose one verdict")
            )
    if list(found.values()).count(SAME) > 1:
        problems.append(Problem(place, "at most one `same`", "several", "say `same` only for the nearest memory"))
    if problems:
        raise ValidationError(f"`{problems[0].field}` is {problems[0].found}, not {problems[0].expected}", problems)
    return list(found.items())
