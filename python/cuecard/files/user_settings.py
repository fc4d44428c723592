"""Reads the user's configuration as it stands, for rules that ask it before the settings of a store are known."""

import os

from ..basics.json_reader import read_json_object
from .data_folder import config_path
from .folder import Unread
from .store_files import read_bounded

USER_SETTINGS = "config.json"
MAX_SETTINGS_BYTES = 1 << 20


def user_settings() -> dict[str, object]:
    """The members of the user's configuration; empty if it is missing or damaged."""
    folder = config_path()
    try:
        data = read_bounded(os.path.join(folder, USER_SETTINGS), MAX_SETTINGS_BYTES) if folder else b""
    except Unread:
        return {}
    return read_json_object(data) or {}
