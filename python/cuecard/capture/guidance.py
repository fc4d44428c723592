"""Reads the texts in `assets` that tell agents, models and people how to write a memory.

The page about a good memory repeats the sentences about its questions; a test compares them.
"""

from pathlib import Path

from ..basics.tables import asset_path

# A draft that is accepted as it is. A test sends it.
EXAMPLE = """\
[
  {
    "category": "constraint",
    "action": "create",
    "new_info_summary": "Invoices are rounded once, at the total",
    "partial_content": {
      "title": "Invoices are rounded once, at the total",
      "tags": ["invoices", "rounding"],
      "questions": ["total is one cent off", "round each line of an invoice"],
      "evidence": [
        {"kind": "file", "ref": "docs/billing.md"},
        {"kind": "user", "quote": "round only the total"}
      ],
      "applies_to": [{"component": "billing"}],
      "content": {
        "kind": "policy",
        "rule": "Lines keep four decimals. Only the total is rounded, half to even, to two decimals.",
        "severity": "high",
        "impact": ["Rounded lines do not add up to the total that the tax office computes."]
      }
    }
  }
]"""


def good_memory() -> str:
    """What makes a good memory."""
    return _read("good_memory.md")


def good_questions() -> str:
    """Which questions a memory needs so that it is found, in one line."""
    return " ".join(_read("good_questions.md").split())


def _read(name: str) -> str:
    return Path(asset_path(name)).read_text("utf-8").rstrip()
