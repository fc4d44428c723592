"""Arguments and options that many commands take."""

from .._backend import GATE_SETTINGS, STRATEGIES
from .arguments import argument, option

NAME = argument("MEMORY", "Its id, CATEGORY/ID, or the path of its file.")
ROOT = option(
    "--root",
    metavar="FOLDER",
    help="The project, or its .claude/memory; by default the nearest one from this folder upwards.",
)
SCOPE = option(
    "--scope",
    metavar="SCOPE",
    help="The store to use: `project`, `parent` (the enclosing project) or `user` (your own, in all projects).",
)
AS_JSON = option("--json", dest="as_json", help="Print one JSON document.")
ONLY_CATEGORY = option("--category", "-c", metavar="CATEGORY", help="Only this category.")
ONLY_CATEGORIES = option(
    "--category",
    "-c",
    metavar="CATEGORY",
    dest="categories",
    is_repeatable=True,
    help="Only this category; repeatable.",
)
ONLY_TAGS = option(
    "--tag",
    metavar="TAG",
    dest="tags",
    is_repeatable=True,
    help="Only memories with this tag; repeatable, for all of these tags.",
)
SINCE = option("--since", metavar="DATE", help="Only what was updated on that day or later.")
UNTIL = option("--until", metavar="DATE", help="Only what was updated on that day or before.")
ONLY_PATH = option(
    "--path", metavar="BEGINNING", default="", help="Only paths that begin with this, such as `decisions/db-`."
)
STRATEGY = option(
    "--strategy",
    metavar="STRATEGY",
    help=f"The strategy that finds memories: {', '.join(STRATEGIES)}; by default as configured.",
)
SETTING = option(
    "--setting",
    metavar="LEVEL",
    help=f"How sure the gate must be: {', '.join(GATE_SETTINGS)}; by default as configured.",
)
HISTORY = option(
    "--history",
    metavar="TEXT",
    is_repeatable=True,
    help="An earlier prompt of the session; repeatable, the oldest first.",
)
PROMPT_FILE = option("--file", "-f", metavar="FILE", help="Read the text from a file instead; `-` is standard input.")
REASON_FILE = option("--reason-file", metavar="FILE", help="Read the reason from a file; `-` is standard input.")
