"""The user's folders for tests: a data folder and a configuration of their own, in which every memory is reviewed.

Every process that the tests start gets the same two folders, so that a test can read in its own process what the hook
or a command has written. The data of different tests stays apart, because it is kept by the path of the store.
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

# The variables that a process of a test keeps of those that the tests run with.
KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "CUECARD_BACKEND", "CUECARD_HOME", "XDG_CONFIG_HOME")
REVIEWED = {"trust": {"review": "off"}}


_own = ""


def make_home(folder: Path) -> dict[str, str]:
    """Make the two folders below `folder`; returns the variables that name them."""
    data, config = folder / "data", folder / "config"
    make_config(config)
    data.mkdir(mode=0o700, exist_ok=True)
    return {"CUECARD_HOME": str(data), "XDG_CONFIG_HOME": str(config)}


def make_config(folder: Path) -> None:
    """Make the configuration folder in which every memory is reviewed."""
    (folder / "cuecard").mkdir(parents=True, exist_ok=True)
    (folder / "cuecard" / "config.json").write_text(json.dumps(REVIEWED), encoding="utf-8")


def use_scratch_home() -> None:
    """Let this process, and those that it starts, use two folders that go when it ends."""
    folder = tempfile.mkdtemp(prefix="cuecard-home-")
    owner = os.getpid()

    def remove() -> None:
        # A child that was forked must not take the folders away from its parent.
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    os.environ.update(make_home(Path(folder)))
    global _own
    _own = os.environ["XDG_CONFIG_HOME"]


def write_user_settings(settings: "Mapping[str, object] | str") -> Path:
    """Let the user's configuration say this until the test ends; every memory stays reviewed unless it says otherwise.

    A text is written as it is, without that. Returns the file.
    """
    file = Path(os.environ["XDG_CONFIG_HOME"], "cuecard", "config.json")
    text = settings if isinstance(settings, str) else json.dumps({**REVIEWED, **settings})
    fresh = file.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    # What was written just now is read again every time, which some tests count.
    os.utime(fresh, (time.time() - 60,) * 2)
    fresh.replace(file)
    return file


def reset_user_settings() -> None:
    """Let it say what it says for every test, and forget which endpoints have failed."""
    if os.environ.get("XDG_CONFIG_HOME") != _own:
        return
    forget_failures()
    file = Path(_own, "cuecard", "config.json")
    if not file.is_file() or file.read_text(encoding="utf-8") != json.dumps(REVIEWED):
        write_user_settings({})


def forget_failures() -> None:
    """Let the endpoints be asked that have failed a short time ago."""
    Path(os.environ["CUECARD_HOME"], "endpoints").unlink(missing_ok=True)


def kept_variables(*others: str) -> dict[str, str]:
    """The variables in `KEPT`, and `others`, as far as they are set."""
    return {name: os.environ[name] for name in (*KEPT, *others) if name in os.environ}


def kept_of(memory_dir: "Path | str") -> Path:
    """Where the user's data about a store is."""
    return Path(store_path(str(memory_dir)))


def seal_derived(memory_dir: "Path | str") -> None:
    """Let every derived file of a store count as written by cuecard, whatever a test has made of it."""
    there = {file.name: file.lstat() for file in Path(memory_dir, ".cuecard").glob("*")}
    update_seal(str(memory_dir), {"snapshot": None, "snapshot.delta": None, **there})


def is_foreign(name: str) -> bool:
    """Whether a variable belongs to the person who runs the tests and must not reach them."""
    return name.startswith("CUECARD_") and name not in KEPT
