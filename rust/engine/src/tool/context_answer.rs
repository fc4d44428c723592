//! Shows memories without a prompt (SPEC 37): before a tool touches a file, the memories that are anchored to it; after
//! a failed command, memories that may help; at an edit or a command, the memories that forbid it (SPEC 40).

use crate::environment::Environment;
use crate::host::Host;
use crate::prompt::answer::Answer;
use crate::prompt::pack_items::items_of;
use crate::prompt::question::{Past, Question, Review, now_micros};
use crate::prompt::recalled_memory::{Chosen, Ranking, RecalledMemory, Verified};
use crate::prompt::searched::Searched;
use crate::prompt::snapshot_recall::SnapshotRecall;
use crate::session::event::{Outcome, SkipReason};
use crate::session::session_file::SessionFile;
use crate::situation::git_state::working_folder;
use crate::store::budget::Limits;
use crate::store::files::resolve;
use crate::store::folder::read_end_elsewhere;
use crate::store::mapped::Source;
use crate::store::root::{find_from, locate_from, normalize};
use crate::store::scopes::{Scope, first_store, is_declined, list_stores};
use crate::store::settings_files::load_settings;
use crate::store::snapshot_file;
use crate::tool::act::{Act, MAX_EDITS};
use crate::tool::forbidden::{Breach, Scene, find_breaches};
use crate::tool::owed::Owed;
use crate::tool::tool_context::{ToolEvent, ToolMoment, has_failed, read_tool_event};
use cuecard_core::index::{Filters, Snapshot};
use cuecard_core::memory::{Standing, StoredDocument, anchors_file};
use cuecard_core::present::{PackItem, Packed, pack, pack_forbidden};
use cuecard_core::settings::{Settings, Strategy};
use cuecard_core::text::compose::compose;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many memories are shown at once, for a file and for a failure.
const MOST_OF_FILE: usize = 3;
const MOST_OF_FAILURE: usize = 2;
/// How many files of one tool are looked at: its own, and those of a patch (SPEC 40.2).
const MOST_PATHS: usize = 1 + MAX_EDITS;
/// How many memories are read for a file, among those that the session was not shown before.
const MOST_LOOKS: usize = 16;
/// The categories of the memories that are shown for a file (the stricter category first), and of the memories that are
/// shown after a failure.
const OF_FILE: [&str; 2] = ["CONSTRAINT", "DECISION"];
const OF_FAILURE: [&str; 2] = ["RUNBOOK", "TECH_DEBT"];
/// The logit, in 1/1024, of a memory that is anchored to the file: it counts as certain.
const ANCHORED: i64 = 4096;
/// How many bytes at the end of a transcript are searched for the record of a command.
const MAX_TRANSCRIPT_END: u64 = 1 << 18;
/// How many characters of a command are its subject in the log.
const MAX_SCRIPT_CHARS: usize = 200;

/// Returns the answer to a tool event. The block that the agent is `owed` follows what the event itself brings, so that
/// it hides no warning.
pub(crate) fn answer(payload: &[u8], host: Host, environment: &Environment, owed: &Owed) -> Answer {
    let start = Instant::now();
    let mut answer = Answer::default();
    match read_tool_event(payload).map_err(|error| error.to_string()) {
        Ok(tool_event) => {
            let tool_event = settle(tool_event);
            let block = run(&tool_event, host, environment, &mut answer).unwrap_or_else(|problem| {
                answer.notes.push(problem);
                String::new()
            });
            answer.stdout = owed.behind(&tool_event.event, &block, host);
        }
        Err(problem) => {
            answer.project = find_from(None, environment).ok().flatten();
            answer.notes.push(problem);
            answer.stdout = owed.behind("", "", host);
        }
    }
    answer.event.micros.total = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    answer
}

/// Looks up in the host's transcript whether a command failed, where the event does not say so.
fn settle(event: ToolEvent) -> ToolEvent {
    let Some(record) = event.record.as_ref().filter(|record| Path::new(&record.transcript).is_absolute()) else {
        return event;
    };
    let lines = read_end_elsewhere(Path::new(&record.transcript), MAX_TRANSCRIPT_END).unwrap_or_default();
    let moment = if has_failed(&lines, &record.call) { ToolMoment::Failure } else { ToolMoment::Other };
    ToolEvent { moment, ..event }
}

/// Returns the block to print, "" if no memory is shown; an error if something is wrong.
fn run(tool_event: &ToolEvent, host: Host, environment: &Environment, answer: &mut Answer) -> Result<String, String> {
    if tool_event.moment == ToolMoment::Other && tool_event.act.is_none() {
        return Ok(String::new());
    }
    let cwd = tool_event.cwd.as_deref();
    let mut located = locate_from(cwd, environment)?;
    let Some(first) = first_store(&located, environment) else { return Ok(String::new()) };
    let project = first.project.clone();
    answer.project = Some(project.clone());
    let session = SessionFile::load(&project, tool_event.session_id.as_deref());
    let mut groups = vec![Group::at(located.folder())];
    groups.extend(located.parent.as_ref().map(|parent| Group::at(&parent.root)));
    if tool_event.moment == ToolMoment::File {
        for group in &mut groups {
            group.paths = touched_paths(&group.root, tool_event);
        }
    }
    let subject = match (tool_event.moment, &tool_event.act) {
        (ToolMoment::File, _) => groups.iter().find_map(|group| group.paths.first().cloned()),
        (ToolMoment::Other, Some(act)) => Some(describe_act(act, |path| path_in_project(located.folder(), cwd, path))),
        _ => Some(tool_event.subject.clone()),
    };
    let (Some(session), Some(subject)) = (session, subject) else { return Ok(String::new()) };

    let settings = &load_settings(&project, environment, &mut answer.notes);
    let is_classic = environment.prints_classic() || settings.strategy == Strategy::KeywordClassic;
    let is_on =
        settings.enabled && settings.max_inject > 0 && settings.situation_need && settings.session && !is_classic;
    let is_helped = tool_event.moment == ToolMoment::Failure && settings.strategy == Strategy::Hybrid;
    if !is_on
        || is_declined(&first.scope, &located.place, settings)
        || (tool_event.moment == ToolMoment::Failure && !is_helped && tool_event.act.is_none())
    {
        return Ok(String::new());
    }
    let stores = list_stores(first, &mut located, settings, environment);
    let loaded = stores.iter().map(|store| snapshot_file::load(&store.project, &settings.lexical, &Limits::PROMPT));
    let Some(searched) = Searched::join(&stores, loaded.collect(), answer) else { return Ok(String::new()) };
    for (source, place) in searched.places.iter().enumerate() {
        let is_of_parent = *place > 0 && stores.get(*place).is_some_and(|store| store.scope == Scope::Parent);
        if let Some(group) = groups.get_mut(usize::from(is_of_parent)) {
            group.stores.push(source);
        }
    }
    let acted = Acted { tool_event, groups: &groups, environment };
    let spoken = find_spoken(&searched, &acted, settings, &session, answer);
    let mut chosen = match tool_event.moment {
        ToolMoment::File => find_anchored(&searched, &groups, settings, &session, answer),
        ToolMoment::Failure if is_helped => find_help(&searched, settings, &subject, answer),
        _ => Chosen::default(),
    };
    chosen.memories.retain(|memory| spoken.0.iter().all(|other| other.position != memory.position));
    if tool_event.moment != ToolMoment::Failure && chosen.memories.is_empty() && spoken.0.is_empty() {
        return Ok(String::new());
    }
    let event = &mut answer.event;
    (event.kind, event.host) = ("need", host.name());
    event.session.clone_from(&tool_event.session_id);
    event.prompt.clone_from(&subject);
    event.strategy = Some(settings.strategy.name());
    event.setting = (tool_event.moment == ToolMoment::Failure).then(|| settings.gate_setting.name());
    event.documents = searched.snapshot.len();
    (answer.is_logged, event.keeps_texts) = (Some(settings.log_events), settings.log_prompts);
    Ok(show((tool_event.moment, host), (spoken, chosen), session, settings, answer))
}

/// The memories that speak at an act, and for each what is broken, and whether the tool has run.
type Spoken = (Vec<RecalledMemory>, Vec<Breach>, bool);

/// Stores whose memories name files relative to the same folder: that of the parent's store, or of all others (SPEC 48.14).
struct Group {
    root: PathBuf,
    /// The places of the stores among those that were joined.
    stores: Vec<usize>,
    /// The paths of the files that the tool touches.
    paths: Vec<String>,
}

impl Group {
    fn at(root: &Path) -> Self {
        Self { root: root.to_owned(), stores: Vec::new(), paths: Vec::new() }
    }

    /// Whether a memory is in one of the stores.
    fn has(&self, snapshot: &Snapshot<Source>, position: u32) -> bool {
        self.stores.contains(&snapshot.store_of(position))
    }
}

/// A tool event, and the stores that are asked about it.
struct Acted<'a> {
    tool_event: &'a ToolEvent,
    groups: &'a [Group],
    environment: &'a Environment,
}

/// Returns the memories that forbid the act of a tool event.
fn find_spoken(
    searched: &Searched,
    acted: &Acted<'_>,
    settings: &Settings,
    session: &SessionFile,
    answer: &mut Answer,
) -> Spoken {
    let Acted { tool_event, groups, environment } = acted;
    let snapshot = &*searched.snapshot;
    let mut written = snapshot.written_forbids().peekable();
    let Some(act) = tool_event.act.as_ref().filter(|_| written.peek().is_some()) else { return <_>::default() };
    let entries: Vec<&str> = written.collect();
    let cwd = tool_event.cwd.as_deref();
    let folder = std::path::absolute(cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".")).unwrap_or_default();
    let folder = folder.to_string_lossy();
    let home = environment.shell_home.as_deref().map(Path::to_string_lossy).unwrap_or_default();
    let locate_in = |group: &Group, path: &str| locate(&group.root, cwd, path);
    let locates: Vec<_> = groups.iter().map(|group| move |path: &str| locate_in(group, path)).collect();
    let scenes = groups.iter().zip(&locates).filter(|(group, _)| !group.stores.is_empty());
    let scenes = scenes.map(|(group, locate)| Scene {
        act,
        paths: act.edits.iter().map(|edit| path_in_project(&group.root, cwd, &edit.path)).collect(),
        cwd: &folder,
        root: &group.root,
        locate,
        home: &home,
        project_dir: environment.project_dir.as_deref().unwrap_or_default(),
        script: OnceCell::new(),
        stores: &group.stores,
    });
    // Most acts break no rule, which the entries alone tell.
    let scenes: Vec<Scene<'_>> = scenes.filter(|scene| scene.may_break(entries.iter().copied())).collect();
    if scenes.is_empty() {
        return <_>::default();
    }
    let mut files = searched.recall(Review::of(settings), &mut answer.notes);
    let (memories, breaches) = find_breaches(&mut files, &scenes, session);
    let tables = files.take_tables();
    searched.keep_all(tables, answer);
    (memories, breaches, act.is_over)
}

/// Returns the paths in the project of the files that a tool touches, each once.
fn touched_paths(root: &Path, event: &ToolEvent) -> Vec<String> {
    let edited = event.act.iter().flat_map(|act| &act.edits).map(|edit| &edit.path);
    let mut paths = Vec::new();
    for path in std::iter::once(&event.subject).chain(edited).take(MOST_PATHS) {
        paths.extend(path_in_project(root, event.cwd.as_deref(), path).filter(|path| !paths.contains(path)));
    }
    paths
}

/// Returns the subject of an act for the log: the path of its first file in the project, else the begin of its command.
fn describe_act(act: &Act, locate: impl Fn(&str) -> Option<String>) -> String {
    let path = act.edits.iter().find_map(|edit| locate(&edit.path));
    path.unwrap_or_else(|| act.script.chars().take(MAX_SCRIPT_CHARS).collect())
}

/// Returns the block of the memories that speak at an act, and of those that the session was not shown before, and
/// records them in the session.
fn show(
    (moment, host): (ToolMoment, Host),
    ((speaking, breaches, is_over), mut chosen): (Spoken, Chosen),
    mut session: SessionFile,
    settings: &Settings,
    answer: &mut Answer,
) -> String {
    let Some(project) = answer.project.clone() else { return String::new() };
    let lacks = |memory: &RecalledMemory| session.lacks(memory);
    let (mut memories, known): (Vec<_>, Vec<_>) = std::mem::take(&mut chosen.memories).into_iter().partition(lacks);
    memories.truncate(if moment == ToolMoment::File { MOST_OF_FILE } else { MOST_OF_FAILURE });
    let entries: Vec<String> = breaches.iter().map(|breach| breach.entry.clone()).collect();
    let certain = |mut item: PackItem| {
        item.logit = if moment == ToolMoment::Failure { item.logit } else { ANCHORED };
        item
    };
    let [forbidding, others] = [&speaking, &memories]
        .map(|memories| items_of(&project.root, memories, "").into_iter().map(certain).collect::<Vec<_>>());
    let budget = (settings.max_tokens as usize, host.budget_chars());
    let Packed { block, outcomes, tokens } = if speaking.is_empty() {
        pack(&others, budget.0, budget.1)
    } else {
        pack_forbidden((&forbidding, &entries), &others, is_over, budget)
    };
    let outcomes: Vec<Outcome> = outcomes.into_iter().map(Outcome::from).collect();
    let memories: Vec<RecalledMemory> = speaking.into_iter().chain(memories).collect();
    answer.event.note_block(&block, tokens);
    if !block.is_empty() {
        session.note(&memories, &outcomes);
        for ((memory, breach), _) in
            memories.iter().zip(&breaches).zip(&outcomes).filter(|(_, outcome)| outcome.is_shown())
        {
            let path = memory.document.path();
            session.session.spoken.extend(breach.keys.iter().map(|key| (*key, path.to_owned())));
        }
        answer.session = Some(session);
    }
    let skip_reason = SkipReason::of_choice(&memories, !known.is_empty(), &chosen);
    answer.event.note_choice(memories.into_iter().zip(outcomes).collect(), known, chosen.passed_over);
    for (considered, entry) in answer.event.memories.iter_mut().zip(entries) {
        considered.forbids = entry;
    }
    answer.event.skip_reason = block.is_empty().then_some(skip_reason);
    block
}

/// Returns the path, relative to the project, of the file that a tool is about to touch; `None` for a file outside the
/// project or below `.claude`, where the host keeps its own files.
fn path_in_project(root: &Path, cwd: Option<&str>, path: &str) -> Option<String> {
    let path = locate(root, cwd, path)?;
    let is_the_hosts = path.is_empty() || path.split('/').next() == Some(".claude");
    (!is_the_hosts).then_some(path)
}

/// Returns the path, relative to the project, of a file or folder; "" for the project itself, and `None` for a path
/// outside the project.
fn locate(root: &Path, cwd: Option<&str>, path: &str) -> Option<String> {
    if path.contains('\0') {
        return None;
    }
    let working = working_folder(root, cwd);
    let cwd = std::path::absolute(cwd.filter(|cwd| !cwd.is_empty()).unwrap_or(".")).ok()?;
    let path = normalize(&cwd.join(path));
    let folders = [working, root.to_owned()];
    let below = |path: &Path, folder: &PathBuf| path.strip_prefix(folder).ok().map(Path::to_owned);
    let inside = folders.iter().find_map(|folder| below(&path, folder)).or_else(|| {
        let path = resolve(&path)?;
        folders.iter().find_map(|folder| below(&path, &resolve(folder)?))
    });
    // macOS names the same folder in two forms.
    let composed = |path: &Path| Some(PathBuf::from(&*compose(path.to_str()?)));
    let inside = inside.or_else(|| {
        let path = composed(&path)?;
        folders.iter().find_map(|folder| below(&path, &composed(folder)?))
    })?;
    let parts = inside.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>()?;
    Some(parts.join("/"))
}

/// Returns the constraints and decisions that are valid now and are anchored to one of the files: constraints first, and within a
/// category the latest memory first.
fn find_anchored(
    searched: &Searched,
    groups: &[Group],
    settings: &Settings,
    session: &SessionFile,
    answer: &mut Answer,
) -> Chosen {
    let mut files = searched.recall(Review::of(settings), &mut answer.notes);
    let mut places = MOST_OF_FILE;
    let chosen = files.in_parts(|files| {
        if files.is_first_part() {
            places = MOST_OF_FILE;
        }
        find_anchored_in_part(files, groups, session, &mut places)
    });
    let tables = files.take_tables();
    searched.keep_all(tables, answer);
    chosen
}

/// Returns the memories of one part of the documents that are anchored to one of the files. At most `places` of them are new to the
/// session, and these are subtracted from `places`.
fn find_anchored_in_part(
    files: &mut SnapshotRecall<'_, Source>,
    groups: &[Group],
    session: &SessionFile,
    places: &mut usize,
) -> Chosen {
    // Positions: the memory at the end of each chain of supersessions, and the memories of the chain that have the
    // anchor.
    let mut anchored: Vec<(u32, Vec<u32>)> = Vec::new();
    let snapshot = files.snapshot;
    let found = groups.iter().flat_map(|group| group.paths.iter().map(move |path| (group, path)));
    let found = found.flat_map(|(group, path)| snapshot.anchored(path).into_iter().map(move |found| (group, found)));
    for (_, position) in found.filter(|(group, position)| group.has(snapshot, *position)) {
        let head = files.successor(position);
        if files.is_of_another_part(head) || files.is_of_another_part(position) {
            continue;
        }
        match anchored.iter_mut().find(|(known, _)| *known == head) {
            Some((_, positions)) => positions.push(position),
            None => anchored.push((head, vec![position])),
        }
    }
    let now = now_micros();
    let mut found: Vec<_> = anchored
        .into_iter()
        .filter(|(head, _)| snapshot.document(*head).is_some_and(|document| place(&document, OF_FILE).is_some()))
        .filter_map(|(head, positions)| Some((positions, head, files.check(head)?)))
        .filter(|(_, _, document)| document.validity.at(now) == Standing::Holds)
        .filter_map(|(positions, head, document)| Some((place(&document, OF_FILE)?, positions, head, document)))
        .collect();
    found.sort_by_key(|(strictness, _, _, document)| (*strictness, Reverse(document.updated_at)));
    let mut chosen = Chosen::default();
    let mut looks = if files.trust.is_some() { MOST_LOOKS } else { usize::MAX };
    for (_, positions, head, document) in found {
        let memory = RecalledMemory::held_back(head, document, Ranking::default());
        if !session.lacks(&memory) {
            chosen.memories.push(memory);
            continue;
        }
        if *places == 0 || looks == 0 {
            continue;
        }
        // Each memory that is read uses up one look.
        looks -= 1;
        let Some(verified) = files.verify(head) else { continue };
        let paths =
            |position: u32| groups.iter().find(|group| group.has(snapshot, position)).map(|group| &*group.paths);
        let is_anchored = |position: &u32| {
            let paths = paths(*position).unwrap_or_default();
            files.verify(*position).is_some_and(|verified| anchors(&verified, paths))
        };
        if positions.iter().any(is_anchored) {
            *places -= usize::from(!verified.is_withheld());
            chosen.add(verified.found(Ranking::default()));
        }
    }
    files.note_contradictions(&mut chosen, now);
    chosen
}

/// Whether the anchors of a memory count for one of the files (SPEC 45.4).
fn anchors(memory: &Verified, paths: &[String]) -> bool {
    let counts = |anchors: &[_]| paths.iter().any(|path| anchors_file(anchors, path));
    memory.unreviewed.as_ref().is_none_or(|unreviewed| counts(&unreviewed.anchors))
}

/// Returns the position of a memory's category in `categories`; `None` if it is not there.
fn place(document: &StoredDocument, categories: [&str; 2]) -> Option<usize> {
    let parts = document.parts()?;
    categories.iter().position(|category| *category == parts.category)
}

/// Searches with hybrid recall for memories that match the text of a failed command and pass the gate.
fn find_help(searched: &Searched, settings: &Settings, said: &str, answer: &mut Answer) -> Chosen {
    let mut files = searched.recall(Review::of(settings), &mut answer.notes);
    let filters = Filters { categories: OF_FAILURE.map(str::to_owned).to_vec(), ..Filters::default() };
    let alone = Question::of_prompt(said, settings, &filters, MOST_OF_FAILURE);
    let chosen = files.choose(&Question { past: Past::Hidden, ..alone });
    let tables = files.take_tables();
    searched.keep_all(tables, answer);
    chosen
}
