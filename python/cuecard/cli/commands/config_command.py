"""The command that shows and changes settings: `config`."""

import json

from ...basics.light_dataclass import dataclass
from ...errors import UsageError
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, ROOT

# Where a value comes from if no file sets it.
DEFAULT = "default"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..._backend import EffectiveSettings


@dataclass
class _ConfigGiven:
    """The arguments and options of `cuecard config`."""

    name: str | None = argument(
        "SETTING",
        "A setting such as retrieval.max_inject; without it, all settings are listed.",
        dest="name",
        is_required=False,
    )
    value: str | None = argument("VALUE", "The new value: JSON, or a text.", is_required=False)
    user: bool = option("--user", help="Use your own configuration, for all projects, instead of this project's.")
    unset: bool = option("--unset", help="Remove SETTING from the file, so that its default counts again.")
    root: str | None = ROOT
    as_json: bool = AS_JSON


@command(request=_ConfigGiven)
def configure(given: _ConfigGiven) -> None:
    """Show the settings in effect, or change one.

    Each setting is shown with the file that it comes from; on a terminal those that are set come first. Names with `*`
    stand for several settings, such as one for each category, and are shown only where they are set.

    Some settings are refused in a project's file, because a project may not choose them for its users. `--user` sets
    them for you alone. `cuecard undo` takes the last change back.
    """
    from ..._backend import read_effective_settings
    from ...files.locate import locate
    from ...store.settings.settings_names import known_name

    memory_dir = "" if given.user else locate(given.root)[1]
    name = given.name
    if name is not None and (given.unset or given.value is not None):
        _change(given, name, memory_dir)
    elif given.unset:
        raise UsageError("no setting is named", "`cuecard config NAME --unset` removes one")
    is_known = name is None or known_name(name) is not None
    files = read_effective_settings(memory_dir)
    rows = [] if given.unset and not is_known else _rows_of(files, name)
    if given.as_json:
        listed = [{"name": row[0], "value": row[1], "from": row[2]} for row in rows]
        terminal.print_json({"settings": listed, "ignored": files.settings.ignored})
        return
    for words in (*files.unread, *files.settings.ignored):
        terminal.report("warning", words)
    lines = [f"{where} = {json.dumps(found, ensure_ascii=False)}  ({file})" for where, found, file in rows]
    terminal.print_pages([terminal.visible(line) for line in lines])


def _change(given: _ConfigGiven, name: str, memory_dir: str) -> None:
    """Set a setting or remove it, and remember that for `cuecard undo`."""
    from ...actions.acts import note_setting
    from ...store.settings.settings_edit import read_setting, write_setting, write_user_setting
    from ..checked_setting import check_setting
    from ..noted_acts import project_here

    if given.unset and given.value is not None:
        raise UsageError("there is a value and `--unset`", "give one of the two")
    group, _, last = name.rpartition(".")
    before = read_setting(memory_dir, group, last)
    text = None if given.value is None else _json_of(given.value)
    if text is not None:
        check_setting(name, text, is_users=given.user)
    elif before is None:
        raise _not_set(given, name, memory_dir)
    problem = write_user_setting(group, last, text) if given.user else write_setting(memory_dir, group, last, text)
    if problem:
        terminal.report("warning", f"the settings may not survive a crash of the machine: {problem}")
    place = memory_dir or project_here(given.root)
    if place and before != text:
        note_setting(place, name, is_users=given.user, values=(before, text))
    if text is not None and given.user and not given.as_json and _is_widening(name):
        terminal.report_unconfirmed("this setting can widen what is trusted", "changing your own configuration back")


def _not_set(given: _ConfigGiven, name: str, memory_dir: str) -> UsageError:
    """The error of `--unset` for what its file does not set."""
    from ..._backend import REPOSITORY_FILE, USER_FILE
    from ...store.settings.settings_edit import read_setting
    from ...store.settings.settings_names import known_name, no_such_setting

    group, _, last = name.rpartition(".")
    if not given.user and read_setting("", group, last) is not None:
        return UsageError(f"`{name}` is not set in {REPOSITORY_FILE}", f"add `--user` to remove it from {USER_FILE}")
    if known_name(name) is None:
        return no_such_setting(name)
    file = USER_FILE if given.user else REPOSITORY_FILE
    return UsageError(f"`{name}` is not set in {file}", f"`cuecard config {name}` shows where it is set")


def _is_widening(name: str) -> bool:
    """Whether a setting of the user widens what is trusted or reached."""
    from ...basics.tables import read_words

    return any(name == one or name.startswith(f"{one}.") for one in read_words("commands_for_people", "settings"))


def _json_of(value: str) -> str:
    """The value as JSON text: unchanged if it is valid JSON, else as a JSON string."""
    try:
        json.loads(value)
    except ValueError:
        return json.dumps(value, ensure_ascii=False)
    return value


def _rows_of(files: "EffectiveSettings", name: str | None) -> list[tuple[str, object, str]]:
    """Name, value and file of each setting in effect, or only of the setting `name`.

    Raises `UsageError` if there is no setting `name`.
    """
    from ..._backend import REPOSITORY_FILE, USER_FILE, engine
    from ...store.settings.settings_names import known_name, no_such_setting, settings_in

    if name is not None and known_name(name) is None:
        raise no_such_setting(name)
    own = settings_in(engine.read_settings(files.user, None))
    rows = []
    for where, value in settings_in(files.settings).items():
        is_own = where in own and own[where] == value
        if name in (None, where):
            rows.append((where, value, USER_FILE if is_own or files.repository is None else REPOSITORY_FILE))
    known = {row[0] for row in rows}
    return rows + [row for row in _defaults(name) if row[0] not in known]


def _defaults(name: str | None) -> list[tuple[str, object, str]]:
    """Name, default and `default` of each setting of ours, or only of the setting `name`."""
    from ..._backend import settings_table

    rows = settings_table().rows
    if name is not None:
        row = settings_table().row(name)
        return [(name, json.loads(row.default) if row.default else None, DEFAULT)]
    return [(each, json.loads(row.default), DEFAULT) for each, row in rows.items() if row.default and "*" not in each]
