//! Answers a prompt: runs all stages from the host's payload to the printed block (SPEC 14.1).

use crate::environment::Environment;
use crate::host::{Host, Payload, is_machine_made, is_slash_command, is_too_short, read_payload};
use crate::prompt::answer::Answer;
use crate::prompt::delegate::Delegate;
use crate::prompt::index_recall::{MemoryFiles, choose, load_index};
use crate::prompt::judging::{self, Judged};
use crate::prompt::models::{ModelPrompt, Models, OpenModels};
use crate::prompt::notice;
use crate::prompt::pack_items::items_of;
use crate::prompt::question::{Question, Review};
use crate::prompt::recalled_memory::RecalledMemory;
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::prompt::trust_greeting::greet;
use crate::session::capture_settings::CaptureSettings;
use crate::session::event::{Considered, Outcome, SkipReason};
use crate::session::session_file::{SessionFile, read_blocks};
use crate::situation::sources::SituationSources;
use crate::store::budget::Limits;
use crate::store::root::{self, Project};
use crate::store::settings_files::load_settings;
use crate::store::snapshot_file::{self, Loaded};
use crate::store::user_folder::StoreFolder;
use cuecard_core::classic::Query;
use cuecard_core::index::Filters;
use cuecard_core::memory::Entry;
use cuecard_core::memory::IndexLine;
use cuecard_core::present::{Form, UNREVIEWED, pack, render};
use cuecard_core::rank::Request;
use cuecard_core::rank::typed_prompt::may_say_remember;
use cuecard_core::settings::{GateSetting, Settings, Strategy};
use cuecard_core::text::estimate_tokens;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Returns the answer to a prompt. If another process has answered it, nothing is left to finish.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment, models: Option<&dyn Models>) -> Answer {
    let mut watch = Stopwatch::start();
    let mut answer = Answer::default();
    answer.event.kind = "prompt";
    answer.event.host = host.name();
    let mut asked = AskedModels { all: models, open: None };
    match run(payload, host, environment, &mut asked, &mut answer, &mut watch) {
        Ok(Ok(stdout)) => answer.stdout = stdout,
        Ok(Err(skip_reason)) => answer.event.skip_reason = Some(skip_reason),
        Err(problem) => {
            answer.event.skip_reason = Some(SkipReason::Error);
            answer.notes.push(problem);
        }
    }
    if let Some(models) = asked.open {
        answer.event.models.sent = models.take_sent();
    }
    answer.event.micros.total = watch.total();
    if let Some(stdout) = answer.take_printed() {
        return Answer { stdout, ..Answer::default() };
    }
    notice::tell(&mut answer, host, environment);
    answer
}

/// Returns the text to print, or the skip reason if no memory is shown. The error is a line for the log.
fn run(
    payload: &[u8],
    host: Host,
    environment: &Environment,
    models: &mut AskedModels<'_>,
    answer: &mut Answer,
    watch: &mut Stopwatch,
) -> Result<Result<String, SkipReason>, String> {
    let data = payload;
    let payload = read_payload(data).map_err(|error| error.to_string());
    let cwd = payload.as_ref().ok().and_then(|payload| payload.cwd.as_deref());
    let project = root::find_from(cwd, environment);
    answer.project = project.as_ref().ok().cloned().flatten();
    let payload = payload?;
    let Some(project) = project? else {
        answer.noted = note_first_wish(&payload, host, environment);
        return Ok(Err(SkipReason::NoSnapshot));
    };
    answer.event.session.clone_from(&payload.session_id);
    answer.event.prompt.clone_from(&payload.prompt);
    let mut session = SessionFile::load(&project, payload.session_id.as_deref());
    answer.noted = session.as_mut().and_then(|file| note_typed(file, &payload, host, environment));
    let is_short = is_too_short(&payload.prompt);
    if let Some(skip_reason) = skip_reason_of(&payload.prompt, is_short, session.as_ref()) {
        let is_kept =
            |_: &SessionFile| keeps_facts(&load_settings(&project, environment, &mut Vec::new()), environment);
        answer.noted = answer.noted.take().filter(is_kept);
        return Ok(Err(skip_reason));
    }

    let settings = load_settings(&project, environment, &mut answer.notes);
    if !keeps_facts(&settings, environment) {
        answer.noted = None;
        if let Some(file) = &mut session {
            file.session.typed = None;
        }
    }
    answer.is_logged = Some(settings.log_events);
    answer.event.keeps_texts = settings.log_prompts;
    answer.event.strategy = Some(settings.strategy.name());
    if !settings.enabled || settings.max_inject == 0 {
        return Ok(Err(SkipReason::Disabled));
    }
    let prints_classic = environment.prints_classic();
    let is_classic = environment.is_exactly_classic() || settings.strategy == Strategy::KeywordClassic;
    let session = session.filter(|_| settings.session && !is_classic && !prints_classic);
    if is_short && (session.is_none() || settings.strategy != Strategy::Hybrid) {
        return Ok(Err(SkipReason::Short));
    }
    if settings.strategy == Strategy::Hybrid && !is_classic {
        if let Some(all) = models.all {
            if settings.has_embedder || settings.judge_ms > 0 {
                let has_earlier = session.as_ref().is_some_and(|file| !file.session.prompts.is_empty());
                let open = all.open(&ModelPrompt {
                    memory_dir: &project.memory_dir,
                    cwd: payload.cwd.as_deref(),
                    prompt: &payload.prompt,
                    transcript: payload.transcript_path.as_deref().filter(|_| has_earlier),
                });
                answer.notes.extend(open.notes());
                models.open = Some(open);
            }
        } else {
            match Delegate::start(data, host, &settings, environment) {
                Ok(delegate) => answer.delegate = delegate,
                Err(problem) => answer.notes.push(problem),
            }
        }
    }
    if !is_classic {
        let Some(loaded) = snapshot_file::load(&project, &settings.lexical, &Limits::PROMPT) else {
            return Ok(Err(SkipReason::NoSnapshot));
        };
        let models = models.open.as_deref();
        let before = Before { project: &project, payload: &payload, host, is_short, prints_classic, models };
        return Ok(answer_from_snapshot(loaded, before, session, &settings, answer, watch));
    }
    let Some(index) = load_index(&project, answer)? else { return Ok(Err(SkipReason::NoSnapshot)) };
    answer.event.documents = index.len();
    answer.event.micros.load = watch.lap();
    let query = Query::new(&payload.prompt, settings.strategy.revision(), &settings.descriptions);
    let shortlist = index.shortlist(query);
    let files = MemoryFiles::new(&project, is_classic, &mut answer.notes);
    let chosen = choose(&index, &shortlist, files, settings.max_inject);
    answer.event.micros.search = watch.lap();
    if chosen.is_empty() {
        return Ok(Err(SkipReason::NoMatch));
    }
    let (entries, scores): (Vec<_>, Vec<_>) = chosen.into_iter().unzip();
    let (form, budget) = if prints_classic { (Form::Classic, usize::MAX) } else { (Form::Safe, host.budget_chars()) };
    // The safe form of the block does not show descriptions that a repository sets.
    let descriptions = if prints_classic { &settings.descriptions } else { &settings.user_descriptions };
    let block = render(&entries, descriptions, form, budget, &[]);
    answer.event.note_block(&block, estimate_tokens(&block));
    answer.event.memories = lines_of(&entries, &scores, &block);
    answer.event.micros.pack = watch.lap();
    if block.is_empty() {
        return Ok(Err(SkipReason::Budget));
    }
    Ok(Ok(if prints_classic { block } else { host.write_answer(&block, payload.transformed_prompt.as_deref()) }))
}

/// Why a prompt is skipped whatever the settings are; `None` if it is not.
fn skip_reason_of(prompt: &str, is_short: bool, session: Option<&SessionFile>) -> Option<SkipReason> {
    if is_slash_command(prompt) {
        return Some(SkipReason::SlashCommand);
    }
    if is_machine_made(prompt) {
        return Some(SkipReason::MachineMade);
    }
    let is_continued = || session.is_some_and(|file| file.session.is_continued_by(prompt));
    (is_short && !is_continued()).then_some(SkipReason::Short)
}

/// Whether prompts are counted for the stops of a session. Where there are no sessions, every stop starts Python.
fn keeps_facts(settings: &Settings, environment: &Environment) -> bool {
    let is_classic = environment.is_exactly_classic() || settings.strategy == Strategy::KeywordClassic;
    CaptureSettings::of(settings).is_on && settings.session && !is_classic && !environment.prints_classic()
}

/// Notes a prompt in the session (SPEC 30.5). Returns the file if it has changed.
fn note_typed(file: &mut SessionFile, payload: &Payload, host: Host, environment: &Environment) -> Option<SessionFile> {
    let prompt = Some(&*payload.prompt).filter(|prompt| !is_slash_command(prompt) && !is_machine_made(prompt));
    let is_changed =
        !environment.is_not_interactive() && file.note_typed(prompt, host.name(), payload.transcript_path.as_deref());
    is_changed.then(|| file.clone())
}

/// Notes a wish to remember something in a folder that has no memories yet, where nothing else is kept.
fn note_first_wish(payload: &Payload, host: Host, environment: &Environment) -> Option<SessionFile> {
    if !may_say_remember(&payload.prompt) {
        return None;
    }
    let root = root::find_future(payload.cwd.as_deref(), environment)?;
    let own = Rc::new(StoreFolder::new(&root, environment));
    let mut file = SessionFile::load_in(&own, payload.session_id.as_deref()?)?;
    note_typed(&mut file, payload, host, environment)
}

/// The models of the caller, and those that are open for this prompt.
struct AskedModels<'a> {
    all: Option<&'a dyn Models>,
    open: Option<Box<dyn OpenModels>>,
}

/// The input of the search: the prompt with its payload and session.
#[derive(Clone, Copy)]
struct Before<'a> {
    project: &'a Project,
    payload: &'a Payload,
    host: Host,
    is_short: bool,
    prints_classic: bool,
    /// The models that the settings name.
    models: Option<&'a dyn OpenModels>,
}

/// Answers from a snapshot, and records the prompt and the shown memories in the session.
fn answer_from_snapshot(
    loaded: Loaded,
    before: Before<'_>,
    mut session: Option<SessionFile>,
    settings: &Settings,
    answer: &mut Answer,
    watch: &mut Stopwatch,
) -> Result<String, SkipReason> {
    let Before { project, payload, host, is_short, prints_classic, models } = before;
    answer.notes.extend(loaded.notes);
    answer.new_files = loaded.new_files;
    answer.rebuilt_index = loaded.new_index;
    let snapshot = Arc::new(loaded.snapshot);
    answer.event.documents = snapshot.len();
    let is_hybrid = settings.strategy == Strategy::Hybrid;
    answer.event.setting = is_hybrid.then(|| settings.gate_setting.name());
    let earlier = session.as_ref().map_or_else(Vec::new, |file| file.session.prompts.clone());
    answer.event.history.clone_from(&earlier);
    let (cwd, session_id) = (payload.cwd.as_deref(), payload.session_id.as_deref());
    let sources = SituationSources::find(&payload.prompt, project, cwd, session_id, settings);
    let history: Vec<String> = [sources.branch].into_iter().filter(|words| !words.is_empty()).collect();
    answer.git = sources.git;
    answer.event.micros.load = watch.lap();

    let similarities = models.and_then(|models| models.compare(&snapshot)).unwrap_or_default();
    if !similarities.problem.is_empty() {
        answer.notes.push(similarities.problem);
    }
    if !similarities.embedder.is_empty() {
        answer.event.models.embedder = Some((similarities.embedder, similarities.note));
    }
    let review = Review::of(settings);
    let mut search = SnapshotRecall::new(project, &snapshot, review, &mut answer.notes);
    let active = Filters::default();
    let alone = Question::of_prompt(&payload.prompt, settings, &active, settings.max_inject);
    let (situation, embedded) = (Some(&sources.situation), &similarities.embedded[..]);
    let request = Request { history: &history, earlier: &earlier, situation, embedded, ..alone.request };
    search.kept_terms = (session.is_some() && is_hybrid && !is_short).then(String::new);
    let chosen = search.choose(&Question { request, ..alone });
    answer.vouched = search.take_table();
    answer.event.kept = search.kept_terms.take().unwrap_or_default();
    let trust = search.trust.take();
    answer.event.micros.search = watch.lap();
    let chosen = match models.and_then(|models| Some((models, models.pool()?))) {
        Some((models, pool)) => {
            let ranked = || {
                let ungated = Question { request: Request { k: pool, ..request }, setting: GateSetting::Off, ..alone };
                // The search with the gate has noted what concerns the shown memories.
                SnapshotRecall::new(project, &snapshot, review, &mut Vec::new()).choose(&ungated).memories
            };
            let ask = |candidates: &[RecalledMemory]| models.judge(candidates);
            let Judged { chosen, run, note } = judging::judge(chosen, settings.max_inject, pool, ranked, ask);
            answer.notes.extend(note);
            answer.event.models.judge = run;
            watch.lap();
            chosen
        }
        None => chosen,
    };
    if let Some(trust) = trust.filter(|_| host.shows_notices()) {
        let passed_over = chosen.passed_over.iter().map(|(memory, _)| memory);
        let has_met_unreviewed = chosen.memories.iter().chain(passed_over).any(RecalledMemory::is_unreviewed);
        answer.greeting = greet(&snapshot, project, &trust, has_met_unreviewed);
    }

    let transcript = payload.transcript_path.as_deref();
    let blocks = (host.shows_context() && session.is_some()).then(|| read_blocks(transcript)).flatten();
    if let (Some(file), Some(blocks)) = (&mut session, blocks) {
        file.compare(blocks);
    }
    // Some hosts do not keep earlier context, or drop it without notice. For these, all memories are shown every time.
    let is_kept = host.keeps_context() || blocks.is_some();
    let lacks = |memory: &RecalledMemory| !is_kept || session.as_ref().is_none_or(|file| file.lacks(memory));
    let (memories, known): (Vec<_>, Vec<_>) = chosen.memories.into_iter().partition(lacks);
    let (block, outcomes) = if is_hybrid {
        let items = items_of(&project.root, &memories, &payload.prompt);
        answer.event.micros.files = watch.lap();
        let packed = pack(&items, settings.max_tokens as usize, host.budget_chars());
        answer.event.note_block(&packed.block, packed.tokens);
        (packed.block, packed.outcomes.into_iter().map(Outcome::from).collect())
    } else {
        let block = render_lines(&memories, &settings.user_descriptions, host, prints_classic);
        answer.event.note_block(&block, estimate_tokens(&block));
        let outcomes = outcomes_of_lines(&block, memories.len());
        (block, outcomes)
    };
    answer.event.micros.pack = watch.lap();
    let stdout = if prints_classic { block } else { host.write_answer(&block, payload.transformed_prompt.as_deref()) };
    if let Some(mut file) = session {
        if is_kept && !stdout.is_empty() {
            file.note(&memories, &outcomes);
        }
        if let Some(blocks) = blocks {
            file.session.blocks = blocks.saturating_add(u32::from(!stdout.is_empty()));
        }
        if !answer.event.kept.is_empty() {
            file.session.prompts.push(answer.event.kept.clone());
        }
        if let Some(typed) = &mut file.session.typed {
            typed.is_unused = false;
        }
        answer.session = Some(file);
    }
    let memories = memories.into_iter().zip(outcomes).collect();
    let skip_reason = answer.event.note_choice(memories, known, chosen.passed_over, chosen.is_courtesy);
    if stdout.is_empty() { Err(skip_reason) } else { Ok(stdout) }
}

/// Renders the block of strategies without a gate: one line for each memory. The classic form has no marks, so it is
/// used only where nothing is to be marked.
fn render_lines(
    memories: &[RecalledMemory],
    descriptions: &[(String, String)],
    host: Host,
    prints_classic: bool,
) -> String {
    let lines: Vec<_> = memories.iter().filter_map(|memory| memory.document.parts()).collect();
    if lines.is_empty() {
        return String::new();
    }
    let entries: Vec<_> = lines.iter().map(IndexLine::as_entry).collect();
    let label = |memory: &RecalledMemory| if memory.is_unreviewed() { UNREVIEWED } else { "" };
    let labels: Vec<&str> = memories.iter().filter(|memory| memory.document.parts().is_some()).map(label).collect();
    let is_vouched = labels.iter().all(|label| label.is_empty());
    let form = if prints_classic && is_vouched { Form::Classic } else { Form::Safe };
    let budget = if prints_classic { usize::MAX } else { host.budget_chars() };
    render(&entries, descriptions, form, budget, &labels)
}

/// Returns the outcome of each memory in a block of lines. Between its first and its last line the block has one line
/// for each memory that fits.
fn outcomes_of_lines(block: &str, memories: usize) -> Vec<Outcome> {
    let fitting = block.lines().count().saturating_sub(2);
    (0..memories).map(|place| if place < fitting { Outcome::Line } else { Outcome::Budget }).collect()
}

/// Returns the outcome of each index line in a block.
fn lines_of(entries: &[Entry<'_>], scores: &[i64], block: &str) -> Vec<Considered> {
    let outcomes = outcomes_of_lines(block, entries.len());
    let considered = |((entry, score), outcome): ((&Entry<'_>, &i64), Outcome)| Considered {
        category: entry.category.to_owned(),
        path: entry.path.to_owned(),
        outcome,
        logit: None,
        score: *score,
        forbids: String::new(),
    };
    entries.iter().zip(scores).zip(outcomes).map(considered).collect()
}

/// Measures how long the stages of recall take.
struct Stopwatch {
    start: Instant,
    lap: Instant,
}

impl Stopwatch {
    fn start() -> Self {
        let now = Instant::now();
        Self { start: now, lap: now }
    }

    /// Returns the microseconds since the last call, or since the start at the first call.
    fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let micros = now.duration_since(self.lap).as_micros();
        self.lap = now;
        u64::try_from(micros).unwrap_or(u64::MAX)
    }

    /// Returns the microseconds since the start.
    fn total(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
