//! The table of settings: which there are, and who may set each (SPEC 54.2).
//!
//! `python/cuecard/assets/settings.tsv` is the table; the Python reads the same file.

const TEXT: &str = include_str!("../../../../python/cuecard/assets/settings.tsv");

/// What is shorter stands at the end of too many names.
const MIN_LAST_BYTES: usize = 4;

/// Who may set a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// The user alone.
    User,
    /// A repository as well.
    Project,
    /// A repository too, as far as what it asks for is stricter.
    Stricter,
    /// A repository too, but nothing is sent there without the user's consent.
    Consent,
    /// Nobody: it is a setting of the claude-memory plugin.
    Plugin,
}

/// What a repository may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    /// Anything.
    None,
    /// To switch it off.
    Off,
    /// A number from this one on.
    AtLeast(f64),
    /// A number up to this one.
    AtMost(f64),
    /// One of these names, the strictest first, with `, ` between them.
    OneOf(&'static str),
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    /// The names of the setting and of the groups above it, with dots between them; `*` stands for any name.
    pub(crate) name: &'static str,
    pub(crate) who: Who,
    pub(crate) limit: Limit,
    /// The limit in words.
    pub(crate) words: &'static str,
    /// Whether the default is `true`.
    pub(crate) is_on: bool,
}

/// What a name stands for.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    Setting(Row),
    /// A group of settings, with its name in the table.
    Group(String),
}

/// The rows of the table.
pub(crate) struct SettingsTable {
    rows: Vec<Row>,
}

impl SettingsTable {
    /// Reads the table that is embedded.
    pub(crate) fn read() -> Self {
        let lines = TEXT.split('\n').filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self { rows: lines.filter_map(read_row).collect() }
    }

    /// What a member of a group is; `None` for one that the table does not have.
    pub(crate) fn find(&self, group: &str, name: &str) -> Option<Known> {
        if name.contains('.') {
            return None;
        }
        let above = if group.is_empty() { String::new() } else { format!("{group}.") };
        [format!("{above}{name}"), format!("{above}*")].into_iter().find_map(|full| {
            if let Some(row) = self.rows.iter().find(|row| row.name == full) {
                return Some(Known::Setting(*row));
            }
            let is_group = |row: &Row| row.name.strip_prefix(full.as_str()).is_some_and(|rest| rest.starts_with('.'));
            self.rows.iter().any(is_group).then(|| Known::Group(full.clone()))
        })
    }

    /// The setting or group whose name is nearest to one that the table does not have, if one is near.
    ///
    /// Near is what takes as many changed, added and left out characters as a third of the last part has, and at
    /// least one. Else the only setting that ends with the same part, if that has four characters or more.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'static str> {
        let last = last_part(name);
        let mut bound = (last.len() / 3).max(1) + 1;
        let mut best = None;
        for row in &self.rows {
            let dots = row.name.match_indices('.').map(|(place, _)| place);
            for full in dots.chain([row.name.len()]).filter_map(|end| row.name.get(..end)) {
                if full.len().abs_diff(name.len()) < bound {
                    let distance = count_edits(name, full);
                    if distance < bound {
                        (best, bound) = (Some(full), distance);
                    }
                }
            }
        }
        if best.is_some() || last.len() < MIN_LAST_BYTES {
            return best;
        }
        let mut same = self.rows.iter().map(|row| row.name).filter(|row| last_part(row) == last);
        same.next().filter(|_| same.next().is_none())
    }

    /// Whether a member of a group says where a model is asked, or with which key.
    pub(crate) fn is_endpoint_of(&self, group: &str, name: &str) -> bool {
        let full = format!("{group}.{name}");
        self.rows.iter().any(|row| row.name == full && matches!(row.who, Who::User | Who::Consent))
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

/// How many bytes are to be changed, added or left out to make one name of another.
fn count_edits(one: &str, other: &str) -> usize {
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for (row, byte) in one.bytes().enumerate() {
        let mut left = row + 1;
        let mut now = vec![left];
        for (wanted, pair) in other.bytes().zip(before.windows(2)) {
            let [diagonal, above] = pair else { continue };
            left = (above + 1).min(left + 1).min(diagonal + usize::from(byte != wanted));
            now.push(left);
        }
        before = now;
    }
    before.last().copied().unwrap_or_default()
}

fn read_row(line: &'static str) -> Option<Row> {
    let mut columns = line.split('\t');
    let (name, who, words) = (columns.next()?, columns.next()?, columns.next()?);
    let who = match who {
        "user" => Who::User,
        "project" => Who::Project,
        "stricter" => Who::Stricter,
        "consent" => Who::Consent,
        _ => Who::Plugin,
    };
    let number = |mark: &str| words.strip_prefix(mark).and_then(|number| number.parse().ok());
    let limit = if words.is_empty() {
        Limit::None
    } else if words == "off" {
        Limit::Off
    } else if let Some(number) = number("at least ") {
        Limit::AtLeast(number)
    } else if let Some(number) = number("at most ") {
        Limit::AtMost(number)
    } else {
        Limit::OneOf(words)
    };
    Some(Row { name, who, limit, words, is_on: columns.next()? == "true" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_row() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(SettingsTable::read().rows.len(), lines.count());
    }

    #[test]
    fn a_star_stands_for_any_name() {
        let table = SettingsTable::read();
        assert!(matches!(table.find("", "categories"), Some(Known::Group(name)) if name == "categories"));
        assert!(matches!(table.find("categories", "x"), Some(Known::Group(name)) if name == "categories.*"));
        assert!(matches!(table.find("categories.*", "enabled"), Some(Known::Setting(_))));
        assert!(table.find("", "categories.x").is_none());
        assert!(table.find("", "ret").is_none());
    }
}
