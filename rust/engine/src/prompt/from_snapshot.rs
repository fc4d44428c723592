//! The stages of a prompt that is answered from the snapshot of a store: query, recall, judge, choose what is new, and
//! pack. Each is a function from values to a value; `answer_from_snapshot` calls them in order and notes the results.

use crate::host::{Host, Payload, PromptSource};
use crate::notices::conflicts::tell_of_conflicts;
use crate::notices::trust_greeting::greet;
use crate::prompt::answer::Answer;
use crate::prompt::holdout;
use crate::prompt::hosted;
use crate::prompt::judging::{self, Judged};
use crate::prompt::models::{OpenModels, Similarities};
use crate::prompt::named::line_of;
use crate::prompt::pack_items::items_of;
use crate::prompt::question::Question;
use crate::prompt::recalled_memory::{Chosen, RecalledMemory};
use crate::prompt::searched::Searched;
use crate::prompt::stopwatch::Stopwatch;
use crate::session::event::{Outcome, SkipReason};
use crate::session::session_file::{SessionFile, read_blocks};
use crate::situation::sources::SituationSources;
use crate::store::mapped::Source;
use crate::store::reached::absolute_cwd;
use crate::store::root::{Project, normalize};
use crate::store::scopes::ScopedStore;
use crate::store::snapshot_file::Loaded;
use crate::store::trust::TrustCheck;
use crate::store::vouched::VouchedTable;
use cuecard_core::index::{Filters, Snapshot};
use cuecard_core::memory::IndexLine;
use cuecard_core::present::{Form, Outcome::Named as NAMED, UNREVIEWED, pack, render};
use cuecard_core::rank::Request;
use cuecard_core::settings::{GateSetting, Settings, Strategy};
use cuecard_core::text::estimate_tokens;
use std::sync::Arc;

/// A prompt that is to be answered.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The project of the first store.
    pub(crate) project: &'a Project,
    /// The stores that count.
    pub(crate) stores: &'a [ScopedStore],
    pub(crate) payload: &'a Payload,
    pub(crate) host: Host,
    pub(crate) settings: &'a Settings,
    /// Whether the prompt is too short to be searched for by itself.
    pub(crate) is_short: bool,
    /// Whether the block has the form of the claude-memory plugin.
    pub(crate) prints_classic: bool,
    /// The models that the settings name.
    pub(crate) models: Option<&'a dyn OpenModels>,
}

/// Returns the text to print, or why there is none. What is noted or written later is put into `answer`.
pub(crate) fn answer_from_snapshot(
    asked: Asked<'_>,
    loaded: Vec<Option<Loaded>>,
    session: Option<SessionFile>,
    answer: &mut Answer,
    watch: &mut Stopwatch,
) -> Result<String, SkipReason> {
    let Asked { project, host, settings, .. } = asked;
    let searched = Searched::join(asked.stores, loaded, answer).ok_or(SkipReason::NoSnapshot)?;
    let snapshot = Arc::clone(&searched.snapshot);
    answer.event.documents = snapshot.len();
    let is_hybrid = settings.strategy == Strategy::Hybrid;
    answer.event.setting = is_hybrid.then(|| settings.gate_setting.name());

    let query = Query::of(asked, session.as_ref());
    answer.event.history.clone_from(&query.earlier);
    answer.event.micros.load = watch.lap();

    let similar = asked.models.and_then(|models| models.compare(&snapshot)).unwrap_or_default();
    let question = query.question(settings, &similar);
    let recalled = recall(&searched, &question, session.is_some() && is_hybrid && !asked.is_short);
    answer.event.micros.search = watch.lap();
    let Judged { mut chosen, run, note } = judge(asked, &searched, &question, recalled.chosen);
    if run.is_some() {
        watch.lap();
    }
    let trust = recalled.trust.filter(|_| host.shows_notices());
    answer.greeting = trust.map_or_else(String::new, |trust| greeting(project, &snapshot, &trust, &chosen));
    if host.shows_notices() && !asked.prints_classic {
        answer.greeting += "\n";
        answer.greeting += &tell_of_conflicts(&snapshot, project);
    }

    let is_first = session.as_ref().is_none_or(SessionFile::is_new);
    pass_over_hosted(asked, is_first, &mut chosen);
    let mut context = Context::of(asked, session);
    let found = std::mem::take(&mut chosen.memories);
    let (mut memories, known): (Vec<_>, Vec<_>) = found.into_iter().partition(|memory| context.lacks(memory));
    answer.event.holdout = holdout::chance(settings, chosen.least).filter(|_| context.session.is_some());
    if let (Some(chance), Some(session)) = (answer.event.holdout, asked.payload.session_id.as_deref()) {
        let withheld = holdout::withhold(chance, session, &mut memories);
        chosen.passed_over.splice(0..0, withheld.into_iter().map(|memory| (memory, Outcome::Holdout)));
    }
    let skip_reason = SkipReason::of_choice(&memories, !known.is_empty(), &chosen);
    // A withheld memory is a stranger's, and must not silence others.
    let may_name = matches!(skip_reason, SkipReason::Gate | SkipReason::Withheld);
    chosen.keep_named(|memory| may_name && context.lacks_title(memory));
    let (max_tokens, budget_chars) = (settings.max_tokens as usize, host.budget_chars());
    let block = if chosen.named().next().is_some() {
        let line = line_of(chosen.named(), max_tokens, budget_chars);
        let mut is_told = line.outcomes.iter().map(|outcome| *outcome == NAMED);
        chosen.keep_named(|_| is_told.next().unwrap_or_default());
        Block { text: line.block, tokens: line.tokens, outcomes: Vec::new() }
    } else if is_hybrid {
        let items = items_of(&project.root, &memories, &asked.payload.prompt);
        answer.event.micros.files = watch.lap();
        let packed = pack(&items, max_tokens, budget_chars);
        let outcomes = packed.outcomes.into_iter().map(Outcome::from).collect();
        Block { text: packed.block, tokens: packed.tokens, outcomes }
    } else {
        render_lines(asked, &memories)
    };
    answer.event.note_block(&block.text, block.tokens);
    answer.event.micros.pack = watch.lap();

    let of_similarity = Some(similar.problem).filter(|problem| !problem.is_empty());
    answer.notes.extend(of_similarity.into_iter().chain(recalled.notes).chain(note));
    answer.event.models.embedder = Some((similar.embedder, similar.note)).filter(|(name, _)| !name.is_empty());
    answer.event.models.judge = run;
    answer.git = query.sources.git;
    searched.keep_all(recalled.vouched, answer);
    let Block { text, outcomes, .. } = block;
    let rewritten = asked.payload.transformed_prompt.as_deref();
    if let (Some(file), Some(may_drop)) = (&mut context.session, asked.payload.may_drop_answer) {
        file.owed = Some(if may_drop { text.clone() } else { String::new() });
    }
    let stdout = if asked.prints_classic { text } else { host.write_answer(&text, rewritten) };
    let told = Told { memories: &memories, outcomes: &outcomes, named: chosen.named().collect() };
    answer.session = context.after(Some(told).filter(|_| !stdout.is_empty()), &recalled.kept_terms);
    answer.event.kept = recalled.kept_terms;
    answer.event.skip_reason = chosen.named().next().map(|_| skip_reason);
    answer.event.note_choice(memories.into_iter().zip(outcomes).collect(), known, chosen.passed_over);
    if stdout.is_empty() { Err(skip_reason) } else { Ok(stdout) }
}

/// What a question is made of.
struct Query<'a> {
    prompt: &'a str,
    wanted: usize,
    filters: Filters,
    sources: SituationSources,
    /// The words of the branch, which count as a prompt before all others.
    history: Vec<String>,
    /// What the session keeps of its earlier prompts.
    earlier: Vec<String>,
}

impl<'a> Query<'a> {
    fn of(asked: Asked<'a>, session: Option<&SessionFile>) -> Self {
        let Asked { project, payload, settings, .. } = asked;
        let (cwd, session_id) = (payload.cwd.as_deref(), payload.session_id.as_deref());
        let sources = SituationSources::find(&payload.prompt, project, cwd, session_id, settings);
        Self {
            prompt: &payload.prompt,
            wanted: settings.max_inject,
            filters: Filters::default(),
            history: Some(sources.branch.clone()).into_iter().filter(|words| !words.is_empty()).collect(),
            earlier: session.map_or_else(Vec::new, |file| file.session.prompts.clone()),
            sources,
        }
    }

    fn question(&'a self, settings: &'a Settings, similar: &'a Similarities) -> Question<'a> {
        let alone = Question::of_prompt(self.prompt, settings, &self.filters, self.wanted);
        let (situation, embedded) = (Some(&self.sources.situation), &similar.embedded[..]);
        let (history, earlier) = (&self.history[..], &self.earlier[..]);
        Question { request: Request { history, earlier, situation, embedded, ..alone.request }, ..alone }
    }
}

/// What a search has found, and what it leaves for later.
struct Recalled {
    chosen: Chosen,
    /// What the session keeps of the prompt; empty if nothing.
    kept_terms: String,
    /// The tables of the memories that the user vouches for that are to be written, each with the place of its store.
    vouched: Vec<(usize, VouchedTable)>,
    /// The check of trust for the first store.
    trust: Option<TrustCheck>,
    /// The lines for the log about files that cannot be read.
    notes: Vec<String>,
}

/// Finds the memories that the gate lets through.
fn recall(searched: &Searched, question: &Question<'_>, keeps_terms: bool) -> Recalled {
    let mut notes = Vec::new();
    let mut search = searched.recall(question.review, &mut notes);
    search.kept_terms = keeps_terms.then(String::new);
    let chosen = search.choose(question);
    let kept_terms = search.kept_terms.take().unwrap_or_default();
    let (vouched, trust) = (search.take_tables(), search.trust.take().and_then(|checks| checks.into_iter().next()));
    Recalled { chosen, kept_terms, vouched, trust, notes }
}

/// Lets the judge that the settings name choose among the memories; without one they stay as they are.
fn judge(asked: Asked<'_>, searched: &Searched, question: &Question<'_>, chosen: Chosen) -> Judged {
    let Some((models, pool)) = asked.models.and_then(|models| Some((models, models.pool()?))) else {
        return Judged { chosen, run: None, note: None };
    };
    let ranked = || {
        let request = Request { k: pool, ..question.request };
        let ungated = Question { request, setting: GateSetting::Off, ..*question };
        // The search with the gate has noted what concerns the shown memories.
        searched.recall(question.review, &mut Vec::new()).choose(&ungated).memories
    };
    judging::judge(chosen, asked.settings.max_inject, pool, ranked, |candidates| models.judge(candidates))
}

/// Returns what the user is told about unreviewed memories; empty if nothing.
fn greeting(project: &Project, snapshot: &Snapshot<Source>, trust: &TrustCheck, chosen: &Chosen) -> String {
    let passed_over = chosen.passed_over.iter().map(|(memory, _)| memory);
    let met = chosen.memories.iter().chain(passed_over);
    let has_met_unreviewed = met.filter(|memory| memory.origin.is_none()).any(RecalledMemory::is_unreviewed);
    greet(snapshot, project, trust, has_met_unreviewed)
}

/// Passes over the memories that the host itself shows to the agent whose prompt the user has typed (SPEC 12.6).
fn pass_over_hosted(asked: Asked<'_>, is_first: bool, chosen: &mut Chosen) {
    let is_silent = chosen.memories.is_empty() && chosen.named().next().is_none();
    if is_silent || asked.payload.source != PromptSource::Typed || asked.prints_classic {
        return;
    }
    let Ok(cwd) = absolute_cwd(asked.payload.cwd.as_deref()) else { return };
    let statements = hosted::read(asked.project, asked.host, &normalize(&cwd));
    if !statements.counts(is_first) {
        return;
    }
    let (hosted, left) = chosen.memories.drain(..).partition(|memory| memory.is_hosted(&statements));
    chosen.memories = left;
    chosen.keep_named(|memory| !memory.is_hosted(&statements));
    chosen.passed_over.splice(0..0, hosted.into_iter().map(|memory: RecalledMemory| (memory, Outcome::Hosted)));
}

/// What the agent's context has of the memories that were shown before.
struct Context {
    session: Option<SessionFile>,
    /// The number of compactions in the host's transcript; `None` if it is not known.
    blocks: Option<u32>,
    /// Whether the host keeps what it was given. Some do not, or drop it without notice; for these all memories are
    /// shown every time.
    is_kept: bool,
}

impl Context {
    fn of(asked: Asked<'_>, mut session: Option<SessionFile>) -> Self {
        let transcript = asked.payload.transcript_path.as_deref();
        let is_compared = asked.host.shows_context() && session.is_some();
        let blocks = is_compared.then(|| read_blocks(transcript)).flatten();
        if let (Some(file), Some(blocks)) = (&mut session, blocks) {
            file.compare(blocks);
        }
        Self { session, blocks, is_kept: asked.host.keeps_context() || blocks.is_some() }
    }

    /// Whether a memory is new to the agent.
    fn lacks(&self, memory: &RecalledMemory) -> bool {
        !self.is_kept || self.session.as_ref().is_none_or(|file| file.lacks(memory))
    }

    /// Whether the agent does not know the title of a memory yet.
    fn lacks_title(&self, memory: &RecalledMemory) -> bool {
        !self.is_kept || self.session.as_ref().is_none_or(|file| file.lacks_title(memory))
    }

    /// Returns the session as it is after an answer, with what the agent was told in it.
    fn after(self, told: Option<Told<'_>>, kept_terms: &str) -> Option<SessionFile> {
        let mut file = self.session?;
        if let Some(blocks) = self.blocks {
            file.session.blocks = blocks.saturating_add(u32::from(told.is_some()));
        }
        if let Some(Told { memories, outcomes, named }) = told.filter(|_| self.is_kept) {
            file.note(memories, outcomes);
            file.note_named(named.into_iter());
        }
        if !kept_terms.is_empty() {
            file.session.prompts.push(kept_terms.to_owned());
        }
        if let Some(typed) = &mut file.session.typed {
            typed.is_unused = false;
        }
        Some(file)
    }
}

/// What an answer tells the agent: memories with their outcomes, and memories that are only named.
struct Told<'a> {
    memories: &'a [RecalledMemory],
    outcomes: &'a [Outcome],
    named: Vec<&'a RecalledMemory>,
}

/// A block, its estimated tokens, and what has become of each memory.
struct Block {
    text: String,
    tokens: usize,
    outcomes: Vec<Outcome>,
}

/// Renders the block of strategies without a gate: one line for each memory. The classic form has no marks, so it is
/// used only where nothing is to be marked.
fn render_lines(asked: Asked<'_>, memories: &[RecalledMemory]) -> Block {
    let lines: Vec<_> = memories.iter().filter_map(|memory| memory.document.parts()).collect();
    if lines.is_empty() {
        return Block { text: String::new(), tokens: 0, outcomes: outcomes_of_lines("", memories.len()) };
    }
    let entries: Vec<_> = lines.iter().map(IndexLine::as_entry).collect();
    let label = |memory: &RecalledMemory| if memory.is_unreviewed() { UNREVIEWED } else { "" };
    let labels: Vec<&str> = memories.iter().filter(|memory| memory.document.parts().is_some()).map(label).collect();
    let is_vouched = labels.iter().all(|label| label.is_empty());
    let form = if asked.prints_classic && is_vouched { Form::Classic } else { Form::Safe };
    let budget = if asked.prints_classic { usize::MAX } else { asked.host.budget_chars() };
    let text = render(&entries, &asked.settings.user_descriptions, form, budget, &labels);
    Block { tokens: estimate_tokens(&text), outcomes: outcomes_of_lines(&text, memories.len()), text }
}

/// Returns the outcome of each memory in a block of lines. Between its first and its last line the block has one line
/// for each memory that fits.
pub(crate) fn outcomes_of_lines(block: &str, memories: usize) -> Vec<Outcome> {
    let fitting = block.lines().count().saturating_sub(2);
    (0..memories).map(|place| if place < fitting { Outcome::Line } else { Outcome::Budget }).collect()
}
