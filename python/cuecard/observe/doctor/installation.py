"""Checks the installation: versions, the backend in use, the hook executable."""

import os
import sys

from ...basics.installing import REINSTALL
from ...basics.programs import find_program
from ...basics.version import __version__
from ...errors import BackendError
from .finding import Finding

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOOK = "cuecard-hook"
HOOK_SECONDS = 10
VERSION_BYTES = 1024
# The build writes this file if it could not build the native module.
WHY_PURE = "why_pure.txt"
REINSTALL_IT = f"install it again: {REINSTALL}"


def examine_installation() -> list[Finding]:
    """Findings about the installation, which do not depend on a project."""
    package, version = PACKAGE, sys.version.split()[0]
    findings = [
        Finding("cuecard", "ok", f"{__version__} in {package}", facts={"version": __version__, "path": package}),
        Finding(
            "python",
            "ok",
            f"{version} at {sys.executable}",
            facts={"version": version, "path": sys.executable},
        ),
    ]
    backend = _examine_backend()
    findings.append(backend)
    native_version = backend.facts.get("native_version")
    if native_version is not None:
        findings.append(_examine_native_version(native_version))
    findings.append(_examine_hook(str(backend.facts.get("backend", ""))))
    return findings


def native_files() -> list[str]:
    """The names of the native modules in the package, whether or not they load."""
    try:
        names = os.listdir(PACKAGE)
    except OSError:
        return []
    return sorted(name for name in names if name.startswith("_native.") and name.endswith((".so", ".pyd", ".dylib")))


def _examine_backend() -> Finding:
    try:
        from ..._backend import backend, engine, native_problem
    except BackendError as error:
        return Finding("backend", "fail", error.what, error.hint)
    present = native_files()
    if backend == "native":
        version = getattr(engine, "__version__", None)
        return Finding("backend", "ok", "native", facts={"backend": "native", "native_version": version or "unknown"})
    facts: dict[str, object] = {"backend": "pure"}
    if native_problem and present:
        words = f"pure, because `{present[0]}` does not load: {native_problem}"
        return Finding("backend", "fail", words, REINSTALL_IT, facts=facts)
    why_pure = _why_pure() if native_problem else ""
    if why_pure:
        words = f"pure, because the native module could not be built: {why_pure}"
        hint = "install Rust with `cargo` and `rustc` on PATH, and a C linker; then install cuecard again"
        return Finding("backend", "warn", words, hint, facts=facts | {"why_pure": why_pure})
    if native_problem:
        return Finding("backend", "ok", "pure: this package has no native module", facts=facts)
    return Finding("backend", "ok", "pure, as `CUECARD_BACKEND` says", facts=facts)


def _why_pure() -> str:
    """Why the build of this package made no native module; "" if it made one or left no reason."""
    try:
        with open(os.path.join(PACKAGE, WHY_PURE), encoding="utf-8") as file:
            return file.read().strip()[:300]
    except (OSError, ValueError):
        return ""


def _examine_native_version(version: object) -> Finding:
    facts = {"version": version}
    if version == __version__:
        return Finding("native module", "ok", f"{version}, like the package", facts=facts)
    words = f"its version is {version}, the package's is {__version__}"
    return Finding("native module", "fail", words, REINSTALL_IT, facts=facts)


def _examine_hook(backend: str) -> Finding:
    path = find_program(HOOK)
    if path is None:
        scripts = _scripts_folder()
        if os.access(os.path.join(scripts, HOOK + (".exe" if os.name == "nt" else "")), os.X_OK):
            hint = f"add {scripts} to PATH"
        else:
            hint = "install cuecard again, which installs the hook; until then the plugin uses `python3`"
        return Finding("hook", "warn", f"`{HOOK}` is not on PATH", hint, facts={"path": None})
    facts: dict[str, object] = {"path": path}
    try:
        words = _ask_version(path).decode("utf-8", "replace").split()
    except (OSError, TimeoutError) as error:
        reason = "does not end" if isinstance(error, TimeoutError) else "cannot be started"
        return Finding("hook", "fail", f"{path} {reason}", REINSTALL_IT, facts=facts)
    if len(words) != 3 or words[0] != HOOK or words[2] not in ("(native)", "(pure)"):
        return Finding("hook", "fail", f"{path} does not print its version", REINSTALL_IT, facts=facts)
    version, kind = words[1], words[2].strip("()")
    facts.update(version=version, backend=kind)
    if version != __version__:
        mismatch = f"{path} has version {version}, the package {__version__}"
        hint = "remove the other installation from PATH, or install the same version of both"
        return Finding("hook", "fail", mismatch, hint, facts=facts)
    if kind == "pure" and backend == "native":
        hint = f"put {_scripts_folder()} first on PATH"
        return Finding("hook", "warn", f"{path} is the slower, pure hook", hint, facts=facts)
    return Finding("hook", "ok", f"{kind} {version} at {path}", facts=facts)


def _ask_version(program: str) -> bytes:
    """The output of a program for `--version`, up to 1 KiB. Raises OSError, and TimeoutError if it does not end."""
    command = [program, "--version"]
    if os.name != "posix":
        import subprocess

        try:
            ran = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=HOOK_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        return ran.stdout[:VERSION_BYTES]
    # Loading `subprocess` would take longer than running the program.
    import select
    import time

    end = time.monotonic() + HOOK_SECONDS
    read_end, write_end = os.pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, write_end, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        try:
            process = os.posix_spawn(program, command, os.environ, file_actions=actions)
        finally:
            os.close(write_end)
        printed, is_over = b"", False
        try:
            while select.select([read_end], [], [], max(0, end - time.monotonic()))[0]:
                more = os.read(read_end, VERSION_BYTES)
                printed = (printed + more)[:VERSION_BYTES]
                if not more:
                    break
            # A process that has closed its output is about to end.
            while not is_over and time.monotonic() < end:
                is_over = os.waitpid(process, os.WNOHANG)[0] == process
                time.sleep(0 if is_over else 0.0002)
        finally:
            if not is_over:
                os.kill(process, 9)
                os.waitpid(process, 0)
    finally:
        os.close(read_end)
    if not is_over:
        raise TimeoutError
    return printed


def _scripts_folder() -> str:
    """The folder of this Python's programs."""
    if sys.prefix != sys.base_prefix and os.name == "posix":
        # In a virtual environment `sysconfig` gives the same answer, but takes 1 ms to load.
        return os.path.join(sys.prefix, "bin")
    import sysconfig

    return sysconfig.get_path("scripts")
