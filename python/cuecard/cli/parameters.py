"""Arguments and options that many commands take."""

from .._backend import GATE_SETTINGS, STRATEGIES
from .arguments import Argument, Option

NAME = Argument("MEMORY", "Its id, CATEGORY/ID, or the path of its file.")
ROOT = Option(
    "--root",
    metavar="FOLDER",
    help="The project, or its .claude/memory; by default the nearest one from this folder upwards.",
)
SCOPE = Option(
    "--scope",
    metavar="SCOPE",
    help="The store to use: `project`, `parent` (the enclosing project) or `user` (your own, in all projects).",
)
AS_JSON = Option("--json", dest="as_json", help="Print one JSON document.")
ONLY_CATEGORY = Option("--category", "-c", metavar="CATEGORY", help="Only this category.")
ONLY_CATEGORIES = Option(
    "--category",
    "-c",
    metavar="CATEGORY",
    dest="categories",
    is_repeatable=True,
    help="Only this category; repeatable.",
)
ONLY_TAGS = Option(
    "--tag",
    metavar="TAG",
    dest="tags",
    is_repeatable=True,
    help="Only memories with this tag; repeatable, for all of these tags.",
)
SINCE = Option("--since", metavar="DATE", help="Only what was updated on that day or later.")
UNTIL = Option("--until", metavar="DATE", help="Only what was updated on that day or before.")
ONLY_PATH = Option(
    "--path", metavar="BEGINNING", default="", help="Only paths that begin with this, such as `decisions/db-`."
)
STRATEGY = Option(
    "--strategy",
    metavar="STRATEGY",
    help=f"The strategy that finds memories: {', '.join(STRATEGIES)}; by default as configured.",
)
SETTING = Option(
    "--setting",
    metavar="LEVEL",
    help=f"How sure the gate must be: {', '.join(GATE_SETTINGS)}; by default as configured.",
)
HISTORY = Option(
    "--history",
    metavar="TEXT",
    is_repeatable=True,
    help="An earlier prompt of the session; repeatable, the oldest first.",
)
PROMPT_FILE = Option("--file", "-f", metavar="FILE", help="Read the text from a file instead; `-` is standard input.")
REASON_FILE = Option("--reason-file", metavar="FILE", help="Read the reason from a file; `-` is standard input.")
