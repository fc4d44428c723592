"""The JSON Schemas of the categories, made from the models in `record` (`tools/gen_schemas.py`)."""

import os

from ...errors import StoreError
from ...files.folder import Unread
from ...files.store_files import read_bounded

MAX_SCHEMA_BYTES = 1 << 20


def load_schema(category: str) -> bytes:
    """The JSON Schema of a category, as the package has it; `StoreError` where that is incomplete."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.path.join(package, "assets", "schemas", f"{category}.schema.json")
    try:
        return read_bounded(path, MAX_SCHEMA_BYTES)
    except Unread as unread:
        raise StoreError(f"the schema of `{category}` {unread.words}", "install cuecard again") from None
