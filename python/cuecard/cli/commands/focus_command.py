"""The command that sets the areas that the user works on: `focus`."""

import os
from pathlib import Path

from ...basics.timestamp import utc_stamp
from ...errors import UsageError
from .. import terminal
from ..arguments import argument, command, option
from ..parameters import AS_JSON, ROOT

SESSION = "CLAUDE_CODE_SESSION_ID"


@command(
    argument(
        "AREA",
        "A tag, a path or a category; or tag:NAME, path:NAME, category:NAME.",
        dest="areas",
        is_required=False,
        is_repeatable=True,
    ),
    option("--clear", help="Remove the focus."),
    ROOT,
    AS_JSON,
)
def focus(areas: list[str], clear: bool, root: str | None, as_json: bool) -> None:
    """Prefer the memories of some areas in recall, or show the areas that are set.

    If an agent runs the command, the areas count for its session; otherwise for the project, for twelve hours.
    """
    from ..._backend import find_focus, session_place
    from ...files.environment import Environment
    from ...files.locate import locate
    from ...retrieval.config import Config
    from ...retrieval.focus_areas import clear_focus, find_unknown, read_areas, set_focus

    if areas and clear:
        raise UsageError("areas and `--clear` are given together", "give one of the two")
    environment = Environment()
    project = locate(root, environment)
    session = os.environ.get(SESSION, "")
    if session_place(session) is None:
        session = ""
    unknown: list[tuple[str, list[str]]] = []
    notes: list[str] = []
    if areas:
        read = read_areas(areas, project, str(Path.cwd()))
        config = Config(project[1], environment, notes)
        unknown = find_unknown(read, project, config.numbers)
        set_focus(project[1], session, read)
        if not config.recall.situation_focus:
            notes.append("`retrieval.situation.focus` is off: the focus has no effect on prompts")
    if clear:
        clear_focus(project[1], session)
    found = find_focus(project[1], session)
    until = utc_stamp(found.until) if found and found.until else None
    if as_json:
        terminal.print_json(
            {
                "root": project[0],
                "scope": ("session" if found.is_of_session else "project") if found else None,
                "areas": found.areas if found else [],
                "until": until,
                "unknown": [{"area": area, "near": near} for area, near in unknown],
                "notes": notes,
            }
        )
        return
    for area, near in unknown:
        named = ", ".join([f"`{tag}`" for tag in near])
        terminal.report(
            "warning", f"no memory belongs to the area `{area}`", f"tags with similar names: {named}" if near else ""
        )
    for note in notes:
        terminal.report("warning", note)
    if found is None:
        terminal.report("note", "there is no focus", "" if clear else "`cuecard focus AREA` sets one")
        return
    scope = "this session" if found.is_of_session else f"the project, until {until}"
    terminal.print_lines([f"the focus of {scope}:", *[f"  {terminal.visible(area)}" for area in found.areas]])
