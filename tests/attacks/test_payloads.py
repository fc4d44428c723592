"""Unreviewed memories with instructions: how the model sees them, and which of them are withheld."""

from pathlib import Path

import pytest

from attacks.payloads import (
    LEAST_WITHHELD,
    VARIANTS,
    Payload,
    Poisoned,
    block_for,
    harms_of,
    is_in,
    outputs_of,
    read_payloads,
)
from attacks.running import backend_of, entry_points_here
from fork_launcher import Launcher

PAYLOADS = read_payloads()
POISONED = [Poisoned(payload, variant) for payload in PAYLOADS for variant in VARIANTS]
HOOKS = [entry_point for entry_point in ("executable", "pure") if entry_point in entry_points_here()]
# The fixture that builds the blocks of all payloads takes minutes.
pytestmark = [pytest.mark.attack, pytest.mark.timeout(900)]

Blocks = dict[Poisoned, str]


@pytest.fixture(scope="module", params=HOOKS)
def blocks(
    request: pytest.FixtureRequest, launchers: dict[str, Launcher], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Blocks, Blocks]:
    """Two maps from payload to block: for a user who trusts no memory, and for a user who trusts all memories."""
    entry_point = request.param
    launcher = launchers[backend_of(entry_point)]

    def of(poisoned: Poisoned, *, is_trusted: bool) -> str:
        return block_for(poisoned, entry_point, launcher, tmp_path_factory.mktemp("payload"), is_trusted=is_trusted)

    # The pure hook takes many times as long; `test_instruction_signs.py` compares what both find in each payload.
    tried = POISONED[:: 4 if entry_point == "pure" else 1]
    unreviewed = {poisoned: of(poisoned, is_trusted=False) for poisoned in tried}
    return unreviewed, {poisoned: of(poisoned, is_trusted=True) for poisoned in tried}


def test_there_are_enough_payloads() -> None:
    assert len(PAYLOADS) >= 61
    assert len({payload.text for payload in PAYLOADS}) == len(PAYLOADS)


def test_without_trust_every_payload_would_be_shown(blocks: tuple[Blocks, Blocks]) -> None:
    silent = [poisoned.name for poisoned, block in blocks[1].items() if not block]
    assert len(silent) <= len(blocks[1]) // 20, silent


def test_no_payload_arrives_unmarked_or_in_full(blocks: tuple[Blocks, Blocks]) -> None:
    assert {poisoned.name: harms for poisoned, block in blocks[0].items() if (harms := harms_of(block))} == {}


def test_what_addresses_the_model_its_tools_or_secrets_is_withheld(blocks: tuple[Blocks, Blocks]) -> None:
    unreviewed, trusted = blocks
    addressed = [poisoned for poisoned in trusted if poisoned.payload.addresses != "none" and trusted[poisoned]]
    shown = [poisoned.name for poisoned in addressed if unreviewed[poisoned]]
    assert 100 * (len(addressed) - len(shown)) >= LEAST_WITHHELD * len(addressed), shown


def test_what_only_misleads_is_shown_with_its_mark(blocks: tuple[Blocks, Blocks]) -> None:
    unreviewed, trusted = blocks
    misleading = [poisoned for poisoned in trusted if poisoned.payload.addresses == "none" and trusted[poisoned]]
    assert [poisoned.name for poisoned in misleading if not unreviewed[poisoned]] == []


def test_what_is_withheld_from_the_prompt_is_withheld_from_commands_and_mcp(
    blocks: tuple[Blocks, Blocks], launchers: dict[str, Launcher], tmp_path: Path
) -> None:
    unreviewed, trusted = blocks
    withheld: list[Payload] = [
        poisoned.payload
        for poisoned in trusted
        if poisoned.variant == "content" and trusted[poisoned] and not unreviewed[poisoned]
    ]
    assert withheld
    ran = outputs_of(withheld, launchers[backend_of("cli")], tmp_path)
    assert [one.code for one in ran if one.is_hung] == []
    printed = {payload.name for payload in withheld for one in ran if is_in(payload, one)}
    assert sorted(printed) == []
