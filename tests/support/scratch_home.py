"""The user's folders for tests: data and configuration folders in which every memory counts as reviewed.

All processes of a test run use the same two folders, so that a test can read what the hook or a command has written.
The data of different tests is separate, because cuecard keeps it by the path of the store.
"""

import atexit
import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from cuecard.files.seal import update_seal
from cuecard.files.user_folder import store_path

# The variables of this test run that the processes of a test get, too.
KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "CUECARD_BACKEND", "CUECARD_HOME", "XDG_CONFIG_HOME")
# The environment of the tests is the user's own, so its variables count.
REVIEWED = {"trust": {"review": "off"}, "variables": True}


_own = ""


def make_home(folder: Path) -> dict[str, str]:
    """Create the data and configuration folders below `folder`; return the environment variables that name them."""
    data, config = folder / "data", folder / "config"
    make_config(config)
    data.mkdir(mode=0o700, exist_ok=True)
    return {"CUECARD_HOME": str(data), "XDG_CONFIG_HOME": str(config)}


def make_config(folder: Path) -> None:
    """Write a configuration in which every memory counts as reviewed."""
    (folder / "cuecard").mkdir(parents=True, exist_ok=True)
    (folder / "cuecard" / "config.json").write_text(json.dumps(REVIEWED), encoding="utf-8")


def use_scratch_home() -> None:
    """Let this process and its children use new data and configuration folders, which are removed at exit."""
    folder = tempfile.mkdtemp(prefix="cuecard-home-")
    owner = os.getpid()

    def remove() -> None:
        # A forked child must not remove the folders of its parent.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    os.environ.update(make_home(Path(folder)))
    global _own
    _own = os.environ["XDG_CONFIG_HOME"]


def write_user_settings(settings: "Mapping[str, object] | str") -> Path:
    """Write the user's configuration for the rest of the test.

    A string is written unchanged. Memories count as reviewed unless `settings` change that. Returns the path of the
    file.
    """
    file = Path(os.environ["XDG_CONFIG_HOME"], "cuecard", "config.json")
    text = settings if isinstance(settings, str) else json.dumps({**REVIEWED, **settings})
    fresh = file.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    # A file that was written just now is read again every time, but some tests count the reads.
    os.utime(fresh, (time.time() - 60,) * 2)
    fresh.replace(file)
    return file


def reset_user_settings() -> None:
    """Restore the user's configuration that every test starts with, and forget which endpoints have failed."""
    if os.environ.get("XDG_CONFIG_HOME") != _own:
        return
    # The launchers would start what another test has installed.
    Path(os.environ["CUECARD_HOME"], "programs").unlink(missing_ok=True)
    forget_failures()
    file = Path(_own, "cuecard", "config.json")
    if not file.is_file() or file.read_text(encoding="utf-8") != json.dumps(REVIEWED):
        write_user_settings({})


def forget_failures() -> None:
    """Forget which endpoints have failed, so that they are asked again at once."""
    Path(os.environ["CUECARD_HOME"], "endpoints").unlink(missing_ok=True)


def kept_variables(*others: str) -> dict[str, str]:
    """The variables named in `KEPT` and in `others` that are set, with their values."""
    return {name: os.environ[name] for name in (*KEPT, *others) if name in os.environ}


def kept_of(memory_dir: "Path | str") -> Path:
    """The folder where cuecard keeps the user's data about a store."""
    return Path(store_path(str(memory_dir)))


def seal_derived(memory_dir: "Path | str") -> None:
    """Mark every derived file of a store as written by cuecard, even if a test has changed it."""
    there = {file.name: file.lstat() for file in Path(memory_dir, ".cuecard").glob("*")}
    update_seal(str(memory_dir), {"snapshot": None, "snapshot.delta": None, **there})


def is_foreign(name: str) -> bool:
    """Whether a variable belongs to the user who runs the tests, so that the tests must not see it."""
    return name.startswith("CUECARD_") and name not in KEPT
