"""Reads the recorded cases of `tests/data/oracle` (its README explains the format)."""

import base64
import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "oracle"


def _iso(moment: datetime, separator: str = "T", timespec: str = "seconds") -> str:
    return moment.replace(tzinfo=None).isoformat(separator, timespec)


def _in_zone(hours: int) -> Callable[[datetime], str]:
    zone = timezone(timedelta(hours=hours))
    return lambda moment: moment.astimezone(zone).isoformat("T", "seconds")


_FORMATS: dict[str, Callable[[datetime], object]] = {
    "z": lambda moment: _iso(moment) + "Z",
    "utc": lambda moment: _iso(moment) + "+00:00",
    "naive": _iso,
    "space": lambda moment: _iso(moment, " "),
    "micro_z": lambda moment: _iso(moment, timespec="microseconds") + "Z",
    "milli_z": lambda moment: _iso(moment, timespec="milliseconds") + "Z",
    "seoul": _in_zone(9),
    "newyork": _in_zone(-5),
    "date": lambda moment: _iso(moment)[:10],
    "epoch": lambda moment: int(moment.timestamp()),
}


def read_cases(name: str) -> list[dict[str, Any]]:
    """The cases of a file such as `score.v5-0219`."""
    lines = (DATA / f"{name}.public.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def read_projects() -> dict[str, dict[str, Any]]:
    """The projects whose stores the `retrieve` cases use, by id."""
    return {project["id"]: project for project in read_cases("projects")}


def lay_out(root: Path, project: dict[str, Any], config: object) -> None:
    """Write the files of a project under `root`."""
    now = datetime.now(timezone.utc)
    for folder in project.get("dirs", []):
        (root / folder).mkdir(parents=True, exist_ok=True)
    files = dict(project.get("files", {}))
    if project.get("index") is not None:
        files[".claude/memory/index.md"] = {"$raw": project["index"]}
    if config is not None:
        files[".claude/memory/memory-config.json"] = config
    for name, value in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_content(value, now))


def stdin_of(case: dict[str, Any], root: Path) -> bytes:
    """The bytes that the hook gets as stdin in a case."""
    fed = case["stdin"]
    if isinstance(fed, dict) and ("$raw" in fed or "$b64" in fed):
        return _content(fed, datetime.now(timezone.utc)).replace(b"$CWD", str(root).encode())
    return json.dumps(_fill_in(fed, root), ensure_ascii=False).encode()


def _content(value: object, now: datetime) -> bytes:
    if isinstance(value, dict) and "$raw" in value:
        return str(value["$raw"]).encode()
    if isinstance(value, dict) and "$b64" in value:
        return base64.b64decode(value["$b64"])
    return (json.dumps(_date(value, now), indent=2, ensure_ascii=False) + "\n").encode()


def _date(value: object, now: datetime) -> object:
    if isinstance(value, dict):
        if "$ago" in value:
            return _FORMATS[value.get("fmt", "z")](now - timedelta(days=value["$ago"]))
        return {key: _date(item, now) for key, item in value.items()}
    return [_date(item, now) for item in value] if isinstance(value, list) else value


def _fill_in(value: object, root: Path) -> object:
    if isinstance(value, str):
        return value.replace("$CWD", str(root))
    if isinstance(value, dict):
        if "$repeat" in value:
            return value["$repeat"][0] * value["$repeat"][1]
        return {key: _fill_in(item, root) for key, item in value.items()}
    return [_fill_in(item, root) for item in value] if isinstance(value, list) else value
