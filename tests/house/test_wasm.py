"""The core has no file, clock or environment, so it also compiles for hosts that have a runtime and no processes."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGET = "wasm32-unknown-unknown"


@pytest.mark.slow  # the compiler checks the whole core
@pytest.mark.timeout(600)
def test_the_core_compiles_to_webassembly(tmp_path: Path) -> None:
    cargo, rustc = shutil.which("cargo"), shutil.which("rustc")
    if cargo is None or rustc is None:
        pytest.skip("there is no Rust toolchain")
    shown = subprocess.run(
        [rustc, "--print", "target-libdir", "--target", TARGET], capture_output=True, text=True, check=False
    )
    if shown.returncode or not Path(shown.stdout.strip()).is_dir():
        pytest.skip(f"the target {TARGET} is not installed: `rustup target add {TARGET}`")
    command = [cargo, "check", "--quiet", "--locked", "--package", "cuecard-core", "--target", TARGET]
    checked = subprocess.run(
        [*command, "--target-dir", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
