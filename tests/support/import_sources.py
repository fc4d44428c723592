"""Sources for imports: one file of each kind, and a folder with all of them."""

from pathlib import Path
from typing import Any

from command_process import Ran, run_in
from cuecard import Store
from records import Fields, read

SECRET = "ghp_" + "a1B2c3D4e5" * 4
NYGARD = """# 7. Keep sessions in Redis

Date: 2024-03-05

## Status

Accepted

## Context

Workers are restarted often, and [sessions](sessions.md) in their memory are lost. Users complain.

## Decision

We will keep sessions in Redis.

## Consequences

* Redis must be up before a worker.
* Sessions survive a deployment.
"""

MADR = """---
status: "accepted"
date: 2024-05-06
tags: [storage]
---
# Use Parquet for reports

## Context and Problem Statement

Reports are large. Which format do we store them in?

## Decision Drivers

* columns are read alone
* size on disk

## Considered Options

* Parquet
* CSV
* JSON lines

## Decision Outcome

Chosen option: "Parquet", because columns can be read alone.

### Consequences

* Good, because queries got faster

## Pros and Cons of the Options

### Parquet

* Good, because it is small

### CSV

* Good, because everybody reads it
* Bad, because it has no types
"""

RUNBOOK = """# Queue is stuck

Jobs wait for more than ten minutes.

## Symptoms

- the alert `queue_age` fires

## Steps

1. Look at the workers.
2. Restart the scheduler:

   ```
   systemctl restart scheduler
   ```
3. Watch the queue.

## Verification

`queue_age` is below a minute.
"""

CLAUDE_MD = """# Billing

All invoices of a customer share one currency.

## Build commands

```bash
# everything
$ make all
make test
```

## Rules

- Never log card numbers.
- Always round to cents.

## Style

Short functions, and names of two words at most.

## Known issues

The importer reads a file twice; nobody had time to mend it.
"""

CURSOR = """---
description: Style of React components
globs: src/**/*.tsx, src/**/*.ts
alwaysApply: true
---
Components are functions, with a file of their own.
"""

FEEDBACK = """---
name: no-mocks
description: Tests use a real database
metadata:
  type: feedback
  modified: 2026-01-02
---
Integration tests talk to a real database.

**Why:** a mock hid a broken migration.
**How to apply:** whenever a test needs data.
"""

BASIC = """---
title: Token lifetimes
type: note
tags: [auth]
permalink: auth/token-lifetimes
---
# Token lifetimes

## Observations
- [decision] Access tokens live for fifteen minutes #security
- [reason] Stolen tokens are soon worthless
- [status] deployed to staging

## Relations
- implements [[Login]]
"""

DAY = """# 2026-01-05

## Session 09:15

### 09:20
<!-- session:abc turn:def transcript:/x -->
- Moved the cache to Redis
- The tests pass again

## Session 14:00

### 14:05
- Wrote the report
"""


def write_project(tmp_path: Path) -> Path:
    """Create a folder with one Markdown file of each kind, and some files that an import must ignore."""
    files = {
        "docs/adr/0007-sessions-in-redis.md": NYGARD,
        "docs/adr/0008-parquet.md": MADR,
        "docs/adr/0000-template.md": MADR.replace("Use Parquet for reports", "{short title}"),
        "docs/adr/README.md": "# Decisions\n\nA list of them.\n",
        "docs/runbooks/queue.md": RUNBOOK,
        "CLAUDE.md": CLAUDE_MD,
        ".cursor/rules/react.mdc": CURSOR,
        "memory/no_mocks.md": FEEDBACK,
        "memory/MEMORY.md": "# Memory\n\n- [No mocks](no_mocks.md) - tests use a real database\n",
        "notes/token-lifetimes.md": BASIC,
        "days/2026-01-05.md": DAY,
        "node_modules/x/CLAUDE.md": CLAUDE_MD,
        ".claude/commands/deploy.md": RUNBOOK,
        ".github/ISSUE_TEMPLATE/bug.md": NYGARD,
    }
    for name, text in files.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "source"


def by_source(ran: Ran) -> dict[str, Any]:
    return {outcome["source"]: outcome for outcome in ran.document["outcomes"]}


def imported(store: Store, name: str, text: str, kind: str = "") -> Ran:
    """Write one file beside the store and import the file."""
    path = Path(store.root).parent / name
    path.write_text(text, encoding="utf-8")
    return run_in(store, "import", path, "--json", *(["--from", kind] if kind else []))


def content(store: Store, memory_id: str, category: str) -> Fields:
    found: Fields = read(store, memory_id, category)["content"]
    return found
