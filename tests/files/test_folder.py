"""The open folder follows no link, opens only regular files, and gives temporary files unpredictable names."""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from cuecard.files.folder import LINK, REGULAR, Folder, RefusedError, Unread, is_temporary, read_whole, temporary_name
from cuecard.files.folder_by_path import FolderByPath
from cuecard.files.open_folder import open_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="creating links needs a privilege")
SECRET = b"mine\n"
# Parts of the messages with which systems report these errors.
REFUSED = "link|levels|exists|No such device|irectory|folder|regular file"


@pytest.fixture(params=[open_folder, FolderByPath], ids=["by descriptor", "by path"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """An open folder, for each of the two implementations."""
    (tmp_path / "place").mkdir()
    opening: Callable[[str], Folder] = request.param
    return opening(str(tmp_path / "place"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder outside of the open folder, with a file that must not change."""
    place = tmp_path / "victim"
    place.mkdir()
    (place / "file").write_bytes(SECRET)
    return place


def assert_untouched(victim: Path) -> None:
    assert [path.name for path in victim.iterdir()] == ["file"]
    assert (victim / "file").read_bytes() == SECRET


def test_it_reads_what_it_has_written(folder: Folder) -> None:
    status = folder.replace("a", b"text", mode=0o600)
    data, found = folder.read("a", 4)
    assert (data, found.st_ino, found.st_mtime_ns) == (b"text", status.st_ino, status.st_mtime_ns)
    assert stat.S_IMODE(found.st_mode) == 0o600
    with pytest.raises(Unread, match="is too large"):
        folder.read("a", 3)
    with pytest.raises(Unread, match="is missing"):
        folder.read("b", 3)
    folder.append("a", b" and more")
    folder.rename("a", "b")
    assert [entry.name for entry in folder.scan()] == ["b"]
    assert folder.read("b", 100)[0] == b"text and more"
    folder.remove("b")
    assert list(folder.scan()) == []


def test_a_replaced_file_keeps_its_mode_and_bears_the_time_it_is_given(folder: Folder) -> None:
    folder.replace("a", b"old", mode=0o640)
    status = folder.replace("a", b"new", modified=1_000_000_007)
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o640, 1_000_000_007)
    folder.replace("b", b"other")
    folder.replace_renamed("a", "b", b"newer")
    assert [entry.name for entry in folder.scan()] == ["b"]


def test_a_link_is_never_followed(folder: Folder, victim: Path) -> None:
    place = Path(folder.path)
    (place / "link").symlink_to(victim / "file")
    (place / "links").symlink_to(victim)
    with pytest.raises(Unread, match="cannot be read"):
        folder.read("link", 100)
    with pytest.raises(OSError, match=REFUSED):
        folder.append("link", b"theirs")
    with pytest.raises(OSError, match=REFUSED):
        folder.create("link", b"theirs")
    for reach in (folder.folder, folder.make_folder, folder.remove_tree):
        with pytest.raises(RefusedError):
            reach("links")
    assert (folder.kind("link"), folder.kind("links")) == (LINK, LINK)
    # The link itself is replaced or removed; the target of the link is not changed.
    folder.replace("link", b"ours")
    assert folder.kind("link") == REGULAR
    folder.remove("links")
    assert_untouched(victim)


def test_a_folder_that_becomes_a_link_stays_what_was_opened(folder: Folder, victim: Path) -> None:
    if isinstance(folder, FolderByPath):
        inner = folder.make_folder("inner")
        Path(inner.path).rmdir()
        Path(inner.path).symlink_to(victim)
        with pytest.raises(RefusedError):
            inner.replace("file", b"theirs")
    else:
        inner = folder.make_folder("inner")
        Path(inner.path).rename(Path(folder.path) / "moved")
        Path(inner.path).symlink_to(victim)
        inner.replace("file", b"ours")
        assert (Path(folder.path) / "moved" / "file").read_bytes() == b"ours"
    assert_untouched(victim)


def test_a_pipe_neither_blocks_nor_is_read(folder: Folder) -> None:
    os.mkfifo(Path(folder.path) / "pipe")
    with pytest.raises(Unread, match="cannot be read"):
        folder.read("pipe", 100)
    with pytest.raises(OSError, match=REFUSED):
        folder.append("pipe", b"x")
    with pytest.raises(OSError, match=REFUSED):
        folder.folder("pipe")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../file", "/etc/passwd", "a\0b"])
def test_a_name_is_that_of_one_entry(folder: Folder, name: str) -> None:
    with pytest.raises(Unread):
        folder.read(name, 100)
    for reach in (folder.folder, folder.status, folder.remove, folder.remove_tree):
        with pytest.raises(RefusedError):
            reach(name)
    for put in (folder.replace, folder.append, folder.create):
        with pytest.raises(RefusedError):
            put(name, b"x")
    with pytest.raises(RefusedError):
        folder.rename("a", name)


def test_a_tree_is_removed_without_what_its_links_lead_to(folder: Folder, victim: Path) -> None:
    with folder.make_folder("tree") as tree, tree.make_folder("deeper") as deeper:
        deeper.create("file", b"x")
        (Path(deeper.path) / "link").symlink_to(victim)
        (Path(tree.path) / "link").symlink_to(victim / "file")
    folder.remove_tree("tree")
    assert list(folder.scan()) == []
    assert_untouched(victim)


def test_temporary_names_are_random_and_known_again(folder: Folder) -> None:
    names = {temporary_name("index.md") for _ in range(100)}
    assert len(names) == 100
    assert all(re.fullmatch(r"\.index\.md\.[0-9a-f]{16}\.tmp", name) for name in names)
    assert all(map(is_temporary, names))
    # Earlier versions wrote the number of the process into the names of temporary files.
    assert all(map(is_temporary, (".index.md.1234.tmp", "snapshot.1234.tmp", "snapshot.delta.99.tmp")))
    for name in (
        ".tmp",
        "a.tmp",
        ".a.tmp",
        ".vimrc.tmp",
        "notes.1.tmp",
        ".a.0123456789abcde.tmp",
        ".a.12x.tmp",
        ".1.tmp",
    ):
        assert not is_temporary(name), name


def test_a_write_that_fails_leaves_nothing_behind(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.replace("a", b"old")

    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        folder.replace("a", b"new")
    monkeypatch.undo()
    assert [entry.name for entry in folder.scan()] == ["a"]
    assert folder.read("a", 9)[0] == b"old"


def test_a_lock_is_opened_from_the_folder_and_never_through_a_link(folder: Folder, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    place = Path(folder.path)
    os.close(folder.open_for_lock("lock"))
    assert (place / "lock").read_bytes() == b""
    for name, make in (("link", lambda path: path.symlink_to(victim)), ("pipe", os.mkfifo), ("folder", os.mkdir)):
        make(place / name)
        with pytest.raises(OSError, match="regular file"):
            folder.open_for_lock(name)
    assert victim.read_text() == "kept"


@pytest.mark.parametrize("size", [0, 1, 40])
def test_a_file_that_has_grown_is_read_to_its_end(tmp_path: Path, size: int) -> None:
    data = bytes(range(250)) * 4
    (tmp_path / "grown").write_bytes(data)
    for limit in (len(data), 1 << 20):
        with (tmp_path / "grown").open("rb") as file:
            assert read_whole(file.fileno(), size, limit) == data
    with (tmp_path / "grown").open("rb") as file, pytest.raises(Unread):
        read_whole(file.fileno(), size, len(data) // 4)
