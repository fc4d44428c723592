"""A file that the user chose is replaced where it lies, also where it has no folder in its name."""

from pathlib import Path

import pytest

from cuecard.files.atomic import replace


def test_a_file_is_replaced_in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    replace(str(tmp_path / "there" / "a"), b"1")
    replace("b", b"2")
    assert (tmp_path / "there" / "a").read_bytes() == b"1"
    assert [file.name for file in (tmp_path / "here").iterdir()] == ["b"]
