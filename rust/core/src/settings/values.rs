//! Reads values of a file of settings by their rows in the table; an invalid value is reported, and its default is
//! used.

use crate::settings::table::{Kind, Row, last_part};
use crate::text::json_reader::Json;

/// The values of a file, and a sentence for each value that is replaced by its default.
pub(crate) struct Values<'a> {
    pub(crate) file: &'a Json,
    pub(crate) problems: Vec<String>,
}

impl<'a> Values<'a> {
    /// The value of a setting, of whatever type; `None` if it is not set. A group above it that is not an object is
    /// reported once.
    pub(crate) fn given(&mut self, row: &Row) -> Option<&'a Json> {
        let mut found = self.file;
        for (place, _) in row.name.match_indices('.') {
            let (above, _) = row.name.split_at(place);
            found = found.get(last_part(above))?;
            if !matches!(found, Json::Object(_)) {
                let problem = format!("`{above}` is not an object; using its defaults");
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
                return None;
            }
        }
        found.get(row.last_name())
    }

    /// Records that a value is replaced by its default.
    pub(crate) fn report(&mut self, problem: String) {
        self.problems.push(problem);
    }

    pub(crate) fn switch(&mut self, row: &Row) -> bool {
        match self.given(row) {
            None => row.is_on(),
            Some(Json::Bool(value)) => *value,
            Some(_) => {
                self.report(format!("`{}` is neither true nor false; using {}", row.name, row.default));
                row.is_on()
            }
        }
    }

    /// Reads an integer within the bounds of the table.
    pub(crate) fn integer(&mut self, row: &Row) -> u32 {
        let Some(value) = self.given(row) else { return default_count(row) };
        within(value, row).unwrap_or_else(|| {
            if let Kind::Integer(least, most) = row.kind {
                self.report(format!("`{}` is not an integer from {least} to {most}; using {}", row.name, row.default));
            }
            default_count(row)
        })
    }

    /// Reads a number within the bounds of the table.
    pub(crate) fn number(&mut self, row: &Row) -> f64 {
        let Some(value) = self.given(row) else { return row.number() };
        let Kind::Number(least, most) = row.kind else { return row.number() };
        let found = match value {
            #[expect(clippy::cast_precision_loss, reason = "what is lost is far beyond the limits")]
            Json::Integer(value) => *value as f64,
            Json::Float(value) => *value,
            _ => f64::NAN,
        };
        if found >= f64::from(least) && found <= f64::from(most) {
            // Adding 0.0 turns -0.0, whose bits differ, into 0.0.
            return found + 0.0;
        }
        let default = if row.default == "0" { "0" } else { "the default" };
        self.report(format!("`{}` is not a number from {least} to {most}; using {default}", row.name));
        row.number()
    }

    /// Reads one of the names that the table lists.
    pub(crate) fn name(&mut self, row: &Row) -> &'static str {
        let Some(value) = self.given(row) else { return row.text() };
        let names = || if let Kind::OneOf(names) = row.kind { names.split(", ") } else { "".split(", ") };
        names().find(|name| value.as_text() == Some(name)).unwrap_or_else(|| {
            let listed: Vec<_> = names().map(|name| format!("`{name}`")).collect();
            self.report(format!("`{}` must be one of {}; using `{}`", row.name, listed.join(", "), row.text()));
            row.text()
        })
    }
}

/// The value as an integer within the bounds of the table; `None` for any other value.
pub(crate) fn within(value: &Json, row: &Row) -> Option<u32> {
    let (Json::Integer(value), Kind::Integer(least, most)) = (value, row.kind) else { return None };
    u32::try_from(*value).ok().filter(|_| (i64::from(least)..=i64::from(most)).contains(value))
}

/// The default of an integer setting.
pub(crate) fn default_count(row: &Row) -> u32 {
    row.default.parse().unwrap_or_default()
}
