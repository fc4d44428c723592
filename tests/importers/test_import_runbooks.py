"""A runbook is imported word for word, or the memory names its place (docs/reference/import.md, "Runbooks")."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from command_process import run_in
from cuecard.importers.markup.markdown import parse
from cuecard.importers.runbooks.runbook import read_runbook
from cuecard.importers.source import ImportSource
from import_sources import imported
from prior_art_schemas import prior_art_schema
from records import read, read_files

if TYPE_CHECKING:
    from cuecard import Store

RESTART = """# Runbook: Restart the worker
**Owner:** on-call engineer
**When:** the queue is stuck.

## Steps
1. Find the pod:

   ```bash
   # choose the namespace first
   kubectl config set-context --current --namespace=<namespace>
   kubectl get pods -l app=worker
   ```
2. Delete it: `kubectl delete pod <pod-name>`

```bash
curl -X POST https://<host>/restart -H "Authorization: $HEADER"
<!-- a comment inside of code -->
```

## If it fails
Page the on-call engineer.
"""
TRIAGE = """# A refill did nothing

A user says that the refill did nothing. It can be one of three:

1. the request was denied
2. nobody has reviewed it
3. the gateway has an old tier

## If the request was denied

Tell the user why.

## If nobody has reviewed it

1. Look: `select * from requests where id = '<id>'`
2. Approve it.
"""
LETTERED = """# Restore the database

## Procedures

### A1. Stop the writers
Scale to zero.

### A2. Make the restore
```
make restore TARGET=<time>
```

### B1. Drop traffic
Close the gate.
"""


def runbook_of(text: str, path: str = "docs/runbooks/a.md") -> dict[str, Any]:
    [draft] = read_runbook(parse(text), path).drafts
    return draft.record()


def test_code_and_placeholders_are_kept_byte_by_byte() -> None:
    record = runbook_of(RESTART)
    sections = {section["heading"]: section["text"] for section in record["cuecard"]["sections"]}
    begin, end = RESTART.index("1. Find"), RESTART.index("\n\n## If it fails")
    assert sections["Steps"] == RESTART[begin:end]
    assert sections["If it fails"] == "Page the on-call engineer."
    assert record["title"] == "Restart the worker"


def test_steps_keep_their_lines_their_numbers_and_their_code() -> None:
    first, second, third = runbook_of(RESTART)["content"]["steps"]
    assert first.startswith("Steps\n1. Find the pod:\n\n   ```bash\n   # choose the namespace first\n   kubectl")
    assert second.startswith("2. Delete it: `kubectl delete pod <pod-name>`\n```bash\ncurl")
    assert third == "If it fails\nPage the on-call engineer."


def test_metadata_is_no_trigger_and_no_step() -> None:
    content = runbook_of(RESTART)["content"]
    assert content["trigger"] == "When: the queue is stuck."
    assert not any("Owner" in step for step in content["steps"])


def test_the_meaning_of_an_alert_says_when_its_runbook_applies() -> None:
    text = "# PumpStuck\n\n## Meaning\n\nThe pump has stood for an hour.\n\n## Mitigation\n\n1. Start it.\n"
    [draft] = read_runbook(parse(text), "alerts/PumpStuck.md").drafts
    assert draft.content["trigger"] == "The pump has stood for an hour."


def test_hypotheses_are_no_steps_and_branches_are_not_dropped() -> None:
    steps = runbook_of(TRIAGE)["content"]["steps"]
    assert steps == [
        "If the request was denied\nTell the user why.",
        "If nobody has reviewed it\n1. Look: `select * from requests where id = '<id>'`",
        "2. Approve it.",
    ]


def test_each_section_of_a_procedure_gives_its_steps_in_order() -> None:
    steps = runbook_of(LETTERED)["content"]["steps"]
    assert [step.partition("\n")[0] for step in steps] == [
        "A1. Stop the writers",
        "A2. Make the restore",
        "B1. Drop traffic",
    ]


def test_short_sections_stay_together_and_long_ones_are_parted() -> None:
    assert [each["heading"] for each in runbook_of(LETTERED)["cuecard"]["sections"]] == ["Procedures"]
    long = LETTERED.replace("Scale to zero.", "Scale to zero. " * 150)
    headings = [each["heading"] for each in runbook_of(long)["cuecard"]["sections"]]
    assert headings == [
        "Procedures > A1. Stop the writers",
        "Procedures > A2. Make the restore",
        "Procedures > B1. Drop traffic",
    ]


def test_indented_code_is_kept() -> None:
    text = "# Renew the grant\n\n## Steps\n\nRenew it:\n\n    grant renew <id>\n\tgrant show <id>\n"
    [section] = runbook_of(text)["cuecard"]["sections"]
    assert section["text"] == "Renew it:\n\n    grant renew <id>\n\tgrant show <id>"


def test_the_older_plugin_can_read_an_imported_runbook(store: Store) -> None:
    imported(store, "restart.md", RESTART, "runbook")
    validator = Draft202012Validator(prior_art_schema("runbook"))
    [data] = read_files(store).values()
    record = json.loads(data)
    # The plugin's schema is closed, and our own member stands beside its fields.
    assert len(record.pop("cuecard")["sections"]) == 3
    # What the document does not say is left out, although the plugin's schema has a field for it.
    assert [error.message for error in validator.iter_errors(record)] == ["'verification' is a required property"]
    assert len(record["content"]["steps"]) == 3


def test_importing_again_changes_nothing_and_a_changed_section_is_taken_over(store: Store) -> None:
    imported(store, "restart.md", RESTART, "runbook")
    assert imported(store, "restart.md", RESTART, "runbook").document["counts"] == {"unchanged": 1}
    again = RESTART.replace("Page the on-call engineer.", "Call the vendor.")
    assert imported(store, "restart.md", again, "runbook").document["counts"] == {"updated": 1}
    assert read(store, "restart-the-worker", "runbook")["cuecard"]["sections"][-1]["text"] == "Call the vendor."


def long_runbook(root: str) -> Path:
    file = Path(root, "docs", "runbooks", "deploy.md")
    file.parent.mkdir(parents=True)
    parts = [
        f"## Phase {number}\n\n1. Do `step {number}`.\n2. Look at it.\n\n{'Words about it. ' * 100}\n"
        for number in range(20)
    ]
    file.write_text("# First deploy\n\nWhen a region is new.\n\n" + "\n".join(parts))
    os.utime(file, (1_700_000_000, 1_700_000_000))
    return file


def test_what_is_too_long_for_a_memory_becomes_a_pointer(store: Store) -> None:
    file = long_runbook(store.root)
    run_in(store, "import", file)
    record = read(store, "first-deploy", "runbook")
    pointer = record["cuecard"]["pointer"]
    assert (pointer["path"], pointer["size"]) == ("docs/runbooks/deploy.md", file.stat().st_size)
    assert (pointer["time"], len(pointer["sha256"])) == ("2023-11-14T22:13:20Z", 64)
    assert record["content"]["trigger"] == "When a region is new."
    [step] = record["content"]["steps"]
    assert step.startswith("The steps are in `docs/runbooks/deploy.md`: Phase 0; Phase 1; ")
    assert "sections" not in record["cuecard"]


def test_no_pointer_leads_out_of_the_project(store: Store, tmp_path: Path) -> None:
    file = long_runbook(str(tmp_path / "elsewhere"))
    [outcome] = run_in(store, "import", file, "--json").document["outcomes"]
    assert (outcome["status"], "outside of the project" in outcome["why"]) == ("skipped", True)


def test_show_prints_the_sections_with_their_lines(store: Store) -> None:
    imported(store, "restart.md", RESTART, "runbook")
    shown = run_in(store, "show", "restart-the-worker").stdout
    begin, end = RESTART.index("1. Find"), RESTART.index("\n\n## If it fails")
    assert f"\nSteps:\n{RESTART[begin:end]}\n\nIf it fails:\nPage the on-call engineer.\n" in shown
    # The steps are in the sections already.
    assert "\nsteps:" not in shown


def test_runbooks_of_two_alerts_are_two_memories_however_alike_they_are(store: Store) -> None:
    text = (
        "# Kube {0} Overcommit\n\n## Meaning\n\nThe cluster has promised more {0} than its nodes have.\n\n"
        "## Impact\n\nPods of a lost node wait.\n\n## Mitigation\n\n1. Add a node to the pool of workers.\n"
        "2. Or lower the requests of the largest namespaces.\n"
    )
    folder = Path(store.root, "alerts")
    folder.mkdir()
    for name in ("CPU", "Memory"):
        (folder / f"Kube{name}Overcommit.md").write_text(text.format(name))
    (folder / "copy.md").write_text(text.format("Memory"))
    counts = run_in(store, "import", "alerts", "--json").document["counts"]
    assert counts == {"created": 2, "duplicate": 1}


def test_a_runbook_in_a_folder_of_runbooks_is_no_record(tmp_path: Path) -> None:
    text = (
        "# QueueLag\n\n## Description\n\nSlow.\n\n## Impact\n\nStale data.\n\n## Resolution\n\n1. Restart the worker.\n"
    )
    file = tmp_path / "docs" / "runbooks" / "QueueLag.md"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    [reading] = ImportSource(str(tmp_path), None, str(tmp_path)).read(lambda: None)
    assert [draft.category for draft in reading.drafts] == ["runbook"]
