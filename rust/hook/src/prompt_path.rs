//! A prompt's way from payload to printed block, stage by stage (SPEC 14.1).

use crate::environment::Environment;
use crate::files::{Containment, MAX_RECORD_BYTES, Unread, read_bounded};
use crate::freshness;
use crate::index_md::{self, MAX_INDEX_BYTES, NewIndex};
use crate::root::{self, Project};
use crate::snapshot_file::{self, NewFile};
use crate::snapshot_recall::SnapshotRecall;
use cuecard_core::{
    Config, Entry, Form, Host, IndexLine, IndexMd, LexicalConfig, Query, Scored, Strategy, check_record, is_too_short,
    parse_index_line, read_config, read_lexical_config, read_payload, render,
};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// So many members of the shortlist have their files read.
pub(crate) const DEEP_CHECK_LIMIT: usize = 20;
/// More memories than these are not read within a prompt: an old index answers, and a command brings it up to date.
const HEAL_LIMIT: usize = 1000;

/// What the hook does about a prompt.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// What it prints.
    pub(crate) stdout: String,
    /// What it logs.
    pub(crate) notes: Vec<String>,
    /// The index that it writes after printing.
    pub(crate) rebuilt_index: Option<NewIndex>,
    /// The snapshot's files that it writes after printing.
    pub(crate) new_files: Vec<NewFile>,
    /// The store that was asked.
    pub(crate) memory_dir: Option<PathBuf>,
}

/// The answer to a payload.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment) -> Answer {
    let mut answer = Answer::default();
    match run(payload, host, environment, &mut answer) {
        Ok(stdout) => answer.stdout = stdout.unwrap_or_default(),
        Err(problem) => answer.notes.push(problem),
    }
    answer
}

/// The text to print; `None` where there is nothing to say, an error where something is wrong.
fn run(payload: &[u8], host: Host, environment: &Environment, answer: &mut Answer) -> Result<Option<String>, String> {
    let payload = read_payload(payload).map_err(|error| error.to_string());
    let cwd = payload.as_ref().ok().and_then(|payload| payload.cwd.clone()).filter(|cwd| !cwd.is_empty());
    let cwd = cwd.unwrap_or_else(|| ".".into());
    let cwd = root::normalize(&std::path::absolute(cwd).map_err(|_| "the working directory is gone")?);
    let project = root::find(&cwd, environment);
    answer.memory_dir = project.as_ref().ok().and_then(Option::as_ref).map(|project| project.memory_dir.clone());
    let payload = payload?;
    let Some(project) = project? else { return Ok(None) };
    if is_too_short(&payload.prompt) {
        return Ok(None);
    }

    let (config, lexical) = load_config(&project.memory_dir, environment, &mut answer.notes);
    if !config.enabled || config.max_inject == 0 {
        return Ok(None);
    }
    let prints_classic = environment.output.as_deref() == Some("classic");
    let is_classic = prints_classic || config.strategy == Strategy::KeywordClassic;
    let block = |hits: &[Entry<'_>]| {
        if hits.is_empty() {
            None
        } else if prints_classic {
            Some(render(hits, &config.descriptions, Form::Classic, usize::MAX))
        } else {
            Some(host.write_answer(&render(hits, &config.descriptions, Form::Safe, host.budget_chars())))
        }
    };
    if !is_classic {
        if let Some(loaded) = snapshot_file::load(&project, &lexical.settings) {
            answer.notes.extend(loaded.notes);
            answer.new_files = loaded.new_files;
            answer.rebuilt_index = loaded.new_index;
            let mut recall = SnapshotRecall::new(&project, &loaded.snapshot, &config, &lexical, &mut answer.notes);
            let shown = recall.choose(&payload.prompt);
            let lines: Vec<_> = shown.iter().filter_map(|line| parse_index_line(line).ok()).collect();
            return Ok(block(&lines.iter().map(IndexLine::as_entry).collect::<Vec<_>>()));
        }
        answer.notes.push("there is no snapshot; `cuecard index rebuild` makes one".into());
    }
    let Some(index) = load_index(&project, answer)? else { return Ok(None) };
    let query = Query::new(&payload.prompt, config.strategy.revision(), &config.descriptions);
    let shortlist = index.shortlist(query);
    let files = MemoryFiles::new(&project, is_classic, &mut answer.notes);
    Ok(block(&choose(&index, &shortlist, files, config.max_inject)))
}

fn load_config(memory_dir: &Path, environment: &Environment, notes: &mut Vec<String>) -> (Config, LexicalConfig) {
    let (mut config, lexical) = match read_bounded(&memory_dir.join("memory-config.json"), MAX_CONFIG_BYTES) {
        Ok(data) => (read_config(&data), read_lexical_config(&data)),
        Err(Unread::Missing) => Default::default(),
        Err(unread) => {
            let problems = vec![format!("the file {}; using the defaults", unread.words())];
            (Config { problems, ..Config::default() }, LexicalConfig::default())
        }
    };
    notes.extend(
        config.problems.iter().chain(&lexical.problems).map(|problem| format!("memory-config.json: {problem}")),
    );
    if let Some(name) = &environment.strategy {
        match Strategy::find(name) {
            Some(strategy) => config.strategy = strategy,
            None => {
                notes.push(format!("`CUECARD_STRATEGY` is not a known strategy; using `{}`", config.strategy.name()));
            }
        }
    }
    if environment.output.as_deref().is_some_and(|output| output != "classic") {
        notes.push("`CUECARD_OUTPUT` is not `classic`; ignoring it".into());
    }
    (config, lexical)
}

/// The index, rebuilt where it is missing, or stale with at most `HEAL_LIMIT` memories; `None` without memories.
fn load_index(project: &Project, answer: &mut Answer) -> Result<Option<IndexMd>, String> {
    let path = project.memory_dir.join("index.md");
    let times = freshness::folder_times(project);
    let (mut data, is_missing) = match read_bounded(&path, MAX_INDEX_BYTES) {
        Ok(data) => (data, false),
        Err(Unread::Missing) => (Vec::new(), true),
        Err(unread) => return Err(format!("index.md {}", unread.words())),
    };
    let mut is_stale = !is_missing && freshness::is_stale(project, &times);
    if is_stale && index_md::list_records(project).len() > HEAL_LIMIT {
        let note = "index.md is older than the memories; `cuecard index rebuild` brings it up to date";
        answer.notes.push(note.into());
        is_stale = false;
    }
    if is_missing || is_stale {
        let rebuilt = index_md::rebuild(project);
        let left_out = |(path, reason): &(String, _)| format!("left `{path}` out of index.md: {reason}");
        answer.notes.extend(rebuilt.skipped.iter().map(left_out));
        if is_missing && rebuilt.text.is_empty() {
            return Ok(None);
        }
        let made = freshness::watermark(&times);
        answer.rebuilt_index = Some(NewIndex { path, text: rebuilt.text.clone(), made });
        if is_missing && rebuilt.is_damaged {
            return Ok(None);
        }
        data = rebuilt.text.into_bytes();
    }
    let index = IndexMd::parse(data);
    if let [(line, reason), ..] = index.bad_lines() {
        let count = index.bad_lines().len();
        answer.notes.push(format!("index.md: {count} bad lines, the first is line {line} (`{}`)", reason.name()));
    }
    Ok((!index.is_empty()).then_some(index))
}

/// The best memories after the deep check, at most `limit` (SPEC 8).
///
/// None of them is outside the store, retired or gone; where the plugin's own answer is asked for, no file beyond the
/// deep check is read, and what is gone counts.
fn choose<'a>(index: &'a IndexMd, shortlist: &[Scored], mut files: MemoryFiles, limit: usize) -> Vec<Entry<'a>> {
    let checked = shortlist.len().min(DEEP_CHECK_LIMIT);
    let verdicts: Vec<_> = shortlist
        .iter()
        .take(checked)
        .map(|hit| index.entry(hit.position).and_then(|entry| files.check(entry.path)))
        .collect();
    let is_checked = |hit: &Scored| shortlist.iter().take(checked).any(|other| other.position == hit.position);
    index
        .rank(shortlist, &verdicts)
        .iter()
        .filter_map(|hit| index.entry(hit.position).map(|entry| (hit, entry)))
        .filter(|(hit, entry)| is_checked(hit) || files.is_shown(entry.path))
        .take(limit)
        .map(|(_, entry)| entry)
        .collect()
}

/// What the files of a project's memories say about showing them.
struct MemoryFiles<'a> {
    containment: Containment,
    /// Whether the memories are those that the claude-memory plugin shows, the deleted ones too.
    is_classic: bool,
    notes: &'a mut Vec<String>,
    now: i64,
}

impl<'a> MemoryFiles<'a> {
    fn new(project: &Project, is_classic: bool, notes: &'a mut Vec<String>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        Self { containment: Containment::new(&project.root, &project.memory_dir), is_classic, notes, now }
    }

    /// The points that a file gives its memory; `None` where it must not be shown.
    fn check(&mut self, path: &str) -> Option<i64> {
        let Some(located) = self.containment.locate(path) else {
            self.notes.push(format!("`{path}` is outside the store"));
            return None;
        };
        match read_bounded(&located, MAX_RECORD_BYTES) {
            Ok(data) => check_record(&data, self.now, !self.is_classic),
            Err(unread) => {
                self.notes.push(format!("`{path}` {}", unread.words()));
                (unread != Unread::Missing || self.is_classic).then_some(0)
            }
        }
    }

    /// Whether a memory beyond the deep check may be shown.
    fn is_shown(&mut self, path: &str) -> bool {
        if self.is_classic { self.containment.locate(path).is_some() } else { self.check(path).is_some() }
    }
}
