//! The words of shell commands, POSIX and PowerShell (SPEC 16.3); nothing is an error.

use crate::guard::shell_writes::{Script, UNKNOWN};

/// Words of one command, and characters of a word after which nothing is added to it.
const MAX_WORDS: usize = 1000;
const MAX_WORD_CHARS: usize = 4096;

/// Hands every command of a text to a script, those of substitutions before the command that uses them.
pub(crate) struct Reader<'a> {
    rest: &'a str,
    script: &'a mut Script,
    words: Vec<String>,
    word: Option<String>,
    is_quoted: bool,
    /// What the next word is: an argument, or what a redirection writes (`>`), reads (`<`) or ends with (`-`).
    awaited: char,
    documents: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn read(rest: &'a str, script: &'a mut Script) {
        let (words, word, is_quoted, awaited, documents) = Default::default();
        let mut reader = Self { rest, script, words, word, is_quoted, awaited, documents };
        while let Some(char) = reader.next() {
            reader.read_char(char, reader.rest.chars().next().unwrap_or('\n'));
        }
        reader.end_command();
    }

    fn read_char(&mut self, char: char, following: char) {
        match (char, following, self.script.is_powershell) {
            ('`', _, true) | ('\\', _, false) => {
                let escaped = self.next().unwrap_or('\n');
                if self.is_quoted && char == '\\' && !"\"\\$`\n".contains(escaped) {
                    self.push("\\");
                }
                if escaped != '\n' {
                    self.push(escaped.encode_utf8(&mut [0; 4]));
                }
            }
            ('$', '(', _) => {
                self.next();
                self.read_inside('(', ')');
            }
            ('$', '\'' | '"', _) if !self.is_quoted => {}
            ('$', ..) => self.read_variable(following),
            ('`', ..) => {
                let inside = self.take_through("`");
                self.script.read(inside);
                self.push(UNKNOWN);
            }
            ('"', ..) => {
                self.is_quoted = !self.is_quoted;
                self.push("");
            }
            _ if self.is_quoted => self.push_until(char, "\"$`\\"),
            ('\'', ..) => self.push_through("'"),
            ('@', '\'', true) => self.push_through("\n'@"),
            ('@', '"', true) => self.push_through("\n\"@"),
            ('#', ..) if self.word.is_none() => drop(self.take(|char| char != '\n')),
            ('<' | '>', '(', _) => {
                self.next();
                self.read_inside('(', ')');
            }
            ('<' | '>', ..) | ('&', '>', _) => self.read_redirection(char),
            (' ' | '\t' | '\r', ..) | (',', _, true) => self.end_word(),
            ('\n' | ';' | '&' | '|' | ')', ..) => {
                self.end_command();
                if char == '\n' {
                    self.skip_documents();
                }
            }
            ('(', _, false) => {
                self.end_command();
                self.read_inside('(', ')');
                self.word = None;
            }
            ('(', ..) => self.read_inside('(', ')'),
            ('{', _, true) => self.read_inside('{', '}'),
            (.., true) => self.push_until(char, " \t\r\n,;&|(){<>'\"$`@"),
            (.., false) => self.push_until(char, " \t\r\n;&|()<>'\"$`\\"),
        }
    }

    /// Commands between brackets, which have a value that only the shell knows.
    fn read_inside(&mut self, opening: char, closing: char) {
        let mut open = 1;
        let inside = self.take(|char| {
            open += usize::from(char == opening);
            open -= usize::from(char == closing);
            open > 0
        });
        self.next();
        // Arithmetic compares, it does not redirect.
        if self.script.is_powershell || !inside.starts_with('(') {
            self.script.read(inside);
        }
        self.push(UNKNOWN);
    }

    fn read_variable(&mut self, following: char) {
        let is_powershell = self.script.is_powershell;
        // What PowerShell assigns to is the first word of a command.
        let is_assigned = is_powershell && self.word.is_none() && self.words.is_empty();
        self.rest = self.rest.strip_prefix('{').unwrap_or(self.rest);
        let name = self.take(|char| char.is_ascii_alphanumeric() || char == '_' || (char == ':' && is_powershell));
        let rest = if following == '{' { self.take_through("}") } else { "" };
        let value = match name {
            _ if is_assigned || name.is_empty() => format!("${name}"),
            _ if rest.is_empty() || rest.starts_with([':', '-', '=', '?']) => self.script.value(name),
            _ => UNKNOWN.into(),
        };
        self.push(&value);
    }

    fn read_redirection(&mut self, char: char) {
        // A number before it is a descriptor.
        self.word.take_if(|word| word.chars().all(|char| char.is_ascii_digit() || char == '*'));
        self.end_word();
        let operator = self.take(|char| "<>|&".contains(char));
        let is_stream = operator.ends_with('&') && self.rest.starts_with(|char: char| "-0123456789".contains(char));
        self.awaited = match (char, operator) {
            ('<', "<") => '-',
            _ if is_stream || (char == '<' && !operator.contains('>')) => '<',
            _ => '>',
        };
        let is_document = self.awaited == '-';
        self.take(|char| is_document && char == '-');
    }

    /// Passes over the here-documents that the line has announced.
    fn skip_documents(&mut self) {
        for delimiter in std::mem::take(&mut self.documents) {
            while !self.rest.is_empty() && self.take_through("\n").trim_matches(['\t', '\r']) != delimiter {}
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::take(&mut self.awaited) {
            // Inside `[[ ]]` the sign compares.
            '>' if self.words.first().is_none_or(|first| first != "[[") => self.script.add("write", &word),
            '-' => self.documents.push(word),
            '\0' if self.words.len() < MAX_WORDS => self.words.push(word),
            _ => {}
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.awaited = '\0';
        self.script.run(&std::mem::take(&mut self.words));
    }

    fn push(&mut self, text: &str) {
        let word = self.word.get_or_insert_default();
        // Counting takes long where a word is not.
        if word.len() < MAX_WORD_CHARS || (word.len() < 4 * MAX_WORD_CHARS && word.chars().count() < MAX_WORD_CHARS) {
            word.push_str(text);
        }
    }

    fn push_until(&mut self, char: char, signs: &str) {
        self.push(char.encode_utf8(&mut [0; 4]));
        let text = self.take(|char| !signs.contains(char));
        self.push(text);
    }

    fn push_through(&mut self, end: &str) {
        let text = self.take_through(end);
        self.push(text);
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let char = chars.next();
        self.rest = chars.as_str();
        char
    }

    /// The characters that follow and are like that.
    fn take(&mut self, mut is_wanted: impl FnMut(char) -> bool) -> &'a str {
        let end = self.rest.find(|char| !is_wanted(char)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// What stands before `end`, which is taken, or all that is left.
    fn take_through(&mut self, end: &str) -> &'a str {
        let (taken, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}
