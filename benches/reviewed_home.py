"""The home of a user for measurements, with its own folders, in which every memory counts as reviewed."""

import json
from pathlib import Path

# The teams whose packs count where the data folder has them.
TEAMS = ("team-0", "team-1", "team-2")


def prepare_home(folder: Path) -> dict[str, str]:
    """The environment variables of a user who trusts every memory, is in `TEAMS`, and whose data is in `folder`."""
    configuration = folder / "config" / "cuecard"
    configuration.mkdir(parents=True, exist_ok=True)
    teams = [{"name": name, "url": f"https://git.example.org/{name}.git"} for name in TEAMS]
    settings = {"trust": {"review": "off"}, "sync": {"teams": teams}}
    (configuration / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    return {"CUECARD_HOME": str((folder / "data").resolve()), "XDG_CONFIG_HOME": str(configuration.parent.resolve())}
