"""Reads the JSON Schemas of the categories, which `tools/gen_schemas.py` generates from the models in `record`."""

from ..basics.tables import asset_path
from ..errors import StoreError
from .folder import Unread
from .store_files import read_bounded

MAX_SCHEMA_BYTES = 1 << 20


def load_schema(category: str) -> bytes:
    """Read the JSON Schema of a category from the package. Raises `StoreError` if the package lacks it."""
    try:
        return read_bounded(asset_path(f"schemas/{category}.schema.json"), MAX_SCHEMA_BYTES)
    except Unread as unread:
        raise StoreError(f"the schema of `{category}` {unread.words}", "install cuecard again") from None
