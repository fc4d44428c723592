"""The picture of a session in the README and the screenshots are of their recordings and fit their place.

That they show what the programs print is found by `tests/house/test_scripts.py`, which makes them again.
"""

import json
import re
import sys
from html import unescape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import cuecard
from backends import miss

ROOT = Path(__file__).resolve().parents[2]
CAST = ROOT / "docs/pictures/session.cast"
PICTURE = ROOT / "docs/pictures/session.svg"
NEW = "run `make picture`"


@pytest.fixture(scope="module")
def recorder() -> ModuleType:
    if sys.platform == "win32":
        pytest.skip("the session is recorded on a Unix terminal")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return import_module("record_session")
    finally:
        sys.path.remove(str(ROOT / "tools"))


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


@pytest.fixture(scope="module")
def screenshots(recorder: ModuleType) -> ModuleType:
    """The module `tools/screenshots.py`.

    It needs the native package, because the picture of the doctor shows this package.
    """
    if cuecard.backend != "native":
        miss("the native backend")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return import_module("screenshots")
    finally:
        sys.path.remove(str(ROOT / "tools"))


def test_each_screenshot_stands_on_a_page_and_names_no_folder_of_this_machine(screenshots: ModuleType) -> None:
    pages = "".join([page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md")])
    for name in screenshots.SHOTS:
        assert f"pictures/{name}.svg)" in pages
        drawn = (ROOT / "docs/pictures" / f"{name}.svg").read_text("utf-8")
        assert not re.search(r"/(?:home|root|tmp|work|Users)/|\.venv/", drawn)
