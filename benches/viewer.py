"""The cost of a page of `cuecard view`: CPU time of one request, compared with a bare Python in the same round.

    python benches/viewer.py [--size 10000] [--rounds 9]

The page answers in this process, as it does for a browser, so that no network is timed. Every memory is read at the
start, before the address is printed; the start is a row of its own, and so is the first page after it. `--check` fails
if a later page takes over ten times as long as a bare Python.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from cuecard import Store
from hook_projects import Project
from made_projects import ANSWER, PROMPT, make_memory
from reviewed_home import prepare_home
from time_process import time_process

MOST = 10.0
START, FIRST = "the start", "the first page"
TOKEN, PORT = "token", 4711
MEMORY = str(make_memory(ANSWER)[2]["id"])
# A page, and a text that it must contain.
PAGES = {
    "memories": (("/memories", ""), "memories"),
    "search": (("/memories", f"q={PROMPT.replace(' ', '+')}"), MEMORY),
    "filters": (("/memories", "category=decision&age=old&page=2"), "memories"),
    "a memory": (("/memory", f"name={MEMORY}"), MEMORY),
    "inbox": (("/inbox", ""), "Inbox"),
    "prompts": (("/prompts", ""), "Prompts"),
    "use": (("/use", ""), "Use"),
}


def ask(app: object, path: str, query: str) -> str:
    """The text of a page, asked as the frame's script asks for it."""
    sent: list[dict[str, object]] = []
    headers = {"host": f"127.0.0.1:{PORT}", "x-cuecard-token": TOKEN, "sec-fetch-site": "same-origin"}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))  # type: ignore[operator]
    if sent[0]["status"] != 200:
        raise SystemExit(f"{path} answers with {sent[0]['status']}")
    return b"".join([bytes(message.get("body", b"")) for message in sent[1:]]).decode()  # type: ignore[call-overload]


def time_page(app: object, name: str) -> float:
    """The CPU seconds of one request."""
    (path, query), wanted = PAGES[name]
    begin = time.process_time()
    text = ask(app, path, query)
    taken = time.process_time() - begin
    if wanted not in text:
        raise SystemExit(f"the page `{name}` does not have `{wanted}`")
    return taken


def measure(root: Path, rounds: int, environment: dict[str, str]) -> dict[str, tuple[float, float]]:
    """CPU milliseconds of each page, and their ratio to a bare Python."""
    from cuecard.viewer.app import make_app  # noqa: PLC0415 - the extra may be missing

    begin = time.process_time()
    app = make_app(Store(root), TOKEN, PORT, is_read_only=True)
    start = time.process_time() - begin
    bare = [sys.executable, "-c", "pass"]
    base = [time_process(bare, os.devnull, environment)[1]]
    first = time_page(app, "memories")
    taken: dict[str, list[float]] = {name: [] for name in PAGES}
    for number in range(rounds + 1):
        base.append(time_process(bare, os.devnull, environment)[1])
        for name in PAGES:
            seconds = time_page(app, name)
            # The first round fills the caches.
            if number:
                taken[name].append(seconds)
    unit = median(base)
    figures = {START: start, FIRST: first, **{name: median(times) for name, times in taken.items()}}
    return {name: (seconds * 1000, seconds / unit) for name, seconds in figures.items()}


def main() -> None:
    """Make the project, measure the pages, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--check", action="store_true", help="fail if a page takes too long")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PATH": os.defpath, "HOME": folder, **prepare_home(Path(folder) / "home")}
        os.environ |= environment
        project = Project(Path(folder), options.size)
        project.rebuild()
        found = measure(project.root, options.rounds, environment)
    print(f"| {options.size:,} memories | CPU, ms | over a bare Python |")
    print("| --- | --: | --: |")
    for name, (milliseconds, ratio) in found.items():
        print(f"| {name} | {milliseconds:.1f} | {ratio:.2f} |")
    slow = [name for name, (_, ratio) in found.items() if name != START and ratio > MOST]
    if options.check and slow:
        raise SystemExit(f"too slow: {', '.join(slow)}")


if __name__ == "__main__":
    main()
