//! Finds the memories that forbid what a tool is about to add or to run (SPEC 40).

use crate::guard::forbidden_command::is_forbidden;
use crate::guard::shell_commands::{Script, read_script};
use crate::prompt::question::now_micros;
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory};
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::session::session_file::SessionFile;
use crate::store::folder::read_end_elsewhere;
use crate::tool::act::{Act, Change, Old};
use cuecard_core::memory::Standing;
use cuecard_core::memory::forbidden_code::{count_code, first_name, imported_modules, is_module, is_prose, names_in};
use cuecard_core::memory::forbids::{ForbidKind, Reach, covers, reach, read_forbids, split_forbid};
use cuecard_core::text::json_reader::{Json, read_json};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// How many memories speak at one act, and how many are read for that.
const MOST_BREACHES: usize = 3;
const MOST_LOOKS: usize = 16;
/// How many entries are searched in the texts of an act.
const MOST_SEARCHED: usize = 256;
/// How many bytes are read of a file that is replaced as a whole.
const MAX_OLD_BYTES: u64 = 1 << 20;
/// The categories that can forbid, the stricter one first.
const CATEGORIES: [&str; 2] = ["CONSTRAINT", "PREFERENCE"];
/// The ends of names of files that have commands, and what may stand before a command in a line of them.
const SCRIPTS: [&str; 12] =
    [".bash", ".cmd", ".fish", ".mk", ".ps1", ".sh", ".yaml", ".yml", ".zsh", "/Dockerfile", "/Makefile", "/justfile"];
const BEFORE_COMMANDS: [&str; 5] = ["- ", "@", "$ ", "RUN ", "CMD "];

/// An act that is looked at: what the tool does, the paths in the project of the files that it changes (`None` for other
/// files), and what its command runs and writes, with the paths in the project of folders and files.
pub(crate) struct Scene<'a> {
    pub(crate) act: &'a Act,
    pub(crate) paths: Vec<Option<String>>,
    pub(crate) cwd: &'a str,
    pub(crate) root: &'a Path,
    /// Returns the path in the project of a file or folder; "" for the project itself.
    pub(crate) locate: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) home: &'a str,
    pub(crate) project_dir: &'a str,
    /// The places of the stores whose rules name files as this scene does.
    pub(crate) stores: &'a [usize],
    /// What the command runs and writes, with the paths in the project of what it writes; read when it is needed.
    pub(crate) script: OnceCell<(Script, Vec<String>)>,
}

/// A memory that forbids an act.
pub(crate) struct Breach {
    /// The entry of the memory that the act breaks.
    pub(crate) entry: String,
    /// Stand in the session's file for every file or command of the act that the memory is about, so that it speaks once
    /// about each.
    pub(crate) keys: Vec<u32>,
}

/// An entry that occurs in an act.
struct Match {
    entry: String,
    kind: ForbidKind,
    /// The file in which the entry occurs; for a command that is run, its folder.
    place: String,
    /// Stands in the session's file for the file, or for the entry if the act runs a command.
    key: u32,
}

/// Returns the memories that speak at an act, at most three, and for each what is broken. Only a memory that the user
/// vouches for speaks, once in a session about each file or command.
pub(crate) fn find_breaches<S: AsRef<[u8]>>(
    files: &mut SnapshotRecall<'_, S>,
    scenes: &[Scene<'_>],
    session: &SessionFile,
) -> (Vec<RecalledMemory>, Vec<Breach>) {
    let mut breaches = Vec::new();
    let chosen = files.in_parts(|part| {
        if !part.is_first_part() {
            return Chosen::default();
        }
        let (memories, found): (Vec<_>, Vec<_>) = find_in_part(part, scenes, session).into_iter().unzip();
        breaches = found;
        Chosen { memories, ..Chosen::default() }
    });
    (chosen.memories, breaches)
}

fn find_in_part<S: AsRef<[u8]>>(
    files: &mut SnapshotRecall<'_, S>,
    scenes: &[Scene<'_>],
    session: &SessionFile,
) -> Vec<(RecalledMemory, Breach)> {
    let snapshot = files.snapshot;
    let mut matches: BTreeMap<u32, Vec<Match>> = BTreeMap::new();
    for scene in scenes {
        for found in scene.compare(&snapshot.forbids()) {
            let positions = snapshot.forbidding(&found.entry).into_iter();
            for position in positions.filter(|position| scene.stores.contains(&snapshot.store_of(*position))) {
                let found = Match { entry: found.entry.clone(), place: found.place.clone(), ..found };
                matches.entry(position).or_default().push(found);
            }
        }
    }
    let now = now_micros();
    let strictness = |category: &str| CATEGORIES.iter().position(|known| *known == category);
    let mut candidates: Vec<_> = matches
        .into_iter()
        .filter_map(|(position, found)| {
            let document = snapshot.document(position)?;
            let category = strictness(document.parts()?.category)?;
            Some((category, Reverse(document.updated_at), position, found))
        })
        .collect();
    candidates.sort_by_key(|(category, updated_at, position, _)| (*category, *updated_at, *position));
    let mut breaches = Vec::new();
    for (_, _, position, found) in candidates.into_iter().take(MOST_LOOKS) {
        if breaches.len() == MOST_BREACHES || files.successor(position) != position {
            continue;
        }
        let Some(verified) = files.verify(position).filter(|verified| verified.unreviewed.is_none()) else { continue };
        let holds = verified.document.validity.at(now) == Standing::Holds;
        let category = verified.document.parts().and_then(|parts| strictness(parts.category));
        if !holds || category.is_none() {
            continue;
        }
        let path = verified.document.path().to_owned();
        // The file may have changed since it was indexed; its own entries count, in its own order.
        let listed = read_forbids(&verified.record);
        let counts = |found: &&Match| {
            let place = reach(&verified.record, &found.place);
            let is_about_code = matches!(found.kind, ForbidKind::Code | ForbidKind::Import);
            let is_silent =
                place == Reach::Outside || (is_about_code && is_prose(&found.place) && place != Reach::Inside);
            !is_silent && !session.session.has_spoken(found.key, &path)
        };
        let of_entry = |entry| found.iter().filter(move |found| found.entry == entry);
        let broken: Vec<&Match> = listed.into_iter().flat_map(of_entry).filter(counts).collect();
        if let Some(first) = broken.first() {
            let keys: BTreeSet<u32> = broken.iter().map(|found| found.key).collect();
            let breach = Breach { entry: first.entry.clone(), keys: keys.into_iter().collect() };
            breaches.push((verified.found(Ranking::default()), breach));
        }
    }
    breaches
}

impl Scene<'_> {
    /// Whether one of some entries may occur in the act. It is false for nearly every act, in a fraction of the time that
    /// `compare` takes.
    pub(crate) fn may_break<'e>(&self, entries: impl Iterator<Item = &'e str>) -> bool {
        let names: HashSet<&str> = self.changes().flat_map(|(_, change)| names_in(&change.new)).collect();
        let has_commands = self.paths.iter().flatten().any(|path| has_scripts(path));
        let mut entries = entries.filter_map(split_forbid);
        entries.any(|(kind, text)| match kind {
            ForbidKind::Path => self.changed().any(|path| covers(text, path)),
            ForbidKind::Command => {
                has_commands || self.script().commands.iter().any(|(_, words)| is_forbidden(words, text))
            }
            _ => names.contains(first_name(text)),
        })
    }

    /// Returns the entries that occur in the act, each once with every file or folder in which it occurs.
    fn compare(&self, entries: &[&str]) -> Vec<Match> {
        let mut matches = Vec::new();
        if entries.is_empty() {
            return matches;
        }
        let mut names: HashSet<&str> = HashSet::new();
        for change in self.changes().map(|(_, change)| change) {
            names.extend(names_in(&change.new));
        }
        let mut searched = 0;
        for entry in entries {
            let Some((kind, text)) = split_forbid(entry) else { continue };
            let places = match kind {
                ForbidKind::Path => self.changed().filter(|path| covers(text, path)).cloned().collect(),
                ForbidKind::Command => {
                    let mut places = self.folders_of(text);
                    places.extend(self.find_changes(|path, new, old| {
                        has_scripts(path) && commands_in(new, text) > commands_in(old, text)
                    }));
                    places
                }
                _ if searched == MOST_SEARCHED || !names.contains(first_name(text)) => Vec::new(),
                ForbidKind::Code => {
                    searched += 1;
                    self.find_changes(|_, new, old| {
                        let count = count_code(new, text);
                        count > 0 && count > count_code(old, text)
                    })
                }
                ForbidKind::Import => {
                    searched += 1;
                    self.find_changes(|path, new, old| {
                        let count =
                            |of: &str| imported_modules(of, path).iter().filter(|name| is_module(name, text)).count();
                        let new = count(new);
                        new > 0 && new > count(old)
                    })
                }
            };
            let is_run = kind == ForbidKind::Command && !self.act.script.is_empty();
            for place in places {
                let key = crc32fast::hash(if is_run { entry.as_bytes() } else { place.as_bytes() });
                matches.push(Match { entry: (*entry).to_owned(), kind, place, key });
            }
        }
        matches
    }

    /// What the command runs.
    fn script(&self) -> &Script {
        &self.read().0
    }

    /// The paths in the project of the files that the act changes.
    fn changed(&self) -> impl Iterator<Item = &String> {
        self.paths.iter().flatten().chain(&self.read().1)
    }

    fn read(&self) -> &(Script, Vec<String>) {
        self.script.get_or_init(|| {
            if self.act.script.is_empty() {
                return <_>::default();
            }
            let script = read_script(&self.act.script, self.cwd, self.home, self.project_dir);
            let written = script.writes.iter().filter_map(|(_, path)| (self.locate)(path));
            let written = written.filter(|path| !path.is_empty()).collect();
            (script, written)
        })
    }

    /// The changes of files in the project, each with the path of its file.
    fn changes(&self) -> impl Iterator<Item = (&str, &Change)> {
        let edits = self.act.edits.iter().zip(&self.paths);
        edits.flat_map(|(edit, path)| {
            path.iter().flat_map(|path| edit.changes.iter().map(|change| (path.as_str(), change)))
        })
    }

    /// The paths of the files with a change for which `is_broken(path, new text, old text)` is true. The old text is asked
    /// for only if the new one alone would break the rule.
    fn find_changes(&self, is_broken: impl Fn(&str, &str, &str) -> bool) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (path, change) in self.changes() {
            if found.iter().all(|known| known != path)
                && is_broken(path, &change.new, "")
                && is_broken(path, &change.new, &self.old_text(path, &change.old))
            {
                found.push(path.to_owned());
            }
        }
        found
    }

    /// The text that a change replaces. After a tool has run, the file has the new text already.
    fn old_text<'t>(&self, path: &str, old: &'t Old) -> Cow<'t, str> {
        let read = || {
            let data = read_end_elsewhere(&self.root.join(path), MAX_OLD_BYTES).unwrap_or_default();
            String::from_utf8_lossy(&data).into_owned()
        };
        match old {
            Old::Text(text) => Cow::Borrowed(text),
            _ if self.act.is_over => Cow::Borrowed(""),
            Old::File => Cow::Owned(read()),
            Old::Cell(id) => Cow::Owned(cell_of(&read(), id)),
        }
    }

    /// The folders, in the project, in which a script runs a forbidden command; "" for the project itself.
    fn folders_of(&self, forbidden: &str) -> Vec<String> {
        let commands = self.script().commands.iter().filter(|(_, words)| is_forbidden(words, forbidden));
        let place = |folder: &str| if folder.contains('\0') { Some(String::new()) } else { (self.locate)(folder) };
        let mut folders: Vec<String> = Vec::new();
        for folder in commands.filter_map(|(folder, _)| place(folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }
}

/// The text of a notebook's cell; empty if there is none with this id.
fn cell_of(notebook: &str, id: &str) -> String {
    let Ok(notebook) = read_json(notebook.as_bytes()) else { return String::new() };
    let Some(Json::List(cells)) = notebook.get("cells") else { return String::new() };
    let cell = cells.iter().find(|cell| cell.get("id").and_then(Json::as_text) == Some(id));
    match cell.and_then(|cell| cell.get("source")) {
        Some(Json::Text(text)) => text.clone(),
        Some(Json::List(lines)) => lines.iter().filter_map(Json::as_text).collect(),
        _ => String::new(),
    }
}

/// Whether a file has commands of a shell.
fn has_scripts(path: &str) -> bool {
    let path = format!("/{path}");
    SCRIPTS.iter().any(|end| path.ends_with(end))
}

/// How many commands of a file are a forbidden one.
fn commands_in(text: &str, forbidden: &str) -> usize {
    if text.is_empty() {
        return 0;
    }
    let lines: Vec<&str> = text.split('\n').map(command_of_line).collect();
    let script = read_script(&lines.join("\n"), "/", "", "");
    script.commands.iter().filter(|(_, words)| is_forbidden(words, forbidden)).count()
}

/// A line without what stands before its command: the marks of lists, of Make and of Docker, and one name with a colon.
fn command_of_line(line: &str) -> &str {
    let mut line = line.trim_start_matches([' ', '\t']);
    while let Some(rest) = BEFORE_COMMANDS.iter().find_map(|begin| line.strip_prefix(begin)) {
        line = rest;
    }
    match line.split_once(": ") {
        Some((name, rest))
            if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) =>
        {
            rest
        }
        _ => line,
    }
}
