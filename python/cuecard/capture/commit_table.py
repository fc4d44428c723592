"""Decides what becomes of a draft, by what the agent wants and which memories there are.

Rules: docs/reference/capture-commit.md, "Decision".
"""

# The keys are what the candidate allows, then what the draft asks for.
TABLE = {
    "CREATE": {"create": "CREATE", "update": "CREATE", "delete": "NOOP"},
    "UPDATE": {"create": "CREATE", "update": "UPDATE", "delete": "UPDATE"},
    "UPDATE_OR_DELETE": {"create": "CREATE", "update": "UPDATE", "delete": "DELETE"},
    "NOOP": {},
}


def resolve(structural: str, action: str) -> str:
    """`CREATE`, `UPDATE`, `DELETE` or `NOOP`, from a selection's `structural_cud` and a draft's action.

    That nothing is deleted that may not be follows from the table: such a selection says `UPDATE`.
    """
    return "NOOP" if action == "noop" else TABLE[structural].get(action, "NOOP")
