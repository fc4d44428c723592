"""Files of a store are only opened through the open folder, so that no link in a store can lead elsewhere."""

import ast
from collections.abc import Iterator
from pathlib import Path

import cuecard

PACKAGE = Path(cuecard.__path__[0])

OF_OS = frozenset(
    "chmod chown fwalk lchmod link listdir makedirs mkdir mkfifo mknod open popen readlink remove removedirs rename"
    " renames replace rmdir scandir symlink truncate unlink utime walk".split()
)
OF_SHUTIL = frozenset("chown copy copy2 copyfile copymode copystat copytree move rmtree unpack_archive".split())
OF_PATH = frozenset(
    "chmod glob hardlink_to iterdir link_to mkdir open read_bytes read_text readlink rglob rmdir symlink_to"
    " touch unlink write_bytes write_text".split()
)
OTHERS = frozenset({"mmap", "read_bounded", "sqlite3.connect", "tempfile", "atomic.replace"})
# Objects and modules whose `open` does not open a file by its path.
HARMLESS_OPEN = frozenset({"Layout", "OtherWords", "Segment", "Snapshot", "StaticTable", "io", "Image"})

ALLOWED = {
    # The open folder itself, and modules that use only the open folder.
    "files/folder.py": "opens, lists, renames and removes by descriptor",
    "files/folder_by_path.py": "does the same by checked paths where there are no such calls",
    "files/open_folder.py": "opens the folder that others are opened from",
    "files/store_files.py": "has the one function that reads a path the user or another program chose",
    "files/data_folder.py": "makes the user's data folder, to which the user's own path leads",
    "viewer/app.py": "reads the files of the page, which are part of the package",
    "viewer/server.py": "opens the browser at the page's own address",
    # Modules that read files of the user or of other programs; no store can choose the paths of these files.
    "_pure/situation/git_state.py": "reads git's own files",
    "_pure/situation/transcript_place.py": "looks for a transcript in the folder of a host program",
    "files/checkouts.py": "reads git's own files",
    "files/user_settings.py": "reads the user's configuration",
    "files/scopes.py": "lists the packs in the user's data folder, and reads which version counts",
    "store/scopes/scope_choice.py": "makes the folder of the user's own store",
    "store/scopes/moved_data.py": "moves files within the user's data folder",
    "observe/doctor/environment.py": "reads the settings of host programs, and only reports what they set",
    "hosts/programs/claude_plugin.py": "copies the plugin of the checkout that this program was installed from",
    "files/schemas.py": "reads the schemas of this package",
    "store/intake/secret_rules.py": "reads tables of this package",
    "store/merging/driver.py": "reads the temporary files that git hands to its merge driver",
    "store/settings/settings_edit.py": "makes the folder of the user's configuration",
    "_pure/settings/settings_files.py": "reads the user's configuration and a file that the user names",
    "store/backup/restore.py": "reads an export that the user names",
    "store/trust/signatures.py": "reads a key that the user names, and gives git an empty file of its own",
    "_pure/prompt/hook_log.py": "makes the folder of a log that the user names",
    "observe/doctor/consent.py": "looks at the hook's program",
    "observe/doctor/installation.py": "looks at this package's own files",
    "observe/doctor/pointers.py": "hashes a document inside of the project, which no link leads out of",
    "observe/doctor/project.py": "reads the log, which lies with the user",
    "store/log/events.py": "wraps a descriptor that the open folder gave",
    "mcp/status_tool.py": "reads the log, which lies with the user",
    "_pure/index/index_file.py": "maps the file of a plain index, which the user names",
    "_pure/settings/table.py": "reads a table of this package",
    "hook.py": "reads the text of its help from this package",
    "capture/triage/conversation.py": "reads the host's transcript",
    "capture/ledger/transcript_lines.py": "reads the host's transcript",
    "capture/guidance.py": "reads texts of this package",
    "capture/ledger/request.py": "reads a text of this package",
    "importers/readers/claude_mem.py": "reads a database that the user names",
    "importers/pointers.py": "reads what the user imports, to hash it",
    "importers/source.py": "reads what the user imports",
    "importers/agent_work.py": "reads what the user imports, once more",
    "importers/discovery.py": "lists the folders of host programs, and follows no link there",
    "importers/sessions/transcript.py": "reads a transcript that the user names",
    "cli/commands/candidate_command.py": "reads a file that the user names",
    "cli/commands/maintain/merge_command.py": "merges the files that git names",
    "cli/terminal.py": "opens the null device",
    "cli/commands/write_commands.py": "removes the text that the user has edited",
    "cli/commands/review/review_command.py": "removes the text that the user has edited",
    "cli/text_input.py": "reads a file that the user names",
    "evaluate/json_lines.py": "reads and writes files that the user names",
    "evaluate/holdout_store.py": "makes a store of its own in a temporary folder",
    "evaluate/transcript.py": "reads transcripts that the user names",
    "hosts/programs/claude_mod.py": "reads what a host program keeps for the mod",
    "hosts/programs/claude_code.py": "reads the settings of a host program",
    "hosts/programs/cline.py": "looks for the extensions of a host program",
    "hosts/programs/codex.py": "reads the settings of a host program",
    "hosts/shown_files.py": "reads what a host shows its agent, in the project only where no link leads out",
    "hosts/foreign_settings.py": "reads the settings of a host program",
    "hosts/installation.py": "writes the settings of host programs, at places that the host defines",
    "models/endpoints/allowed_places.py": "reads the user's list of places",
    "models/endpoints/allowed_hosts.py": "keeps the user's list of places",
    "models/embedders/e5_package.py": "lists the folder of an installed package",
    "models/embedders/model_files.py": "reads a model that the user's settings name",
    "basics/tables.py": "reads the tables of the package itself",
    "sync/git_remote.py": "keeps git's objects of a team in the user's data folder",
    "sync/pack.py": "removes a pack in the user's data folder, and gives its files a second name there",
    "sync/postgres_server.py": "reads the tables' statements of this package",
    "sync/team_state.py": "keeps a database in the user's data folder",
    "sync/teams.py": "removes what was noted about a team in the user's data folder",
}


def find_uses(source: str) -> Iterator[tuple[int, str]]:
    """The line number and name of every call that uses a file by its path."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name):
            if function.id == "open" or function.id in OTHERS:
                yield node.lineno, function.id
        elif isinstance(function, ast.Attribute):
            name = function.attr
            owner = function.value.id if isinstance(function.value, ast.Name) else ""
            # These methods of texts and open folders have two arguments; the methods of paths have one.
            is_moved = name in ("rename", "replace") and len(node.args) == 1 and not node.keywords
            is_open = name == "open" and owner not in HARMLESS_OPEN
            if (
                (owner == "os" and name in OF_OS)
                or (owner == "shutil" and name in OF_SHUTIL)
                or f"{owner}.{name}" in OTHERS
                or is_open
                or (name in OF_PATH - {"open"} and owner not in ("os", "consolidation"))
                or is_moved
            ):
                yield node.lineno, f"{owner}.{name}" if owner else name


def test_no_other_module_reaches_files_by_their_paths() -> None:
    found: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        uses = [f"line {line}: {use}" for line, use in find_uses(file.read_text(encoding="utf-8"))]
        if uses:
            found[name] = uses
    unexpected = {name: uses for name, uses in found.items() if name not in ALLOWED}
    assert not unexpected, "use `files.folder.Folder`, which follows no links"
    assert sorted(set(ALLOWED) - set(found)) == [], "these entries are not needed"


def test_the_check_sees_what_it_should() -> None:
    seen = [
        "open(path)",
        "os.open(path, 0)",
        "os.scandir(path)",
        "os.replace(a, b)",
        "shutil.rmtree(path)",
        "Path(path).open()",
        "path.read_bytes()",
        "(folder / name).write_text(text)",
        "path.unlink(missing_ok=True)",
        "temporary.replace(target)",
        "read_bounded(path, 10)",
        "mmap(handle, 0)",
    ]
    unseen = [
        "text.replace(a, b)",
        "Snapshot.open(path)",
        "os.path.join(a, b)",
        "folder.read(name, 10)",
        "os.read(1, 2)",
    ]
    assert [code for code in seen if not list(find_uses(code))] == []
    assert [code for code in unseen if list(find_uses(code))] == []
