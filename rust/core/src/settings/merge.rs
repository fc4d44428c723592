//! Merges the user's configuration with the settings that a repository may choose (SPEC 47.3).

use crate::settings::endpoint_place::endpoint_place;
use crate::settings::table::{Known, Limit, Row, Who, find, is_endpoint_of, setting};
use crate::settings::unknown::tell_unknown;
use crate::text::json_reader::{Json, read_json};

const REPOSITORY: &str = "memory-config.json";
const OWN: &str = "config.json";

const URL: &str = "url";
const KEY_VARIABLE: &str = "api_key_env";

type Members = Vec<(String, Json)>;

/// The merged settings of the two files.
pub(crate) struct Merged {
    /// The merged settings, as a JSON object.
    pub(crate) members: Json,
    /// A sentence for each part of the two files that is ignored.
    pub(crate) ignored: Vec<String>,
    /// A sentence if the repository's file is not a JSON object and the user's file sets nothing.
    pub(crate) problems: Vec<String>,
    /// The settings of the user's file, if there is also a repository's file and the user's file is not empty.
    pub(crate) user: Option<Json>,
    /// The strategy that the repository's file names, even if another strategy is used.
    pub(crate) asked_strategy: Option<Json>,
}

/// Merges the user's configuration and the `memory-config.json` of a store; `None` stands for a missing file.
pub(crate) fn merge(user: Option<&[u8]>, repository: Option<&[u8]>) -> Merged {
    let (mut ignored, mut problems) = (Vec::new(), Vec::new());
    let own = user.and_then(|data| members_of(data).map_err(|what| ignored.push(format!("{OWN}: {what}"))).ok());
    ignored.extend(tell_unknown(own.as_deref().unwrap_or_default(), OWN));
    let Some(data) = repository else {
        let members = Json::Object(own.unwrap_or_default());
        return Merged { members, ignored, problems, user: None, asked_strategy: None };
    };
    let own = own.filter(|own| !own.is_empty());
    let asked = members_of(data).unwrap_or_else(|what| {
        if own.is_some() {
            ignored.push(format!("{REPOSITORY}: {what}"));
        } else {
            problems.push(what.into());
        }
        Vec::new()
    });
    let retrieval = asked.iter().find(|(name, _)| name == "retrieval").map(|(_, value)| value);
    let asked_strategy =
        retrieval.and_then(|group| group.get(setting!("retrieval.match_strategy").last_name())).cloned();
    let unknown = tell_unknown(&asked, REPOSITORY);
    let mut merge = Merge { ignored: &mut ignored, is_adding: false };
    let members = merge.members(asked, own.clone().unwrap_or_default(), "");
    let user = own.map(Json::Object);
    let is_adding = merge.is_adding;
    ignored.extend(unknown);
    let members = if is_adding { Json::Object(members) } else { user.clone().unwrap_or(Json::Object(members)) };
    Merged { members, ignored, problems, user, asked_strategy }
}

fn members_of(data: &[u8]) -> Result<Members, &'static str> {
    match read_json(data) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err("the file is not a JSON object; using the defaults"),
        Err(_) => Err("the file is not JSON; using the defaults"),
    }
}

/// The state of a merge: the sentences about ignored settings, and whether any setting of the repository is used.
struct Merge<'a> {
    ignored: &'a mut Vec<String>,
    is_adding: bool,
}

impl Merge<'_> {
    /// Merges the members of a group: `asked` from the repository's file and `own` from the user's file. `group` is the
    /// name of the group in the table.
    fn members(&mut self, asked: Members, own: Members, group: &str) -> Members {
        let names_endpoint = own.iter().any(|(name, _)| is_endpoint_of(group, name));
        let mut result = own;
        let is_url = |(name, _): &(String, Json)| name == URL && is_endpoint_of(group, URL);
        let names_url = !names_endpoint && asked.iter().any(is_url);
        for (name, value) in asked {
            let place = result.iter().position(|(other, _)| *other == name);
            match find(group, &name) {
                None => {}
                Some(Known::Setting(row)) => {
                    let own = place.and_then(|place| result.get(place)).map(|(_, own)| own);
                    match judge(row, value, own, names_endpoint) {
                        Verdict::Taken(value) => self.put(&mut result, place, name, value),
                        Verdict::Off => self.put(&mut result, place, name, Json::Bool(false)),
                        Verdict::Left => {}
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
                    // The reader reports that the value is not an object.
                    (value, None) => self.put(&mut result, None, name, value),
                },
            }
        }
        if names_url {
            // The user's API key must not be sent to an endpoint that a repository names.
            set(&mut result, None, KEY_VARIABLE.into(), Json::Text(String::new()));
        }
        result
    }

    fn put(&mut self, result: &mut Members, place: Option<usize>, name: String, value: Json) {
        self.is_adding = true;
        set(result, place, name, value);
    }

    fn refuse(&mut self, known: &str, problem: &str) {
        self.ignored.push(format!("{REPOSITORY}: `{known}` is ignored: {problem}"));
    }
}

fn set(result: &mut Members, place: Option<usize>, name: String, value: Json) {
    match place.and_then(|place| result.get_mut(place)) {
        Some(member) => member.1 = value,
        None => result.push((name, value)),
    }
}

/// The verdict on a value that a repository's file sets.
enum Verdict {
    /// The value is used.
    Taken(Json),
    /// `false` is used instead of the value.
    Off,
    /// The value is ignored silently, because it changes nothing.
    Left,
    /// The value is ignored, for this reason.
    Refused(String),
}

/// Whether a setting of the table is the URL of an endpoint.
fn is_url(name: &str) -> bool {
    name.rsplit('.').next() == Some(URL)
}

fn judge(row: &Row, value: Json, own: Option<&Json>, names_endpoint: bool) -> Verdict {
    match row.who {
        Who::Project => return Verdict::Taken(value),
        Who::Plugin => return Verdict::Left,
        Who::User => return Verdict::Refused("only your own configuration can set it".into()),
        Who::Stricter | Who::Consent => {}
    }
    let names = match row.limit {
        Limit::Off => return judge_switch(value, own, row.is_on()),
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
        // The first name means that no endpoint is used, so nobody has to consent.
        return if place == Some(0) || !names_endpoint {
            // Only the place of a repository's URL counts: the rest could make a server do something else.
            let place = value.as_text().filter(|_| is_url(row.name)).and_then(endpoint_place);
            Verdict::Taken(place.map_or(value, Json::Text))
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

/// Judges a switch that a repository can only switch off.
fn judge_switch(value: Json, own: Option<&Json>, default: bool) -> Verdict {
    match (value, own) {
        (Json::Bool(true), own) if own.map_or(default, Json::is_truthy) => Verdict::Left,
        (Json::Bool(true), _) => Verdict::Refused("a repository can only switch it off".into()),
        // The reader of a setting handles values that are neither true nor false; it never weakens the default.
        (value @ Json::Bool(false), _) | (value, None) => Verdict::Taken(value),
        (value, Some(_)) if value.is_truthy() => Verdict::Left,
        _ => Verdict::Off,
    }
}

/// Judges a number. Its limit is the user's own value; if the user has not set one, its limit is the `bound` of the
/// table.
fn judge_number(
    row: &Row,
    value: Json,
    own: Option<&Json>,
    bound: i32,
    is_within: impl Fn(f64, f64) -> bool,
) -> Verdict {
    let (number, own) = (number_of(&value), own.and_then(number_of));
    match number {
        Some(number) if is_within(number, own.unwrap_or_else(|| bound.into())) => Verdict::Taken(value),
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

/// The value as a number; `None` for booleans, NaN and other types.
fn number_of(value: &Json) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "limits are small")]
        Json::Integer(number) => Some(*number as f64),
        Json::Float(number) if !number.is_nan() => Some(*number),
        _ => None,
    }
}

/// Lists names in back-ticks, with `or` before the last name.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
