"""Writes the tables of agent programs into `docs/guides/hosts.md`, from the table `host_features.txt`.

Usage: `python tools/gen_hosts.py`, in an environment in which cuecard is installed. A test fails if the page differs.
"""

from __future__ import annotations

from pathlib import Path

from cuecard.hosts.features import feature_names, lack_of, proof_of, state_of, wires_of
from cuecard.hosts.registry import HOSTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guides" / "hosts.md"
BEGIN = "<!-- The tables up to the next comment are made by `python tools/gen_hosts.py`. -->"
END = "<!-- The end of what is made. -->"
ACTIONS = {
    "prompt": "the prompt",
    "compaction": "a compaction",
    "guard": "the guard",
    "file": "a touched file",
    "failure": "a failed command",
    "subagent": "a subagent",
    "capture": "capture",
}


def render(text: str) -> str:
    """The text of the page with new tables."""
    before, mark, rest = text.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not mark or not end:
        message = f"{PAGE.name} has no place for the tables"
        raise SystemExit(message)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{after}"


def tables() -> str:
    """What works in each host, and with which events."""
    names = feature_names()
    lines = [
        f"| host | {' | '.join(names.values())} | seen in |",
        f"| --- |{' --- |' * (len(names) + 1)}",
    ]
    for host in HOSTS:
        proof = proof_of(host.name)
        seen = f"{proof.version}, {proof.day}" if proof.version else "not verified"
        states = [state_of(host.name, name) for name in names]
        lines.append(f"| `{host.name}` | {' | '.join(states)} | {seen} |")
    lines += ["", "| host | events |", "| --- | --- |"]
    for host in HOSTS:
        events = {name: sorted({wire.event for wire in wires_of(host.name) if wire.feature == name}) for name in names}
        told = [
            f"{ACTIONS[name]}: {', '.join(f'`{event}`' for event in found)}" for name, found in events.items() if found
        ]
        lines.append(f"| `{host.name}` | {'; '.join(told) or 'none, an instructions file'} |")
    lines += ["", "What is missing, and why:", ""]
    for host in HOSTS:
        lacks: dict[str, list[str]] = {}
        for name in names:
            if lack := lack_of(host.name, name):
                lacks.setdefault(lack, []).append(ACTIONS[name])
        if lacks:
            told = [f"{', '.join(missing)} ({lack})" for lack, missing in lacks.items()]
            lines.append(f"- `{host.name}`: {'; '.join(told)}.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(PAGE.read_text("utf-8")), "utf-8")
