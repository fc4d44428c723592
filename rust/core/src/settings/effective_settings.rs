//! The settings that count: what a repository may choose, over the user's own configuration (SPEC 54.3).

use crate::settings::settings_table::{Known, Limit, Row, SettingsTable, Who};
use crate::text::json_reader::{Json, read_json};
use crate::text::json_writer::write_json;
use std::borrow::Cow;

const REPOSITORY: &str = "memory-config.json";
const OWN: &str = "config.json";

/// Of each file so many unknown names are told.
const MAX_UNKNOWN: usize = 20;

const URL: &str = "url";
const KEY_VARIABLE: &str = "api_key_env";

type Members = Vec<(String, Json)>;

/// The settings that count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSettings<'a> {
    /// Their JSON text.
    pub data: Cow<'a, [u8]>,
    /// A sentence for each part of the two files that does not count.
    pub problems: Vec<String>,
}

/// The settings that count, of the user's configuration and of the `memory-config.json` of a store; `None` stands for
/// a file that is not there. The bytes of a single file are returned unchanged where all of them count.
#[must_use]
pub fn effective_settings<'a>(user: Option<&'a [u8]>, repository: Option<&'a [u8]>) -> EffectiveSettings<'a> {
    let mut problems = Vec::new();
    let own = user.and_then(|data| members_of(data, OWN, &mut problems));
    note_unknown(own.as_deref(), OWN, &mut problems);
    let Some(asked) = repository else {
        let data = user.filter(|_| own.is_some()).unwrap_or(b"{}");
        return EffectiveSettings { data: data.into(), problems };
    };
    let Some((user, own)) = user.zip(own).filter(|(_, own)| !own.is_empty()) else {
        // The readers of a malformed file say what is wrong with it.
        let members = members_of(asked, REPOSITORY, &mut Vec::new());
        let unknown = unknown_names(members.as_deref());
        let mut merge = Merge::new(&mut problems);
        let result = merge.members(members.unwrap_or_default(), Vec::new(), "");
        let data = if merge.is_changed { written(result).into() } else { asked.into() };
        problems.extend(told(&unknown, REPOSITORY));
        return EffectiveSettings { data, problems };
    };
    let members = members_of(asked, REPOSITORY, &mut problems);
    let unknown = unknown_names(members.as_deref());
    let mut merge = Merge::new(&mut problems);
    let result = merge.members(members.unwrap_or_default(), own, "");
    let data = if merge.is_adding { written(result).into() } else { user.into() };
    problems.extend(told(&unknown, REPOSITORY));
    EffectiveSettings { data, problems }
}

fn members_of(data: &[u8], file: &str, problems: &mut Vec<String>) -> Option<Members> {
    match read_json(data) {
        Ok(Json::Object(members)) => return Some(members),
        Ok(_) => problems.push(format!("{file}: the file is not a JSON object; using the defaults")),
        Err(_) => problems.push(format!("{file}: the file is not JSON; using the defaults")),
    }
    None
}

fn note_unknown(members: Option<&[(String, Json)]>, file: &str, problems: &mut Vec<String>) {
    problems.extend(told(&unknown_names(members), file));
}

/// A sentence for each unknown name.
fn told(unknown: &[(String, Option<&str>)], file: &str) -> Vec<String> {
    let sentence = |(name, near): &(String, Option<&str>)| match near {
        Some(near) => format!("{file}: `{name}` is unknown, did you mean `{near}`?"),
        None => format!("{file}: `{name}` is unknown"),
    };
    unknown.iter().map(sentence).collect()
}

/// The first twenty names that the table does not have, each with the nearest that it has.
///
/// A name with other characters than those of settings could hold anything, and is given as `?`.
fn unknown_names(members: Option<&[(String, Json)]>) -> Vec<(String, Option<&'static str>)> {
    let mut unknown = Vec::new();
    if let Some(members) = members.filter(|members| !members.is_empty()) {
        search(members, "", "", &SettingsTable::read(), &mut unknown);
    }
    unknown
}

/// Looks through the members of a group, whose name is `group` in the table and `shown` in messages.
fn search(
    members: &[(String, Json)],
    group: &str,
    shown: &str,
    table: &SettingsTable,
    unknown: &mut Vec<(String, Option<&'static str>)>,
) {
    let below = |group: &str, name: &str| if group.is_empty() { name.to_owned() } else { format!("{group}.{name}") };
    for (name, value) in members {
        let is_plain = is_plain(name);
        let full = below(shown, if is_plain { name } else { "?" });
        match (table.find(group, name), value) {
            (None, _) if unknown.len() < MAX_UNKNOWN => {
                let near = is_plain.then(|| table.nearest(&below(group, name))).flatten();
                unknown.push((full, near));
            }
            (Some(Known::Group(known)), Json::Object(members)) => search(members, &known, &full, table, unknown),
            _ => {}
        }
    }
}

/// Whether a name has the characters of settings, and at most forty.
fn is_plain(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    name.len() <= 40 && name.starts_with(|char: char| char.is_ascii_alphabetic()) && name.bytes().all(is_known)
}

fn written(members: Members) -> Vec<u8> {
    write_json(&Json::Object(members)).into_bytes()
}

/// A repository's settings over a user's; tells whether anything of them was left out, and whether anything counts.
struct Merge<'a> {
    table: SettingsTable,
    problems: &'a mut Vec<String>,
    is_changed: bool,
    is_adding: bool,
}

impl<'a> Merge<'a> {
    fn new(problems: &'a mut Vec<String>) -> Self {
        Self { table: SettingsTable::read(), problems, is_changed: false, is_adding: false }
    }

    /// The members of a group, whose name in the table is `group`.
    fn members(&mut self, asked: Members, own: Members, group: &str) -> Members {
        let names_endpoint = own.iter().any(|(name, _)| self.table.is_endpoint_of(group, name));
        let mut result = own;
        let is_url = |(name, _): &(String, Json)| name == URL && self.table.is_endpoint_of(group, URL);
        let names_url = !names_endpoint && asked.iter().any(is_url);
        for (name, value) in asked {
            let place = result.iter().position(|(other, _)| *other == name);
            match self.table.find(group, &name) {
                None => self.is_changed = true,
                Some(Known::Setting(row)) => {
                    let own = place.and_then(|place| result.get(place)).map(|(_, own)| own);
                    match judge(&row, value, own, names_endpoint) {
                        Verdict::Taken(value) => self.put(&mut result, place, name, value),
                        Verdict::Off => {
                            self.is_changed = true;
                            self.put(&mut result, place, name, Json::Bool(false));
                        }
                        Verdict::Left => self.is_changed = true,
                        Verdict::Refused(problem) => self.refuse(row.name, &problem),
                    }
                }
                Some(Known::Group(known)) => match (value, place) {
                    (Json::Object(members), _) => {
                        let below = place.and_then(|place| result.get_mut(place));
                        let below = match below.map(|(_, own)| std::mem::replace(own, Json::Null)) {
                            Some(Json::Object(members)) => members,
                            _ => Vec::new(),
                        };
                        let members = Json::Object(self.members(members, below, &known));
                        set(&mut result, place, name, members);
                    }
                    (_, Some(_)) => self.refuse(&known, "it is not an object"),
                    // Who reads it says that it is none.
                    (value, None) => self.put(&mut result, None, name, value),
                },
            }
        }
        if names_url {
            // No key goes to a place that a repository names.
            set(&mut result, None, KEY_VARIABLE.into(), Json::Text(String::new()));
            self.is_changed = true;
        }
        result
    }

    fn put(&mut self, result: &mut Members, place: Option<usize>, name: String, value: Json) {
        self.is_adding = true;
        set(result, place, name, value);
    }

    fn refuse(&mut self, known: &str, problem: &str) {
        self.is_changed = true;
        self.problems.push(format!("{REPOSITORY}: `{known}` is ignored: {problem}"));
    }
}

fn set(result: &mut Members, place: Option<usize>, name: String, value: Json) {
    match place.and_then(|place| result.get_mut(place)) {
        Some(member) => member.1 = value,
        None => result.push((name, value)),
    }
}

/// What becomes of a value that a repository asks for.
enum Verdict {
    /// It counts.
    Taken(Json),
    /// It counts as `false`.
    Off,
    /// It does not count, and what counts instead is the same.
    Left,
    /// It does not count, and this is why.
    Refused(String),
}

fn judge(row: &Row, value: Json, own: Option<&Json>, names_endpoint: bool) -> Verdict {
    match row.who {
        Who::Project => return Verdict::Taken(value),
        Who::Plugin => return Verdict::Left,
        Who::User => return Verdict::Refused("only your own configuration can set it".into()),
        Who::Stricter | Who::Consent => {}
    }
    let names = match row.limit {
        Limit::Off => return judge_switch(value, own, row.is_on),
        Limit::AtLeast(number) => return judge_number(row, value, own, number, |value, bound| value >= bound),
        Limit::AtMost(number) => return judge_number(row, value, own, number, |value, bound| value <= bound),
        Limit::OneOf(names) => names,
        Limit::None => "",
    };
    let allowed: Vec<&str> = names.split(", ").filter(|name| !name.is_empty()).collect();
    let place_of = |value: &Json| allowed.iter().position(|name| text_of(value) == Some(name));
    let place = place_of(&value);
    if !allowed.is_empty() && place.is_none() {
        return Verdict::Refused(format!("a repository can only choose {}", listed(&allowed)));
    }
    if row.who == Who::Consent {
        // The first name asks nobody.
        return if place == Some(0) || !names_endpoint {
            Verdict::Taken(value)
        } else {
            Verdict::Refused("your own configuration names the endpoint".into())
        };
    }
    match own.and_then(place_of) {
        Some(own) if Some(own) < place => Verdict::Refused(STRICTER.into()),
        _ => Verdict::Taken(value),
    }
}

const STRICTER: &str = "your own configuration is stricter";

/// A switch that a repository can only switch off.
fn judge_switch(value: Json, own: Option<&Json>, default: bool) -> Verdict {
    match (value, own) {
        (Json::Bool(true), own) if own.map_or(default, Json::is_truthy) => Verdict::Left,
        (Json::Bool(true), _) => Verdict::Refused("a repository can only switch it off".into()),
        // Each reader has its own rule for what is neither true nor false, and none of them weakens the default.
        (value @ Json::Bool(false), _) | (value, None) => Verdict::Taken(value),
        (value, Some(_)) if value.is_truthy() => Verdict::Left,
        _ => Verdict::Off,
    }
}

/// A number up to, or from, one that the user or the table names.
fn judge_number(
    row: &Row,
    value: Json,
    own: Option<&Json>,
    bound: f64,
    is_within: impl Fn(f64, f64) -> bool,
) -> Verdict {
    let (number, own) = (number_of(&value), own.and_then(number_of));
    match number {
        Some(number) if is_within(number, own.unwrap_or(bound)) => Verdict::Taken(value),
        Some(_) if own.is_some() => Verdict::Refused(STRICTER.into()),
        _ => Verdict::Refused(format!("a repository can only choose a number of {}", row.words)),
    }
}

fn text_of(value: &Json) -> Option<&str> {
    match value {
        Json::Bool(true) => Some("true"),
        Json::Bool(false) => Some("false"),
        value => value.as_text(),
    }
}

/// A number that is one, not a truth value and not NaN.
fn number_of(value: &Json) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "limits are small")]
        Json::Integer(number) => Some(*number as f64),
        Json::Float(number) if !number.is_nan() => Some(*number),
        _ => None,
    }
}

/// Names in back-ticks, with `or` before the last.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
