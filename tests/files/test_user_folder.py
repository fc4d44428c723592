"""The user's folders, and the data about a store in them."""

import os
import stat
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from cuecard import Store
from cuecard._backend import engine, read_effective_settings, snapshot_files
from cuecard._pure.situation.session_file import open_session
from cuecard.files import derived as derived_files
from cuecard.files.derived import open_derived
from cuecard.files.seal import read_seal
from cuecard.files.user_folder import config_path, data_path, open_store_folder, store_key, store_path
from cuecard.store.derived.leftovers import sweep_derived
from records import draft
from scratch_home import kept_of


def test_the_data_folder_is_the_named_one_else_that_of_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = str(tmp_path)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", f"{here}/me")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    for named, found in (
        (f"{here}/data", f"{here}/data"),
        ("data", f"{here}/me/.local/share/cuecard"),
        ("", f"{here}/me/.local/share/cuecard"),
    ):
        monkeypatch.setenv("CUECARD_HOME", named)
        assert data_path() == found
    monkeypatch.setenv("XDG_DATA_HOME", f"{here}/share")
    assert data_path() == f"{here}/share/cuecard"
    assert config_path() == f"{here}/me/.config/cuecard"
    monkeypatch.setenv("XDG_CONFIG_HOME", f"{here}/config")
    assert config_path() == f"{here}/config/cuecard"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert data_path() == f"{here}/me/Library/Application Support/cuecard"
    monkeypatch.setattr(sys, "platform", "win32")
    for local, found in ((f"{here}/local", f"{here}/local/cuecard"), ("local", f"{here}/me/AppData/Local/cuecard")):
        monkeypatch.setenv("LOCALAPPDATA", local)
        assert data_path() == found
    monkeypatch.setenv("HOME", "")
    assert data_path() == ""
    assert open_store_folder("/project/.claude/memory", make=True) is None


def test_a_store_is_known_by_its_real_place(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to("project")
    memory_dir = tmp_path / "project" / ".claude" / "memory"
    expected = sha256(os.fsencode(os.path.realpath(tmp_path / "project") + "/.claude/memory")).hexdigest()[:32]
    assert store_key(str(memory_dir)) == store_key(str(tmp_path / "link/.claude/memory")) == expected
    folder = open_store_folder(str(memory_dir), "log", make=True)
    assert folder is not None
    assert stat.S_IMODE(kept_of(memory_dir).stat().st_mode) == stat.S_IMODE(Path(folder.path).stat().st_mode) == 0o700
    assert (kept_of(memory_dir) / "path").read_text() == f"{memory_dir}\n"


def test_without_a_folder_for_data_a_session_is_not_kept_and_the_seal_holds_for_everything(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(draft())
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CUECARD_HOME", str(tmp_path / "file" / "below"))
    session = open_session(store.memory_dir, "s-1")
    assert session is not None
    session.write()
    assert store_path(store.memory_dir)
    kept = engine.inspect_snapshot(store.root, read_effective_settings(store.memory_dir).settings.numbers).snapshot
    # The reference takes the values of a sealed file as they are, so it reads none that nobody can seal.
    assert (kept is None) == (engine.__name__ == "cuecard._pure")


def test_a_snapshot_that_somebody_else_has_written_is_no_snapshot(store: Store, tmp_path: Path) -> None:
    store.add(draft())
    numbers = read_effective_settings(store.memory_dir).settings.numbers
    assert engine.inspect_snapshot(store.root, numbers).snapshot is not None
    file = Path(store.memory_dir, ".cuecard", snapshot_files[0])
    # Another file with the same bytes, as a clone would have it.
    copy = file.with_name("copy")
    copy.write_bytes(file.read_bytes())
    copy.replace(file)
    assert engine.inspect_snapshot(store.root, numbers).snapshot is None
    with open_derived(store.memory_dir) as derived:
        assert not read_seal(store.memory_dir).holds(snapshot_files[0], derived.status(snapshot_files[0]))
    assert store.add(draft("Another one")).warnings == []
    assert engine.inspect_snapshot(store.root, numbers).snapshot is not None


def test_a_snapshot_counts_where_its_writer_died_before_it_noted_the_last_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seal (the list of files that cuecard has written) gets an entry before and after the rename of a file."""
    monkeypatch.setattr(derived_files, "update_seal", lambda memory_dir, written: None)
    store.add(draft())
    assert (
        engine.inspect_snapshot(store.root, read_effective_settings(store.memory_dir).settings.numbers).snapshot
        is not None
    )


@pytest.mark.parametrize("text", ["", "\n", "snapshot\n", "snapshot 1 2 3\n", "snapshot x y z w\n", "\xff\n" * 9])
def test_a_damaged_seal_holds_for_nothing(store: Store, text: str) -> None:
    store.add(draft())
    (kept_of(store.memory_dir) / "seal").write_text(text, encoding="latin-1")
    assert (
        engine.inspect_snapshot(store.root, read_effective_settings(store.memory_dir).settings.numbers).snapshot is None
    )


def test_what_dead_processes_left_in_the_users_folder_is_swept(store: Store) -> None:
    store.add(draft())
    leftover, other = kept_of(store.memory_dir) / ".seal.0123456789abcdef.tmp", kept_of(store.memory_dir) / ".vimrc.tmp"
    for file in (leftover, other):
        file.write_text("half")
        os.utime(file, (0, 0))
    sweep_derived(store.memory_dir)
    assert (leftover.exists(), other.exists()) == (False, True)
