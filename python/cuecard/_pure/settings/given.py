"""What the files of settings give, asked for by the names of the table of settings (SPEC 47.2)."""

from .table import settings_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .reader import Settings


def given_setting(settings: "Settings", name: str) -> object:
    """What the files give for a setting, such as `network.proxy`, as far as it counts; None if they give nothing.

    The value of a wrong type is given too. Raises KeyError for a name that the table does not have.
    """
    if name not in settings_table().rows:
        raise KeyError(name)
    group, _dot, last = name.rpartition(".")
    found = given_group(settings, group) if group else settings.members
    return found.get(last) if found else None


def given_group(settings: "Settings", name: str) -> "dict[str, object] | None":
    """What the files give for the settings below a name, such as `retrieval.judge`; None if that is not an object.

    Raises KeyError for a name that the table does not have.
    """
    if name not in settings_table().groups:
        raise KeyError(name)
    found: object = settings.members
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None
