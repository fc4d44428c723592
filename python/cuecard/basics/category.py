"""The six categories and their folders (SPEC 13)."""

# Pairs of folder and category, in the order in which the folders are scanned.
FOLDERS = (
    ("sessions", "session_summary"),
    ("decisions", "decision"),
    ("runbooks", "runbook"),
    ("constraints", "constraint"),
    ("tech-debt", "tech_debt"),
    ("preferences", "preference"),
)
