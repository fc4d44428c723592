//! Adds a message for the user to the answer for the agent (SPEC 12.4).

use crate::host::Host;
use cuecard_core::text::chars::strip;
use cuecard_core::text::json_writer::quote;

/// A longer notice is cut.
const MAX_CHARS: usize = 1000;

impl Host {
    /// Adds the lines of a notice to an answer of `write_answer`. The answer is returned unchanged if the notice has no
    /// lines.
    #[must_use]
    pub fn add_notice(self, answer: String, notice: &[u8]) -> String {
        let text = read_notice(notice);
        if text.is_empty() || !self.shows_notices() {
            return answer;
        }
        let told = format!("{{\"systemMessage\":{}", quote(&text));
        match answer.strip_prefix('{') {
            Some(rest) => format!("{told},{rest}"),
            None => format!("{told}}}\n"),
        }
    }
}

fn read_notice(notice: &[u8]) -> String {
    let notice = String::from_utf8_lossy(notice);
    let plain = |line: &str| line.chars().map(|char| if char.is_control() { ' ' } else { char }).collect::<String>();
    let lines: Vec<String> = notice.split('\n').map(|line| strip(&plain(line)).to_owned()).collect();
    let told: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    told.join("; ").chars().take(MAX_CHARS).collect()
}
