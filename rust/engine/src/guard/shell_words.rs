//! A POSIX shell command as the words of its simple commands (SPEC 16.3).
//!
//! Quotes, escapes, separators, subshells, substitutions and redirections are told apart; here-documents, comments
//! and what is read from are data and left out. Nothing is ever an error: what is not closed ends with the text.

/// Subshells and substitutions may be nested this deep; deeper ones end the reading.
pub const MAX_NESTING: usize = 32;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// What stands there.
    Text(String),
    /// The value of a variable.
    Variable(String),
    /// What only the shell itself could know.
    Unknown,
}

/// A word in its parts.
pub type Word = Vec<Piece>;

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// Its name and arguments, assignments before them included.
    pub words: Vec<Word>,
    /// What its output is redirected to.
    pub targets: Vec<Word>,
}

/// What a script does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A simple command.
    Command(Command),
    /// A subshell begins: folder and variables that change in it are its own.
    Open,
    /// It ends.
    Close,
}

/// The steps of a script, those of substitutions before the command that uses them.
#[must_use]
pub fn read_shell(text: &str) -> Vec<Step> {
    read_nested(text, 0)
}

fn read_nested(text: &str, depth: usize) -> Vec<Step> {
    let mut reader = Reader { text, position: 0, depth, steps: Vec::new(), documents: Vec::new() };
    while reader.position < text.len() {
        reader.read_commands();
    }
    reader.steps
}

/// Adds text to a word, to its last part where that is text too.
pub(crate) fn push_text(word: &mut Word, text: &str) {
    if let Some(Piece::Text(last)) = word.last_mut() {
        last.push_str(text);
    } else {
        word.push(Piece::Text(text.to_owned()));
    }
}

/// What the word after a redirection is.
#[derive(Clone, Copy)]
enum Awaited {
    Argument,
    Target,
    Source,
    Document { is_indented: bool },
}

/// A command that is being read.
struct Pending {
    command: Command,
    word: Option<Word>,
    awaited: Awaited,
}

impl Pending {
    fn new() -> Self {
        Self { command: Command::default(), word: None, awaited: Awaited::Argument }
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    /// Whether nothing but a number stands before a redirection: the file descriptor.
    fn is_descriptor(&self) -> bool {
        matches!(self.word.as_deref(), Some([Piece::Text(text)]) if text.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
    steps: Vec<Step>,
    /// Here-documents whose bodies begin at the next line: the delimiter, and whether tabs stand before it.
    documents: Vec<(String, bool)>,
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

    /// The text up to one of `ends`, or all that is left; the position is then at that end.
    fn take_until(&mut self, ends: &[u8]) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|byte| ends.contains(&byte)).unwrap_or(rest.len());
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    fn take_char(&mut self) -> Option<char> {
        let char = self.rest().chars().next()?;
        self.position += char.len_utf8();
        Some(char)
    }

    /// Commands up to a closing parenthesis, which is taken, or the end.
    fn read_commands(&mut self) {
        let mut pending = Pending::new();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' => {
                    self.position += 1;
                    self.end_word(&mut pending);
                }
                b'\n' => {
                    self.position += 1;
                    self.end_command(&mut pending);
                    self.skip_documents();
                }
                b'&' if self.take("&>>") || self.take("&>") => {
                    self.end_word(&mut pending);
                    pending.awaited = Awaited::Target;
                }
                b';' | b'&' | b'|' => {
                    self.position += 1;
                    self.end_command(&mut pending);
                }
                b'(' => {
                    self.end_command(&mut pending);
                    if self.rest().starts_with("((") {
                        self.skip_arithmetic("((");
                    } else {
                        self.position += 1;
                        self.read_subshell();
                    }
                }
                b')' => {
                    self.position += 1;
                    break;
                }
                b'<' | b'>' => self.read_redirection(&mut pending),
                b'#' if pending.word.is_none() => {
                    self.take_until(b"\n");
                }
                _ => self.read_piece(&mut pending),
            }
        }
        self.end_command(&mut pending);
    }

    fn read_subshell(&mut self) {
        if self.depth == MAX_NESTING {
            self.position = self.text.len();
            return;
        }
        self.depth += 1;
        self.steps.push(Step::Open);
        self.read_commands();
        self.steps.push(Step::Close);
        self.depth -= 1;
    }

    fn end_word(&mut self, pending: &mut Pending) {
        let Some(word) = pending.word.take() else { return };
        match std::mem::replace(&mut pending.awaited, Awaited::Argument) {
            Awaited::Argument => pending.command.words.push(word),
            Awaited::Target => pending.command.targets.push(word),
            Awaited::Source => {}
            Awaited::Document { is_indented } => {
                let text = |piece| if let Piece::Text(text) = piece { text } else { String::new() };
                self.documents.push((word.into_iter().map(text).collect(), is_indented));
            }
        }
    }

    fn end_command(&mut self, pending: &mut Pending) {
        self.end_word(pending);
        let command = std::mem::replace(pending, Pending::new()).command;
        if command != Command::default() {
            self.steps.push(Step::Command(command));
        }
    }

    fn read_redirection(&mut self, pending: &mut Pending) {
        if self.take("<(") || self.take(">(") {
            self.read_subshell();
            pending.word().push(Piece::Unknown);
            return;
        }
        if pending.is_descriptor() {
            pending.word = None;
        }
        self.end_word(pending);
        pending.awaited = if self.take("<<<") || self.take("<&") {
            Awaited::Source
        } else if self.take("<<-") {
            Awaited::Document { is_indented: true }
        } else if self.take("<<") {
            Awaited::Document { is_indented: false }
        } else if self.take("<>") || self.take(">>") || self.take(">|") {
            Awaited::Target
        } else if self.take(">&") {
            // A number or a dash names a file descriptor.
            let is_file = self.peek().is_some_and(|byte| !byte.is_ascii_digit() && byte != b'-');
            if is_file { Awaited::Target } else { Awaited::Source }
        } else if self.take(">") {
            Awaited::Target
        } else {
            self.position += 1;
            Awaited::Source
        };
    }

    /// The bodies of the here-documents of the line that has just ended.
    fn skip_documents(&mut self) {
        for (delimiter, is_indented) in std::mem::take(&mut self.documents) {
            while self.position < self.text.len() {
                let line = self.take_until(b"\n");
                self.position += 1;
                let line = if is_indented { line.trim_start_matches('\t') } else { line };
                if line.strip_suffix('\r').unwrap_or(line) == delimiter {
                    break;
                }
            }
            self.position = self.position.min(self.text.len());
        }
    }

    fn read_piece(&mut self, pending: &mut Pending) {
        if pending.word.is_none() && self.peek() == Some(b'~') {
            let next = self.rest().as_bytes().get(1);
            if next.is_none_or(|byte| b"/ \t\r\n;&|()<>".contains(byte)) {
                self.position += 1;
                pending.word().push(Piece::Variable("HOME".into()));
                return;
            }
        }
        let word = pending.word();
        match self.peek() {
            Some(b'\\') => {
                self.position += 1;
                match self.take_char() {
                    Some('\n') | None => {}
                    Some(char) => push_text(word, char.encode_utf8(&mut [0; 4])),
                }
                if word.is_empty() {
                    pending.word = None;
                }
            }
            Some(b'\'') => {
                self.position += 1;
                push_text(word, self.take_until(b"'"));
                self.take("'");
            }
            Some(b'"') => self.read_quoted(word),
            Some(b'$') => self.read_dollar(word, false),
            Some(b'`') => self.read_backticks(word),
            _ => push_text(word, self.take_until(b" \t\r\n;&|()<>\\'\"$`")),
        }
    }

    fn read_quoted(&mut self, word: &mut Word) {
        self.position += 1;
        push_text(word, "");
        loop {
            push_text(word, self.take_until(b"\"\\$`"));
            match self.peek() {
                Some(b'\\') => {
                    self.position += 1;
                    match self.take_char() {
                        Some('\n') | None => {}
                        Some(char @ ('"' | '\\' | '$' | '`')) => push_text(word, char.encode_utf8(&mut [0; 4])),
                        Some(char) => push_text(word, &format!("\\{char}")),
                    }
                }
                Some(b'$') => self.read_dollar(word, true),
                Some(b'`') => self.read_backticks(word),
                Some(_) => {
                    self.position += 1;
                    return;
                }
                None => return,
            }
        }
    }

    fn read_dollar(&mut self, word: &mut Word, is_quoted: bool) {
        if self.rest().starts_with("$((") {
            self.skip_arithmetic("$((");
            word.push(Piece::Unknown);
        } else if self.take("$(pwd)") {
            word.push(Piece::Variable("PWD".into()));
        } else if self.take("$(") {
            self.read_subshell();
            word.push(Piece::Unknown);
        } else if self.take("${") {
            word.push(self.read_parameter());
        } else if !is_quoted && self.take("$'") {
            self.read_escaped(word);
        } else if !is_quoted && self.rest().starts_with("$\"") {
            self.position += 1;
        } else {
            self.position += 1;
            let name = self.take_name();
            if !name.is_empty() {
                word.push(Piece::Variable(name.to_owned()));
            } else if self.peek().is_some_and(|byte| b"0123456789@*#?$!-".contains(&byte)) {
                self.position += 1;
                word.push(Piece::Unknown);
            } else {
                push_text(word, "$");
            }
        }
    }

    fn take_name(&mut self) -> &'a str {
        let rest = self.rest();
        if rest.starts_with(|char: char| char.is_ascii_digit()) {
            return "";
        }
        let length = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(rest.len());
        self.position += length;
        rest.get(..length).unwrap_or_default()
    }

    /// `NAME}` or `NAME:-DEFAULT}` stands for the variable; what cuts or replaces is beyond us.
    fn read_parameter(&mut self) -> Piece {
        let name = self.take_name();
        let is_whole = !name.is_empty() && self.peek().is_some_and(|byte| b"}:-=?".contains(&byte));
        let is_slice =
            self.peek() == Some(b':') && !self.rest().get(1..).unwrap_or_default().starts_with(['-', '=', '?']);
        let mut open = 1;
        while open > 0 && self.position < self.text.len() {
            self.take_until(b"{}\\");
            match self.peek() {
                Some(b'{') => open += 1,
                Some(b'}') => open -= 1,
                Some(b'\\') => {
                    self.position += 1;
                    self.take_char();
                    continue;
                }
                _ => break,
            }
            self.position += 1;
        }
        if is_whole && !is_slice { Piece::Variable(name.to_owned()) } else { Piece::Unknown }
    }

    /// `$'...'`: backslashes escape, and escapes by number are left unknown.
    fn read_escaped(&mut self, word: &mut Word) {
        push_text(word, "");
        loop {
            push_text(word, self.take_until(b"'\\"));
            match self.take_char() {
                Some('\\') => match self.take_char() {
                    Some('n') => push_text(word, "\n"),
                    Some('t') => push_text(word, "\t"),
                    Some(char @ ('\\' | '\'' | '"')) => push_text(word, char.encode_utf8(&mut [0; 4])),
                    Some(_) => word.push(Piece::Unknown),
                    None => return,
                },
                _ => return,
            }
        }
    }

    fn read_backticks(&mut self, word: &mut Word) {
        self.position += 1;
        let mut inner = String::new();
        loop {
            inner.push_str(self.take_until(b"`\\"));
            match self.take_char() {
                Some('\\') => match self.take_char() {
                    Some(char @ ('`' | '\\' | '$')) => inner.push(char),
                    Some(char) => inner.extend(['\\', char]),
                    None => break,
                },
                _ => break,
            }
        }
        word.push(Piece::Unknown);
        if self.depth < MAX_NESTING {
            self.steps.push(Step::Open);
            self.steps.extend(read_nested(&inner, self.depth + 1));
            self.steps.push(Step::Close);
        }
    }

    /// `((...))`, with what stands before it; its brackets and signs are no shell, but for substitutions.
    fn skip_arithmetic(&mut self, opening: &str) {
        if self.depth == MAX_NESTING {
            self.position = self.text.len();
            return;
        }
        self.depth += 1;
        self.position += opening.len();
        let mut open = 2_usize;
        while open > 0 && self.position < self.text.len() {
            self.take_until(b"()$`");
            match self.peek() {
                Some(b'$') if self.rest().starts_with("$(") => self.read_dollar(&mut Word::new(), true),
                Some(b'`') => self.read_backticks(&mut Word::new()),
                Some(byte) => {
                    self.position += 1;
                    open += usize::from(byte == b'(');
                    open -= usize::from(byte == b')');
                }
                None => break,
            }
        }
        self.depth -= 1;
    }
}
