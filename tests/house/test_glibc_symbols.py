"""`tools/glibc_symbols.py` finds the newest glibc version that a program in a wheel needs."""

import re
import subprocess
import sys
import sysconfig
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    glibc_symbols = import_module("glibc_symbols")
finally:
    sys.path.remove(str(ROOT / "tools"))

pytestmark = pytest.mark.skipif(
    not (sysconfig.get_config_var("HOST_GNU_TYPE") or "").endswith("-linux-gnu"), reason="no glibc on this machine"
)


@pytest.fixture
def program() -> bytes:
    """The bytes of a dynamically linked program of this machine (the shell)."""
    return Path("/bin/sh").resolve().read_bytes()


def newest_name(content: bytes) -> str:
    """The newest glibc version whose name occurs anywhere in the bytes of a program."""
    names: list[bytes] = re.findall(rb"GLIBC_(\d+\.[\d.]+)\0", content)
    return max([name.decode() for name in names], key=lambda name: [int(number) for number in name.split(".")])


def pack(path: Path, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("cuecard/program", content)
        wheel.writestr("cuecard/text.py", "# GLIBC_9.9\n")
    return path


def test_it_finds_the_newest_symbol(program: bytes) -> None:
    assert ".".join(map(str, glibc_symbols.needed_glibc(program))) == newest_name(program)


def test_a_wheel_beyond_the_limit_is_refused(
    tmp_path: Path, program: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel, newest = pack(tmp_path / "some.whl", program), newest_name(program)
    assert glibc_symbols.main([str(wheel)]) == 0
    assert glibc_symbols.main(["--newest", newest, str(wheel)]) == 0
    assert capsys.readouterr().out == f"some.whl: cuecard/program needs glibc {newest}\n" * 2
    assert glibc_symbols.main(["--newest", "2.1", str(wheel)]) == 1
    assert capsys.readouterr().out == f"some.whl: cuecard/program needs glibc {newest}, newer than 2.1\n"


def test_a_static_program_needs_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    command = ["cc", "-static", "-o", str(tmp_path / "main"), str(tmp_path / "main.c")]
    try:
        built = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        built = False
    if not built:
        pytest.skip("no static C library")
    assert (
        glibc_symbols.main(["--newest", "0", str(pack(tmp_path / "some.whl", (tmp_path / "main").read_bytes()))]) == 0
    )
    assert capsys.readouterr().out == "some.whl: cuecard/program needs no glibc\n"
