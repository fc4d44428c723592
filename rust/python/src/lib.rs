//! The extension module `cuecard._native`: the engine for Python, and the parts of the core that Python needs to be
//! fast.
//!
//! It only converts arguments, results and errors. `_native.pyi` documents the functions; `cuecard._pure` implements
//! the same functions in Python. `parts` contains rules that Python code implements too, for the parity tests.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands over what it has converted")]

mod convert;
mod engine;
mod forbidden;
mod index_file;
mod index_input;
mod index_md;
mod loaded;
mod mapped;
mod models;
mod packing;
mod plain_index;
mod recalled_memory;
mod request;
mod session;
mod settings;
mod snapshot;
mod trust;

use convert::{Raised, Text, pairs};
use cuecard_core as core;
use cuecard_core::classic::RecordFile;
use cuecard_core::memory::Entry;
use cuecard_core::memory::Problem;
use cuecard_core::present::Form;
use cuecard_core::settings::Strategy;
use cuecard_core::text::Revision;
use cuecard_engine::host::Host;
use cuecard_engine::tool::tool_context::ToolEvent;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::cell::RefCell;

type Line = (String, String, String, Vec<String>);
// The moment of a tool event, its subject, the working directory and the session.
type ToolEventRow = (&'static str, String, Option<String>, Option<String>);

#[pyfunction]
fn tokenize(text: Text, revision: Text) -> Result<Vec<String>, Raised> {
    Ok(core::text::tokenize(&text, Revision::from_name(&revision)?))
}

#[pyfunction]
fn parse_index_line(line: Text) -> Option<Line> {
    let parts = core::memory::parse_index_line(&line).ok()?;
    let tags = parts.tags.into_iter().map(std::borrow::Cow::into_owned).collect();
    Some((parts.category.into(), parts.title.into(), parts.path.into(), tags))
}

#[pyfunction]
fn score_entry(prompt: Text, title: Text, tags: Vec<Text>, revision: Text) -> Result<i64, Raised> {
    let tags: Vec<String> = tags.into_iter().map(Text::into_string).collect();
    Ok(core::classic::score_entry(&prompt, &title, &tags, Revision::from_name(&revision)?))
}

#[pyfunction]
fn score_description(prompt: Text, description: Text, revision: Text) -> Result<i64, Raised> {
    Ok(core::classic::score_description(&prompt, &description, Revision::from_name(&revision)?))
}

#[pyfunction]
fn parse_timestamp(text: Text) -> Option<i64> {
    core::text::parse_timestamp(&text)
}

#[pyfunction]
fn gist_of_file(data: &[u8]) -> String {
    core::memory::gist_of_file(data)
}

#[pyfunction]
fn instruction_signs(text: Text) -> Vec<&'static str> {
    core::memory::instruction_signs(&text)
}

#[pyfunction]
fn withholding_signs(text: Text) -> Vec<&'static str> {
    core::memory::withholding_signs(&text)
}

#[pyfunction]
fn may_have_secret(text: Text) -> bool {
    core::rank::cues::may_have_secret(&text)
}

#[pyfunction]
fn legible_note(note: Text) -> String {
    core::text::possible_secret::legible_note(&note)
}

#[pyfunction]
fn estimate_tokens(text: Text) -> usize {
    core::text::estimate_tokens(&text)
}

#[pyfunction]
#[pyo3(signature = (data, now, only_active = false))]
fn check_record(data: &[u8], now: i64, only_active: bool) -> Option<i64> {
    core::classic::check_record(data, now, only_active)
}

#[pyfunction]
fn legible_path(path: Text) -> String {
    core::text::sanitize::legible_path(&path)
}

#[pyfunction]
fn sanitize_title(text: Text) -> String {
    core::text::sanitize_title(&text)
}

#[pyfunction]
#[pyo3(signature = (entries, descriptions, form, budget_chars, labels = Vec::new()))]
fn render(
    entries: Vec<(Text, Text, Text, Vec<Text>)>,
    descriptions: Vec<(Text, Text)>,
    form: Text,
    budget_chars: usize,
    labels: Vec<Text>,
) -> Result<String, Raised> {
    let form = Form::from_name(&form)?;
    let entries: Vec<Entry<'_>> = entries
        .iter()
        .map(|(category, title, path, tags)| Entry {
            category,
            title,
            path,
            tags: tags.iter().map(|tag| &**tag).collect(),
            line: 0,
        })
        .collect();
    let labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
    Ok(core::present::render(&entries, &pairs(descriptions), form, budget_chars, &labels))
}

#[pyfunction]
fn find_strategy(name: Text) -> Option<&'static str> {
    Strategy::find(&name).map(Strategy::name)
}

#[pyfunction]
fn revision_of(strategy: Text) -> Result<&'static str, Raised> {
    Ok(Strategy::from_name(&strategy)?.revision().name())
}

type Payload = (String, Option<String>, Option<String>, Option<String>, Option<String>);

#[pyfunction]
fn read_payload(data: &[u8]) -> Result<Payload, Raised> {
    let payload = cuecard_engine::host::read_payload(data, Host::default())?;
    Ok((payload.prompt, payload.cwd, payload.session_id, payload.transformed_prompt, payload.transcript_path))
}

#[pyfunction]
fn prompt_source(data: &[u8], host: Text) -> Result<&'static str, Raised> {
    Ok(cuecard_engine::host::read_payload(data, Host::from_name(&host)?)?.source.name())
}

#[pyfunction]
fn is_slash_command(prompt: Text) -> bool {
    cuecard_engine::host::is_slash_command(&prompt)
}

#[pyfunction]
fn keeps_context(host: Text) -> Result<bool, Raised> {
    Ok(Host::from_name(&host)?.keeps_context())
}

#[pyfunction]
fn typed_text(text: Text) -> String {
    cuecard_engine::host::typed_text(&text).into_owned()
}

#[pyfunction]
fn is_too_short(prompt: Text) -> bool {
    cuecard_engine::host::is_too_short(&prompt)
}

#[pyfunction]
fn budget_of(host: Text) -> Result<usize, Raised> {
    Ok(Host::from_name(&host)?.budget_chars())
}

#[pyfunction]
#[pyo3(signature = (block, host, transformed_prompt=None))]
fn write_answer(block: Text, host: Text, transformed_prompt: Option<Text>) -> Result<Vec<u8>, Raised> {
    Ok(Host::from_name(&host)?.write_answer(&block, transformed_prompt.as_deref()).into_bytes())
}

#[pyfunction]
fn shows_notices(host: Text) -> Result<bool, Raised> {
    Ok(Host::from_name(&host)?.shows_notices())
}

#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "what Python hands over")]
fn add_notice(answer: Vec<u8>, notice: Vec<u8>, host: Text) -> Result<Vec<u8>, Raised> {
    let answer = String::from_utf8_lossy(&answer).into_owned();
    Ok(Host::from_name(&host)?.add_notice(answer, &notice).into_bytes())
}

type Rebuilt = (String, Vec<(String, &'static str)>, bool);

#[pyfunction]
fn rebuild_index(records: Vec<(Text, Text, Option<Vec<u8>>)>) -> Rebuilt {
    let records: Vec<RecordFile> = records
        .into_iter()
        .map(|(category, path, data)| RecordFile { category: category.into_string(), path: path.into_string(), data })
        .collect();
    let rebuilt = core::classic::rebuild_index(&records);
    (rebuilt.text, rebuilt.skipped, rebuilt.is_damaged)
}

#[pyfunction]
fn nearest_rows(py: Python<'_>, rows: PyBackedBytes, dimension: usize, query: &[u8], k: usize) -> Vec<(u32, i64)> {
    py.detach(|| core::retrieve::nearest_rows(&rows, dimension, query, k))
}

#[pyfunction]
fn document_row(title: Text, tags: Text, body: Text) -> (Vec<i8>, u32) {
    let (row, norm) = core::index::vectors::RowMaker::default().document_row(&title, &tags, &body);
    (row.map(|value| i8::from_ne_bytes([value])).to_vec(), norm)
}

/// The actions of a tool, each with the path or the command.
type Writes = Vec<(&'static str, String)>;

#[pyfunction]
fn read_tool_use(data: &[u8]) -> Result<(Writes, Option<String>), Raised> {
    let event = cuecard_engine::tool_use::read_tool_use(data)?;
    Ok((event.uses, event.cwd))
}

#[pyfunction]
fn find_writes(action: Text, subject: Text, cwd: Text, home: Text, project: Text) -> Writes {
    cuecard_engine::guard::shell_commands::find_writes(&action, &subject, &cwd, &home, &project)
}

#[pyfunction]
fn judge_write(path: Text, action: Text, exists: bool) -> Option<String> {
    cuecard_engine::guard::refusal::judge_write(&path, &action, exists)
}

#[pyfunction]
fn judge_target(target: Text, given: Text, action: Text, exists: bool) -> Option<String> {
    cuecard_engine::guard::refusal::judge_target(&target, &given, &action, exists)
}

#[pyfunction]
fn find_store_part(path: Text) -> Option<String> {
    cuecard_engine::store::store_path::find_store_part(&path)
}

#[pyfunction]
fn write_refusal(host: Text, decision: Text, reason: Text) -> Result<Vec<u8>, Raised> {
    Ok(Host::from_name(&host)?.write_refusal(&decision, &reason).into_bytes())
}

#[pyfunction]
fn write_complaint(reason: Text, context: Text) -> Vec<u8> {
    cuecard_engine::tool::validate::write_complaint(&reason, &context).into_bytes()
}

#[pyfunction]
fn mentioned_paths(prompt: Text) -> Vec<String> {
    core::memory::mentioned_paths(&prompt)
}

#[pyfunction]
fn read_tool_event(data: &[u8]) -> Result<ToolEventRow, Raised> {
    let ToolEvent { moment, subject, cwd, session_id, .. } = cuecard_engine::tool::tool_context::read_tool_event(data)?;
    Ok((moment.name(), subject, cwd, session_id))
}

#[pyfunction]
fn write_tool_context(host: Text, event: Text, block: Text) -> Result<Vec<u8>, Raised> {
    Ok(Host::from_name(&host)?.write_tool_context(&event, &block).into_bytes())
}

thread_local! {
    /// The last schema and its parsed form: the files of a store are checked against it one after the other, and
    /// parsing it takes ten times as long as checking a file.
    static LAST_SCHEMA: RefCell<(Vec<u8>, core::memory::Schema)> = RefCell::new((Vec::new(), core::memory::Schema::read(b"")));
}

#[pyfunction]
fn check_schema(data: &[u8], schema: &[u8]) -> Vec<(String, String, String)> {
    let problems = LAST_SCHEMA.with_borrow_mut(|last| {
        if last.0 != schema {
            *last = (schema.to_vec(), core::memory::Schema::read(schema));
        }
        last.1.check(data)
    });
    problems.into_iter().map(|problem| (problem.field, problem.expected, problem.found)).collect()
}

#[pyfunction]
fn describe_problems(file: Text, aside: Text, problems: Vec<(Text, Text, Text)>) -> (String, String) {
    let problem = |(field, expected, found): (Text, Text, Text)| Problem {
        field: field.into_string(),
        expected: expected.into_string(),
        found: found.into_string(),
    };
    core::memory::describe_problems(&file, &aside, &problems.into_iter().map(problem).collect::<Vec<_>>())
}

/// The native backend; `_native.pyi` documents every name.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::engine::{answer_prompt, run_hook};
    #[pymodule_export]
    use super::index_md::IndexMd;
    #[pymodule_export]
    use super::loaded::{Loaded, load_snapshot};
    #[pymodule_export]
    use super::plain_index::Index;
    #[pymodule_export]
    use super::recalled_memory::{RecalledMemory, judge_memories, pack_memories, recall_memories, verify_memory};
    #[pymodule_export]
    use super::settings::{Settings, read_settings};
    #[pymodule_export]
    use super::snapshot::{Snapshot, describe_file, inspect_snapshot};
    #[pymodule_export]
    use super::trust::trust_hash;
    #[pymodule_export]
    use super::{document_row, instruction_signs, nearest_rows, parse_index_line, tokenize, withholding_signs};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = cuecard_core::VERSION;

    /// Rules for which cuecard always uses the Python code; the Rust versions are here for the parity tests.
    #[pymodule]
    mod parts {
        #[pymodule_export]
        use super::super::forbidden::{
            count_code, covers, imported_modules, is_module, normalize_forbid, read_act, runs_forbidden,
        };
        #[pymodule_export]
        use super::super::packing::{pack, read_card};
        #[pymodule_export]
        use super::super::session::{
            count_blocks, is_continued, is_stop_due, is_substantial, left_of, may_say_remember, note_typed,
            read_session, read_session_event, read_spoken, session_file_name, write_session,
        };
        #[pymodule_export]
        use super::super::snapshot::{
            Documents, build_snapshot, has_settings, index_text, recency_points, snapshot_state, update_snapshot,
        };
        #[pymodule_export]
        use super::super::trust::{
            anchors_file, anchors_named, concrete_anchors, is_concrete, sha256_hex, texts_of_memory, trust_notice,
        };
        #[pymodule_export]
        use super::super::{
            add_notice, budget_of, check_record, check_schema, describe_problems, estimate_tokens, find_store_part,
            find_strategy, find_writes, gist_of_file, is_slash_command, is_too_short, judge_target, judge_write,
            keeps_context, legible_note, legible_path, may_have_secret, mentioned_paths, parse_timestamp,
            prompt_source, read_payload, read_tool_event, read_tool_use, rebuild_index, render, revision_of,
            sanitize_title, score_description, score_entry, shows_notices, typed_text, write_answer, write_complaint,
            write_refusal, write_tool_context,
        };
    }
}
