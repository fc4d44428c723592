"""The build backend of this tree (PEP 517, PEP 660): builds the native package if Rust is installed, else the pure one.

`CUECARD_BUILD` is `auto` (the default), `native` or `pure`. The native package is maturin's wheel with the
hook executable beside the extension; the pure package is hatchling's wheel, from the same `pyproject.toml`. Run as a
program, this file prints which of the two packages a build would make here.

`CUECARD_PROFILE` is `release` (the default) or `development`, which builds in a third of the time without link-time
optimisation; the Makefile sets it for installs that only tests and linters use.

`CUECARD_COMPATIBILITY` is `manylinux_2_17` or `musllinux_1_2` for a native wheel that other Linux machines can use.
The extension is then linked by zig, and the executable contains its C library.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hatchling.builders.wheel import WheelBuilder

    Settings = Mapping[str, object] | None

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "cuecard"
# maturin puts the files in `<module name>.data/scripts` beside the interpreter and keeps their modes.
DATA = ROOT / "cuecard._native.data"
EXECUTABLE = "cuecard-hook"
# If the native package could not be built, the pure package has this file with the reason. `cuecard doctor` shows it.
WHY_PURE = PACKAGE / "why_pure.txt"

MATURIN = "maturin>=1.16,<2"
HATCHLING = "hatchling>=1.33,<2"
# zig is a linker that knows the symbols of every version of glibc, and musl.
ZIGLANG = "ziglang==0.17.1"
COMPATIBILITIES = ("manylinux_2_17", "musllinux_1_2")

# This backend has no hooks that prepare metadata, so frontends read the metadata from the built wheel: the toolchain is
# checked only once, and the entry points cannot differ from what was announced.
__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Name the builder that the wheel needs here: maturin or hatchling."""
    flavour, _ = choose()
    if flavour == "pure":
        return [HATCHLING]
    return [MATURIN, ZIGLANG] if compatibility() else [MATURIN]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Name the builder that the editable install needs here: maturin or hatchling, as for a wheel."""
    return get_requires_for_build_wheel(config_settings)


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Name the builder of the source distribution, which is always hatchling."""
    return [HATCHLING]


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Write the source distribution, from which both packages can be built, and return its file name."""
    from hatchling.builders.sdist import SdistBuilder

    return Path(next(SdistBuilder(str(ROOT)).build(directory=sdist_directory, versions=["standard"]))).name


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel that `CUECARD_BUILD` asks for, and return its file name."""
    if announce() == "pure":
        try:
            return _build_pure(wheel_directory, "standard")
        finally:
            WHY_PURE.unlink(missing_ok=True)
    import maturin

    return _build_native(maturin.build_wheel, wheel_directory, config_settings)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the editable wheel that `CUECARD_BUILD` asks for, and return its file name."""
    if announce() == "pure":
        # Python would find a leftover extension in the tree, and the pure package would not be pure.
        for leftover in [*PACKAGE.glob("_native*.so"), *PACKAGE.glob("_native*.pyd")]:
            leftover.unlink()
        return _build_pure(wheel_directory, "editable")
    import maturin

    return _build_native(maturin.build_editable, wheel_directory, config_settings)


def is_development() -> bool:
    """Whether `CUECARD_PROFILE` asks for the quick build; exits with a message when its value is unknown."""
    profile = os.environ.get("CUECARD_PROFILE", "").strip() or "release"
    if profile not in {"release", "development"}:
        sys.exit(
            f"error: `CUECARD_PROFILE` is `{profile}`, which is not a profile of cuecard\n"
            "hint: set it to `release` or `development`"
        )
    return profile == "development"


def compatibility() -> str:
    """Return the value of `CUECARD_COMPATIBILITY`, or "" if it is not set; exits when the value is unknown."""
    wanted = os.environ.get("CUECARD_COMPATIBILITY", "").strip()
    if wanted and wanted not in COMPATIBILITIES:
        sys.exit(
            f"error: `CUECARD_COMPATIBILITY` is `{wanted}`, which cuecard builds no wheel for\n"
            f"hint: set it to {' or '.join([f'`{name}`' for name in COMPATIBILITIES])}, or leave it out"
        )
    return wanted


def _choose_arguments() -> None:
    """Tell maturin which cargo profile and linker to use; without this it uses `release` and this machine's linker."""
    arguments = ["--profile", "development"] if is_development() else []
    wanted = compatibility()
    if wanted:
        arguments += ["--zig", "--compatibility", wanted]
        # maturin starts zig with the `python3` that it finds first.
        os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if wanted.startswith("musllinux"):
        arguments += ["--target", f"{platform.machine()}-unknown-linux-musl"]
    if arguments:
        os.environ["MATURIN_PEP517_ARGS"] = " ".join(arguments)


def choose() -> tuple[str, str | None]:
    """Return `native` or `pure`, and why the native package cannot be built if `auto` fell back to pure, else None.

    Exits with a message when the value of `CUECARD_BUILD` is unknown or cannot be built here.
    """
    wanted = os.environ.get("CUECARD_BUILD", "").strip() or "auto"
    if wanted not in {"auto", "native", "pure"}:
        sys.exit(
            f"error: `CUECARD_BUILD` is `{wanted}`, which is not a build of cuecard\n"
            "hint: set it to `auto`, `native` or `pure`"
        )
    if wanted == "pure":
        return "pure", None
    problem = toolchain_problem()
    if problem is None:
        return "native", None
    if wanted == "native":
        sys.exit(
            f"error: the native package cannot be built: {problem}\n"
            f"hint: {_toolchain_hint()}, or set `CUECARD_BUILD=pure`"
        )
    return "pure", problem


def announce(*, is_build: bool = True) -> str:
    """Return `native` or `pure`; print a notice if `auto` fell back to pure.

    With `is_build`, the reason for the fallback is also written into the package.
    """
    flavour, problem = choose()
    if is_build:
        WHY_PURE.unlink(missing_ok=True)
        if problem is not None:
            WHY_PURE.write_text(f"{problem}\n", encoding="utf-8")
    if problem is not None:
        notice = (
            f"notice: building the pure-Python package of cuecard: {problem}\n"
            f"hint: {_toolchain_hint()}, for the native one"
        )
        print(notice, file=sys.stderr)
        if is_build:
            _tell_the_terminal(notice)
    return flavour


def _tell_the_terminal(notice: str) -> None:
    """Show a notice on the user's terminal, because frontends hide what a build prints unless the build fails."""
    if sys.stderr.isatty():
        return
    with suppress(OSError), Path("/dev/tty").open("w", encoding="utf-8") as terminal:
        terminal.write(f"\n{notice}\n")


def toolchain_problem() -> str | None:
    """Say in one clause why this machine cannot build the native package; None when it can."""
    for tool in ("cargo", "rustc"):
        if shutil.which(tool) is None:
            return f"`{tool}` is not on PATH"
    version = _run("rustc", "--version")
    found = re.match(r"rustc (\d+)\.(\d+)", version.stdout)
    if version.returncode != 0 or found is None:
        return f"`rustc --version` fails{_reason(version)}"
    if (int(found[1]), int(found[2])) < _rust_version():
        return f"rustc {found[1]}.{found[2]} is older than {_rust_version_text()}"
    link = _link()
    if link.returncode != 0:
        return f"`rustc` cannot link a program{_reason(link)}"
    fetch = _run("cargo", "fetch", "--locked", "--quiet")
    if fetch.returncode != 0:
        return f"`cargo fetch --locked` fails{_reason(fetch)}"
    return None


def _build_native(build: Callable[[str, Settings], str], directory: str, settings: Settings) -> str:
    """Compile extension and executable at the same time, since linking uses only one core each; then pack both.

    With the profile `development`, cargo builds one after the other, and the second uses the crates of the first.
    """
    _choose_arguments()
    with ThreadPoolExecutor(1) as beside, tempfile.TemporaryDirectory() as folder:
        executable = beside.submit(_build_executable)
        # This wheel is thrown away because it has no executable. The extension that it compiled goes into the next
        # wheel.
        build(folder, settings)
        with _executable_in_place(executable.result()):
            return str(build(directory, settings))


def _build_pure(directory: str, version: str) -> str:
    return Path(next(_pure_builder().build(directory=directory, versions=[version]))).name


def _pure_builder() -> WheelBuilder:
    from hatchling.builders.wheel import WheelBuilder
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    plugins = PluginManager()
    metadata = ProjectMetadata(str(ROOT), plugins)
    metadata.config["project"]["scripts"][EXECUTABLE] = "cuecard.hook:start"
    return WheelBuilder(str(ROOT), plugin_manager=plugins, metadata=metadata)


@contextmanager
def _executable_in_place(executable: Path) -> Iterator[None]:
    shutil.rmtree(DATA, ignore_errors=True)
    try:
        scripts = DATA / "scripts"
        scripts.mkdir(parents=True)
        shutil.copy(executable, scripts / executable.name)
        yield
    finally:
        shutil.rmtree(DATA, ignore_errors=True)


def _build_executable() -> Path:
    profile = "development" if is_development() else "hook"
    command = ["cargo", "rustc", "--locked", "--profile", profile, "--message-format=json-render-diagnostics"]
    command += ["--package", EXECUTABLE, "--bin", EXECUTABLE, "--", *_static_flags()]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode != 0:
        sys.exit(f"error: `{' '.join(command)}` fails")
    for line in done.stdout.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("target", {}).get("name") == EXECUTABLE and message.get("executable"):
            return Path(message["executable"])
    sys.exit(f"error: cargo's output does not name the path of `{EXECUTABLE}`")


def _static_flags() -> Sequence[str]:
    """Return the flags for a static executable, or none if the static libc is missing.

    A static executable starts sooner, because no dynamic loader runs before it.
    """
    flags = ("-C", "target-feature=+crt-static")
    host = re.search(r"^host: (\S+)", _run("rustc", "-vV").stdout, re.MULTILINE)
    is_glibc = host is not None and host[1].endswith("-linux-gnu")
    if is_glibc and "CARGO_BUILD_TARGET" not in os.environ and _link(*flags).returncode == 0:
        return flags
    if compatibility():
        sys.exit(
            f"error: `{EXECUTABLE}` for other machines has to contain its C library, which cannot be linked here\n"
            "hint: install the static C library, on Debian and Ubuntu `libc6-dev`"
        )
    return ()


def _link(*flags: str) -> subprocess.CompletedProcess[str]:
    """Link an empty program and run it."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "empty.exe")
        Path(folder, "empty.rs").write_text("fn main() {}\n", encoding="utf-8")
        linked = _run("rustc", *flags, "-o", str(program), str(Path(folder, "empty.rs")))
        return linked if linked.returncode != 0 else _run(str(program))


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error")]
    return f": {(errors or lines)[0]}" if lines else ""


def _toolchain_hint() -> str:
    return f"install Rust {_rust_version_text()} or newer with `cargo` and `rustc` on PATH, and a C linker"


def _rust_version() -> tuple[int, int]:
    major, minor = _rust_version_text().split(".")[:2]
    return int(major), int(minor)


def _rust_version_text() -> str:
    # The version is read with a pattern, because Python 3.10 has no TOML reader before the requirements are installed.
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^rust-version = "([0-9.]+)"', manifest, re.MULTILINE)
    if found is None:
        sys.exit("error: `Cargo.toml` states no `rust-version`")
    return found[1]


if __name__ == "__main__":
    print(announce(is_build=False))
