//! Settings of hybrid recall in `memory-config.json`; whatever is malformed falls back to its default (SPEC 26.3).

use crate::error::Error;
use crate::settings::endpoint_place::endpoint_place;
use crate::text::json_reader::{Json, read_json};

/// A weight of 1.
pub const WEIGHT_ONE: u32 = 1024;
const MAX_WEIGHT: i32 = 16;
/// What is added to the logit from which the gate shows a memory: 1 of it, and at most so many.
const SHIFT_ONE: i32 = 1024;
const MAX_SHIFT: i32 = 2;
const MAX_RRF_K: u32 = 1000;
const MIN_POOL: u32 = 10;
const MAX_POOL: u32 = 200;
/// Of what is injected.
const MIN_TOKENS: u32 = 50;
const MAX_TOKENS: u32 = 10_000;
const DAY_SECONDS: f64 = 86_400.0;
const MAX_HALF_LIFE_DAYS: i32 = 36_500;
const MAX_CATEGORIES: usize = 100;
/// The embedder that is loaded in Python itself.
const LOCAL: &str = "minilm";
/// The providers of embeddings that are asked over a connection.
const ENDPOINTS: [&str; 2] = ["ollama", "openai"];
/// The URL of each; and of each judge, the default first.
const EMBEDDING_URLS: [(&str, &str); 2] = [("ollama", OLLAMA_URL), ("openai", OPENAI_URL)];
const JUDGE_URLS: [(&str, &str); 3] =
    [("anthropic", "https://api.anthropic.com"), ("openai", OPENAI_URL), ("ollama", OLLAMA_URL)];
const OLLAMA_URL: &str = "http://localhost:11434";
const OPENAI_URL: &str = "https://api.openai.com";
/// How long that may take, in milliseconds, and the judge.
const EMBEDDING_MS: u32 = 150;
const MIN_EMBEDDING_MS: u32 = 10;
const JUDGE_MS: u32 = 700;
const MIN_JUDGE_MS: u32 = 100;
const MAX_ENDPOINT_MS: u32 = 10_000;
/// What holds until it is retired, however old it is.
pub(crate) const LASTING: [&str; 3] = ["DECISION", "CONSTRAINT", "PREFERENCE"];

/// How sure the gate has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateSetting {
    /// Little is shown, nearly all of it right.
    Precise,
    /// The default.
    #[default]
    Balanced,
    /// Much is shown.
    Eager,
    /// Everything is shown.
    Off,
}

impl GateSetting {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Precise, Self::Balanced, Self::Eager, Self::Off];

    /// The name in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Balanced => "balanced",
            Self::Eager => "eager",
            Self::Off => "off",
        }
    }

    /// The setting of that name; an error says which there are.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        const NAMES: &[&str] = &["precise", "balanced", "eager", "off"];
        let found = Self::ALL.into_iter().find(|setting| setting.name() == name);
        found.ok_or_else(|| Error::UnknownName { kind: "setting", name: name.into(), known: NAMES })
    }
}

/// How the retrievers become one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// By their scores.
    #[default]
    Score,
    /// By their ranks (reciprocal rank fusion).
    Rrf,
}

impl Fusion {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Score, Self::Rrf];

    /// The name in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Rrf => "rrf",
        }
    }
}

/// How hybrid recall is set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of the file are switches here")]
pub struct RecallConfig {
    /// How sure the gate has to be.
    pub gate_setting: GateSetting,
    /// What is added to the least logit of every setting, in 1/1024.
    pub gate_shift: i64,
    /// How the retrievers become one order.
    pub fusion: Fusion,
    /// What is added to ranks where they are fused.
    pub rrf_k: u32,
    /// Of the lexical retriever, in 1/1024 like those below.
    pub lexical_weight: u32,
    /// Of the semantic retriever.
    pub semantic_weight: u32,
    /// Of the concept graph.
    pub graph_weight: u32,
    /// Of model vectors, where there are any.
    pub embedding_weight: u32,
    /// How many candidates each retriever offers.
    pub candidate_pool: u32,
    /// Whether the words of a prompt bring related ones.
    pub related_terms: bool,
    /// Whether the concept graph does.
    pub graph: bool,
    /// Whether priors are added.
    pub priors: bool,
    /// Whether a session's prompts and what it was shown are kept in mind.
    pub session: bool,
    /// The most estimated tokens of what is injected.
    pub max_tokens: u32,
    /// Whether paths in a prompt favour the memories that are anchored to them.
    pub situation_paths: bool,
    /// Whether the branch and the files changed in the working tree do.
    pub situation_git: bool,
    /// Whether what a user has set the focus on does.
    pub situation_focus: bool,
    /// Whether memories are also shown before a tool touches what they are anchored to, and after a failed command.
    pub situation_need: bool,
    /// Whether a model other than the built-in table makes vectors; only Python asks it.
    pub has_embedder: bool,
    /// How many milliseconds an endpoint may take over a prompt's vector; 0 where there is none.
    pub embedding_ms: u32,
    /// The judge likewise.
    pub judge_ms: u32,
    /// Host and port of that endpoint; `None` where there is none, or its URL is none.
    pub embedding_place: Option<String>,
    /// Those of the judge's.
    pub judge_place: Option<String>,
    /// Whether an event is logged for each decision.
    pub log_events: bool,
    /// Whether it has the prompt's text.
    pub log_prompts: bool,
    /// Whether memories must be vouched for, or each counts as reviewed.
    pub reviews_trust: bool,
    /// After which a memory's decay is half; 0 for none.
    pub half_life_seconds: i64,
    /// What decays, in capitals.
    pub decay_categories: Vec<String>,
    /// A sentence for each value that was replaced by its default.
    pub problems: Vec<String>,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            gate_setting: GateSetting::default(),
            gate_shift: 0,
            fusion: Fusion::default(),
            rrf_k: 60,
            lexical_weight: WEIGHT_ONE,
            semantic_weight: 1792,
            graph_weight: 512,
            embedding_weight: WEIGHT_ONE,
            candidate_pool: 50,
            related_terms: true,
            graph: false,
            priors: true,
            session: true,
            max_tokens: 700,
            situation_paths: true,
            situation_git: false,
            situation_focus: true,
            situation_need: true,
            has_embedder: false,
            embedding_ms: 0,
            judge_ms: 0,
            embedding_place: None,
            judge_place: None,
            log_events: true,
            log_prompts: false,
            reviews_trust: true,
            half_life_seconds: 0,
            decay_categories: vec!["SESSION_SUMMARY".into()],
            problems: Vec::new(),
        }
    }
}

/// The settings in the bytes of a `memory-config.json`; a file that is none has the defaults, which is told elsewhere.
#[must_use]
pub fn read_recall_config(data: &[u8]) -> RecallConfig {
    let mut config = RecallConfig::default();
    let file = read_json(data).unwrap_or(Json::Null);
    let mut problems = Vec::new();
    match file.get("log") {
        None => {}
        Some(log @ Json::Object(_)) => {
            read_switch(log, "log", "events", &mut config.log_events, &mut problems);
            read_switch(log, "log", "prompts", &mut config.log_prompts, &mut problems);
        }
        Some(_) => problems.push("`log` is not an object; using its defaults".into()),
    }
    if let Some(embedding) = file.get("embedding") {
        if matches!(embedding, Json::Object(_)) {
            read_weight(embedding, "embedding", "weight", &mut config.embedding_weight, &mut problems);
        } else {
            problems.push("`embedding` is not an object; using its defaults".into());
        }
        let provider = embedding.get("provider").and_then(Json::as_text);
        config.has_embedder = provider.is_some_and(|provider| provider == LOCAL || ENDPOINTS.contains(&provider));
        if provider.is_some_and(|provider| ENDPOINTS.contains(&provider)) {
            config.embedding_ms = milliseconds(embedding, MIN_EMBEDDING_MS, EMBEDDING_MS);
            config.embedding_place = place_of(embedding, &EMBEDDING_URLS);
        }
    }
    match file.get("trust") {
        None => {}
        Some(trust @ Json::Object(_)) => read_review(trust, &mut config.reviews_trust, &mut problems),
        Some(_) => problems.push("`trust` is not an object; using its defaults".into()),
    }
    if let Some(retrieval) = file.get("retrieval") {
        read_retrieval(retrieval, &mut config, &mut problems);
    }
    config.problems = problems;
    config
}

fn read_retrieval(retrieval: &Json, config: &mut RecallConfig, problems: &mut Vec<String>) {
    let gate = GateSetting::ALL.map(|setting| (setting.name(), setting));
    read_choice(retrieval, "gate_setting", &gate, &mut config.gate_setting, problems);
    read_shift(retrieval, &mut config.gate_shift, problems);
    let fusions = Fusion::ALL.map(|fusion| (fusion.name(), fusion));
    read_choice(retrieval, "fusion", &fusions, &mut config.fusion, problems);
    read_count(retrieval, "rrf_k", 1, MAX_RRF_K, &mut config.rrf_k, problems);
    match retrieval.get("weights") {
        None => {}
        Some(weights @ Json::Object(_)) => {
            let above = "retrieval.weights";
            read_weight(weights, above, "lexical", &mut config.lexical_weight, problems);
            read_weight(weights, above, "semantic", &mut config.semantic_weight, problems);
            read_weight(weights, above, "graph", &mut config.graph_weight, problems);
        }
        Some(_) => problems.push("`retrieval.weights` is not an object; using its defaults".into()),
    }
    read_count(retrieval, "candidate_pool", MIN_POOL, MAX_POOL, &mut config.candidate_pool, problems);
    read_switch(retrieval, "retrieval", "related_terms", &mut config.related_terms, problems);
    read_switch(retrieval, "retrieval", "graph", &mut config.graph, problems);
    read_switch(retrieval, "retrieval", "priors", &mut config.priors, problems);
    read_switch(retrieval, "retrieval", "session", &mut config.session, problems);
    read_count(retrieval, "max_tokens", MIN_TOKENS, MAX_TOKENS, &mut config.max_tokens, problems);
    match retrieval.get("situation") {
        None => {}
        Some(situation @ Json::Object(_)) => {
            let mut switch = |name, value| read_switch(situation, "retrieval.situation", name, value, problems);
            switch("paths", &mut config.situation_paths);
            switch("git", &mut config.situation_git);
            switch("focus", &mut config.situation_focus);
            switch("need", &mut config.situation_need);
        }
        Some(_) => problems.push("`retrieval.situation` is not an object; using its defaults".into()),
    }
    match retrieval.get("decay") {
        None => {}
        Some(decay @ Json::Object(_)) => read_decay(decay, config, problems),
        Some(_) => problems.push("`retrieval.decay` is not an object; using its defaults".into()),
    }
    match retrieval.get("judge") {
        None => {}
        Some(judge @ Json::Object(_)) => {
            let mut is_enabled = false;
            read_switch(judge, "retrieval.judge", "enabled", &mut is_enabled, problems);
            if is_enabled {
                config.judge_ms = milliseconds(judge, MIN_JUDGE_MS, JUDGE_MS);
                config.judge_place = place_of(judge, &JUDGE_URLS);
            }
        }
        Some(_) => problems.push("`retrieval.judge` is not an object; using its defaults".into()),
    }
}

/// A time that endpoints have. What is malformed is told where all of their settings are read.
fn milliseconds(values: &Json, least: u32, default: u32) -> u32 {
    let Some(Json::Integer(value)) = values.get("timeout_ms") else { return default };
    u32::try_from(*value).ok().filter(|found| (least..=MAX_ENDPOINT_MS).contains(found)).unwrap_or(default)
}

/// Host and port of the endpoint that these settings name: of their URL, else of their provider's own.
fn place_of(values: &Json, urls: &[(&str, &str)]) -> Option<String> {
    let own = |provider: &str| urls.iter().find(|(name, _)| *name == provider).map(|(_, url)| *url);
    let url = match (values.get("url"), values.get("provider")) {
        (Some(url), _) => url.as_text(),
        (None, Some(provider)) => provider.as_text().and_then(own),
        (None, None) => urls.first().map(|(_, url)| *url),
    };
    url.and_then(endpoint_place)
}

fn read_choice<T: Copy + PartialEq>(
    values: &Json,
    name: &str,
    choices: &[(&str, T)],
    choice: &mut T,
    problems: &mut Vec<String>,
) {
    let Some(value) = values.get(name) else { return };
    if let Some((_, found)) = choices.iter().find(|(known, _)| value.as_text() == Some(*known)) {
        *choice = *found;
    } else {
        let listed: Vec<_> = choices.iter().map(|(known, _)| format!("`{known}`")).collect();
        let default = choices.iter().find(|(_, known)| known == choice).map_or("", |(known, _)| *known);
        problems.push(format!("`retrieval.{name}` is none of {}; using `{default}`", listed.join(", ")));
    }
}

fn read_shift(values: &Json, shift: &mut i64, problems: &mut Vec<String>) {
    let Some(value) = values.get("gate_shift") else { return };
    match read_number(value, -MAX_SHIFT, MAX_SHIFT) {
        #[expect(clippy::cast_possible_truncation, reason = "it is between -2048 and 2048.5")]
        Some(found) => *shift = (found * f64::from(SHIFT_ONE) + 0.5).floor() as i64,
        None => problems
            .push(format!("`retrieval.gate_shift` is not a number from -{MAX_SHIFT} to {MAX_SHIFT}; using {shift}")),
    }
}

fn read_count(values: &Json, name: &str, least: u32, most: u32, count: &mut u32, problems: &mut Vec<String>) {
    let Some(value) = values.get(name) else { return };
    let found = if let Json::Integer(value) = value { u32::try_from(*value).ok() } else { None };
    match found.filter(|found| (least..=most).contains(found)) {
        Some(found) => *count = found,
        None => problems.push(format!("`retrieval.{name}` is not an integer from {least} to {most}; using {count}")),
    }
}

fn read_switch(values: &Json, above: &str, name: &str, switch: &mut bool, problems: &mut Vec<String>) {
    match values.get(name) {
        None => {}
        Some(Json::Bool(value)) => *switch = *value,
        Some(_) => problems.push(format!("`{above}.{name}` is neither true nor false; using {switch}")),
    }
}

/// Whether memories must be vouched for: `on` or `off`.
fn read_review(trust: &Json, reviews_trust: &mut bool, problems: &mut Vec<String>) {
    match trust.get("review").map(Json::as_text) {
        None | Some(Some("on")) => {}
        Some(Some("off")) => *reviews_trust = false,
        Some(_) => problems.push("`trust.review` is neither `on` nor `off`; using `on`".into()),
    }
}

/// A weight in 1/1024.
fn read_weight(values: &Json, above: &str, name: &str, weight: &mut u32, problems: &mut Vec<String>) {
    let Some(value) = values.get(name) else { return };
    match read_number(value, 0, MAX_WEIGHT) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 16,384.5")]
        Some(found) => *weight = (found * f64::from(WEIGHT_ONE) + 0.5) as u32,
        None => {
            problems.push(format!("`{above}.{name}` is not a number from 0 to {MAX_WEIGHT}; using the default"));
        }
    }
}

fn read_decay(decay: &Json, config: &mut RecallConfig, problems: &mut Vec<String>) {
    if let Some(value) = decay.get("half_life_days") {
        match read_number(value, 0, MAX_HALF_LIFE_DAYS) {
            #[expect(clippy::cast_possible_truncation, reason = "it is under 2^32")]
            Some(days) => config.half_life_seconds = (days * DAY_SECONDS) as i64,
            None => problems.push(format!(
                "`retrieval.decay.half_life_days` is not a number from 0 to {MAX_HALF_LIFE_DAYS}; using 0"
            )),
        }
    }
    if let Some(value) = decay.get("categories") {
        let Some(found) = read_names(value) else {
            problems.push("`retrieval.decay.categories` is not a list of names; using the default".into());
            return;
        };
        let count = found.len();
        config.decay_categories = found.into_iter().filter(|name| !LASTING.contains(&name.as_str())).collect();
        if config.decay_categories.len() < count {
            problems.push("`retrieval.decay.categories` has one that does not decay; leaving it out".into());
        }
    }
}

/// Names of categories in capitals; `None` where any of it is something else.
fn read_names(value: &Json) -> Option<Vec<String>> {
    let Json::List(names) = value else { return None };
    let read = |name: &Json| name.as_text().filter(|name| name.is_ascii()).map(str::to_ascii_uppercase);
    let mut found = names.iter().map(read).collect::<Option<Vec<_>>>()?;
    found.truncate(MAX_CATEGORIES);
    Some(found)
}

fn read_number(value: &Json, least: i32, most: i32) -> Option<f64> {
    let found = match value {
        #[expect(clippy::cast_precision_loss, reason = "what is lost is far beyond the limits")]
        Json::Integer(value) => *value as f64,
        Json::Float(value) => *value,
        _ => return None,
    };
    (found >= f64::from(least) && found <= f64::from(most)).then_some(found)
}
