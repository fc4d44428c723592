//! A PowerShell command as the words of its simple commands (SPEC 16.4).
//!
//! The same steps as a POSIX shell's, and as forgiving: here-strings are text, comments are left out, script blocks
//! and parentheses hold commands of their own. The comma of a list is a word.

use crate::guard::shell_words::{Command, MAX_NESTING, Piece, Step, Word, push_text};

/// The steps of a script, those of expressions before the command that uses them.
#[must_use]
pub fn read_powershell(text: &str) -> Vec<Step> {
    let mut reader = Reader { text, position: 0, depth: 0, steps: Vec::new() };
    while reader.position < text.len() {
        reader.read_commands();
    }
    reader.steps
}

#[derive(Default)]
struct Pending {
    command: Command,
    word: Option<Word>,
    is_target: bool,
}

impl Pending {
    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn is_stream(&self) -> bool {
        let is_sign = |byte: u8| byte.is_ascii_digit() || byte == b'*';
        matches!(self.word.as_deref(), Some([Piece::Text(text)]) if text.bytes().all(is_sign))
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            let words = if self.is_target { &mut self.command.targets } else { &mut self.command.words };
            words.push(word);
            self.is_target = false;
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn take(&mut self, literal: &str) -> bool {
        let found = self.rest().starts_with(literal);
        if found {
            self.position += literal.len();
        }
        found
    }

    fn take_until(&mut self, ends: &[u8]) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| ends.contains(&byte)).unwrap_or(rest.len());
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// The text before `end`, which is taken, or all that is left.
    fn take_through(&mut self, end: &str) -> &'a str {
        let rest = self.rest();
        let (text, length) = match rest.find(end) {
            Some(place) => (rest.get(..place).unwrap_or_default(), place + end.len()),
            None => (rest, rest.len()),
        };
        self.position += length;
        text
    }

    fn take_char(&mut self) -> Option<char> {
        let char = self.rest().chars().next()?;
        self.position += char.len_utf8();
        Some(char)
    }

    /// Commands up to a closing bracket, which is taken, or the end.
    fn read_commands(&mut self) {
        let mut pending = Pending::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => {
                    self.position += 1;
                    pending.end_word();
                }
                b'\n' | b';' | b'|' | b'&' => {
                    self.position += 1;
                    self.end_command(&mut pending);
                }
                b'(' | b'{' => {
                    self.position += 1;
                    pending.end_word();
                    self.read_block();
                    // As an argument it has a value that only PowerShell knows.
                    if !pending.command.words.is_empty() {
                        pending.word().push(Piece::Unknown);
                    }
                }
                b')' | b'}' => {
                    self.position += 1;
                    break;
                }
                b',' => {
                    self.position += 1;
                    pending.end_word();
                    push_text(pending.word(), ",");
                    pending.end_word();
                }
                b'>' => {
                    self.position += 1;
                    if pending.is_stream() {
                        pending.word = None;
                    }
                    pending.end_word();
                    self.take(">");
                    // `2>&1` joins streams.
                    if self.take("&") {
                        self.take_char();
                    } else {
                        pending.is_target = true;
                    }
                }
                b'#' if pending.word.is_none() => {
                    self.take_until(b"\n");
                }
                b'<' if self.take("<#") => {
                    self.take_through("#>");
                }
                _ => {
                    self.read_piece(pending.word());
                    pending.word = pending.word.filter(|word| !word.is_empty());
                }
            }
        }
        self.end_command(&mut pending);
    }

    /// What is inside parentheses or braces; folder and variables that change in it stay changed.
    fn read_block(&mut self) {
        if self.depth == MAX_NESTING {
            self.position = self.text.len();
            return;
        }
        self.depth += 1;
        self.read_commands();
        self.depth -= 1;
    }

    fn end_command(&mut self, pending: &mut Pending) {
        pending.end_word();
        let command = std::mem::take(pending).command;
        if command != Command::default() {
            self.steps.push(Step::Command(command));
        }
    }

    fn read_piece(&mut self, word: &mut Word) {
        match self.peek() {
            Some(b'`') => {
                self.position += 1;
                match self.take_char() {
                    // The line goes on.
                    Some('\n') | None => {}
                    Some('\r') if self.take("\n") => {}
                    Some(char) => push_text(word, char.encode_utf8(&mut [0; 4])),
                }
            }
            Some(b'\'') => self.read_literal(word),
            Some(b'"') => self.read_quoted(word),
            Some(b'@') if self.take("@'") => push_text(word, self.take_through("\n'@")),
            Some(b'@') if self.take("@\"") => push_text(word, self.take_through("\n\"@")),
            Some(b'$') => self.read_dollar(word),
            Some(b'<' | b'@') => {
                self.position += 1;
                push_text(word, self.text.get(self.position - 1..self.position).unwrap_or_default());
            }
            _ => push_text(word, self.take_until(b" \t\r\n;&|(){},<>`'\"$@")),
        }
    }

    fn read_literal(&mut self, word: &mut Word) {
        self.position += 1;
        loop {
            push_text(word, self.take_through("'"));
            if !self.take("'") {
                return;
            }
            push_text(word, "'");
        }
    }

    fn read_quoted(&mut self, word: &mut Word) {
        self.position += 1;
        push_text(word, "");
        loop {
            push_text(word, self.take_until(b"\"`$"));
            match self.peek() {
                Some(b'`') => {
                    self.position += 1;
                    match self.take_char() {
                        Some('n') => push_text(word, "\n"),
                        Some('t') => push_text(word, "\t"),
                        Some(char) => push_text(word, char.encode_utf8(&mut [0; 4])),
                        None => return,
                    }
                }
                Some(b'$') => self.read_dollar(word),
                Some(_) => {
                    self.position += 1;
                    if !self.take("\"") {
                        return;
                    }
                    push_text(word, "\"");
                }
                None => return,
            }
        }
    }

    fn read_dollar(&mut self, word: &mut Word) {
        self.position += 1;
        if self.take("(") {
            self.read_block();
            word.push(Piece::Unknown);
            return;
        }
        let name = if self.take("{") {
            self.take_through("}")
        } else {
            let rest = self.rest();
            let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':';
            let length = rest.bytes().position(|byte| !is_inside(byte)).unwrap_or(rest.len());
            self.position += length;
            rest.get(..length).unwrap_or_default()
        };
        if name.is_empty() {
            push_text(word, "$");
        } else {
            word.push(Piece::Variable(name_of(name)));
        }
    }
}

/// A variable's name as a scope knows it: of any case, the environment's own under their POSIX names.
fn name_of(name: &str) -> String {
    let folded = name.to_ascii_lowercase();
    match folded.as_str() {
        "home" | "env:home" | "env:userprofile" => "HOME".into(),
        "pwd" | "env:pwd" => "PWD".into(),
        "env:claude_project_dir" => "CLAUDE_PROJECT_DIR".into(),
        _ => folded,
    }
}
