"""Copies a project's store into a temporary folder, without the memories that are held out."""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from ..files.memory_files import list_records
from ..files.user_folder import remove_store_folder
from ..models.vectors.vectors_update import copy_vectors
from ..store.derived.current_index import rebuild

_CONFIG = "memory-config.json"


@contextmanager
def store_without(root: str, memory_dir: str, paths: Collection[str]) -> Iterator[str]:
    """The root folder of a temporary copy of the project's store without the memories at `paths`. Raises OSError.

    The copy has the settings, the memory files and the vectors of a model. Its index is made from its memory files.
    """
    with TemporaryDirectory(prefix="cuecard-eval-") as folder:
        copy = Path(folder, ".claude", "memory")
        copy.mkdir(parents=True)
        if Path(memory_dir, _CONFIG).is_file():
            shutil.copy2(Path(memory_dir, _CONFIG), copy / _CONFIG)
        for _category, path in list_records(memory_dir):
            if path not in paths:
                target = Path(folder, path)
                target.parent.mkdir(exist_ok=True)
                _take(Path(root, path), target)
        # The vectors of the memories that stay are valid, because their files are the same.
        copy_vectors(memory_dir, str(copy))
        index = rebuild(folder, str(copy))[0]
        (copy / "index.md").write_text(index, encoding="utf-8")
        try:
            yield folder
        finally:
            # Remove the seal of the copied vectors, which is in the user's data folder; without vectors there is none.
            with suppress(OSError):
                remove_store_folder(str(copy))


def _take(file: Path, target: Path) -> None:
    """Make a hard link to a file, or a copy with the same time if hard links are not possible."""
    try:
        os.link(file, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(file, target)
