"""The table of what cuecard does in each host says what is installed, and calls nothing proven that is not there."""

import inspect
import re
from pathlib import Path

import pytest

from cuecard import hosts
from cuecard.basics.tables import read_lines
from cuecard.capture.ledger import typed_lists
from cuecard.hosts.features import FILE, feature_names, lack_of, proof_of, state_of, wired_features, wires_of
from cuecard.hosts.hook_command import VERBS
from cuecard.hosts.host_environment import HostEnvironment
from cuecard.hosts.host_file import Host, SettingsHost
from cuecard.hosts.installation import plan_install
from cuecard.hosts.jsonc import parse
from cuecard.hosts.registry import HOSTS

each_host = pytest.mark.parametrize("host", HOSTS, ids=[host.name for host in HOSTS])


def installed(host: Host, folder: Path) -> str:
    """The text of a host's file after an installation into an empty home folder."""
    for name in ("home", "project"):
        (folder / name).mkdir()
    environment = HostEnvironment(folder / "home", folder / "project", {"PATH": ""}, is_windows=False)
    change = plan_install(host, host.scopes[0], environment, ["/opt/cuecard-hook"])
    assert change.after is not None
    return change.after.decode()


def wires_in(host: SettingsHost, text: str) -> set[tuple[str, str]]:
    """The events of a host and of the hook in a file of settings."""
    plain = parse(text).to_plain()
    assert isinstance(plain, dict)
    found = set()
    for event, entries in plain["hooks"].items():
        for entry in entries:
            for handler in entry.get("hooks", [entry]):
                line = handler.get("command") or handler["bash"]
                [verb] = [word for word in re.findall(r"[a-z-]+", line.partition("cuecard")[2]) if word in VERBS][:1]
                found.add((event, verb))
    assert len(host.find(text)) >= len(found)
    return found


@each_host
def test_the_table_has_what_is_installed(host: Host, tmp_path: Path) -> None:
    text = installed(host, tmp_path)
    wires = {(wire.event, wire.verb) for wire in wires_of(host.name)}
    if isinstance(host, SettingsHost):
        assert wires_in(host, text) == wires
        return
    for event, verb in wires:
        assert event in text or event in host.file(host.scopes[0], HostEnvironment(tmp_path, tmp_path, {})).name
        assert re.search(rf"\b{verb}\b", text)


@each_host
def test_what_is_not_installed_has_a_reason(host: Host) -> None:
    wired = wired_features(host.name)
    assert [name for name in feature_names() if name not in wired and not lack_of(host.name, name)] == []
    assert [name for name in wired if lack_of(host.name, name)] == []


@each_host
def test_only_what_is_installed_and_was_seen_is_called_yes(host: Host) -> None:
    proof = proof_of(host.name)
    assert proof.features <= set(wired_features(host.name))
    assert bool(proof.features) == bool(proof.version) == bool(re.fullmatch(r"\d{4}-\d\d-\d\d", proof.day))
    states = {name: state_of(host.name, name) for name in feature_names()}
    assert {name for name, state in states.items() if state == "yes"} == proof.features


def test_the_table_names_the_hosts_in_the_order_of_the_list() -> None:
    proven = [row.split(" ")[0] for row in read_lines(FILE, "proofs")]
    assert proven == [host.name for host in HOSTS]
    named = {row.split(" ")[0] for table in ("wiring", "lacks") for row in read_lines(FILE, table)}
    assert named <= set(proven)


@pytest.mark.parametrize("host", ["qwen", "kimi", "pi", "kilo", "droid", "vibe"])
def test_a_host_is_small_beside_its_row_and_the_text_of_its_plugin(host: str) -> None:
    package = Path(hosts.__file__).parents[1]
    files = [package / "hosts" / "programs" / f"{host}.py"]
    files += package.glob(f"capture/ledger/transcripts/record_{host}.py")
    texts = [re.sub(r' = """\\\n.*?\n"""\n', "", file.read_text("utf-8"), flags=re.DOTALL) for file in files]
    reads_list = getattr(typed_lists, f"_of_{host}", None)
    texts += [inspect.getsource(reads_list)] if reads_list else []
    assert sum(len(text.splitlines()) for text in texts) <= 80
