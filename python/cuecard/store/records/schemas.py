"""Reads the JSON Schemas of the categories, which `tools/gen_schemas.py` generates from the models in `record`."""

import os

from ...errors import StoreError
from ...files.folder import Unread
from ...files.store_files import read_bounded

MAX_SCHEMA_BYTES = 1 << 20


def load_schema(category: str) -> bytes:
    """Read the JSON Schema of a category from the package. Raises `StoreError` if the package lacks it."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.path.join(package, "assets", "schemas", f"{category}.schema.json")
    try:
        return read_bounded(path, MAX_SCHEMA_BYTES)
    except Unread as unread:
        raise StoreError(f"the schema of `{category}` {unread.words}", "install cuecard again") from None
