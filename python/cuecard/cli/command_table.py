"""The table of all commands: the module and function of each, and its sentence in `--help`.

The table is separate from the functions, so that running one command or listing all commands does not load the modules
of the others. A test checks that each sentence is the first sentence of the function's docstring.
"""

from .arguments import PROGRAM, no_such

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments import Command

ABOUT = "Hands a coding agent the right project memories at every prompt."
# The module and function of each command, and its sentence.
COMMANDS = {
    "init": (
        "init_command:init",
        "Set up a project: its store, imports of its documents, the hook.",
    ),
    "recall": ("recall_commands:recall", "Show what the hook injects for PROMPT, or why it injects nothing."),
    "search": ("recall_commands:search", "Find the memories that fit QUERY best."),
    "doctor": ("recall_commands:doctor", "Check the installation and the project's memories."),
    "log": ("event_commands:log", "Show what the hook has decided, the latest last."),
    "stats": ("event_commands:stats", "Show how often and how fast the hook answers, and with which memories."),
    "why": (
        "event_commands:why",
        "Explain stage by stage why the hook shows MEMORY or not.",
    ),
    "replay": (
        "event_commands:replay",
        "Ask logged prompts again, and show which memories are added to the answers or left out.",
    ),
    "focus": ("focus_command:focus", "Prefer the memories of some areas in recall, or show the areas that are set."),
    "add": ("write_commands:add", "Write a new memory."),
    "update": ("write_commands:update", "Change fields of a memory, given as JSON."),
    "retire": ("write_commands:retire", "Take a memory out of recall; `gc` deletes it later."),
    "restore": ("write_commands:restore", "Make a retired or archived memory active again."),
    "undo": ("undo_commands:undo", "Undo the last action, or another one."),
    "history": ("undo_commands:history", "List the writes that can be undone, the latest first."),
    "show": ("read_commands:show", "Show a memory, whatever its status, and the hash of its file."),
    "list": ("read_commands:list_memories", "List memories, read from their files."),
    "candidate": ("candidate_command:candidate", "Find the memory that new information updates; prints JSON."),
    "health": ("maintain.index_commands:health", "Count the memories, and say what needs attention."),
    "gc": ("maintain.index_commands:gc", "Delete memories whose retirement is past the grace period."),
    "copy": (
        "carry_commands:copy",
        "Copy a memory into another store, such as your own, which counts in all projects.",
    ),
    "move": ("carry_commands:move", "Copy a memory into another store, and retire it in its own."),
    "export": (
        "export_command:export",
        "Write memories into one file, as a backup that `cuecard import` reads, or to read.",
    ),
    "merge": ("maintain.merge_command:merge", "Repair the memories that a merge of branches has left in conflict."),
    "merge-file": (
        "maintain.merge_command:merge_file",
        "Merge two versions of a memory file, as a merge driver of git.",
    ),
    "install": ("host_commands:install", "Install the hook in HOST, which then calls it at every prompt."),
    "uninstall": ("host_commands:uninstall", "Remove the hook from HOST."),
    "hosts": (
        "host_commands:hosts",
        "List agent programs: which are on this machine, where the hook is installed, what each can do.",
    ),
    "mcp": ("mcp_command:mcp", "Serve the memories to an MCP client on standard input and output."),
    "timeline": (
        "history_commands:timeline",
        "Show what was written shortly before and after a memory: created and changed memories of any status.",
    ),
    "lineage": (
        "history_commands:lineage",
        "Show which memories a memory was derived from, caused or superseded, and the reverse.",
    ),
    "consolidate": (
        "review.consolidate_command:consolidate",
        "Find memories that say the same, and let the newer take the place of the older.",
    ),
    "enrich": (
        "review.enrich_command:enrich",
        "List memories that lack questions, a clear title or a date, and save what an agent adds to them.",
    ),
    "review": (
        "review.review_command:review",
        "List the drafts that wait for you; show, edit, accept and reject them.",
    ),
    "view": (
        "view_command:view",
        "Look through the memories and the inbox on a local page, and edit and prune them.",
    ),
    "browse": (
        "view_command:browse",
        "Look through the memories and the inbox in the terminal, and edit and prune them.",
    ),
    "wrong": (
        "review.verdict_commands:wrong",
        "Say that a memory that was shown is wrong for its prompt, so that it stays away from such prompts.",
    ),
    "good": ("review.verdict_commands:good", "Say that a memory that was shown helps with its prompt."),
    "import": (
        "import_command:import_memories",
        "Make memories of ADRs, runbooks, CLAUDE.md and other rules, of other tools' memories, and of old sessions.",
    ),
    "embed": (
        "maintain.embed_command:embed",
        "Make vectors for the memories that have none, with the embedder that the settings name.",
    ),
    "allow": (
        "review.allow_command:allow",
        "Allow an embedding endpoint or a judge that the settings of a project name.",
    ),
    "stores": (
        "maintain.stores_command:stores",
        "Show the stores whose memories count in this folder, in their order, and what is left out.",
    ),
    "trust": (
        "review.trust_command:trust",
        "Show the memories that nobody on this machine has vouched for, and accept them.",
    ),
    "share": (
        "sync_commands:share",
        "Let the next `cuecard sync push` share memories with a team.",
    ),
    "config": ("config_command:configure", "Show the settings in effect, or change one."),
    "completion": (
        "completion_command:completion",
        "Print a script that lets a shell complete commands, memories and settings.",
    ),
    "capture commit": (
        "capture_commands:commit",
        "Save drafts of memories from a JSON array: each creates, updates, retires or leaves a memory.",
    ),
    "capture background": (
        "background_command:background",
        "Let the model that you have set draft memories from ended sessions, for you to review.",
    ),
    "capture preview": (
        "capture_commands:preview",
        "Show what the ledger of a session would contain, and at which stops its agent would be asked.",
    ),
    "capture sources": (
        "capture_commands:sources",
        "List sections of documents, each with a draft, for an agent that makes memories from them.",
    ),
    "index rebuild": (
        "maintain.index_commands:rebuild_index",
        "Rebuild index.md and the snapshot from the memory files.",
    ),
    "index validate": (
        "maintain.index_commands:validate_index",
        "Compare index.md and the snapshot with the memory files; the exit status is 1 if index.md differs.",
    ),
    "index query": ("maintain.index_commands:query_index", "Show the lines of index.md that contain TEXT."),
    "sync status": ("sync_commands:status", "Show what a pull and a push would do, and check the files of the packs."),
    "sync pull": ("sync_commands:pull", "Pull the memories of your teams, and hand them to the prompts that follow."),
    "sync push": (
        "sync_commands:push",
        "Push the memories that you have shared, and their later versions.",
    ),
    "sync join": ("sync_commands:join", "Join a team, and pull its memories."),
    "sync leave": (
        "sync_commands:leave",
        "Leave a team: its memories and what waits for it are removed from this machine.",
    ),
    "sync proposals": (
        "sync_commands:proposals",
        "List what members have proposed on a PostgreSQL server, accept it or reject it.",
    ),
    "sync server": (
        "sync_commands:server",
        "Create or update the tables of a PostgreSQL server, its scopes and their members.",
    ),
    "eval run": (
        "maintain.evaluate_commands:run_prompts",
        "Ask every prompt, and write the injected memories to a file.",
    ),
    "eval score": ("maintain.evaluate_commands:score_run", "Measure a run by the judgments, with 95% intervals."),
    "eval report": (
        "maintain.evaluate_commands:report",
        "Measure every setting and baseline, and list the prompts to look at.",
    ),
    "eval make": ("maintain.evaluate_commands:make_prompts", "Make judged prompts from a project's own memories."),
    "eval wholeness": (
        "maintain.evaluate_commands:measure_blocks",
        "Count the blocks that say all parts of a decision.",
    ),
    "eval calibrate": (
        "maintain.evaluate_commands:calibrate_gate",
        "Propose how far to shift the gate for this project.",
    ),
}
GROUPS = {
    "capture": "Make memories of what a session or a document says.",
    "index": "Rebuild, check or search index.md, the list of all memories.",
    "sync": "Exchange memories with a team, through git or a PostgreSQL server.",
    "eval": "Measure recall on judged prompts.",
}
# What `cuecard --help` shows: under each heading the commands with their sentences, and then the names of further ones.
# A command that most people need every week has its sentence; the whole page has at most 45 lines.
HEADINGS = {
    "Start": (("init", "install", "doctor"), ("hosts", "uninstall", "mcp", "completion", "config")),
    "Ask": (("recall", "search", "list", "show", "why", "log"), ("stats", "replay", "focus", "timeline", "lineage")),
    "Write": (
        ("add", "update", "retire", "undo"),
        ("import", "export", "copy", "move", "restore", "history", "capture", "candidate"),
    ),
    "Review": (
        ("trust", "review", "wrong"),
        ("view", "browse", "good", "consolidate", "enrich", "allow", "share", "sync"),
    ),
    "Maintain": (("health", "gc"), ("stores", "merge", "merge-file", "index", "embed", "eval")),
}


def load(name: str) -> "Command":
    """The command with this full name, such as `index rebuild`."""
    module, _, function = COMMANDS[name][0].partition(":")
    found: Command = getattr(__import__(f"{__package__}.commands.{module}", fromlist=[function]), function)
    return found


def list_commands(group: str) -> list[tuple[str, str]]:
    """Name and sentence of each command of a group; for "" of each command without a group, then of each group."""
    if group:
        return [(name[len(group) + 1 :], row[1]) for name, row in COMMANDS.items() if name.startswith(f"{group} ")]
    return [(name, row[1]) for name, row in COMMANDS.items() if " " not in name] + list(GROUPS.items())


def list_headings() -> list[tuple[str, list[tuple[str, str]]]]:
    """Each heading of the program's help page, with its rows: name and sentence, and at last the further names.

    The further names stand behind `and:`, whose colon says that it is no command.
    """
    sentences = dict(list_commands(""))
    return [
        (heading, [*[(name, sentences[name]) for name in shown], ("and:", ", ".join(further))])
        for heading, (shown, further) in HEADINGS.items()
    ]


def find(word: str, group: str = "") -> str:
    """The full name of the command `word` of a group; "" means no group. Raises `UsageError` for an unknown command."""
    name = f"{group} {word}".lstrip()
    if name not in COMMANDS or (" " in name) != bool(group):
        raise no_such("command", word, [row[0] for row in list_commands(group)], f"{PROGRAM} {group}".rstrip())
    return name
