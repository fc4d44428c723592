"""A copy of a project's store in a temporary folder that lacks the memories that are held out."""

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from ..files.user_folder import remove_store_folder
from ..memory.index_md import list_records, rebuild
from ..models.vectors.vectors_update import copy_vectors

_CONFIG = "memory-config.json"


@contextmanager
def store_without(root: str, memory_dir: str, paths: Collection[str]) -> Iterator[str]:
    """The root of a copy of the project's store in which the memories at `paths` are not; removed afterwards.

    Only settings, memory files and model vectors are in it: everything else is made from them. Raises OSError.
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
            # What the seal of the vectors says of them; nothing where there are none.
            with suppress(OSError):
                remove_store_folder(str(copy))


def _take(file: Path, target: Path) -> None:
    """The same file under another name where the disk has a way, else a copy with its time."""
    try:
        os.link(file, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(file, target)
