"""Put faults of a list into a copy of the repository, one at a time, and note which tests fail.

    python tools/faults/run.py --name before tests/data/seeded_faults.json

The copy is a clone in `.build/faults/copy`, so that no fault can write into the memories of this repository. If the
clone is missing, it is made and installed. For each fault, the tests of its room (a folder of the code) run first, then
the fast tier, then the slow tier, until a test fails. Results are added to the list, so an interrupted run continues
where it stopped. A fault is put where its lines stand nearest to its line number. `rewritten` says that the drawn lines
are gone: the list has a fault of the same kind in the code that took their place.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SLOW = "attack or process or fault or package or e2e or slow"
LONGEST_SECONDS = 3600
UNBUILDABLE = "it cannot be built"

# The folders of tests of a room. `tests/` mirrors the package, so all other rooms have the folder of their own name.
TESTS = {
    "core": ("engine",),
    "_pure": ("engine",),
    "engine": ("engine", "files", "store", "capture", "models"),
    "basics": ("files", "store", "importers"),
}
CRATES = {"core": "cuecard-core", "engine": "cuecard-engine"}


class Fault(NamedTuple):
    """A fault as the list describes it, without the results."""

    file: str
    line: int
    before: list[str]
    after: list[str]
    room: str


class Copy:
    """A clone of the repository into which faults are put."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sound_text = ""
        # Tests that have failed with a fault: tests in `sound` pass without the fault, tests in `unsound` do not.
        self.sound: set[str] = set()
        self.unsound: set[str] = set()
        self._python = (str(folder / ".venv/bin/python"), "-m", "pytest", "-q", "--no-header", "--tb=no")
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("CUECARD_", "VIRTUAL_ENV"))
        } | {
            "PATH": f"{folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "CUECARD_HYPOTHESIS": "few",
            "CUECARD_REQUIRE_NATIVE": "1",
            "CUECARD_BUILD": "native",
            "CUECARD_PROFILE": "development",
        }

    def prepare(self, commit: str) -> None:
        """Check out a commit in the clone and install it."""
        if not (self.folder / ".git").exists():
            subprocess.run(["git", "clone", "--quiet", ROOT, self.folder], check=True)
        self._must("git", "fetch", "--quiet", str(ROOT), commit)
        self._must("git", "checkout", "--quiet", "--force", "--detach", commit)
        self._must("make", "dev")

    @contextlib.contextmanager
    def broken(self, fault: Fault) -> Iterator[None]:
        """Put a fault into the copy, and remove it at the end of the context."""
        path = self.folder / fault.file
        sound = path.read_text("utf-8")
        path.write_text(insert(fault, sound), "utf-8")
        self.sound_text = sound
        try:
            yield
        finally:
            path.write_text(sound, "utf-8")

    def first_failure(self, tier: str, fault: Fault) -> str | None:
        """The first test of a tier that fails because of the fault; None if all pass."""
        is_rust = fault.file.startswith("rust/")
        if tier == "room" and is_rust:
            found = self._cargo(fault, "--package", CRATES[fault.room])
            if found:
                return found
        if tier == "fast" and is_rust:
            found = self._cargo(fault, "--workspace")
            if found:
                return found
        if is_rust and not self._run("make", "install")[0]:
            return "the build"
        if tier == "room":
            return self._pytest(fault, "-p", "no:randomly", "-m", f"not ({SLOW})", *self.tests_of(fault))
        parallel = ("--numprocesses", "2", "--dist", "worksteal")
        if tier == "fast":
            return self._pytest(fault, *parallel, "-m", f"not ({SLOW})")
        self.environment["CUECARD_HYPOTHESIS"] = "ci"
        try:
            marked = "(property or process or fault or slow) and not (attack or package or e2e)"
            return self._pytest(fault, *parallel, "-m", marked)
        finally:
            self.environment["CUECARD_HYPOTHESIS"] = "few"

    def tests_of(self, fault: Fault) -> list[str]:
        """The test files of the fault's room. Files that name its module come first, because they usually find it."""
        folders = TESTS.get(fault.room, (fault.room,))
        files = [path for folder in folders for path in (self.folder / "tests" / folder).rglob("test_*.py")]
        name = re.compile(rf"\b{Path(fault.file).stem}\b")
        return [str(path) for path in sorted(files, key=lambda path: (not name.search(path.read_text("utf-8")), path))]

    def _cargo(self, fault: Fault, *arguments: str) -> str | None:
        """The first Rust test that fails only with the fault; `UNBUILDABLE` if nothing compiles; None if all pass."""
        while True:
            skipped = [word for test in sorted(self.unsound) if ".py::" not in test for word in ("--skip", test)]
            passed, output = self._run("cargo", "test", "--locked", "--quiet", *arguments, "--", *skipped)
            if passed:
                return None
            if "could not compile" in output:
                return UNBUILDABLE
            found = re.search(r"^    ([a-z]\S+)$", output, re.MULTILINE)
            if found is None or found[1] in self.sound or self._is_sound_in_rust(fault, found[1], *arguments):
                return f"cargo: {found[1] if found else output[-200:]}"
            self.unsound.add(found[1])

    def _is_sound_in_rust(self, fault: Fault, test: str, *arguments: str) -> bool:
        with self._sound(fault):
            passed, _ = self._run("cargo", "test", "--locked", "--quiet", *arguments, "--", "--exact", test)
        if passed:
            self.sound.add(test)
        return passed

    def _pytest(self, fault: Fault, *arguments: str) -> str | None:
        """The first Python test that fails only with the fault; None if all pass."""
        while True:
            deselected = [f"--deselect={test}" for test in sorted(self.unsound) if ".py::" in test]
            passed, output = self._run(*self._python, "-x", *deselected, *arguments)
            if passed:
                return None
            found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$|(Timeout|no end)", output, re.MULTILINE)
            test = next(filter(None, found.groups())) if found else output[-200:]
            if "::" not in test or test in self.sound or self._is_sound(fault, test):
                return test
            self.unsound.add(test)

    def _is_sound(self, fault: Fault, test: str) -> bool:
        is_rust = fault.file.startswith("rust/")
        with self._sound(fault):
            if is_rust:
                self._must("make", "install")
            passed, _ = self._run(*self._python, test)
        if is_rust:
            self._must("make", "install")
        if passed:
            self.sound.add(test)
        return passed

    @contextlib.contextmanager
    def _sound(self, fault: Fault) -> Iterator[None]:
        path = self.folder / fault.file
        broken = path.read_text("utf-8")
        path.write_text(self.sound_text, "utf-8")
        try:
            yield
        finally:
            path.write_text(broken, "utf-8")

    def _must(self, *command: str) -> None:
        passed, output = self._run(*command)
        if not passed:
            sys.exit(output)

    def _run(self, *command: str) -> tuple[bool, str]:
        process = subprocess.Popen(
            ["nice", *command], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False, "no end"
        return process.returncode == 0, output


def main() -> None:
    """Run the requested faults and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path, help="what `draw.py` has written; results are added to it")
    parser.add_argument("--name", required=True, help="the name under which results are kept, such as `before`")
    parser.add_argument("--commit", default="HEAD", help="the commit that is tested")
    parser.add_argument("--tiers", default="room,fast,slow")
    parser.add_argument("--only", default="", help="run only faults whose ids begin with this")
    parser.add_argument("--copy", type=Path, default=ROOT / ".build" / "faults" / "copy")
    arguments = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", arguments.commit], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
    drawn = json.loads(arguments.list.read_text("utf-8"))
    copy = Copy(arguments.copy.resolve())
    copy.prepare(commit)
    for entry in drawn["faults"]:
        if entry["id"].startswith(arguments.only) and "left_out" not in entry:
            result = entry.setdefault("results", {}).setdefault(arguments.name, {"commit": commit[:12], "passed": []})
            examine(copy, entry, result, arguments.tiers.split(","))
            text = json.dumps(drawn, indent=1, ensure_ascii=False)
            arguments.list.write_text(text + "\n", encoding="utf-8")
    print_table(drawn["faults"], arguments.name)


def examine(copy: Copy, entry: dict[str, Any], result: dict[str, Any], tiers: list[str]) -> None:
    """Run the tiers that have no result for this fault yet, until a test fails."""
    fault = Fault(*(entry[field] for field in Fault._fields))
    for tier in tiers:
        if "caught" in result or tier in result["passed"]:
            continue
        with copy.broken(fault):
            found = copy.first_failure(tier, fault)
        if found == UNBUILDABLE:
            entry["left_out"] = found
            entry.pop("results")
            return
        if found is None:
            result["passed"].append(tier)
        else:
            result["caught"] = {"tier": tier, "by": found}
        print(f"{entry['id']:11} {tier:5} {found or 'survived'}", flush=True)


def insert(fault: Fault, text: str) -> str:
    """The text of a file with the fault. If its lines have moved, the fault is at the match nearest to the old line."""
    lines = text.splitlines()
    size = len(fault.before)
    places = [at for at in range(len(lines)) if lines[at : at + size] == fault.before]
    if not places:
        sys.exit(f"error: `{fault.file}` does not contain the lines of the fault (line {fault.line})")
    at = min(places, key=lambda place: abs(place + 1 - fault.line))
    return "\n".join([*lines[:at], *fault.after, *lines[at + size :]]) + "\n"


def print_table(faults: list[dict[str, Any]], name: str) -> None:
    """Print how many faults each tier has caught in each room."""
    rooms: dict[str, Counter[str]] = {}
    for entry in faults:
        result = entry.get("results", {}).get(name, {})
        outcome = "left out" if "left_out" in entry else result.get("caught", {}).get("tier", "none")
        rooms.setdefault(entry["room"], Counter())[outcome] += 1
    rooms["all"] = sum(rooms.values(), Counter())
    columns = ["room", "fast", "slow", "none", "left out"]
    print(f"\n{'':10}" + "".join(f"{column:>12}" for column in columns))
    for room, counts in rooms.items():
        print(f"{room:10}" + "".join(f"{counts[column]:12}" for column in columns))


if __name__ == "__main__":
    main()
