"""Decides what a draft does, from the draft's action and from the operations that the candidate memory allows.

Rules: docs/reference/capture-commit.md, "Decision".
"""

# The outer keys say what the candidate memory allows. The inner keys say what the draft asks for.
TABLE = {
    "CREATE": {"create": "CREATE", "update": "CREATE", "delete": "NOOP"},
    "UPDATE": {"create": "CREATE", "update": "UPDATE", "delete": "UPDATE"},
    "UPDATE_OR_DELETE": {"create": "CREATE", "update": "UPDATE", "delete": "DELETE"},
    "NOOP": {},
}


def resolve(structural: str, action: str) -> str:
    """The operation `CREATE`, `UPDATE`, `DELETE` or `NOOP`, from a selection's `structural_cud` and a draft's action.

    A memory that must not be deleted has the `structural_cud` `UPDATE`, so the table never deletes it.
    """
    return "NOOP" if action == "noop" else TABLE[structural].get(action, "NOOP")
