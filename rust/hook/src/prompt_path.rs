//! A prompt's way from payload to printed block, stage by stage (SPEC 14.1).

use crate::environment::Environment;
use crate::files::{Unread, read_bounded};
use crate::index_md::NewIndex;
use crate::index_recall::{MemoryFiles, choose, load_index};
use crate::root;
use crate::session_file::SessionFile;
use crate::snapshot_file::{self, NewFile};
use crate::snapshot_recall::{Settings, SnapshotRecall};
use cuecard_core::{
    Config, Entry, Form, Host, IndexLine, LexicalConfig, Query, RecallConfig, Strategy, is_machine_made,
    is_slash_command, is_too_short, parse_index_line, read_config, read_lexical_config, read_payload,
    read_recall_config, render,
};
use std::path::{Path, PathBuf};

const MAX_CONFIG_BYTES: u64 = 1 << 20;

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
    /// What the session has been asked and shown, written after printing.
    pub(crate) session: Option<SessionFile>,
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
    let cwd = payload.as_ref().ok().and_then(|payload| payload.cwd.as_deref());
    let project = root::find_from(cwd, environment);
    answer.memory_dir = project.as_ref().ok().and_then(Option::as_ref).map(|project| project.memory_dir.clone());
    let payload = payload?;
    let Some(project) = project? else { return Ok(None) };
    if is_slash_command(&payload.prompt) || is_machine_made(&payload.prompt) {
        return Ok(None);
    }
    let session = SessionFile::load(&project.memory_dir, payload.session_id.as_deref());
    let is_short = is_too_short(&payload.prompt);
    if is_short && !session.as_ref().is_some_and(|file| file.session.is_continued_by(&payload.prompt)) {
        return Ok(None);
    }

    let (config, lexical, recall) = load_config(&project.memory_dir, environment, &mut answer.notes);
    if !config.enabled || config.max_inject == 0 {
        return Ok(None);
    }
    let prints_classic = environment.output.as_deref() == Some("classic");
    let is_classic = prints_classic || config.strategy == Strategy::KeywordClassic;
    let session = session.filter(|_| recall.session && !is_classic);
    if is_short && (session.is_none() || config.strategy != Strategy::Hybrid) {
        return Ok(None);
    }
    let block = |hits: &[Entry<'_>]| match (hits, prints_classic) {
        ([], _) => String::new(),
        (_, true) => render(hits, &config.descriptions, Form::Classic, usize::MAX),
        (_, false) => render(hits, &config.descriptions, Form::Safe, host.budget_chars()),
    };
    let transformed = payload.transformed_prompt.as_deref();
    let print = |block: String| if prints_classic { block } else { host.write_answer(&block, transformed) };
    if !is_classic {
        if let Some(loaded) = snapshot_file::load(&project, &lexical.settings) {
            answer.notes.extend(loaded.notes);
            answer.new_files = loaded.new_files;
            answer.rebuilt_index = loaded.new_index;
            let settings = Settings { config: &config, lexical: &lexical, recall: &recall };
            let mut search = SnapshotRecall::new(&project, &loaded.snapshot, settings, &mut answer.notes);
            let history = session.as_ref().map_or(&[][..], |file| &file.session.prompts);
            let mut shown = search.choose(&payload.prompt, history);
            let is_kept = host.keeps_context();
            shown.retain(|memory| !is_kept || session.as_ref().is_none_or(|file| file.lacks(memory)));
            let lines: Vec<_> = shown.iter().filter_map(|memory| parse_index_line(&memory.line).ok()).collect();
            let block = block(&lines.iter().map(IndexLine::as_entry).collect::<Vec<_>>());
            let lines_of_block = block.lines().count();
            let stdout = print(block);
            if let Some(mut file) = session {
                // Between its first line and its last the block has one for each memory that fits.
                let count = if stdout.is_empty() || !is_kept { 0 } else { lines_of_block.saturating_sub(2) };
                file.note(shown.get(..count).unwrap_or_default());
                if !is_short {
                    file.session.prompts.push(payload.prompt.clone());
                }
                answer.session = Some(file);
            }
            return Ok(Some(stdout));
        }
        answer.notes.push("there is no snapshot; `cuecard index rebuild` makes one".into());
    }
    let Some(index) = load_index(&project, answer)? else { return Ok(None) };
    let query = Query::new(&payload.prompt, config.strategy.revision(), &config.descriptions);
    let shortlist = index.shortlist(query);
    let files = MemoryFiles::new(&project, is_classic, &mut answer.notes);
    Ok(Some(print(block(&choose(&index, &shortlist, files, config.max_inject)))))
}

/// The settings of a store, the environment's put before the file's.
fn load_config(
    memory_dir: &Path,
    environment: &Environment,
    notes: &mut Vec<String>,
) -> (Config, LexicalConfig, RecallConfig) {
    let (mut config, lexical, recall) = match read_bounded(&memory_dir.join("memory-config.json"), MAX_CONFIG_BYTES) {
        Ok(data) => (read_config(&data), read_lexical_config(&data), read_recall_config(&data)),
        Err(Unread::Missing) => Default::default(),
        Err(unread) => {
            let problems = vec![format!("the file {}; using the defaults", unread.words())];
            (Config { problems, ..Config::default() }, LexicalConfig::default(), RecallConfig::default())
        }
    };
    let problems = config.problems.iter().chain(&lexical.problems).chain(&recall.problems);
    notes.extend(problems.map(|problem| format!("memory-config.json: {problem}")));
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
    (config, lexical, recall)
}
