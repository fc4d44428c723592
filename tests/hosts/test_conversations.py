"""Where the block stands in what each client sends to its model, as it was recorded from the real client.

A new version of a client that sends something else fails the second test, which names the client and the version that
was recorded. With `CUECARD_RECORD=1` that test writes the record instead.
"""

import json
import os
from pathlib import Path

import pytest

from conversations import shape_of, version_of
from cuecard.hosts.features import proof_of
from host_clients import AGAIN, RUNS
from host_machine import Machine
from scripted_model import ScriptedModel

FOLDER = Path(__file__).parent.parent / "data" / "conversations"
RECORDED = sorted(file.stem for file in FOLDER.glob("*.json"))


def read(host: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((FOLDER / f"{host}.json").read_text())
    return found


def test_each_client_that_runs_here_is_recorded() -> None:
    assert sorted(RUNS) == RECORDED


@pytest.mark.parametrize("host", RECORDED)
def test_a_recorded_client_has_the_block_once_beside_its_prompt(host: str) -> None:
    record = read(host)
    assert record["version"] == proof_of(host).version
    for name in ("first", "goes_on"):
        shape = record[name]
        assert isinstance(shape, list)
        told = [part for message in shape for part in message["parts"]]
        text = "\n".join(told)
        assert text.count("BLOCK") == 1, name
        # The prompt of the second run has no block of its own.
        assert text.count("PROMPT") == (1 if name == "first" else 2), name
        places = [place for place, message in enumerate(shape) if "BLOCK" in "".join(message["parts"])]
        asked = [place for place, message in enumerate(shape) if "PROMPT" in "".join(message["parts"])]
        assert abs(places[0] - asked[0]) <= 1, name
        # No path of a machine and no long text of a vendor is kept.
        assert "/" not in text.replace("</", "")
        assert all(len(part) < 400 for part in told)


@pytest.mark.e2e
@pytest.mark.skipif(os.environ.get("CUECARD_E2E") != "1", reason="CUECARD_E2E is not 1: no client is started")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("host", RUNS)
def test_the_client_sends_what_was_recorded(tmp_path: Path, model: ScriptedModel, host: str) -> None:
    machine = Machine(tmp_path)
    settings = machine.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    machine.document("install", host)
    version, shapes = version_of(machine, host), []
    for arguments in ((), AGAIN[host]):
        model.play()
        RUNS[host](machine, model, *arguments)
        # Other requests ask for a title, or whether the agent is done.
        [body, *_] = [body for body in model.bodies if body.get("tools")]
        shapes.append(shape_of(body))
    record = {"version": version, "first": shapes[0], "goes_on": shapes[1]}
    if os.environ.get("CUECARD_RECORD") == "1":
        (FOLDER / f"{host}.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    known = read(host)
    for name in ("first", "goes_on"):
        changed = f"{host} {version} sends its model something else than {known['version']}, which was recorded"
        assert record[name] == known[name], changed
