"""The stores that this user has used, as far as the user's data folder knows them.

The list is no list of its own: whatever cuecard keeps about a store (sessions, logs, trust) lies in a folder with the
store's path, which is made when the store is used for the first time. A store in this list is not trusted for that.
"""

import os

from .folder import Folder, Unread
from .store_files import has_store
from .user_folder import PATH_FILE, STORES, open_data_folder, store_key

MAX_PATH_BYTES = 1 << 15
# More folders than this are not looked at, and no more stores than this are returned.
MAX_FOLDERS = 5000
MAX_STORES = 50

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def used_stores() -> tuple[list[str], int]:
    """The folders of the projects whose stores were used, the latest first, and how many more there are.

    Stores that are gone, and folders that name another store than their own, are left out.
    """
    found: list[tuple[float, str]] = []
    for root, folder, _key in kept_stores():
        try:
            used = max([each.stat(follow_symlinks=False).st_mtime for each in folder.scan()], default=0.0)
        except OSError:
            continue
        if has_store(root):
            found.append((used, root))
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return [root for _used, root in found[:MAX_STORES]], max(0, len(found) - MAX_STORES)


def kept_stores() -> "Iterator[tuple[str, Folder, str]]":
    """The stores of which the user's data folder keeps something: the project, the open folder in it, and its key.

    The project may be gone. Folders that name another store than their own are left out.
    """
    data = open_data_folder()
    if data is None:
        return
    with data:
        try:
            stores = data.folder(STORES)
        except OSError:
            return
        with stores:
            for number, entry in enumerate(stores.scan()):
                if number >= MAX_FOLDERS:
                    return
                try:
                    folder = stores.folder(entry.name)
                except OSError:
                    continue
                with folder:
                    try:
                        path = os.fsdecode(folder.read(PATH_FILE, MAX_PATH_BYTES)[0].rstrip(b"\n"))
                    except (OSError, Unread):
                        continue
                    if store_key(path) == entry.name:
                        yield os.path.dirname(os.path.dirname(path)), folder, entry.name
