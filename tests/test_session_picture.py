"""The picture of a session in the README shows what the programs print."""

import json
import re
import sys
from html import unescape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parent.parent
CAST = ROOT / "docs/pictures/session.cast"
PICTURE = ROOT / "docs/pictures/session.svg"
NEW = "run `make picture`"


@pytest.fixture(scope="module")
def recorder() -> ModuleType:
    if sys.platform == "win32":
        pytest.skip("the session is recorded on a terminal of Unix")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return import_module("record_session")
    finally:
        sys.path.remove(str(ROOT / "tools"))


def test_the_recording_is_what_the_programs_print(recorder: ModuleType) -> None:
    assert recorder.record() == CAST.read_text("utf-8"), NEW


def test_the_picture_is_drawn_from_the_recording(recorder: ModuleType) -> None:
    assert recorder.draw(CAST.read_text("utf-8")) == PICTURE.read_text("utf-8"), NEW
    assert PICTURE.stat().st_size < 150_000


def test_the_picture_has_every_word_of_the_recording(recorder: ModuleType) -> None:
    picture = ElementTree.parse(PICTURE)
    drawn = "".join([unescape(text.text or "") for text in picture.iter("{http://www.w3.org/2000/svg}text")])
    said = recorder.shown_text(CAST.read_text("utf-8"))
    title = json.loads(CAST.read_text("utf-8").partition("\n")[0])["title"]
    assert re.sub(r"\s", "", drawn) == re.sub(r"\s", "", title + said)


def test_the_recording_fits_its_terminal(recorder: ModuleType) -> None:
    width, height = recorder.WIDTH, recorder.HEIGHT
    pieces, _total = import_module("cast_picture").pieces_of(CAST.read_text("utf-8"))
    assert max(piece.column + len(piece.text.rstrip()) for piece in pieces) <= width
    assert max(piece.row for piece in pieces) < height
