//! Reads the settings of a store from the user's file and the repository's file (SPEC 11, 22.8, 26.3, 47).

use crate::settings::bm25_settings::Bm25Settings;
use crate::settings::choices::{Fusion, GateSetting};
use crate::settings::descriptions::read_descriptions;
use crate::settings::endpoint_place::endpoint_place;
use crate::settings::merge::{Merged, merge};
use crate::settings::strategy::Strategy;
use crate::settings::table::{Kind, Row, setting};
use crate::settings::values::{Values, default_count, within};
use crate::text::chars::{decimal_digit, strip};
use crate::text::json_reader::Json;

/// The integer for a weight or shift of 1.
const ONE: f64 = 1024.0;
const DAY_SECONDS: f64 = 86_400.0;
const MAX_DECAYING: usize = 100;
const MAX_GROUPS: usize = 1000;
const MAX_GROUP: usize = 100;
/// The most folders of `scopes.exclude` that count.
const MAX_FOLDERS: usize = 1000;
/// The name of a team has lower-case letters, digits, and hyphens between them.
const MAX_TEAM_BYTES: usize = 40;
/// The names of the embedders that run within the Python process.
const LOCAL: [&str; 2] = ["minilm", "e5"];
/// The default URL of each provider of embeddings that has an endpoint. [`JUDGE_URLS`] has the default URL of each
/// provider of judges; the default provider comes first.
const EMBEDDING_URLS: [(&str, &str); 2] = [("ollama", OLLAMA_URL), ("openai", OPENAI_URL)];
const JUDGE_URLS: [(&str, &str); 3] =
    [("anthropic", "https://api.anthropic.com"), ("openai", OPENAI_URL), ("ollama", OLLAMA_URL)];
/// The rows of the time limit, the URL and the provider of an endpoint.
const EMBEDDING_ROWS: [&Row; 3] =
    [setting!("embedding.timeout_ms"), setting!("embedding.url"), setting!("embedding.provider")];
const JUDGE_ROWS: [&Row; 3] =
    [setting!("retrieval.judge.timeout_ms"), setting!("retrieval.judge.url"), setting!("retrieval.judge.provider")];
const OLLAMA_URL: &str = "http://localhost:11434";
const OPENAI_URL: &str = "https://api.openai.com";
/// The categories whose memories do not decay with age.
pub(crate) const LASTING: [&str; 3] = ["DECISION", "CONSTRAINT", "PREFERENCE"];

/// The settings of a store. Weights and shifts are in 1/1024.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of the file are switches here")]
pub struct Settings {
    /// Whether memories are recalled for prompts at all.
    pub enabled: bool,
    /// The maximal number of memories that are injected, 0 to 20.
    pub max_inject: usize,
    /// The maximal size of the injected text, in estimated tokens.
    pub max_tokens: u32,
    /// The strategy by which memories are found.
    pub strategy: Strategy,
    /// The strategy that the repository's file names, even if another strategy is used; the default if the file names
    /// no strategy.
    pub repository_strategy: Strategy,
    /// The lower-case key and description of each category that has a description, sorted by key.
    pub descriptions: Vec<(String, String)>,
    /// The descriptions in the user's own file.
    pub user_descriptions: Vec<(String, String)>,
    /// How sure the gate must be that a memory helps.
    pub gate_setting: GateSetting,
    /// The number that is added to the gate's threshold.
    pub gate_shift: i64,
    /// Whether a line names memories that may concern a prompt for which no memory is sure enough.
    pub may_concern: bool,
    /// How the results of the retrievers are fused.
    pub fusion: Fusion,
    /// The constant k of reciprocal rank fusion.
    pub rrf_k: u32,
    /// The weight of the lexical retriever.
    pub lexical_weight: u32,
    /// The weight of the semantic retriever.
    pub semantic_weight: u32,
    /// The weight of the concept graph.
    pub graph_weight: u32,
    /// The weight of model vectors, if there are any.
    pub embedding_weight: u32,
    /// The number of candidates that each retriever offers.
    pub candidate_pool: u32,
    /// The settings that the impacts of the lexical retriever are computed with.
    pub lexical: Bm25Settings,
    /// Groups of synonyms, in addition to the built-in groups.
    pub synonyms: Vec<Vec<String>>,
    /// Whether related terms are added to the terms of a prompt.
    pub related_terms: bool,
    /// Whether the concept graph adds terms to a prompt.
    pub graph: bool,
    /// Whether priors are added to the scores of memories.
    pub priors: bool,
    /// The age at which a memory has lost half of its decay points, in seconds; 0 for no decay.
    pub half_life_seconds: i64,
    /// The names, in upper case, of the categories whose memories decay.
    pub decay_categories: Vec<String>,
    /// Whether the prompts of a session and the memories shown in it are remembered.
    pub session: bool,
    /// Whether paths in a prompt favour memories that are anchored to these paths.
    pub situation_paths: bool,
    /// Whether the Git branch and the changed files of the working tree favour memories.
    pub situation_git: bool,
    /// Whether the focus that the user has set favours memories.
    pub situation_focus: bool,
    /// Whether memories are also shown before a tool touches a file that they are anchored to, and after a failed
    /// command.
    pub situation_need: bool,
    /// Whether an embedding model is configured in addition to the built-in table; only Python calls it.
    pub has_embedder: bool,
    /// The time limit for an endpoint to return a prompt's vector, in milliseconds; 0 if there is no endpoint.
    pub embedding_ms: u32,
    /// The place of the embedding endpoint; `None` if there is no endpoint, or its URL is invalid.
    pub embedding_place: Option<String>,
    /// The time limit for the judge, in milliseconds; 0 if there is no judge.
    pub judge_ms: u32,
    /// The place of the judge's endpoint; `None` if there is no judge, or its URL is invalid.
    pub judge_place: Option<String>,
    /// The place of the embedding endpoint in the user's own file.
    pub user_embedding_place: Option<String>,
    /// The place of the judge's endpoint in the user's own file.
    pub user_judge_place: Option<String>,
    /// Whether an event is logged for each decision.
    pub log_events: bool,
    /// Whether a logged event contains the text of the prompt.
    pub log_prompts: bool,
    /// In how many of a hundred sessions a memory near the gate's limit is withheld; 0 for none.
    pub holdout: u32,
    /// Whether memories must be vouched for; if not, every memory counts as reviewed.
    pub reviews_trust: bool,
    /// Which scopes count besides the project's own.
    pub scopes: ScopeSettings,
    /// The merged settings of both files, as a JSON object.
    pub members: Json,
    /// A sentence for each part of the two files that is ignored.
    pub ignored: Vec<String>,
    /// A sentence for each value that was replaced by its default.
    pub problems: Vec<String>,
    /// The sentences of `problems` that are about values in the user's own file.
    pub user_problems: Vec<String>,
}

/// Which stores count besides the project's own (SPEC 48.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSettings {
    /// Whether the store of the enclosing project counts.
    pub parent: bool,
    /// Whether the user's own store counts.
    pub user: bool,
    /// Whether the packs of teams count.
    pub team: bool,
    /// The folders in which neither the user's store nor packs count.
    pub exclude: Vec<String>,
    /// The names of the teams that the user has joined, each once.
    pub teams: Vec<String>,
}

impl ScopeSettings {
    fn read(values: &mut Values) -> Self {
        let parent = values.switch(setting!("scopes.parent"));
        let user = values.switch(setting!("scopes.user"));
        let team = values.switch(setting!("scopes.team"));
        let folders = match values.given(setting!("scopes.exclude")) {
            Some(Json::List(folders)) => folders.iter().take(MAX_FOLDERS).filter_map(Json::as_text).collect(),
            _ => Vec::new(),
        };
        let teams = read_teams(values);
        Self { parent, user, team, exclude: folders.into_iter().map(str::to_owned).collect(), teams }
    }
}

/// The names of the joined teams that have a URL, each once. What cannot be the name of a team is left out.
fn read_teams(values: &mut Values) -> Vec<String> {
    let Some(Json::List(listed)) = values.given(setting!("sync.teams")) else { return Vec::new() };
    let mut teams: Vec<String> = Vec::new();
    for team in listed {
        let text = |name| team.get(name).and_then(Json::as_text);
        if let (Some(name), Some(_)) = (text("name"), text("url"))
            && is_team_name(name)
            && teams.iter().all(|known| known != name)
        {
            teams.push(name.to_owned());
        }
    }
    teams
}

fn is_team_name(name: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let is_ended = name.starts_with('-') || name.ends_with('-');
    (1..=MAX_TEAM_BYTES).contains(&name.len()) && !is_ended && name.bytes().all(is_plain)
}

impl Default for Settings {
    fn default() -> Self {
        Self::read(Json::Object(Vec::new()), Vec::new())
    }
}

/// Reads the settings of a store from the user's configuration and the store's `memory-config.json`; `None` stands for
/// a missing file.
#[must_use]
pub fn read_settings(user: Option<&[u8]>, repository: Option<&[u8]>) -> Settings {
    let Merged { members, ignored, problems, user, asked_strategy } = merge(user, repository);
    let mut settings = Settings::read(members, problems);
    settings.ignored = ignored;
    let read_strategy = |value: &Json| value.as_text().and_then(Strategy::find);
    settings.repository_strategy = asked_strategy.as_ref().and_then(read_strategy).unwrap_or_default();
    let own = match user {
        Some(user) => &Settings::read(user, Vec::new()),
        None if repository.is_none() => &settings,
        None => return settings,
    };
    let user_problems = settings.problems.iter().filter(|problem| own.problems.contains(problem)).cloned().collect();
    let (user_embedding_place, user_judge_place) = (own.embedding_place.clone(), own.judge_place.clone());
    let user_descriptions = own.descriptions.clone();
    Settings { user_descriptions, user_embedding_place, user_judge_place, user_problems, ..settings }
}

impl Settings {
    /// What the files give for a setting, of whatever type: `settings.given(setting!("capture.every"))`.
    #[must_use]
    pub fn given(&self, row: &Row) -> Option<&Json> {
        Values { file: &self.members, problems: Vec::new() }.given(row)
    }

    /// Reads the values of merged settings.
    fn read(members: Json, problems: Vec<String>) -> Self {
        let mut values = Values { file: &members, problems };
        let max_inject = read_max_inject(&mut values);
        let strategy = read_strategy(&mut values);
        let enabled = values.given(setting!("retrieval.enabled")).is_none_or(Json::is_truthy);
        let descriptions = match members.get("categories") {
            None => Vec::new(),
            Some(Json::Object(categories)) => read_descriptions(categories, &mut values),
            Some(_) => {
                values.report("`categories` is not an object; using no descriptions".into());
                Vec::new()
            }
        };
        let lexical = read_lexical(&mut values);
        let synonyms = read_synonyms(&mut values);
        let log_events = values.switch(setting!("log.events"));
        let log_prompts = values.switch(setting!("log.prompts"));
        let holdout = values.integer(setting!("learning.holdout"));
        let embedding_weight = thousandths(values.number(setting!("embedding.weight")));
        let provider = values.given(setting!("embedding.provider")).and_then(Json::as_text);
        let has_endpoint = EMBEDDING_URLS.iter().any(|(name, _)| provider == Some(*name));
        let has_embedder = provider.is_some_and(|name| LOCAL.contains(&name)) || has_endpoint;
        let reviews_trust = values.name(setting!("trust.review")) == "on";
        let scopes = ScopeSettings::read(&mut values);
        let gate_setting = values.name(setting!("retrieval.gate_setting"));
        let gate_shift = shift_of(values.number(setting!("retrieval.gate_shift")));
        let may_concern = values.switch(setting!("retrieval.may_concern"));
        let fusion = values.name(setting!("retrieval.fusion"));
        let rrf_k = values.integer(setting!("retrieval.rrf_k"));
        let lexical_weight = thousandths(values.number(setting!("retrieval.weights.lexical")));
        let semantic_weight = thousandths(values.number(setting!("retrieval.weights.semantic")));
        let graph_weight = thousandths(values.number(setting!("retrieval.weights.graph")));
        let candidate_pool = values.integer(setting!("retrieval.candidate_pool"));
        let related_terms = values.switch(setting!("retrieval.related_terms"));
        let graph = values.switch(setting!("retrieval.graph"));
        let priors = values.switch(setting!("retrieval.priors"));
        let session = values.switch(setting!("retrieval.session"));
        let max_tokens = values.integer(setting!("retrieval.max_tokens"));
        let situation_paths = values.switch(setting!("retrieval.situation.paths"));
        let situation_git = values.switch(setting!("retrieval.situation.git"));
        let situation_focus = values.switch(setting!("retrieval.situation.focus"));
        let situation_need = values.switch(setting!("retrieval.situation.need"));
        let half_life_seconds = seconds_of(values.number(setting!("retrieval.decay.half_life_days")));
        let decay_categories = read_decaying(&mut values);
        let is_judged = values.switch(setting!("retrieval.judge.enabled"));
        let (embedding_ms, embedding_place) = read_endpoint(&mut values, has_endpoint, EMBEDDING_ROWS, &EMBEDDING_URLS);
        let (judge_ms, judge_place) = read_endpoint(&mut values, is_judged, JUDGE_ROWS, &JUDGE_URLS);
        Self {
            enabled,
            max_inject,
            max_tokens,
            strategy,
            repository_strategy: Strategy::default(),
            descriptions,
            user_descriptions: Vec::new(),
            gate_setting: GateSetting::from_name(gate_setting).unwrap_or_default(),
            gate_shift,
            may_concern,
            fusion: Fusion::find(fusion).unwrap_or_default(),
            rrf_k,
            lexical_weight,
            semantic_weight,
            graph_weight,
            embedding_weight,
            candidate_pool,
            lexical,
            synonyms,
            related_terms,
            graph,
            priors,
            half_life_seconds,
            decay_categories,
            session,
            situation_paths,
            situation_git,
            situation_focus,
            situation_need,
            has_embedder,
            embedding_ms,
            embedding_place,
            judge_ms,
            judge_place,
            user_embedding_place: None,
            user_judge_place: None,
            log_events,
            log_prompts,
            holdout,
            reviews_trust,
            scopes,
            ignored: Vec::new(),
            problems: values.problems,
            user_problems: Vec::new(),
            members,
        }
    }
}

fn read_strategy(values: &mut Values) -> Strategy {
    let row = setting!("retrieval.match_strategy");
    let Some(value) = values.given(row) else { return Strategy::default() };
    value.as_text().and_then(Strategy::find).unwrap_or_else(|| {
        values.report(format!("`{}` is not a known strategy; using `{}`", row.name, row.text()));
        Strategy::default()
    })
}

/// The maximal number of injected memories, which may be given as a number or as the text of an integer.
fn read_max_inject(values: &mut Values) -> usize {
    let row = setting!("retrieval.max_inject");
    let found = values.given(row).and_then(|value| {
        let number = integer_of(value);
        if number.is_none() {
            values.report(format!("`{}` is not an integer; using {}", row.name, row.default));
        }
        number
    });
    let bounded = match (found, row.kind) {
        (Some(found), Kind::Integer(least, most)) => u32::try_from(found.clamp(least.into(), most.into())).ok(),
        _ => None,
    };
    bounded.unwrap_or_else(|| default_count(row)) as usize
}

fn integer_of(value: &Json) -> Option<i64> {
    match value {
        Json::Bool(value) => Some(i64::from(*value)),
        Json::Integer(value) => Some(*value),
        #[expect(clippy::cast_possible_truncation, reason = "truncation is the rule, and casts saturate")]
        Json::Float(value) if value.is_finite() => Some(*value as i64),
        Json::Text(text) => read_integer(text),
        _ => None,
    }
}

/// Reads an integer from a text, which may have white space around it, a sign, digits of any script and single
/// underscores; `None` for any other text.
fn read_integer(text: &str) -> Option<i64> {
    let text = strip(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut value: i64 = 0;
    let mut after_digit = false;
    for char in digits.chars() {
        let digit = decimal_digit(char);
        match digit {
            Some(digit) => value = value.saturating_mul(10).saturating_add(digit.into()),
            None if char == '_' && after_digit => {}
            None => return None,
        }
        after_digit = digit.is_some();
    }
    after_digit.then_some(if text.starts_with('-') { -value } else { value })
}

fn read_lexical(values: &mut Values) -> Bm25Settings {
    let k1 = values.number(setting!("retrieval.lexical.k1"));
    let weights = [
        values.number(setting!("retrieval.lexical.weights.title")),
        values.number(setting!("retrieval.lexical.weights.tags")),
        values.number(setting!("retrieval.lexical.weights.questions")),
        values.number(setting!("retrieval.lexical.weights.body")),
    ];
    let bs = [
        values.number(setting!("retrieval.lexical.b.title")),
        values.number(setting!("retrieval.lexical.b.tags")),
        values.number(setting!("retrieval.lexical.b.questions")),
        values.number(setting!("retrieval.lexical.b.body")),
    ];
    Bm25Settings { k1, weights, bs }
}

fn read_synonyms(values: &mut Values) -> Vec<Vec<String>> {
    let row = setting!("retrieval.synonyms");
    let Some(value) = values.given(row) else { return Vec::new() };
    read_groups(value).unwrap_or_else(|| {
        values.report(format!("`{}` is not a list of lists of words; ignoring it", row.name));
        Vec::new()
    })
}

/// Reads groups of words; `None` if the value is not a list of lists of strings.
fn read_groups(value: &Json) -> Option<Vec<Vec<String>>> {
    let Json::List(groups) = value else { return None };
    let read = |group: &Json| {
        let Json::List(words) = group else { return None };
        words.iter().take(MAX_GROUP).map(|word| word.as_text().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    groups.iter().take(MAX_GROUPS).map(read).collect()
}

/// Reads the categories whose memories decay; returns their names in upper case.
fn read_decaying(values: &mut Values) -> Vec<String> {
    let row = setting!("retrieval.decay.categories");
    let default = || vec!["SESSION_SUMMARY".to_owned()];
    let Some(value) = values.given(row) else { return default() };
    let Some(found) = read_names(value) else {
        values.report(format!("`{}` is not a list of names; using the default", row.name));
        return default();
    };
    let count = found.len();
    let decaying: Vec<_> = found.into_iter().filter(|name| !LASTING.contains(&name.as_str())).collect();
    if decaying.len() < count {
        values.report(format!("`{}` names a category that does not decay; leaving it out", row.name));
    }
    decaying
}

/// Reads a list of category names and returns them in upper case; `None` if the value is not a list of ASCII strings.
fn read_names(value: &Json) -> Option<Vec<String>> {
    let Json::List(names) = value else { return None };
    let read = |name: &Json| name.as_text().filter(|name| name.is_ascii()).map(str::to_ascii_uppercase);
    let mut found = names.iter().map(read).collect::<Option<Vec<_>>>()?;
    found.truncate(MAX_DECAYING);
    Some(found)
}

/// The time limit of an endpoint in milliseconds, and its place; 0 and `None` if it is not asked. The rows are those of
/// its time limit, URL and provider. Without a URL, the provider's default counts; an invalid one gives no place.
///
/// An invalid time limit is the default. Python reports it when it reads all settings of the endpoint.
fn read_endpoint(
    values: &mut Values,
    is_asked: bool,
    [timeout, url, provider]: [&Row; 3],
    urls: &[(&str, &str)],
) -> (u32, Option<String>) {
    if !is_asked {
        return (0, None);
    }
    let own = |provider: &str| urls.iter().find(|(name, _)| *name == provider).map(|(_, url)| *url);
    let url = match (values.given(url), values.given(provider)) {
        (Some(url), _) => url.as_text(),
        (None, Some(provider)) => provider.as_text().and_then(own),
        (None, None) => urls.first().map(|(_, url)| *url),
    };
    let milliseconds = values.given(timeout).and_then(|value| within(value, timeout));
    (milliseconds.unwrap_or_else(|| default_count(timeout)), url.and_then(endpoint_place))
}

/// Converts a weight to an integer in units of 1/1024.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "weights are from 0 to 16")]
fn thousandths(weight: f64) -> u32 {
    (weight * ONE + 0.5) as u32
}

/// Converts a shift to an integer in units of 1/1024.
#[expect(clippy::cast_possible_truncation, reason = "shifts are from -2 to 2")]
fn shift_of(shift: f64) -> i64 {
    (shift * ONE + 0.5).floor() as i64
}

#[expect(clippy::cast_possible_truncation, reason = "it is under 2^32")]
fn seconds_of(days: f64) -> i64 {
    (days * DAY_SECONDS) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_types_have_the_same_defaults() {
        let settings = Settings::default();
        assert_eq!(settings.lexical, Bm25Settings::default());
        assert_eq!(settings.gate_setting, GateSetting::default());
        assert_eq!(settings.fusion, Fusion::default());
        assert_eq!(setting!("retrieval.match_strategy").text(), Strategy::default().name());
        assert_eq!(setting!("retrieval.decay.categories").default.to_uppercase(), "[\"SESSION_SUMMARY\"]");
        assert_eq!(settings.problems, [""; 0]);
    }

    #[test]
    fn every_name_of_the_table_stands_for_a_value() {
        let names = |row: &Row| if let Kind::OneOf(names) = row.kind { names.split(", ") } else { panic!("{row:?}") };
        let all: Vec<_> = names(setting!("retrieval.gate_setting")).collect();
        assert_eq!(all, GateSetting::ALL.map(GateSetting::name));
        let all: Vec<_> = names(setting!("retrieval.fusion")).collect();
        assert_eq!(all, Fusion::ALL.map(Fusion::name));
        assert!(names(setting!("retrieval.match_strategy")).all(|name| Strategy::find(name).is_some()));
        let urls = EMBEDDING_URLS.map(|(name, _)| name);
        assert!(urls.iter().all(|url| names(setting!("embedding.provider")).any(|name| name == *url)));
        assert_eq!(names(setting!("retrieval.judge.provider")).collect::<Vec<_>>(), JUDGE_URLS.map(|(name, _)| name));
    }
}
