"""Memories that are similar to a new one, a line each."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.records.record_file import Fields


def line_of(row: "Fields") -> str:
    """A similar memory, as `describe` gives it, in one line."""
    title = f' "{row["title"]}"' if "title" in row else ""
    dated = f" of {row['date']}" if row["date"] else ""
    return f"similar ({row['similarity']:.2f}): `{row['id']}`{title}{dated}: {row['reason']}"
