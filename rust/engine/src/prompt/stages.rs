//! The way of a prompt, from the host's payload to the printed block (SPEC 14.1): read, skip or not, settings, models,
//! and then the stages of the snapshot (`from_snapshot`) or those of `index.md`.

use crate::environment::Environment;
use crate::host::{Host, Payload, PromptSource, is_slash_command, is_too_short, read_payload, typed_text};
use crate::notices::of_store;
use crate::prompt::answer::Answer;
use crate::prompt::delegate::Delegate;
use crate::prompt::from_snapshot::{Asked, answer_from_snapshot, outcomes_of_lines};
use crate::prompt::index_recall::{MemoryFiles, choose, load_index};
use crate::prompt::models::{ModelPrompt, Models, OpenModels};
use crate::prompt::stopwatch::Stopwatch;
use crate::session::capture_settings::CaptureSettings;
use crate::session::event::{Considered, Outcome, SkipReason};
use crate::session::session_file::SessionFile;
use crate::store::budget::Limits;
use crate::store::root::{self, Project};
use crate::store::scopes::{first_store, is_declined, list_stores};
use crate::store::settings_files::load_settings;
use crate::store::snapshot_file;
use crate::store::user_folder::StoreFolder;
use cuecard_core::classic::Query;
use cuecard_core::memory::Entry;
use cuecard_core::present::{Form, render};
use cuecard_core::rank::typed_prompt::may_say_remember;
use cuecard_core::settings::{Settings, Strategy};
use cuecard_core::text::chars::strip;
use cuecard_core::text::estimate_tokens;
use std::rc::Rc;

/// Why nothing is shown.
enum Ending {
    /// There is nothing to show.
    Silent(SkipReason),
    /// Something is broken; the text is a line for the log.
    Failed(String),
}

impl From<SkipReason> for Ending {
    fn from(reason: SkipReason) -> Self {
        Self::Silent(reason)
    }
}

impl From<String> for Ending {
    fn from(problem: String) -> Self {
        Self::Failed(problem)
    }
}

/// Returns the answer to a prompt. If another process has answered it, nothing is left to finish.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment, models: Option<&dyn Models>) -> Answer {
    let mut watch = Stopwatch::start();
    let mut answer = Answer::default();
    answer.event.kind = "prompt";
    answer.event.host = host.name();
    match run(payload, host, environment, models, &mut answer, &mut watch) {
        Ok(stdout) => answer.stdout = stdout,
        Err(Ending::Silent(reason)) => answer.event.skip_reason = Some(reason),
        Err(Ending::Failed(problem)) => {
            answer.event.skip_reason = Some(SkipReason::Error);
            answer.notes.push(problem);
        }
    }
    answer.event.micros.total = watch.total();
    if let Some(stdout) = answer.take_printed() {
        return Answer { stdout, ..Answer::default() };
    }
    tell_user(&mut answer, host, environment);
    answer
}

/// Adds the notices for the user to an answer that is about to be printed, if the host shows notices.
fn tell_user(answer: &mut Answer, host: Host, environment: &Environment) {
    let is_told = host.shows_notices() && !environment.prints_classic();
    if let (true, Some(project)) = (is_told, &answer.project) {
        let is_new = answer.session.as_ref().is_some_and(SessionFile::is_new);
        let mut notice = std::mem::take(&mut answer.greeting).into_bytes();
        notice.push(b'\n');
        notice.extend(of_store::lines(project, answer.event.session.as_deref(), is_new));
        answer.stdout = host.add_notice(std::mem::take(&mut answer.stdout), &notice);
    }
}

/// Returns the text to print. What is noted or written later is put into `answer`.
fn run(
    data: &[u8],
    host: Host,
    environment: &Environment,
    models: Option<&dyn Models>,
    answer: &mut Answer,
    watch: &mut Stopwatch,
) -> Result<String, Ending> {
    let payload = read_payload(data, host).map_err(|error| error.to_string());
    let cwd = payload.as_ref().ok().and_then(|payload| payload.cwd.as_deref());
    let located = root::locate_from(cwd, environment);
    answer.project = located.as_ref().ok().and_then(|located| located.nearest.clone());
    let mut payload = payload?;
    let not_typed = take_typed(&mut payload);
    let mut located = located?;
    let is_outside = located.nearest.is_none();
    if is_outside {
        answer.wish = note_first_wish(&payload, host, environment);
    }
    let first = first_store(&located, environment).ok_or(SkipReason::NoSnapshot)?;
    let project = first.project.clone();
    answer.project = Some(project.clone());
    answer.event.session.clone_from(&payload.session_id);
    answer.event.prompt.clone_from(&payload.prompt);
    let mut session = SessionFile::load(&project, payload.session_id.as_deref());
    // What is typed outside of any project belongs to no store.
    let counted = session.as_mut().filter(|_| !is_outside);
    let noted = counted.and_then(|file| note_typed(file, &payload, host, environment));
    let is_short = is_too_short(&payload.prompt);
    let is_continued = || session.as_ref().is_some_and(|file| file.session.is_continued_by(&payload.prompt));
    let too_short = || (is_short && !is_continued()).then_some(SkipReason::Short);
    if let Some(reason) = not_typed.or_else(too_short) {
        let keeps = |_: &SessionFile| keeps_facts(&load_settings(&project, environment, &mut Vec::new()), environment);
        answer.noted = noted.filter(keeps);
        return Err(reason.into());
    }

    let settings = load_settings(&project, environment, &mut answer.notes);
    answer.note_settings(&settings);
    if keeps_facts(&settings, environment) {
        answer.noted = noted;
    } else if let Some(file) = &mut session {
        file.session.typed = None;
    }
    if !settings.enabled || settings.max_inject == 0 || is_declined(&first.scope, &located.place, &settings) {
        return Err(SkipReason::Disabled.into());
    }
    let prints_classic = environment.prints_classic();
    let is_classic = is_classic(&settings, environment);
    let session = session.filter(|_| settings.session && !is_classic && !prints_classic);
    if is_short && (session.is_none() || settings.strategy != Strategy::Hybrid) {
        return Err(SkipReason::Short.into());
    }
    let open = match models {
        _ if is_classic || settings.strategy != Strategy::Hybrid => None,
        Some(models) => open_models(models, &project, &payload, session.as_ref(), &settings),
        None => {
            match Delegate::start(data, host, &settings, environment) {
                Ok(delegate) => answer.delegate = delegate,
                Err(problem) => answer.notes.push(problem),
            }
            None
        }
    };
    answer.begins = !is_outside && session.as_ref().is_some_and(SessionFile::is_new);
    let stores = if prints_classic { vec![first] } else { list_stores(first, &mut located, &settings, environment) };
    let asked = Asked {
        project: &project,
        stores: &stores,
        payload: &payload,
        host,
        settings: &settings,
        is_short,
        prints_classic,
        models: open.as_deref(),
    };
    if is_classic {
        return answer_from_index(asked, answer, watch);
    }
    answer.notes.extend(open.as_ref().map_or_else(Vec::new, |open| open.notes()));
    let loaded = stores.iter().map(|store| snapshot_file::load(&store.project, &settings.lexical, &Limits::PROMPT));
    let answered = answer_from_snapshot(asked, loaded.collect(), session, answer, watch);
    if let Some(open) = &open {
        answer.event.models.sent = open.take_sent();
    }
    Ok(answered?)
}

/// Leaves of the prompt what the user typed. Returns the skip reason if the user typed none of it.
fn take_typed(payload: &mut Payload) -> Option<SkipReason> {
    if payload.source == PromptSource::Machine {
        payload.prompt.clear();
        return Some(SkipReason::MachineMade);
    }
    let typed = typed_text(&payload.prompt);
    let is_nothing = typed.is_empty() && !strip(&payload.prompt).is_empty();
    let is_command = is_nothing && is_slash_command(&payload.prompt);
    payload.prompt = typed.into_owned();
    is_nothing.then_some(if is_command { SkipReason::SlashCommand } else { SkipReason::MachineMade })
}

/// Whether prompts are counted for the stops of a session. Where there are no sessions, every stop starts Python.
fn keeps_facts(settings: &Settings, environment: &Environment) -> bool {
    let has_sessions = settings.session && !is_classic(settings, environment) && !environment.prints_classic();
    has_sessions && CaptureSettings::of(settings).is_on
}

/// Whether recall shows the same memories as the claude-memory plugin.
fn is_classic(settings: &Settings, environment: &Environment) -> bool {
    environment.is_exactly_classic() || settings.strategy == Strategy::KeywordClassic
}

/// Notes a prompt in the session (SPEC 30.5). Returns the file if it has changed.
fn note_typed(file: &mut SessionFile, payload: &Payload, host: Host, environment: &Environment) -> Option<SessionFile> {
    let prompt = Some(&*payload.prompt).filter(|prompt| !prompt.is_empty());
    let is_counted = !environment.is_not_interactive() && payload.source != PromptSource::Program;
    let is_changed = is_counted && file.note_typed(prompt, host.name(), payload.transcript_path.as_deref());
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

/// Returns the models to ask about a prompt; `None` if the settings name none.
fn open_models(
    models: &dyn Models,
    project: &Project,
    payload: &Payload,
    session: Option<&SessionFile>,
    settings: &Settings,
) -> Option<Box<dyn OpenModels>> {
    let has_earlier = session.is_some_and(|file| !file.session.prompts.is_empty());
    let prompt = ModelPrompt {
        memory_dir: &project.memory_dir,
        cwd: payload.cwd.as_deref(),
        prompt: &payload.prompt,
        transcript: payload.transcript_path.as_deref().filter(|_| has_earlier),
    };
    (settings.has_embedder || settings.judge_ms > 0).then(|| models.open(&prompt))
}

/// Returns the text to print, from `index.md` and the files that it names.
fn answer_from_index(asked: Asked<'_>, answer: &mut Answer, watch: &mut Stopwatch) -> Result<String, Ending> {
    let Asked { project, payload, host, settings, prints_classic, .. } = asked;
    let Some(index) = load_index(project, answer)? else { return Err(SkipReason::NoSnapshot.into()) };
    answer.event.documents = index.len();
    answer.event.micros.load = watch.lap();
    let query = Query::new(&payload.prompt, settings.strategy.revision(), &settings.descriptions);
    let shortlist = index.shortlist(query);
    let files = MemoryFiles::new(project, &mut answer.notes);
    let chosen = choose(&index, &shortlist, files, settings.max_inject);
    answer.event.micros.search = watch.lap();
    if chosen.is_empty() {
        return Err(SkipReason::NoMatch.into());
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
        return Err(SkipReason::Budget.into());
    }
    Ok(if prints_classic { block } else { host.write_answer(&block, payload.transformed_prompt.as_deref()) })
}

/// Returns the outcome of each index line in a block.
fn lines_of(entries: &[Entry<'_>], scores: &[i64], block: &str) -> Vec<Considered> {
    let outcomes = outcomes_of_lines(block, entries.len());
    let considered = |((entry, score), outcome): ((&Entry<'_>, &i64), Outcome)| Considered {
        category: entry.category.to_owned(),
        path: entry.path.to_owned(),
        scope: String::new(),
        outcome,
        logit: None,
        score: *score,
        forbids: String::new(),
    };
    entries.iter().zip(scores).zip(outcomes).map(considered).collect()
}
