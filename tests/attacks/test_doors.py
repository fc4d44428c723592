"""No text of a memory that nobody vouches for reaches an agent unmarked, and no withheld one at all, at any door."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from attacks.doors import (
    LINK,
    Planted,
    command_doors,
    harms_at,
    hook_doors,
    leaves_its_frame,
    make_hook_scene,
    make_scene,
    mcp_doors,
    read_planted,
    run_cli,
    run_mcp,
)
from attacks.running import backend_of, entry_points_here, executable
from attacks.scene import Scene
from cuecard.cli.command_table import COMMANDS
from cuecard.mcp import prompts
from cuecard.mcp.tools import HOOK, TOOLS
from fork_launcher import Launcher

PLANTED = read_planted()
HOOKS = [entry_point for entry_point in ("executable", "pure") if entry_point in entry_points_here()]
# Of the payloads that address the model, its tools or secrets, at least this many of 100 are withheld.
LEAST_WITHHELD = 55
# The tools whose calls the guard is asked about for each payload.
GUARDED = 8
# What shows that an event has met the payload; other events mark the memory.
WORDS = {"guard": "which only cuecard writes", "validate": "not a valid memory"}


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return make_scene(tmp_path_factory.mktemp("doors"), PLANTED)


def test_there_are_enough_payloads_in_every_member_and_many_languages() -> None:
    assert len(PLANTED) >= 60
    assert len({one.beginning for one in PLANTED}) == len(PLANTED)
    assert len({one.language for one in PLANTED}) >= 15
    places = {one.place for one in PLANTED}
    assert places >= {"title", "gist", "question", "tag", "id", "file", "content", "evidence", "key", "supersedes"}


def test_most_payloads_for_the_model_are_withheld() -> None:
    addressed = [one for one in PLANTED if one.addresses != "none"]
    withheld = [one for one in addressed if one.is_withheld]
    assert 100 * len(withheld) >= LEAST_WITHHELD * len(addressed)


def test_every_command_has_a_row(scene: Scene) -> None:
    assert set(command_doors(PLANTED, scene)) == set(COMMANDS)


def test_every_tool_resource_and_prompt_has_a_row() -> None:
    listed = prompts.list_prompts({})["prompts"]
    assert isinstance(listed, list)
    names = {str(prompt["name"]) for prompt in listed}
    resources = {"resources/list", "cuecard://index", "cuecard://memory/"}
    assert set(mcp_doors(PLANTED)) == {tool.name for tool in TOOLS} | {HOOK} | names | resources


@pytest.mark.attack
@pytest.mark.timeout(900)
def test_no_command_prints_a_payload_unmarked_or_a_withheld_one(scene: Scene, launchers: dict[str, Launcher]) -> None:
    launcher = launchers[backend_of("cli")]
    harms: dict[str, list[str]] = {}
    for door, rows in command_doors(PLANTED, scene).items():
        for words, sent in [] if isinstance(rows, str) else rows:
            ran = run_cli(scene, launcher, words, sent)
            assert not ran.is_hung, words
            assert "Traceback" not in ran.stderr, words
            found = [harm for text in (ran.stdout, ran.stderr) for harm in harms_at(text, PLANTED, words)]
            harms.setdefault(door, []).extend(found)
    assert {door: found for door, found in harms.items() if found} == {}


@pytest.mark.attack
@pytest.mark.timeout(300)
@pytest.mark.parametrize("door", mcp_doors(PLANTED))
def test_the_server_prints_no_payload_unmarked_and_no_withheld_one(
    door: str, scene: Scene, launchers: dict[str, Launcher]
) -> None:
    asked = mcp_doors(PLANTED)[door]
    ran = run_mcp(scene, launchers[backend_of("mcp")], asked)
    assert len(ran.stdout.splitlines()) == len(asked)
    assert harms_at(ran.stdout, PLANTED, asked) == []


def _events(scene: Scene, planted: Planted) -> Iterator[tuple[str, dict[str, object]]]:
    for event, sent in hook_doors(scene, planted).items():
        for place, members in enumerate(sent):
            yield event, {"session_id": f"{event}-{place}", "cwd": str(scene.clone), **members}


@pytest.mark.attack
@pytest.mark.timeout(900)
@pytest.mark.parametrize("entry_point", HOOKS)
def test_no_event_of_the_hook_prints_a_payload_unmarked_or_a_withheld_one(
    entry_point: str, launchers: dict[str, Launcher], tmp_path: Path
) -> None:
    launcher = launchers[backend_of(entry_point)]
    program = executable() if entry_point == "executable" else "hook"
    harms: dict[str, list[str]] = {}
    reached: dict[str, int] = {}
    # The pure hook takes many times as long, and the vectors compare what both hooks answer.
    tried = PLANTED[:: 3 if entry_point == "pure" else 1]
    for planted in tried:
        alone, environment = make_hook_scene(tmp_path / planted.name, planted)
        # One process runs the events of the hook in Python, as it does for an attack.
        launcher.leave()
        for event, payload in _events(alone, planted):
            ran = launcher.run(
                program,
                [event],
                json.dumps(payload).encode(),
                cwd=alone.clone,
                environment=environment,
                stays=program == "hook",
            )
            assert (ran.code, ran.stderr) == (0, ""), (event, planted.name, ran)
            given = payload.get("tool_input")
            if event in ("guard", "validate") and isinstance(given, dict) and given.get("file_path", LINK) != LINK:
                # The tool was given the path, so it may come back if it is not withheld.
                found = [harm for harm in harms_at(ran.stdout, [planted]) if "not withheld" in harm]
                found += [ran.stdout] * leaves_its_frame(ran.stdout)
            else:
                found = harms_at(ran.stdout, [planted])
            harms.setdefault(event, []).extend(found)
            reached[event] = reached.get(event, 0) + (WORDS.get(event, "unreviewed)") in ran.stdout)
    assert {event: found for event, found in harms.items() if found} == {}
    # The memories that are not withheld do reach the agent, so the doors were open.
    shown = sum(not one.is_withheld for one in tried)
    assert all(reached[event] >= shown // 2 for event in ("prompt", "need", "stop")), reached
    assert reached["validate"] == len(tried)
    assert reached["guard"] == len(tried) * GUARDED
