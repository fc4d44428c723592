"""Defines the attacks of the attack set, and reads them from their files."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vector_cases import toml_reader

FOLDER = Path(__file__).parent
ENTRY_POINTS = ("executable", "pure", "stop", "cli", "mcp")
# The launchers of the plugin, for attacks on how programs are started.
LAUNCHER = "launcher"
KINDS = ("link", "hardlink", "fifo", "socket", "folder", "sparse", "nested", "repeated", "file", "json")
PROMPTS = ("Why is the ledger stored in PostgreSQL?", "How long may a lock of the ledger last?")


@dataclass(frozen=True)
class Step:
    """One thing that the hostile repository contains, such as a file or a link."""

    kind: str
    path: str
    text: str = ""
    """The content of the file, or the target of the link."""
    count: int = 0
    """A number of files, bytes, levels or repetitions; for a file its mode."""


@dataclass(frozen=True)
class Attack:
    """One attack: the layout of the repository, the calls to run, and what counts as harm besides the usual harms."""

    name: str
    finding: str
    says: str
    """What the attacker tries, in one sentence."""
    group: str
    family: str = ""
    """The name of the file's entry of which this attack is a variant."""
    of_family: str = ""
    """What all variants try, with PLACE instead of the text that differs."""
    layout: tuple[Step, ...] = ()
    entry_points: tuple[str, ...] = ENTRY_POINTS
    prompts: tuple[str, ...] = PROMPTS
    cwd: str = "."
    has_memories: bool = True
    has_terminal: bool = False
    pid_links: tuple[str, ...] = ()
    """Links to a victim's file; `{pid}` in a link's name is the process id of the program."""
    prepare: str = ""
    """A function of `preparations.py` that prepares what the layout cannot describe."""
    commands: tuple[tuple[str, ...], ...] = ()
    """Arguments of `cuecard` for each run, instead of the usual ones."""
    stdin: str = ""
    """`endless` for a pipe that stays open after half of the payload."""
    seconds: float = 0
    """The time limit of each program, 0 for the usual one; a host waits for five seconds."""
    never_stored: tuple[str, ...] = ()
    """Texts that must not be in a file that cuecard writes."""
    never_printed: tuple[str, ...] = ()
    """Texts that no program may print."""
    is_unasked: bool = False
    """Whether no prompt is about a memory, so that no memory may be shown."""
    is_marked: bool = False
    """Whether every shown memory must be marked as unreviewed."""
    is_answered: bool = False
    """Whether a memory must be shown at the first prompt in spite of the attack."""
    is_slow: bool = False
    is_on_disk: bool = False
    """Whether the scene must not be below `/dev`, because models are not searched for there."""
    environment: dict[str, str] = field(default_factory=dict)


def read_attacks() -> list[Attack]:
    """Every attack of every file, in the order of the file names."""
    found: list[Attack] = []
    for file in sorted(FOLDER.glob("*.toml")):
        for entry in read_toml(file).get("attack", []):
            found += [_read(each, file.stem) for each in _expand(entry)]
    names = [attack.name for attack in found]
    assert len(names) == len(set(names)), "two attacks have one name"
    return found


def read_toml(file: Path) -> dict[str, Any]:
    """The content of a TOML file."""
    found: dict[str, Any] = toml_reader.loads(file.read_text("utf-8"))
    return found


def _expand(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Expand an entry with the member `each` to one entry for each of its texts; the text replaces `{each}`.

    An entry without `each` stays as it is. In the name of the attack, `/` is replaced with `-` in the text. The name
    may use `{number}` (the number of the text, from 1) instead of `{each}`.
    """
    plain_name = entry["name"].replace("-{each}", "").replace("-{number}", "")
    entry |= {"family": plain_name, "of_family": entry["says"].replace("{each}", "PLACE")}
    texts = entry.pop("each", None)
    if texts is None:
        return [entry]
    entries = []
    for number, text in enumerate(texts, 1):
        expanded = json.loads(json.dumps(entry).replace("{each}", json.dumps(text)[1:-1]))
        plain = text.removeprefix(".claude/memory/").replace("/", "-")
        expanded["name"] = entry["name"].replace("{each}", plain).replace("{number}", str(number))
        entries.append(expanded)
    return entries


def _read(entry: dict[str, Any], group: str) -> Attack:
    """Build one attack from an entry of a file; raises an error for an unknown member."""
    layout = tuple(_read_step(step) for step in entry.pop("layout", []))
    settings = entry.pop("settings", None)
    if settings is not None:
        layout = (*layout, Step("json", ".claude/memory/memory-config.json", json.dumps(settings)))
    listed: dict[str, Any] = {key: _as_tuple(value) for key, value in entry.items()}
    return Attack(group=group, layout=layout, **listed)


def _as_tuple(value: object) -> object:
    return tuple(_as_tuple(each) for each in value) if isinstance(value, list) else value


def _read_step(step: dict[str, Any]) -> Step:
    """Read a step such as `{ link = "PATH", to = "TARGET" }` or `{ file = "PATH", text = "..." }`."""
    [kind] = [kind for kind in KINDS if kind in step]
    text = step.get("to", step.get("text", ""))
    if kind == "json":
        text = json.dumps(step["value"], ensure_ascii=False)
    return Step(kind, step[kind], text, step.get("count", 0))
