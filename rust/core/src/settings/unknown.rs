//! Reports unknown names in a file of settings, with the most similar known name (SPEC 47.3).

use crate::settings::table::{Known, find, nearest};
use crate::text::json_reader::Json;

/// The maximal number of unknown names that are reported for each file.
const MAX_UNKNOWN: usize = 20;

/// A sentence for each of the first [`MAX_UNKNOWN`] unknown names, with the most similar known name.
pub(crate) fn tell_unknown(members: &[(String, Json)], file: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    search(members, "", "", &mut unknown);
    let sentence = |(name, near): &(String, Option<&str>)| match near {
        Some(near) => format!("{file}: `{name}` is unknown, did you mean `{near}`?"),
        None => format!("{file}: `{name}` is unknown"),
    };
    unknown.iter().map(sentence).collect()
}

/// Collects the unknown names among the members of a group, whose name is `group` in the table and `shown` in messages.
///
/// A name with characters that settings do not have could be any text, and is shown as `?`.
fn search(members: &[(String, Json)], group: &str, shown: &str, unknown: &mut Vec<(String, Option<&'static str>)>) {
    let below = |group: &str, name: &str| if group.is_empty() { name.to_owned() } else { format!("{group}.{name}") };
    for (name, value) in members {
        let is_plain = is_plain(name);
        let full = below(shown, if is_plain { name } else { "?" });
        match (find(group, name), value) {
            (None, _) if unknown.len() < MAX_UNKNOWN => {
                let near = is_plain.then(|| nearest(&below(group, name))).flatten();
                unknown.push((full, near));
            }
            (Some(Known::Group(known)), Json::Object(members)) => search(members, &known, &full, unknown),
            _ => {}
        }
    }
}

/// Whether a name has only characters that names of settings have, and at most forty of them.
fn is_plain(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    name.len() <= 40 && name.starts_with(|char: char| char.is_ascii_alphabetic()) && name.bytes().all(is_known)
}
