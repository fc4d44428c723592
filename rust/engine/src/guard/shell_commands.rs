//! Finds the files that a command of a POSIX shell or of PowerShell writes, judged by its words (SPEC 16.3). Any text
//! is accepted.

use cuecard_core::text::writing_commands::{SHELL, VALUES};
use std::collections::HashMap;
use std::mem::take;

/// Replaces a part of a text whose value only the shell knows. No path contains this character.
pub const UNKNOWN: &str = "\0";
const MAX_WRITES: usize = 1000;
/// How many nested scripts are read, such as the argument of `bash -c` or `eval`.
const MAX_SCRIPTS: usize = 16;
/// How many characters of a script and of a word are read.
const MAX_SCRIPT_CHARS: usize = 65_536;
const MAX_WORD_CHARS: usize = 4096;
const IN_PLACE: [&str; 6] = ["-i", "-pi", "-ni", "-Ei", "-ri", "--in-place"];
/// The characters that a backslash turns into ordinary text.
const SIGNS: &str = " \t\r\n;&|()`<>'\"$\\";

/// Returns the actions (`write`, `remove`, `move`) of a command with their paths, in order, at most 1,000. Dots and
/// links in the paths are not resolved.
///
/// `project` is the value of `CLAUDE_PROJECT_DIR`, or an empty text if it is not set. U+0000 in a path replaces a text
/// that only the shell knows.
#[must_use]
pub fn find_writes(action: &str, subject: &str, cwd: &str, home: &str, project: &str) -> Vec<(&'static str, String)> {
    let mut shell = Shell::new(cwd, home, project);
    match ["write", "move", "remove"].into_iter().find(|known| *known == action) {
        Some(action) => shell.add(action, &[subject]),
        None => shell.read(subject),
    }
    shell.writes
}

/// The state of a simulated shell: the variables and the writes of a command.
struct Shell {
    variables: HashMap<String, String>,
    writes: Vec<(&'static str, String)>,
    scripts: usize,
}

impl Shell {
    fn new(folder: &str, home: &str, project: &str) -> Self {
        let known = [("PWD", folder), ("HOME", home), ("USERPROFILE", home), ("CLAUDE_PROJECT_DIR", project)];
        let known = known.iter().filter(|(_, value)| !value.is_empty());
        let variables = known.map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Self { variables, writes: Vec::new(), scripts: 0 }
    }

    /// Collects the writes of a script.
    fn read(&mut self, text: &str) {
        self.scripts += 1;
        if self.scripts <= MAX_SCRIPTS {
            let (command, documents, outer) = Default::default();
            Reader { rest: cut(text, MAX_SCRIPT_CHARS), shell: self, command, documents, outer }.read();
        }
    }

    fn value(&self, name: &str) -> &str {
        self.variables.get(name).map_or(UNKNOWN, |value| value)
    }

    /// Collects the writes of a command.
    fn run(&mut self, words: &[String]) {
        let (mut is_wrapped, mut before) = (false, "");
        let mut rest = words;
        while let [word, behind @ ..] = rest {
            let assigned = match behind {
                // Only the first value of a `for` loop is used.
                [name, _, value, ..] if word == "for" => Some((&**name, &**value)),
                [sign, behind @ ..] if sign == "=" => {
                    Some((word.trim_start_matches('$'), behind.first().map_or("", |value| value)))
                }
                _ => word.split_once('='),
            };
            let program = name_of(word).to_ascii_lowercase();
            let row = SHELL.row(program.strip_suffix(".exe").unwrap_or(&program));
            let is_option =
                word.starts_with(|char: char| char == '-' || char.is_ascii_digit()) || before.starts_with('-');
            match (assigned, row) {
                (Some((name, value)), _) if name.chars().all(is_name_char) => {
                    self.variables.insert(name.into(), value.into());
                }
                (_, Some("wrap")) => is_wrapped = true,
                (_, None) if is_wrapped && is_option => {}
                _ => return self.run_program(row.unwrap_or_default(), behind),
            }
            (rest, before) = (behind, word);
        }
    }

    fn run_program(&mut self, row: &str, words: &[String]) {
        let (kind, letter) = row.split_once(' ').unwrap_or((row, ""));
        let is_named = |word: &str| !letter.is_empty() && word.starts_with('-') && word.ends_with(letter);
        let named: Vec<&str> = words.windows(2).filter(|pair| is_named(&pair[0])).map(|pair| &*pair[1]).collect();
        let operands = operands(words);
        let first = operands.get(..1).unwrap_or_default();
        match kind {
            "write" => self.add("write", &operands),
            "remove" => self.add("remove", &operands),
            "first" if !words.iter().any(|word| word.eq_ignore_ascii_case("directory")) => self.add("write", first),
            "output" => self.add("write", &named),
            "of" => self.add("write", &words.iter().filter_map(|word| word.strip_prefix("of=")).collect::<Vec<_>>()),
            "copy" | "move" => {
                let (target, sources) = match (named.last(), operands.split_last()) {
                    (None, Some((last, sources))) if !sources.is_empty() => (Some(last), sources),
                    (target, _) => (target, &*operands),
                };
                self.add("move", if kind == "move" { sources } else { &[] });
                // A colon means that the text before it names another machine, unless it is a drive.
                if let Some(target) = target.filter(|target| !target.chars().skip(2).any(|char| char == ':')) {
                    self.add("write", &[target]);
                    // A folder with this name turns its new parent folder into a store.
                    if sources.iter().any(|source| name_of(source) == "memory") {
                        self.add("write", &[format!("{target}/memory")]);
                    }
                }
            }
            "edit" if words.iter().any(|word| IN_PLACE.iter().any(|option| word.starts_with(option))) => {
                // The first operand is the script. An empty operand before it belongs to the BSD form of `-i`.
                let files = operands.strip_prefix(&[""]).unwrap_or(&operands);
                self.add("write", files.get(1..).unwrap_or_default());
            }
            // The command removes files below the folder.
            "sweep" if words.iter().any(|word| word == "-delete" || word == "rm") => {
                self.add("remove", &first.iter().map(|place| format!("{place}/?")).collect::<Vec<_>>());
            }
            "enter" => {
                let target = *first.first().unwrap_or(&if letter.is_empty() { "~" } else { letter });
                let folder = if target == "-" { self.value("OLDPWD").into() } else { self.locate(target) };
                let before = self.variables.insert("PWD".into(), cut(&folder, MAX_WORD_CHARS).into());
                self.variables.insert("OLDPWD".into(), before.unwrap_or_else(|| UNKNOWN.into()));
            }
            // The script is run in brackets, because a change of the working directory inside it has no effect outside.
            "run" => self.read(&format!("({})", if named.is_empty() { operands } else { named }.join(" "))),
            _ => {}
        }
    }

    /// Returns the path that a text names from the current folder; dots and links are not resolved.
    fn locate(&self, path: &str) -> String {
        let below = path.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with(['/', '\\']));
        let path = below.map_or_else(|| path.to_owned(), |below| format!("{}{below}", self.value("HOME")));
        let is_drive = path.starts_with(|char: char| char.is_ascii_alphabetic()) && path.get(1..2) == Some(":");
        match path.chars().next() {
            None => UNKNOWN.into(),
            Some('/' | '\\' | '\0') => path,
            _ if is_drive => path,
            _ => format!("{}/{path}", self.value("PWD")),
        }
    }

    /// Collects a write with this action for each path, up to `MAX_WRITES` writes in total.
    fn add(&mut self, action: &'static str, paths: &[impl AsRef<str>]) {
        for path in paths.iter().take(MAX_WRITES - self.writes.len()) {
            self.writes.push((action, self.locate(path.as_ref())));
        }
    }
}

/// A command that is being read.
#[derive(Default)]
struct Command {
    words: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
    /// The role of the next word: an argument, or the file that a redirection writes (`>`) or reads (`<`), or the word
    /// that ends a here-document (`-`).
    awaited: char,
}

/// Passes every command of a script to a shell; commands in brackets come before the command that contains them.
struct Reader<'a> {
    rest: &'a str,
    shell: &'a mut Shell,
    command: Command,
    documents: Vec<String>,
    /// For each open bracket, the command that was being read and the current folder.
    outer: Vec<(Command, String)>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) {
        while let Some(char) = self.rest.chars().next() {
            self.rest = self.rest.get(char.len_utf8()..).unwrap_or_default();
            let following = self.rest.chars().next().unwrap_or('x');
            match char {
                _ if self.command.quote == Some(char) => self.command.quote = None,
                _ if self.command.quote == Some('\'') => self.word().push(char),
                '\\' | '`' if following == '\n' => self.rest = self.rest.get(1..).unwrap_or_default(),
                '\\' if SIGNS.contains(following) => {
                    self.rest = self.rest.get(1..).unwrap_or_default();
                    self.word().push(following);
                }
                '(' | '$' if (char == '(' && self.command.quote.is_none()) || (char == '$' && following == '(') => {
                    self.rest = if char == '$' { self.rest.get(1..).unwrap_or_default() } else { self.rest };
                    self.outer.push((take(&mut self.command), self.shell.value("PWD").into()));
                }
                '$' => self.read_variable(),
                '\'' | '"' if self.command.quote.is_none() => {
                    self.command.quote = Some(char);
                    self.word();
                }
                _ if self.command.quote.is_some() => self.word().push(char),
                '@' if "'\"".contains(following) && self.command.word.is_none() => {
                    let text = self.take_through(&format!("\n{following}@"));
                    self.word().push_str(text);
                }
                '#' if self.command.word.is_none() => drop(self.take(|char| char != '\n')),
                '<' | '>' => self.read_redirection(char),
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' | ';' | '&' | '|' | ')' | '`' => self.end_command(char),
                '{' | '}' if following != '}' && self.command.word.is_none() => self.end_command(char),
                _ => self.word().push(char),
            }
        }
        self.end_command('\0');
    }

    fn end_command(&mut self, char: char) {
        self.end_word();
        self.shell.run(&take(&mut self.command).words);
        let outer = if char == ')' { self.outer.pop() } else { None };
        if let Some((command, folder)) = outer {
            self.command = command;
            self.shell.variables.insert("PWD".into(), folder);
            self.word().push_str(UNKNOWN);
        }
        for delimiter in if char == '\n' { take(&mut self.documents) } else { Vec::new() } {
            while !self.rest.is_empty() && self.take_through("\n").trim_matches(['\t', '\r']) != delimiter {}
        }
    }

    fn read_variable(&mut self) {
        let is_braced = self.rest.starts_with('{');
        self.rest = self.rest.strip_prefix('{').unwrap_or(self.rest);
        if self.rest.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case("env:")) {
            self.rest = self.rest.get(4..).unwrap_or_default();
        }
        let name = self.take(is_name_char);
        if is_braced {
            self.take_through("}");
        }
        // The variable that PowerShell assigns to is the first word of a command.
        let is_assigned = self.command.word.is_none() && self.command.words.is_empty();
        let value = if name.is_empty() || is_assigned { format!("${name}") } else { self.shell.value(name).into() };
        self.word().push_str(&value);
    }

    fn read_redirection(&mut self, char: char) {
        // A number before a redirection is a file descriptor.
        self.command.word.take_if(|word| word.chars().all(|char| char.is_ascii_digit() || char == '*'));
        self.end_word();
        let operator = format!("{char}{}", self.take(|char| "<>|&".contains(char)));
        let is_stream = operator.ends_with('&') && self.rest.starts_with(|char: char| "-0123456789".contains(char));
        self.command.awaited = if operator.contains('>') && !is_stream { '>' } else { '<' };
        if operator == "<<" {
            self.command.awaited = '-';
            self.take(|char| char == '-');
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.command.word.take() else { return };
        let word = cut(&word, MAX_WORD_CHARS);
        match take(&mut self.command.awaited) {
            // Inside `[[ ]]`, `>` is a comparison.
            '>' if self.command.words.first().is_none_or(|first| first != "[[") => self.shell.add("write", &[word]),
            '-' => self.documents.push(word.into()),
            '<' | '>' => {}
            _ => self.command.words.push(word.into()),
        }
    }

    fn word(&mut self) -> &mut String {
        self.command.word.get_or_insert_default()
    }

    /// Takes the following characters as long as `is_wanted` is true for them.
    fn take(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|char| !is_wanted(char)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Takes the text up to and with `end`, and returns the text before it; all remaining text if there is no `end`.
    fn take_through(&mut self, end: &str) -> &'a str {
        let (taken, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}

/// Returns the words that are operands: neither options nor values of PowerShell parameters that are not paths.
fn operands(words: &[String]) -> Vec<&str> {
    let option = |word: &'_ str| word.strip_prefix('-').filter(|name| !name.is_empty()).map(str::to_ascii_lowercase);
    let is_valued = |word: &String| option(word).is_some_and(|name| VALUES.iter().any(|value| value == name));
    let is_value = std::iter::once(false).chain(words.iter().map(is_valued));
    words
        .iter()
        .zip(is_value)
        .filter(|(word, is_value)| !is_value && option(word).is_none())
        .map(|(word, _)| &**word)
        .collect()
}

/// Returns the last component of a path.
fn name_of(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// Returns the first characters of a text.
fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
