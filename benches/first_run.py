"""The cost of the first prompts in a store of large memories, and the number of prompts until its snapshot is complete.

    python benches/first_run.py [--memories 950] [--bytes 250000] [--ordinary 600] [--native 10] [--pure 50] [--check]

A store of large memories has no snapshot. The executable answers ten prompts in one copy of the store, and the pure
hook fifty prompts in another copy. For each prompt the benchmark prints the CPU time of its process (user and system),
and how many memories the snapshot has afterwards. It does the same in a store of ordinary memories, whose first prompt
has to index all of them.
`--check` fails if a prompt takes the executable over 300 ms or the pure hook over 1 s, if a snapshot is not complete
after these prompts, or if the first prompt in the ordinary store does not index all memories.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from cuecard import _native, _pure
from hook_rows import find_executable
from made_projects import FOLDERS, PROMPT, VOCABULARY, make_memory
from time_process import time_process

# The most CPU seconds that a prompt may take.
NATIVE_MOST, PURE_MOST = 0.3, 1.0
# A large memory repeats a text of this many bytes.
OWN_BYTES = 40_000


def make_large_store(root: Path, memories: int, size: int) -> None:
    """Write memories of `size` bytes each, with words from a large vocabulary."""
    chance = random.Random(11)
    categories = list(FOLDERS.items())
    for number in range(memories):
        category, folder = categories[number % len(categories)]
        place = root / ".claude" / "memory" / folder
        place.mkdir(parents=True, exist_ok=True)
        words = " ".join(chance.choices(VOCABULARY, k=OWN_BYTES // 5))[:OWN_BYTES]
        title = " ".join(chance.choices(VOCABULARY, k=6))
        record = {"category": category, "title": title, "tags": chance.choices(VOCABULARY, k=3), "content": ""}
        text = (words + " ") * (size // OWN_BYTES + 1)
        record["content"] = text[: size - len(json.dumps(record))]
        (place / f"large-{number}.json").write_text(json.dumps(record), encoding="utf-8")


def make_ordinary_store(root: Path, memories: int) -> None:
    """Write the same memories as the other benchmarks use."""
    for number in range(memories):
        path, _line, record = make_memory(number)
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(record), encoding="utf-8")


def count_memories(root: Path, is_pure: bool) -> tuple[int, bool]:
    """The number of memories in the snapshot, and whether it is incomplete."""
    engine: Any = _pure if is_pure else _native
    found = engine.inspect_snapshot(str(root), engine.read_settings(None, None).numbers)
    return len(found.files), found.state != "whole"


def run_prompts(name: str, command: list[str], root: Path, memories: int, prompts: int) -> tuple[float, int | None]:
    """Send prompts; returns the largest CPU seconds, and the number of the prompt that completed the snapshot.

    The number is None if no prompt completed it.
    """
    home = root / "home"
    (home / "config" / "cuecard").mkdir(parents=True, exist_ok=True)
    (home / "config" / "cuecard" / "config.json").write_text('{"trust": {"review": "off"}}', encoding="utf-8")
    # This process looks at the snapshot as the user whose prompts have made it.
    os.environ.update({"CUECARD_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(home / "config")})
    environment = {**os.environ}
    payload = home / "payload.json"
    payload.write_text(json.dumps({"prompt": PROMPT, "cwd": str(root)}), encoding="utf-8")
    if "-m" in command:
        environment["CUECARD_BACKEND"] = "pure"
    most, complete = 0.0, None
    for number in range(1, prompts + 1):
        _wall, cpu, _output = time_process(command, str(payload), environment)
        found, is_partial = count_memories(root, "-m" in command)
        most = max(most, cpu)
        if found == memories and not is_partial and complete is None:
            complete = number
        print(f"{name:<24} prompt {number:>3}: {cpu * 1000:7.1f} ms CPU, {found} memories", flush=True)
    print(f"{name}: at most {most * 1000:.1f} ms CPU, complete after prompt {complete}\n", flush=True)
    return most, complete


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=950, help="how many large memories")
    parser.add_argument("--bytes", type=int, default=250_000, help="bytes of a large memory")
    parser.add_argument("--ordinary", type=int, default=600, help="how many ordinary memories")
    parser.add_argument("--native", type=int, default=10, help="prompts to the executable")
    parser.add_argument("--pure", type=int, default=50, help="prompts to the pure hook")
    parser.add_argument("--hook", help="the executable to use instead of the installed one")
    parser.add_argument("--check", action="store_true", help="fail if a target is missed")
    arguments = parser.parse_args()
    executable = arguments.hook or find_executable()
    if executable is None:
        raise SystemExit("first_run.py: the executable is missing; `make install` builds it")
    commands = {
        "executable": ([executable, "prompt"], arguments.native, NATIVE_MOST),
        "pure": ([sys.executable, "-m", "cuecard.hook", "prompt"], arguments.pure, PURE_MOST),
    }
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        large, ordinary = Path(scratch) / "large", Path(scratch) / "ordinary"
        make_large_store(large, arguments.memories, arguments.bytes)
        make_ordinary_store(ordinary, arguments.ordinary)
        for name, (command, prompts, limit) in commands.items():
            for store, memories, times in ((ordinary, arguments.ordinary, 3), (large, arguments.memories, prompts)):
                root = Path(scratch) / f"{name}-{store.name}"
                shutil.copytree(store, root, copy_function=os.link)
                most, complete = run_prompts(f"{name}, {store.name}", command, root, memories, times)
                is_late = complete is None or (store is ordinary and complete > 1)
                if is_late or (store is large and most > limit):
                    missed.append(f"{name}, {store.name}")
    if missed:
        print(f"missed: {'; '.join(missed)}")
        raise SystemExit(arguments.check)
    print("every target is met")


if __name__ == "__main__":
    main()
