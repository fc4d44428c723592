"""Shows memories that are similar to a new memory, one line for each."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.record_file import Fields


def line_of(row: "Fields") -> str:
    """One line about a similar memory; `row` is an object that `succession.describe` returns."""
    title = f' "{row["title"]}"' if "title" in row else ""
    dated = f" of {row['date']}" if row["date"] else ""
    return f"similar ({row['similarity']:.2f}): `{row['id']}`{title}{dated}: {row['reason']}"
