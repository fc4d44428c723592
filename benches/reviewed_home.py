"""The home of a user for measurements, with its own folders, in which every memory counts as reviewed."""

from pathlib import Path


def prepare_home(folder: Path) -> dict[str, str]:
    """The environment variables of a user who trusts every memory and whose data is in `folder`."""
    configuration = folder / "config" / "cuecard"
    configuration.mkdir(parents=True, exist_ok=True)
    (configuration / "config.json").write_text('{"trust": {"review": "off"}}', encoding="utf-8")
    return {"CUECARD_HOME": str((folder / "data").resolve()), "XDG_CONFIG_HOME": str(configuration.parent.resolve())}
