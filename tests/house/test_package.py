"""The package as users get it: it is built, and the real pip installs it into empty virtual environments."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    Members = dict[str, tuple[zipfile.ZipInfo, bytes]]

pytestmark = [pytest.mark.package, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
BACKEND = ROOT / "tools" / "build_backend.py"
CHECK = ROOT / "tools" / "check_wheel.py"
TOOLCHAIN = ("cargo", "rustc")


def environment(**changes: str) -> dict[str, str]:
    """The environment variables of a user; the variables of the test run are left out."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("CUECARD_", "PYTHONPATH", "PYTEST_"))
    }
    return {**kept, **changes}


def path_without_toolchain() -> str:
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(
        folder for folder in folders if not any(shutil.which(tool, path=folder) for tool in TOOLCHAIN)
    )


def run(*command: str | Path, env: dict[str, str], cwd: Path | None = None) -> str:
    """Run a command, and return its output on stdout and stderr; the test fails if the command fails."""
    done = subprocess.run(
        [str(part) for part in command],
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command} fails:\n{done.stdout}"
    return done.stdout


class VirtualEnvironment:
    """An empty virtual environment, without pip."""

    def __init__(self, folder: Path) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", folder, env=environment())
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / "python"

    def install(self, *arguments: str | Path, env: dict[str, str]) -> str:
        return run(sys.executable, "-m", "pip", "--python", self.python, "install", *arguments, env=env)

    def program(self, name: str) -> Path:
        """The path of a program in this environment."""
        found = shutil.which(name, path=str(self.bin))
        assert found is not None, f"`{name}` is not in {sorted(path.name for path in self.bin.iterdir())}"
        return Path(found)

    def hook_version(self) -> str:
        return run(self.program("cuecard-hook"), "--version", env=environment()).strip()

    def evaluate(self, expression: str) -> str:
        # The code runs in the environment's own folder, so that it cannot import a checkout by accident.
        code = f"import cuecard, importlib.util; print({expression})"
        return run(self.python, "-c", code, env=environment(), cwd=self.bin).strip()

    def has_native_module(self) -> bool:
        return self.evaluate("importlib.util.find_spec('cuecard._native') is not None") == "True"


@pytest.fixture
def venv(tmp_path: Path) -> VirtualEnvironment:
    return VirtualEnvironment(tmp_path / "venv")


@pytest.fixture(scope="session")
def toolchain() -> None:
    """Skip the test if Rust is missing; fail instead if the native backend is required."""
    done = subprocess.run(
        [sys.executable, str(BACKEND)],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    if done.stdout.strip() != "native":
        assert os.environ.get("CUECARD_REQUIRE_NATIVE") != "1", done.stderr
        pytest.skip(done.stderr.strip().splitlines()[0])


@pytest.fixture(scope="session")
def wheel_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that returns the wheel of a flavour (`native` or `pure`), from `CUECARD_WHEEL_DIR` or built once."""
    built: dict[str, Path] = {}

    def build(flavour: str) -> Path:
        folder = Path(os.environ.get("CUECARD_WHEEL_DIR", ""))
        if "CUECARD_WHEEL_DIR" not in os.environ:
            folder = tmp_path_factory.mktemp(flavour)
            run(
                *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, ROOT),
                env=environment(CUECARD_BUILD=flavour),
            )
        pattern = "cuecard-*-abi3-*.whl" if flavour == "native" else "cuecard-*-py3-none-any.whl"
        [wheel] = folder.resolve().glob(pattern)
        return wheel

    def wheel(flavour: str) -> Path:
        return built.get(flavour) or built.setdefault(flavour, build(flavour))

    return wheel


@pytest.fixture(scope="session")
def native_wheel(toolchain: None, wheel_of: Callable[[str], Path]) -> Path:
    return wheel_of("native")


@pytest.fixture(scope="session")
def pure_wheel(wheel_of: Callable[[str], Path]) -> Path:
    return wheel_of("pure")


@pytest.fixture(scope="session")
def unpacked_sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution, which is all that a packager gets."""
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys, build_backend; print(build_backend.build_sdist(sys.argv[1]))"
    env = environment(PYTHONPATH=str(BACKEND.parent))
    name = run(sys.executable, "-c", code, folder, env=env, cwd=ROOT).split()[-1]
    # The folder is the same in every run. Otherwise cargo would keep a build for each folder in its shared target
    # folder. Each worker of pytest-xdist has its own folder, because the tests change the tree.
    place = ROOT / "target" / "package-tests" / os.environ.get("PYTEST_XDIST_WORKER", "alone")
    shutil.rmtree(place, ignore_errors=True)
    with tarfile.open(folder / name) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(place)
    tree = place / name.removesuffix(".tar.gz")
    # All files in an sdist have the same fixed date, so cargo would see no change since the last build.
    for file in tree.rglob("*"):
        os.utime(file)
    return tree


@pytest.fixture(scope="session")
def native_environment() -> dict[str, str]:
    """The environment variables for native builds outside of the checkout; they use the checkout's compiled crates."""
    return environment(
        CUECARD_BUILD="native",
        # These builds are only asked for their versions, so they need no optimisation.
        CUECARD_PROFILE="development",
        CARGO_PROFILE_DEVELOPMENT_OPT_LEVEL="0",
        CARGO_TARGET_DIR=os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")),
    )


def check(wheel: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECK), str(wheel)],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def rewrite(wheel: Path, folder: Path, change: Callable[[Members], None]) -> Path:
    """Copy a wheel into `folder` after calling `change` on its members."""
    with zipfile.ZipFile(wheel) as archive:
        members = {entry.filename: (entry, archive.read(entry)) for entry in archive.infolist()}
    change(members)
    copy = folder / wheel.name
    with zipfile.ZipFile(copy, "w") as archive:
        for entry, content in members.values():
            archive.writestr(entry, content)
    return copy


def metadata(wheel: Path) -> list[tuple[str, str]]:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        message = HeaderParser().parsestr(archive.read(name).decode())
    # Maturin and hatchling set blanks and parentheses of markers differently.
    items = [(key, str(Requirement(value)) if key == "Requires-Dist" else value) for key, value in message.items()]
    return sorted([*items, ("description", str(message.get_payload()).strip())])


def test_the_native_wheel_puts_the_executable_on_the_path(venv: VirtualEnvironment, native_wheel: Path) -> None:
    venv.install("--no-deps", native_wheel, env=environment(PATH=path_without_toolchain()))
    assert not venv.program("cuecard-hook").read_bytes().startswith(b"#!")
    assert venv.hook_version().endswith("(native)")
    assert venv.has_native_module()


def test_the_pure_wheel_works_with_its_dependencies_alone(venv: VirtualEnvironment, pure_wheel: Path) -> None:
    venv.install(pure_wheel, env=environment(PATH=path_without_toolchain()))
    assert venv.hook_version().endswith("(pure)")
    assert not venv.has_native_module()
    run(venv.program("cuecard"), "--help", env=environment())


def test_an_installed_package_has_bytecode_whatever_the_environment_says(
    venv: VirtualEnvironment, pure_wheel: Path
) -> None:
    venv.install("--no-deps", pure_wheel, env=environment(PYTHONDONTWRITEBYTECODE="1"))
    package = Path(venv.evaluate("cuecard.__path__[0]"))
    sources = {path.relative_to(package) for path in package.rglob("*.py")}
    compiled = {
        path.relative_to(package).parent.parent / f"{path.name.split('.')[0]}.py" for path in package.rglob("*.pyc")
    }
    assert compiled == sources


def test_without_a_toolchain_pip_installs_the_pure_package_and_says_why(
    venv: VirtualEnvironment, unpacked_sdist: Path
) -> None:
    env = environment(PATH=path_without_toolchain())
    output = venv.install("--verbose", "--no-deps", unpacked_sdist, env=env)
    assert "notice: building the pure-Python package of cuecard: `cargo` is not on PATH" in output
    assert "hint: install Rust" in output
    assert venv.hook_version().endswith("(pure)")
    found = "__import__('cuecard.observe.doctor.installation').observe.doctor.installation._examine_backend()"
    assert venv.evaluate(f"{found}.words").endswith("could not be built: `cargo` is not on PATH")
    assert not list(unpacked_sdist.rglob("why_pure.txt"))


# Both builds are in one test, because the second build uses what the first build has compiled.
def test_the_native_wheel_and_a_native_editable_install_are_built_from_the_sdist(
    toolchain: None, native_environment: dict[str, str], venv: VirtualEnvironment, unpacked_sdist: Path, tmp_path: Path
) -> None:
    command = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, unpacked_sdist)
    run(*command, env=native_environment)
    [wheel] = tmp_path.glob("*.whl")
    done = check(wheel)
    assert done.returncode == 0, done.stderr
    assert not list(unpacked_sdist.glob("*.data")), "the folder that hands the executable over is left behind"

    venv.install("--no-deps", "--editable", unpacked_sdist, env=native_environment)
    assert venv.hook_version().endswith("(native)")
    assert venv.has_native_module()
    assert Path(venv.evaluate("cuecard.__path__[0]")) == unpacked_sdist / "python" / "cuecard"


def test_an_editable_install_can_be_pure_even_after_a_native_one(
    venv: VirtualEnvironment, unpacked_sdist: Path
) -> None:
    (unpacked_sdist / "python" / "cuecard" / "_native.abi3.so").touch()
    env = environment(CUECARD_BUILD="pure", PATH=path_without_toolchain())
    venv.install("--no-deps", "--editable", unpacked_sdist, env=env)
    assert venv.hook_version().endswith("(pure)")
    assert Path(venv.evaluate("cuecard.__path__[0]")) == unpacked_sdist / "python" / "cuecard"
    assert not list((unpacked_sdist / "python" / "cuecard").glob("_native*.so"))


def test_the_sdist_holds_every_file_of_the_repository(unpacked_sdist: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not in a git checkout")
    present = [name for name in listed.stdout.split("\0") if (ROOT / name).is_file()]
    assert [name for name in present if not (unpacked_sdist / name).is_file()] == []


def test_both_wheels_carry_the_same_metadata(native_wheel: Path, pure_wheel: Path) -> None:
    assert metadata(native_wheel) == metadata(pure_wheel)


def test_the_check_accepts_the_native_wheel(native_wheel: Path) -> None:
    assert check(native_wheel).stdout.startswith(f"{native_wheel.name} is complete")


def test_the_check_accepts_the_pure_wheel(pure_wheel: Path) -> None:
    assert check(pure_wheel).stdout.startswith(f"{pure_wheel.name} is complete")


def test_the_check_refuses_a_native_wheel_without_its_executable(native_wheel: Path, tmp_path: Path) -> None:
    def drop(members: Members) -> None:
        for name in [name for name in members if ".data/scripts/" in name]:
            del members[name]

    done = check(rewrite(native_wheel, tmp_path, drop))
    assert done.returncode == 1
    assert "data/scripts/cuecard-hook` is missing" in done.stderr


def test_the_check_refuses_an_executable_that_nobody_may_execute(native_wheel: Path, tmp_path: Path) -> None:
    def disarm(members: Members) -> None:
        for name, (entry, _) in members.items():
            if ".data/scripts/" in name:
                entry.external_attr = 0o100644 << 16

    done = check(rewrite(native_wheel, tmp_path, disarm))
    assert done.returncode == 1
    assert "data/scripts/cuecard-hook` is not executable" in done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "cuecard/_native.cpython-310-x86_64-linux-gnu.so",
        "cuecard/__pycache__/hook.cpython-310.pyc",
        "tests/stray.py",
    ],
)
def test_the_check_refuses_a_stray_file(pure_wheel: Path, tmp_path: Path, name: str) -> None:
    def add(members: Members) -> None:
        members[name] = (zipfile.ZipInfo(name), b"stray")

    done = check(rewrite(pure_wheel, tmp_path, add))
    assert done.returncode == 1
    assert f"`{name}` does not belong in it" in done.stderr


def test_the_check_refuses_a_module_that_is_not_that_of_the_tree(pure_wheel: Path, tmp_path: Path) -> None:
    def change(members: Members) -> None:
        entry, content = members["cuecard/hook.py"]
        members["cuecard/hook.py"] = (entry, content + b"# " + str(ROOT).encode() + b"/python\n")

    done = check(rewrite(pure_wheel, tmp_path, change))
    assert done.returncode == 1
    assert "`cuecard/hook.py` differs from the tree" in done.stderr
    assert f"`cuecard/hook.py` names `{ROOT}`" in done.stderr


def test_the_check_refuses_a_record_that_does_not_match(pure_wheel: Path, tmp_path: Path) -> None:
    def change(members: Members) -> None:
        [name] = [name for name in members if name.endswith("/RECORD")]
        entry, content = members[name]
        lines = [line for line in content.splitlines() if not line.startswith(b"cuecard/py.typed,")]
        members[name] = (entry, b"\n".join(lines))

    done = check(rewrite(pure_wheel, tmp_path, change))
    assert done.returncode == 1
    assert "RECORD does not list `cuecard/py.typed`" in done.stderr


def test_an_unknown_build_is_an_error_that_names_the_known_ones() -> None:
    done = subprocess.run(
        [sys.executable, str(BACKEND)],
        env=environment(CUECARD_BUILD="rust"),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: `CUECARD_BUILD` is `rust`, which is not a build of cuecard",
        "hint: set it to `auto`, `native` or `pure`",
    ]


def test_a_native_build_without_a_toolchain_is_an_error_with_a_hint() -> None:
    done = subprocess.run(
        [sys.executable, str(BACKEND)],
        env=environment(CUECARD_BUILD="native", PATH=path_without_toolchain()),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()
    assert error == "error: the native package cannot be built: `cargo` is not on PATH"
    assert hint.startswith("hint: install Rust")


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins for cargo and rustc are shell scripts")
@pytest.mark.parametrize(
    ("rustc", "reason"),
    [
        ("echo 'rustc 1.70.0 (abc 2023-01-01)'", "rustc 1.70 is older than"),
        (
            "echo 'error: no default toolchain' >&2; exit 1",
            "`rustc --version` fails: error: no default toolchain",
        ),
        (
            "[ \"$1\" = --version ] && echo 'rustc 9.99.0' || { echo 'error: no linker' >&2; exit 1; }",
            "`rustc` cannot link a program: error: no linker",
        ),
    ],
    ids=["too-old", "broken", "without-a-linker"],
)
def test_an_unusable_toolchain_means_a_pure_build(tmp_path: Path, rustc: str, reason: str) -> None:
    for name, body in (("cargo", "exit 0"), ("rustc", rustc)):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(BACKEND)],
        env=environment(PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}"),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "pure\n"
    assert f"notice: building the pure-Python package of cuecard: {reason}" in done.stderr


def ask_backend(monkeypatch: pytest.MonkeyPatch, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run code in which the build backend is imported as `backend`; return the finished process."""
    monkeypatch.delenv("MATURIN_PEP517_ARGS", raising=False)
    return subprocess.run(
        [sys.executable, "-c", f"import build_backend as backend, os\n{code}"],
        env=environment(PYTHONPATH=str(BACKEND.parent), **variables),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_an_unknown_compatibility_is_an_error_that_names_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    done = ask_backend(monkeypatch, "backend.compatibility()", CUECARD_COMPATIBILITY="manylinux1")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: `CUECARD_COMPATIBILITY` is `manylinux1`, which cuecard builds no wheel for",
        "hint: set it to `manylinux_2_17` or `musllinux_1_2`, or leave it out",
    ]


ARGUMENTS = "backend._choose_arguments(); print(os.environ.get('MATURIN_PEP517_ARGS'))"


@pytest.mark.parametrize(
    ("wanted", "profile", "expected"),
    [
        ("", "release", "None"),
        ("", "development", "--profile development"),
        ("manylinux_2_17", "release", "--zig --compatibility manylinux_2_17"),
        (
            "musllinux_1_2",
            "development",
            "--profile development --zig --compatibility musllinux_1_2 "
            f"--target {platform.machine()}-unknown-linux-musl",
        ),
    ],
)
def test_maturin_links_for_the_machines_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, wanted: str, profile: str, expected: str
) -> None:
    done = ask_backend(monkeypatch, ARGUMENTS, CUECARD_COMPATIBILITY=wanted, CUECARD_PROFILE=profile)
    assert (done.stdout, done.returncode) == (f"{expected}\n", 0)


def test_a_wheel_for_other_machines_needs_an_executable_with_its_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    done = ask_backend(
        monkeypatch,
        "backend._link = lambda *flags: backend._run('false'); backend._static_flags()",
        CUECARD_COMPATIBILITY="manylinux_2_17",
    )
    assert done.returncode == 1
    assert done.stderr.startswith("error: `cuecard-hook` for other machines has to contain its C library")
