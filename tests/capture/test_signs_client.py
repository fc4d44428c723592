"""In the real Claude Code, an edit of its file is seen as use, and `wrong` keeps a memory away (`make e2e`)."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from cuecard import Store
from cuecard._backend import engine
from cuecard.actions.person_actions import judge
from cuecard.files.trust_levels import OWN, grant
from cuecard.store.log.verdict_log import Verdict, read_verdicts

# These are imported because they are fixtures.
from test_capture_client import SESSION, Client, project, terminal  # noqa: F401
from test_plugin_client import client, clone, pytestmark  # noqa: F401

if TYPE_CHECKING:
    from types import ModuleType

PROMPT = "how are amounts of money stored in the ledger?"
TITLE = "Amounts of the ledger are integers in cents"
# The hook that ends a session leaves the reading to a process of its own.
MOST_SECONDS = 60


def signs(project: Client) -> list[Verdict]:  # noqa: F811
    until = time.monotonic() + MOST_SECONDS
    while True:
        found = [one for one in read_verdicts(str(project.memory)) if one.kind == "used"]
        if found or time.monotonic() > until:
            return found
        time.sleep(0.2)


def test_an_edit_is_seen_as_use_and_a_wrong_memory_stays_away(
    client: ModuleType,  # noqa: F811
    terminal: ModuleType,  # noqa: F811
    project: Client,  # noqa: F811
) -> None:
    file = project.memory / "decisions" / "amounts.json"
    file.parent.mkdir()
    content = {"decision": "every amount of money is an integer number of cents", "context": "sums of floats were off"}
    record = {"category": "decision", "id": "amounts", "title": TITLE, "tags": ["ledger", "money"], "content": content}
    anchored = {"record_status": "active", "cuecard": {"anchors": ["src/amounts.py"]}}
    file.write_text(json.dumps({**record, **anchored}))
    grant([engine.trust_hash(file.read_bytes()) or ""], OWN)
    edit = {"tool": "Write", "input": {"file_path": "{project}/src/amounts.py", "content": "CENTS = 100"}}
    options = ("--session-id", SESSION, "--allowedTools", "Write")
    project.run(terminal, (PROMPT,), *options, script=[edit, "Written."])
    [sign] = signs(project)
    assert (sign.sign, sign.strength, sign.session) == ("edited", 1.0, SESSION)

    judge(Store(project.launcher.project), "wrong", "amounts")
    later = project.run(client, PROMPT, script=["In cents."])
    assert not any(TITLE in each["text"] for each in later.injected())
