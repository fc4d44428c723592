"""Runs one engine in its own process: reads requests as lines of JSON from stdin, answers with lines of JSON.

It is started by peers.py, which lets the processes of all engines take turns, so that other load on the machine affects
all engines alike.
"""

import gc
import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peer_corpus import QUERY_SETS, read_queries, read_texts
from peer_engines import ENGINES, Engine

PASSES = 3
QUERIES_MIN = 20
CHECKED = 100


def read_memory(field: str) -> float:
    """The memory use of this process in megabytes: the current use for the field `VmRSS`, the peak for `VmHWM`."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field)), 0.0)


def share_of(sorted_values: list[float], share: float) -> float:
    """The quantile `share` of sorted values."""
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


class Worker:
    """The measurements of one engine; each method is one kind of measurement."""

    def __init__(self, engine: Engine, folder: str, corpus: Path) -> None:
        self.engine = engine
        self.folder = folder
        self.corpus = corpus
        self.queries = {name: read_queries(corpus, name) for name in QUERY_SETS}

    def build(self, size: int) -> dict[str, float]:
        """Index the first `size` texts; returns seconds, CPU seconds, bytes on disk, and memory without the texts."""
        texts = read_texts(self.corpus, size)
        gc.collect()
        before = read_memory("VmRSS")
        # Reset the peak memory.
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        begin, cpu = time.perf_counter(), time.process_time()
        self.engine.build(texts, self.folder)
        taken = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
        size_bytes = sum(path.stat().st_size for path in Path(self.folder).rglob("*") if path.is_file())
        return {**taken, "bytes": size_bytes, "memory_mb": read_memory("VmHWM") - before}

    def open(self) -> dict[str, float]:
        """Open the index, and search once with each set, so that code that is compiled at run time is ready.

        Returns the milliseconds of the opening.
        """
        begin = time.perf_counter()
        self.engine.open(self.folder)
        opened = time.perf_counter() - begin
        for queries in self.queries.values():
            self.engine.search(queries[0], 10)
        return {"ms": opened * 1e3}

    def warm(self, queries: str, k: int, seconds: float) -> dict[str, float]:
        """The 50th and 99th percentile of the queries' times in microseconds.

        Each query runs three times, or fewer times if the seconds are used up; its fastest run counts.
        """
        search, clock = self.engine.search, time.perf_counter
        end = clock() + seconds
        times = []
        for query in self.queries[queries]:
            best = float("inf")
            for _ in range(PASSES):
                begin = clock()
                search(query, k)
                now = clock()
                best = min(best, now - begin)
                if now > end:
                    break
            times.append(best * 1e6)
            if now > end and len(times) >= QUERIES_MIN:
                break
        times.sort()
        return {"p50": share_of(times, 0.5), "p99": share_of(times, 0.99), "queries": len(times)}

    def answers(self, k: int, seconds: float) -> list[list[int]]:
        """The documents found for the first `CHECKED` queries of each set; empty lists once the seconds are used up."""
        end = time.perf_counter() + seconds
        asked = [query for queries in self.queries.values() for query in queries[:CHECKED]]
        return [self.engine.best(query, k) if time.perf_counter() < end else [] for query in asked]

    def batch(self, k: int, seconds: float) -> "dict[str, float] | None":
        """Prompts answered in one second of CPU time by `search_many`; None if the engine does not have it."""
        if not self.engine.batches:
            return None
        queries, done = self.queries["prompt"], 0
        begin, end = time.process_time(), time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.engine.search_many(queries, k)
            done += len(queries)
        return {"per_second": done / max(1e-9, time.process_time() - begin)}

    def threads(self, k: int, count: int, seconds: float) -> dict[str, float]:
        """How many prompts `count` threads answer per second and per CPU second, and how many cores they use."""
        engines = [self.engine, *(self.engine.for_thread() for _ in range(count - 1))]
        done = [0] * count
        end = time.perf_counter() + seconds

        def run(place: int) -> None:
            search = engines[place].search
            for query in itertools.cycle(self.queries["prompt"][place * 37 :] + self.queries["prompt"][: place * 37]):
                search(query, k)
                done[place] += 1
                if time.perf_counter() > end:
                    return

        begin, cpu = time.perf_counter(), time.process_time()
        running = [threading.Thread(target=run, args=(place,)) for place in range(count)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        wall = time.perf_counter() - begin
        used = time.process_time() - cpu
        return {"per_second": sum(done) / wall, "per_cpu_second": sum(done) / used, "cores": used / wall}

    def memory(self) -> dict[str, float]:
        """The peak memory of this process in megabytes."""
        return {"mb": read_memory("VmHWM")}

    def add(self, number: int, k: int) -> "dict[str, float] | None":
        """Milliseconds until a new text is on disk and found; None for an engine that can only rebuild its index."""
        if not self.engine.grows:
            return None
        word = f"zzqx{number}{os.getpid()}"
        text = f"a new memory about the {word} setting of the deploy pipeline and why it was changed last week"
        begin = time.perf_counter()
        self.engine.add(text)
        found = self.engine.search(word, k)
        taken = time.perf_counter() - begin
        if not found:
            raise SystemExit(f"{self.engine.name}: an added text is not found")
        return {"ms": taken * 1e3}


def main() -> None:
    """Answer requests until stdin ends."""
    name, folder, corpus = sys.argv[1:]
    # Output that libraries print must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = Worker(ENGINES[name](), folder, Path(corpus))
    for line in sys.stdin:
        task = json.loads(line)
        measure: Callable[..., Any] = getattr(worker, task.pop("measure"))
        print(json.dumps(measure(**task)), file=answers, flush=True)
    # The process ends without destroying the libraries' objects.
    os._exit(0)


if __name__ == "__main__":
    main()
