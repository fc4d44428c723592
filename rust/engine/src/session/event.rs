//! The event log: one line of JSON for each decision, appended after the answer (SPEC 38).

use crate::environment::Environment;
use crate::session::model_use::{JudgeRun, ModelUse, Sent};
use crate::store::log::{FOLDER, utc_now};
use crate::store::root::Project;
use cuecard_core::rank::cues::may_have_secret;
use cuecard_core::text::json_writer::quote;
use std::fmt::Write as _;

const MAX_EVENT_LOG_BYTES: u64 = 4 << 20;
pub(crate) const FILE: &str = "events.jsonl";
pub(crate) const FULL_FILE: &str = "events.1.jsonl";
const MAX_MEMORIES: usize = 12;
const MAX_SESSION_CHARS: usize = 100;
const MAX_PROMPT_CHARS: usize = 20_000;
const MAX_HISTORY: usize = 5;
const MAX_SENT: usize = 8;

/// A decision about a prompt or a tool event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Event {
    /// `prompt`, or `need` for a tool event.
    pub(crate) kind: &'static str,
    /// The host's name.
    pub(crate) host: &'static str,
    /// The session's id from the host.
    pub(crate) session: Option<String>,
    /// The prompt, or the subject of the tool event.
    pub(crate) prompt: String,
    /// What the session keeps of its earlier prompts (SPEC 27.7), the oldest first.
    pub(crate) history: Vec<String>,
    /// What the session keeps of this prompt; empty if nothing is kept.
    pub(crate) kept: String,
    /// Whether the text of the prompt is logged, if it can have no secret (`log.prompts`).
    pub(crate) keeps_texts: bool,
    /// The name of the strategy; `None` if the prompt was skipped before the settings were read.
    pub(crate) strategy: Option<&'static str>,
    /// The name of the gate's setting; `None` in the same case as `strategy`.
    pub(crate) setting: Option<&'static str>,
    /// Why nothing was shown.
    pub(crate) skip_reason: Option<SkipReason>,
    /// The shown memories in their order, then the memories that were considered and not shown.
    pub(crate) memories: Vec<Considered>,
    /// The estimated tokens and the characters of the block that was printed for the agent.
    pub(crate) tokens: usize,
    pub(crate) chars: usize,
    /// How many memories the snapshot or the index has.
    pub(crate) documents: usize,
    /// The duration of each stage.
    pub(crate) micros: Micros,
    /// What models did; empty if none was asked.
    pub(crate) models: ModelUse,
    /// The chance by which memories near the gate's limit were withheld; `None` without such a choice.
    pub(crate) holdout: Option<Holdout>,
}

/// The chance by which memories near the gate's limit are withheld (SPEC 49.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holdout {
    pub(crate) percent: u32,
    /// The gate's lowest logit, and the first logit that is not near to it.
    pub(crate) from: i64,
    pub(crate) below: i64,
}

/// A memory that was considered, and its outcome.
#[derive(Debug, Clone)]
pub(crate) struct Considered {
    /// The display name of the memory's category.
    pub(crate) category: String,
    /// The memory's path in the project.
    pub(crate) path: String,
    /// The scope of the memory's store; empty for the project's own.
    pub(crate) scope: String,
    pub(crate) outcome: Outcome,
    /// The gate's logit, in 1/1024; `None` without a gate.
    pub(crate) logit: Option<i64>,
    pub(crate) score: i64,
    /// The entry of the memory's `forbids` that an act breaks; empty if there is none.
    pub(crate) forbids: String,
}

/// How a memory was shown, or why it was not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Shown with its text.
    Full,
    /// Shown in a line with its gist.
    Gist,
    /// Shown by its title.
    Title,
    /// Shown as an index line, by a strategy without a gate.
    Line,
    /// Shown in a line, beside a surer memory of its subject.
    Sibling,
    /// The gate was not sure enough that the memory helps, and its title is named as one that may concern the prompt.
    Named,
    /// The gate was not sure enough that the memory helps.
    Gate,
    /// The session has been shown this memory already.
    Session,
    /// The memory repeats the content of a memory with a better rank.
    Duplicate,
    /// The rest of the budget of the block was too small for the memory.
    Budget,
    /// Another memory supersedes this memory and is shown instead.
    Superseded,
    /// The memory has ended, by its status or its `valid_until`.
    Over,
    /// The memory does not hold yet.
    Ahead,
    /// Nobody vouches for the memory, and its text addresses the model, its tools or secrets.
    Withheld,
    /// The judge does not keep the memory.
    Judge,
    /// The user has said that the memory is wrong for a similar prompt.
    Verdict,
    /// The host itself shows its agent what the memory says, in a file such as `CLAUDE.md`.
    Hosted,
    /// The memory is withheld at random, to compare.
    Holdout,
}

/// Why nothing was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkipReason {
    /// The prompt has under ten characters.
    Short,
    /// The prompt is a command to the host.
    SlashCommand,
    /// The host submitted the prompt, not the user.
    MachineMade,
    /// The settings switch recall off.
    Disabled,
    /// The prompt is only a courtesy such as "thanks".
    Courtesy,
    /// No retriever found a memory.
    NoMatch,
    /// The gate was not sure enough of any memory.
    Gate,
    /// All memories that were found are withheld.
    Withheld,
    /// The judge keeps none of the memories.
    Judge,
    /// The user has said of what was found that it is wrong for a similar prompt.
    Verdict,
    /// What was found is withheld at random, to compare.
    Holdout,
    /// The session has been shown all of the memories already.
    Session,
    /// The host itself shows what was found.
    Hosted,
    /// No memory fitted into the budget.
    Budget,
    /// There are no memories to search.
    NoSnapshot,
    /// Something went wrong; the log says what.
    Error,
}

/// The duration of each stage, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Micros {
    /// Loading of settings, session, and snapshot or index.
    pub(crate) load: u64,
    /// The retrievers, the fusion and the gate.
    pub(crate) search: u64,
    /// Reading of the memories' files.
    pub(crate) files: u64,
    /// Packing the memories within the budget, and rendering the block.
    pub(crate) pack: u64,
    /// The whole time from the end of the payload to the end of the answer.
    pub(crate) total: u64,
}

impl Outcome {
    const ALL: [Self; 18] = [
        Self::Full,
        Self::Gist,
        Self::Title,
        Self::Line,
        Self::Sibling,
        Self::Named,
        Self::Gate,
        Self::Session,
        Self::Duplicate,
        Self::Budget,
        Self::Superseded,
        Self::Over,
        Self::Ahead,
        Self::Withheld,
        Self::Judge,
        Self::Verdict,
        Self::Hosted,
        Self::Holdout,
    ];

    /// Whether any part of the memory is shown to the agent.
    pub(crate) fn is_shown(self) -> bool {
        matches!(self, Self::Full | Self::Gist | Self::Title | Self::Line | Self::Sibling)
    }

    /// Returns the name of the outcome in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Gist => "gist",
            Self::Title => "title",
            Self::Line => "line",
            Self::Sibling => "sibling",
            Self::Named => "named",
            Self::Gate => "gate",
            Self::Session => "session",
            Self::Duplicate => "duplicate",
            Self::Budget => "budget",
            Self::Superseded => "superseded",
            Self::Over => "over",
            Self::Ahead => "ahead",
            Self::Withheld => "withheld",
            Self::Judge => "judge",
            Self::Verdict => "verdict",
            Self::Hosted => "hosted",
            Self::Holdout => "holdout",
        }
    }

    /// Returns the outcome with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

impl SkipReason {
    fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::SlashCommand => "slash_command",
            Self::MachineMade => "machine_made",
            Self::Disabled => "disabled",
            Self::Courtesy => "courtesy",
            Self::NoMatch => "no_match",
            Self::Gate => "gate",
            Self::Withheld => "withheld",
            Self::Judge => "judge",
            Self::Verdict => "verdict",
            Self::Holdout => "holdout",
            Self::Session => "session",
            Self::Hosted => "hosted",
            Self::Budget => "budget",
            Self::NoSnapshot => "no_snapshot",
            Self::Error => "error",
        }
    }
}

impl Event {
    /// Records the size of the block that the agent gets, in characters and in estimated tokens.
    pub(crate) fn note_block(&mut self, block: &str, tokens: usize) {
        (self.tokens, self.chars) = (tokens, block.chars().count());
    }

    /// Returns the event as a line of JSON that ends with LF. `time` is the time of the event in UTC.
    pub(crate) fn to_line(&self, time: &str) -> String {
        let mut line = format!("{{\"v\":1,\"time\":\"{time}\",\"event\":\"{}\",\"host\":\"{}\"", self.kind, self.host);
        let session = self.session.as_deref().map(|session| quote(cut(session, MAX_SESSION_CHARS)));
        // The hash of the text itself would confirm a guess, for example of a password that is the whole prompt.
        let hash = crc32fast::hash(self.kept.as_bytes());
        let _ = write!(line, ",\"session\":{},\"prompt_hash\":\"{hash:08x}\"", or_null(session));
        let _ = write!(line, ",\"prompt_chars\":{}", self.prompt.chars().count());
        if self.keeps_texts && may_have_secret(&self.prompt) {
            let _ = write!(line, ",\"kept\":{}", quote(cut(&self.kept, MAX_PROMPT_CHARS)));
        } else if self.keeps_texts {
            let before = self.history.len().saturating_sub(MAX_HISTORY);
            let history = self.history.iter().skip(before).map(|kept| quote(cut(kept, MAX_PROMPT_CHARS)));
            let history = history.collect::<Vec<_>>().join(",");
            let prompt = quote(cut(&self.prompt, MAX_PROMPT_CHARS));
            let _ = write!(line, ",\"prompt\":{prompt},\"history\":[{history}]");
        }
        let named = |name: Option<&str>| or_null(name.map(quote));
        let _ = write!(line, ",\"strategy\":{},\"setting\":{}", named(self.strategy), named(self.setting));
        let memories = self.memories.iter().take(MAX_MEMORIES).map(Considered::to_json).collect::<Vec<_>>().join(",");
        let skip_reason = named(self.skip_reason.map(SkipReason::name));
        let _ = write!(line, ",\"silence\":{skip_reason},\"memories\":[{memories}]");
        let _ = write!(line, ",\"tokens\":{},\"chars\":{}", self.tokens, self.chars);
        let Micros { load, search, files, pack, total } = self.micros;
        let micros = format!("\"load\":{load},\"search\":{search},\"files\":{files},\"pack\":{pack},\"total\":{total}");
        let _ = write!(line, ",\"documents\":{},\"micros\":{{{micros}}}", self.documents);
        if let Some(Holdout { percent, from, below }) = self.holdout {
            let _ = write!(line, ",\"holdout\":{{\"percent\":{percent},\"from\":{from},\"below\":{below}}}");
        }
        self.models.append_to(&mut line);
        line.push_str("}\n");
        line
    }
}

impl ModelUse {
    /// Appends the members of the event about models to its line.
    fn append_to(&self, line: &mut String) {
        if let Some((name, note)) = &self.embedder {
            let note = if note.is_empty() { "null".into() } else { quote(note) };
            let _ = write!(line, ",\"embedder\":{{\"name\":{},\"note\":{note}}}", quote(name));
        }
        if let Some(JudgeRun { asked, kept, micros, failure }) = &self.judge {
            let outcome = if failure.is_empty() { "kept" } else { "failed" };
            let counts = format!("\"kept\":{kept},\"of\":{asked},\"micros\":{micros}");
            let _ = write!(line, ",\"judge\":{{\"outcome\":\"{outcome}\",{counts}}}");
        }
        if !self.sent.is_empty() {
            let sent = self.sent.iter().take(MAX_SENT).map(Sent::to_json).collect::<Vec<_>>().join(",");
            let _ = write!(line, ",\"sent\":[{sent}]");
        }
    }
}

impl Sent {
    fn to_json(&self) -> String {
        let Self { what, host, requests, bytes } = self;
        let (what, host) = (quote(what), quote(host));
        format!("{{\"what\":{what},\"host\":{host},\"requests\":{requests},\"bytes\":{bytes}}}")
    }
}

impl Considered {
    fn to_json(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let id = quote(name.strip_suffix(".json").unwrap_or(name));
        let (category, path, outcome) = (quote(&self.category), quote(&self.path), self.outcome.name());
        let logit = or_null(self.logit.map(|logit| logit.to_string()));
        let scope = if self.scope.is_empty() { String::new() } else { format!(",\"scope\":{}", quote(&self.scope)) };
        let of_memory = format!("\"id\":{id},\"category\":{category},\"path\":{path}{scope}");
        let forbids =
            if self.forbids.is_empty() { String::new() } else { format!(",\"forbids\":{}", quote(&self.forbids)) };
        format!("{{{of_memory},\"outcome\":\"{outcome}\",\"logit\":{logit},\"score\":{}{forbids}}}", self.score)
    }
}

/// Appends an event to the event log of a store, in the user's data folder. Write errors are ignored: the hook has
/// nowhere to report them.
pub(crate) fn append(environment: &Environment, project: &Project, event: &Event) {
    if environment.log.as_deref().is_some_and(|log| log == "off") {
        return;
    }
    if let Ok(folder) = project.own.make_below(FOLDER) {
        let _ = folder.append(FILE, event.to_line(&utc_now()).as_bytes(), MAX_EVENT_LOG_BYTES, FULL_FILE);
    }
}

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".into())
}

/// Returns at most `chars` characters from the beginning of a text.
fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a memory with fixed values in the members that the tests do not check.
    fn considered(path: &str, outcome: Outcome, logit: Option<i64>, score: i64) -> Considered {
        Considered {
            category: "DECISION".into(),
            path: path.into(),
            scope: String::new(),
            outcome,
            logit,
            score,
            forbids: String::new(),
        }
    }

    fn answered() -> Event {
        Event {
            kind: "prompt",
            host: "claude-code",
            session: Some("0f1e2d3c".into()),
            prompt: "why is the hook \"native\"?\n \u{1f}훅은 왜".into(),
            history: vec!["1 s:hook=256;".into()],
            kept: "1 s:hook=256;nativ=128".into(),
            keeps_texts: false,
            strategy: Some("hybrid"),
            setting: Some("balanced"),
            skip_reason: None,
            memories: vec![
                considered(".claude/memory/decisions/native-hook.json", Outcome::Full, Some(1530), 5120),
                considered(".claude/memory/decisions/a \"b\".json", Outcome::Gate, Some(-204), 0),
            ],
            tokens: 212,
            chars: 861,
            documents: 613,
            micros: Micros { load: 210, search: 96, files: 44, pack: 31, total: 402 },
            models: ModelUse::default(),
            holdout: None,
        }
    }

    /// Returns the event of a prompt for which models were asked.
    fn judged() -> Event {
        let run = JudgeRun { asked: 8, kept: 2, micros: 90_210, failure: String::new() };
        let sent = |what: &str, requests, bytes| Sent { what: what.into(), host: "h:1".into(), requests, bytes };
        let models = ModelUse {
            embedder: Some(("static".into(), "no memory has a \"vector\"".into())),
            judge: Some(run),
            sent: vec![sent("judge", 2, 4100), sent("prompt", 1, 70)],
        };
        Event { models, skip_reason: Some(SkipReason::Judge), ..answered() }
    }

    /// Returns the event of a prompt whose judge failed.
    fn unjudged() -> Event {
        let run = JudgeRun { asked: 3, kept: 0, micros: 5, failure: "no answer".into() };
        let embedder = Some(("ollama".into(), String::new()));
        Event { models: ModelUse { embedder, judge: Some(run), sent: Vec::new() }, ..answered() }
    }

    /// The Python hook must write the same lines: `tests/engine/test_events.py` compares with the same file.
    #[test]
    fn events_become_the_agreed_lines() {
        let texts = Event { keeps_texts: true, ..answered() };
        let silent = Event {
            kind: "need",
            host: "codex",
            prompt: "/compact".into(),
            keeps_texts: true,
            skip_reason: Some(SkipReason::SlashCommand),
            ..Event::default()
        };
        let events = [answered(), texts, silent, judged(), unjudged()];
        let lines: String = events.map(|event| event.to_line("2026-11-21T20:00:00Z")).into_iter().collect();
        assert_eq!(lines, include_str!("../../../../tests/data/events.jsonl"));
    }

    #[test]
    fn an_event_is_bounded() {
        let memory = considered("decisions/a.json", Outcome::Line, None, 1);
        let event = Event {
            session: Some("é".repeat(101)),
            prompt: "훅".repeat(20_001),
            history: (0..9).map(|number| number.to_string().repeat(20_001)).collect(),
            keeps_texts: true,
            memories: vec![memory; 13],
            ..answered()
        };
        let line = event.to_line("");
        assert_eq!(line.matches("\"outcome\"").count(), 12);
        assert_eq!((line.matches('é').count(), line.matches('훅').count()), (100, 20_000));
        assert!(!line.contains("333") && line.contains(&format!("[\"{}\"", "4".repeat(20_000))));
    }

    #[test]
    #[cfg(unix)]
    fn the_log_is_private_is_set_aside_and_never_a_way_to_another_file() {
        use crate::store::test_store::TestStore;
        use std::fs::{self, OpenOptions};
        use std::os::unix::fs::{PermissionsExt, symlink};
        let store = TestStore::new("event");
        let off = Environment { log: Some("off".into()), ..store.environment.clone() };
        append(&off, &store.project(), &answered());
        assert!(!store.path.join("data").exists());

        append(&store.environment, &store.project(), &answered());
        append(&store.environment, &store.project(), &answered());
        let log = store.own_folder().join("log");
        let file = log.join("events.jsonl");
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o700);

        OpenOptions::new().write(true).open(&file).unwrap().set_len(MAX_EVENT_LOG_BYTES + 1).unwrap();
        append(&store.environment, &store.project(), &answered());
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1);
        assert_eq!(fs::metadata(log.join("events.1.jsonl")).unwrap().len(), MAX_EVENT_LOG_BYTES + 1);

        let target = store.path.join("target");
        fs::write(&target, "").unwrap();
        fs::remove_file(&file).unwrap();
        symlink(&target, &file).unwrap();
        append(&store.environment, &store.project(), &answered());
        assert_eq!(fs::read_to_string(&target).unwrap(), "");
    }
}
