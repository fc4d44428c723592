//! Turns the new lines of a transcript into ledger entries (SPEC 56.4).

use crate::capture::entry::{Entry, EntryKind, Sign};
use crate::capture::ledger::Ledger;
use crate::capture::phrases::is_apology;
use crate::capture::quotes::{find_quotes, own_words, shorten_quotes};
use crate::capture::record::{Action, Item, beginning, read_record};
use crate::capture::substance::is_substantial;
use crate::capture::typed::is_same_prompt;
use crate::text::chars::{is_white_space, strip, strip_start};
use crate::text::sanitize::is_hidden;

const MAX_TYPED_CHARS: usize = 20_000;
const MAX_PROMPT_CHARS: usize = 8000;
const MAX_AGENT_CHARS: usize = 1200;
const MAX_CHOICE_CHARS: usize = 1200;
const MAX_COMMAND_CHARS: usize = 200;
const MAX_FAILING: usize = 16;
const MAX_REVERTED: usize = 3;
const LIST_MARKS: [&str; 3] = ["- ", "* ", "\u{2022} "];

/// The error if redaction failed: the text may still contain a secret, so it must not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unredacted;

/// A function that replaces the secrets in a text; it returns an error if that fails.
pub type Redact<'a> = &'a dyn Fn(&str) -> Result<String, Unredacted>;

/// The new transcript lines of one host event, and what is needed to read them.
pub struct Batch<'a> {
    /// The ledger before this event.
    pub ledger: &'a Ledger,
    /// The session that the ledger belongs to.
    pub session: &'a str,
    /// The new lines, each with its position.
    pub lines: &'a [(i64, &'a [u8])],
    /// The position after the last new line.
    pub to: i64,
    /// Whether the lines come from another transcript file than before, which may repeat prompts that are in the
    /// ledger.
    pub is_restart: bool,
    /// The prompts that a user typed in a terminal; a program has written all other prompts. `None` if the host does
    /// not say which prompts were typed.
    pub typed: Option<&'a [String]>,
    /// The agent's last message as the host reports it; empty if the host does not report it.
    pub last_said: &'a str,
    /// The function that replaces secrets.
    pub redact: Redact<'a>,
}

/// The result of [`Batch::read`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is another claim of the transcript")]
pub struct NewEntries {
    /// The new entries, sorted by position.
    pub entries: Vec<Entry>,
    /// Whether a program, not a user, waits for the agent's answer.
    pub is_not_interactive: bool,
    /// Whether the lines say who waits for the answer.
    pub is_audience_known: bool,
    /// Whether the agent may not change anything; `None` if the transcript does not say.
    pub is_read_only: Option<bool>,
    /// Whether the transcript does not contain the agent's last message yet, because the host writes it later.
    pub is_behind: bool,
    /// Whether the lines end where the host calls the hooks for the end of a turn; the transcripts of few hosts show
    /// this.
    pub is_at_stop: bool,
    /// The agent's message at the end of the new lines; empty if they end with something else.
    pub last_said: String,
}

impl Batch<'_> {
    /// Turns the new lines into entries; returns an error if a text may still contain a secret.
    pub fn read(&self) -> Result<NewEntries, Unredacted> {
        let mut builder = Builder::new(self);
        for &(at, line) in self.lines {
            for item in read_record(line) {
                builder.add(at, item)?;
            }
        }
        builder.finish()
    }
}

/// A command that has failed and has not passed since.
struct Failing {
    at: i64,
    command: String,
    tries: i64,
    is_changed: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each says what was seen last")]
struct Builder<'a> {
    batch: &'a Batch<'a>,
    found: NewEntries,
    /// The agent's text since its last tool call, with the position where the text begins.
    said: Option<(i64, String)>,
    is_said_open: bool,
    /// Whether the agent's text is dropped because it answers a request of cuecard for memories.
    drops_said: bool,
    last_agent: String,
    offers_choice: bool,
    edits: i64,
    has_edited_before: bool,
    is_interrupted: bool,
    /// The last prompt. It is held back until the next item tells whether a user typed it.
    held: Option<(i64, Item)>,
    keys: Vec<String>,
    calls: Vec<(String, Action)>,
    edited: Vec<Action>,
    failing: Vec<Failing>,
}

impl<'a> Builder<'a> {
    fn new(batch: &'a Batch<'a>) -> Self {
        let ledger = batch.ledger;
        let (text, offers_choice, edits) = ledger.last_agent();
        let failing = ledger.failing().into_iter();
        let failing =
            failing.map(|(command, tries)| Failing { at: 0, command: command.into(), tries, is_changed: false });
        Self {
            batch,
            found: NewEntries::default(),
            said: None,
            is_said_open: false,
            drops_said: ledger.is_answering(batch.session),
            last_agent: text.to_owned(),
            offers_choice,
            edits: 0,
            has_edited_before: edits > 0,
            is_interrupted: false,
            held: None,
            keys: Vec::new(),
            calls: Vec::new(),
            edited: Vec::new(),
            failing: failing.collect(),
        }
    }

    fn add(&mut self, at: i64, item: Item) -> Result<(), Unredacted> {
        if let Item::TurnNotInteractive(is_waited_for) = item {
            self.note_audience(is_waited_for);
        }
        if let Item::Stopping(is_running) = item {
            self.found.is_at_stop = is_running;
        }
        self.add_held()?;
        if let (Item::Prompt { text, .. }, Some(typed)) = (&item, self.batch.typed) {
            self.found.is_not_interactive = !typed.iter().any(|message| is_same_prompt(text, message));
        }
        let is_flag = matches!(item, Item::NotInteractive(_) | Item::ReadOnly(_) | Item::Prompt { .. });
        if self.found.is_not_interactive && !is_flag {
            return Ok(());
        }
        match item {
            Item::Prompt { .. } => self.held = Some((at, item)),
            Item::Said(text) => match &mut self.said {
                Some((_, before)) if self.is_said_open => {
                    if !before.ends_with(text.as_str()) {
                        before.push('\n');
                        before.push_str(&text);
                    }
                }
                _ => {
                    self.said = Some((at, text));
                    self.is_said_open = true;
                }
            },
            Item::Called { id, action } => {
                self.is_said_open = false;
                if matches!(action, Action::Edit { .. }) {
                    self.edits += 1;
                }
                self.calls.push((id, action));
            }
            Item::Ended { id, has_failed, answer } => self.end_call(at, &id, has_failed, &answer)?,
            Item::Interrupted => self.is_interrupted = true,
            Item::Compacted { id } => {
                let last = self.found.entries.last();
                let is_noted = last.is_some_and(|entry| matches!(entry.kind, EntryKind::Compaction { .. }));
                // A host may write a conversation again, together with its compaction.
                if !is_noted && !self.has_compaction(&id) {
                    self.push(at, EntryKind::Compaction { id });
                }
            }
            Item::NotInteractive(is_waited_for) => self.note_audience(is_waited_for),
            Item::TurnNotInteractive(_) | Item::Stopping(_) => {}
            Item::ReadOnly(is_read_only) => self.found.is_read_only = Some(is_read_only),
        }
        Ok(())
    }

    fn note_audience(&mut self, is_waited_for: bool) {
        self.found.is_not_interactive = is_waited_for;
        self.found.is_audience_known = true;
    }

    /// Adds the prompt that was held back, unless a program waits for the answer to it.
    fn add_held(&mut self) -> Result<(), Unredacted> {
        match self.held.take() {
            Some((at, Item::Prompt { text, is_refusal, key })) if !self.found.is_not_interactive => {
                self.add_prompt(at, &text, is_refusal, key)
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, at: i64, kind: EntryKind) {
        self.found.entries.push(Entry { at, kind });
    }

    /// Whether an entry for the compaction with this id exists already; false if the id is empty.
    fn has_compaction(&self, id: &str) -> bool {
        let mut entries = self.batch.ledger.entries.iter().chain(&self.found.entries);
        !id.is_empty() && entries.any(|entry| matches!(&entry.kind, EntryKind::Compaction { id: known } if known == id))
    }

    fn add_prompt(&mut self, at: i64, text: &str, is_refusal: bool, key: String) -> Result<(), Unredacted> {
        if !key.is_empty() && self.keys.contains(&key) {
            return Ok(());
        }
        self.keys.push(key);
        self.note_said()?;
        let text = self.redacted(beginning(text, MAX_TYPED_CHARS))?;
        let (text, quoted) = shorten_quotes(&text, &find_quotes(&text), MAX_PROMPT_CHARS);
        let mut signs = Vec::new();
        let held = [
            (Sign::AnswersChoice, self.offers_choice),
            (Sign::AfterEdit, self.edits > 0 || self.has_edited_before),
            (Sign::Refusal, is_refusal),
            (Sign::Interrupts, self.is_interrupted),
        ];
        signs.extend(held.into_iter().filter_map(|(sign, holds)| holds.then_some(sign)));
        (self.offers_choice, self.has_edited_before, self.is_interrupted) = (false, false, false);
        self.edits = 0;
        self.drops_said = false;
        if self.batch.is_restart && self.batch.ledger.has_prompt(&text) {
            return Ok(());
        }
        let is_substantial = is_substantial(&own_words(&text, &quoted));
        self.push(at, EntryKind::Prompt { text, quoted, signs, is_substantial });
        Ok(())
    }

    /// Adds an entry for the agent's last text, unless it is empty or already in the ledger.
    fn note_said(&mut self) -> Result<(), Unredacted> {
        self.is_said_open = false;
        let Some((at, text)) = self.said.take() else { return Ok(()) };
        if self.drops_said {
            return Ok(());
        }
        let text = end_of(&self.redacted(end_of(&text, MAX_TYPED_CHARS))?, MAX_AGENT_CHARS).to_owned();
        if text.is_empty() || text == self.last_agent {
            return Ok(());
        }
        self.last_agent.clone_from(&text);
        self.offers_choice = offers_choice(&text);
        let held = [(Sign::OffersChoice, self.offers_choice), (Sign::Apology, is_apology(&text))];
        let signs = held.into_iter().filter_map(|(sign, holds)| holds.then_some(sign)).collect();
        self.push(at, EntryKind::Agent { text, signs, edits: self.edits });
        Ok(())
    }

    fn end_call(&mut self, at: i64, id: &str, has_failed: bool, answer: &str) -> Result<(), Unredacted> {
        let Some(place) = self.calls.iter().position(|(call, _)| call == id) else { return Ok(()) };
        let (_, action) = self.calls.swap_remove(place);
        match action {
            // The command that hands in the drafts is not part of the user's work.
            Action::Command(_) if self.drops_said => {}
            Action::Command(command) => {
                if !has_failed {
                    self.note_put_back(at, &command)?;
                }
                self.note_outcome(at, &command, has_failed)?;
            }
            Action::Question(asked) if !has_failed && !answer.is_empty() => {
                let asked = beginning(&self.redacted(&asked)?, MAX_CHOICE_CHARS).to_owned();
                let text = beginning(&self.redacted(answer)?, MAX_CHOICE_CHARS).to_owned();
                self.push(at, EntryKind::Choice { asked, text });
            }
            Action::Edit { file, old, new } if !has_failed && !old.is_empty() => {
                let undoes = Action::Edit { file: file.clone(), old: new.clone(), new: old.clone() };
                if let Some(place) = self.edited.iter().position(|edit| *edit == undoes) {
                    self.edited.swap_remove(place);
                    let file = self.short(&file)?;
                    self.push(at, EntryKind::Reverted { file });
                } else {
                    self.edited.push(Action::Edit { file, old, new });
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Counts the failures of a command, and adds an entry when a command passes after it has failed.
    fn note_outcome(&mut self, at: i64, command: &str, has_failed: bool) -> Result<(), Unredacted> {
        if !has_failed && self.failing.is_empty() {
            return Ok(());
        }
        let command = self.short(command)?;
        let place = self.failing.iter().position(|failing| failing.command == command);
        match (place.and_then(|place| self.failing.get_mut(place)), has_failed) {
            (Some(failing), true) => {
                failing.at = at;
                failing.tries += 1;
                failing.is_changed = true;
            }
            (None, true) => {
                if self.failing.len() == MAX_FAILING {
                    self.failing.remove(0);
                }
                self.failing.push(Failing { at, command, tries: 1, is_changed: true });
            }
            (Some(failing), false) => {
                let tries = failing.tries;
                self.failing.retain(|failing| failing.command != command);
                self.push(at, EntryKind::Passed { command, tries });
            }
            (None, false) => {}
        }
        Ok(())
    }

    /// Adds an entry for each file whose changes a Git command reverts.
    fn note_put_back(&mut self, at: i64, command: &str) -> Result<(), Unredacted> {
        for file in files_put_back(command) {
            let file = self.short(file)?;
            self.push(at, EntryKind::Reverted { file });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<NewEntries, Unredacted> {
        self.add_held()?;
        let end = (self.batch.to - 1).max(0);
        if let Some((_, text)) = self.said.as_ref().filter(|_| self.is_said_open) {
            self.found.last_said.clone_from(text);
        }
        let last_said = strip(self.batch.last_said);
        let is_said = self.said.as_ref().is_some_and(|(_, text)| text.ends_with(last_said));
        self.found.is_behind = !last_said.is_empty() && !is_said;
        if self.found.is_behind {
            self.said = Some((end, last_said.to_owned()));
        }
        self.note_said()?;
        for failing in std::mem::take(&mut self.failing).into_iter().filter(|failing| failing.is_changed) {
            self.push(failing.at, EntryKind::Failed { command: failing.command, tries: failing.tries });
        }
        self.found.entries.sort_by_key(|entry| entry.at);
        Ok(self.found)
    }

    /// Returns the text without secrets, control characters and invisible characters.
    fn redacted(&self, text: &str) -> Result<String, Unredacted> {
        let is_kept = |char: char| char == '\n' || char == '\t';
        let plain = text.chars().map(|char| if char.is_ascii_control() && !is_kept(char) { ' ' } else { char });
        // An invisible character inside a secret would hide the secret from the redaction.
        let text: String = plain.filter(|char| is_kept(*char) || !is_hidden(*char)).collect();
        (self.batch.redact)(&text)
    }

    /// Returns the redacted first line of a command or file name, cut to `MAX_COMMAND_CHARS`.
    fn short(&self, text: &str) -> Result<String, Unredacted> {
        let text = self.redacted(beginning(text, MAX_TYPED_CHARS))?;
        let line = strip(&text).split('\n').next().unwrap_or_default();
        Ok(beginning(line, MAX_COMMAND_CHARS).to_owned())
    }
}

/// Returns the last `chars` characters of a text.
fn end_of(text: &str, chars: usize) -> &str {
    let count = text.chars().count();
    let begin = text.char_indices().nth(count.saturating_sub(chars)).map_or(text.len(), |(begin, _)| begin);
    text.get(begin..).unwrap_or_default()
}

/// Whether the text's last line asks a question, or the text asks a question and lists at least two items.
fn offers_choice(text: &str) -> bool {
    let is_question = |text: &str| text.contains(['?', '\u{ff1f}']);
    let last = text.rsplit('\n').find(|line| !strip(line).is_empty()).unwrap_or_default();
    let listed = text.split('\n').filter(|line| is_item(strip_start(line))).count();
    is_question(last) || (listed >= 2 && is_question(text))
}

/// Whether a line is a list item, like `- x`, `2. x` or `b) x`.
fn is_item(line: &str) -> bool {
    if LIST_MARKS.iter().any(|mark| line.starts_with(mark)) {
        return true;
    }
    let rest = line.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
    let marked = line.len() - rest.len();
    (1..=2).contains(&marked) && rest.starts_with(['.', ')'])
}

/// The files that a `git checkout -- FILE` or `git restore FILE` in the command reverts; at most three.
fn files_put_back(command: &str) -> Vec<&str> {
    let mut files = Vec::new();
    for part in command.split([';', '|', '&', '\n']) {
        let mut words = part.split(is_white_space).filter(|word| !word.is_empty());
        if words.next() != Some("git") {
            continue;
        }
        let is_plain = |word: &&str| !word.starts_with('-');
        match words.next() {
            Some("restore") => {
                let words: Vec<&str> = words.collect();
                if !words.contains(&"--staged") && !words.contains(&"-S") {
                    files.extend(words.into_iter().filter(is_plain));
                }
            }
            Some("checkout") => files.extend(words.skip_while(|word| *word != "--").filter(is_plain)),
            _ => {}
        }
    }
    files.truncate(MAX_REVERTED);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_put_back_by_git() {
        assert_eq!(files_put_back("cd x && git checkout -- a.py b.py"), ["a.py", "b.py"]);
        assert_eq!(files_put_back("git restore --worktree c.rs; git restore --staged d"), ["c.rs"]);
        assert!(files_put_back("git checkout main").is_empty());
    }

    #[test]
    fn a_choice_is_a_question_or_a_list_with_one() {
        assert!(offers_choice("Shall I?\n1. Redis\n2. Kafka\n"));
        assert!(offers_choice("Done. Which one?"));
        assert!(!offers_choice("Why? Because.\nDone."));
        assert!(!offers_choice("- a\n- b"));
    }
}
