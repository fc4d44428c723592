"""Shows memories that are similar to a new memory, one line for each."""

from ...store.trust.agent_text import View, mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.record_file import Fields


def line_of(row: "Fields") -> str:
    """One line about a similar memory; `row` is an object that `succession.describe` returns."""
    view = View(str(row.get("trust", "")), is_withheld="title" not in row)
    title = f' "{row["title"]}"{mark(view)}' if "title" in row else ""
    dated = f" of {row['date']}" if row["date"] else ""
    return f"similar ({row['similarity']:.2f}): `{row['id']}`{title}{dated}: {row['reason']}"
