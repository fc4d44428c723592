//! Finds the files that a command of a POSIX shell or of PowerShell writes, judged by its words (SPEC 16.3), and the
//! commands of cuecard that are for people (SPEC 16.6). Any text is accepted.

use crate::guard::people_commands::{UNKNOWN, find_command, is_for_people};
use crate::guard::shell_words::{is_name_char, name_of, operands, printed, program_of};
use cuecard_core::tables::writing_commands::SHELL;
use cuecard_core::text::chars::cut;
use std::collections::HashMap;
use std::mem::take;

const MAX_WRITES: usize = 1000;
/// How many nested scripts are read, such as the argument of `bash -c` or `eval`.
const MAX_SCRIPTS: usize = 16;
/// How many characters of a script and of a word are read.
const MAX_SCRIPT_CHARS: usize = 65_536;
const MAX_WORD_CHARS: usize = 4096;
/// How many commands of a script are kept, and how many words of each.
const MAX_COMMANDS: usize = 1000;
const MAX_COMMAND_WORDS: usize = 64;
/// Variables that name the user's own folders. Their values are marks, which `user_folders` knows.
const USER_VARIABLES: [&str; 4] = ["CUECARD_HOME", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
const IN_PLACE: [&str; 6] = ["-i", "-pi", "-ni", "-Ei", "-ri", "--in-place"];
/// The characters that a backslash turns into ordinary text.
const SIGNS: &str = " \t\r\n;&|()`<>'\"$\\";

/// Returns the actions (`write`, `remove`, `move`) of a command with their paths, in order, at most 1,000. Dots and
/// links in the paths are not resolved. If a command of cuecard that is for people is found, `confirm` with the name of
/// the first one is the last pair.
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
    shell.writes.extend(shell.command.take().map(|command| ("confirm", command)));
    shell.writes
}

/// What a script runs and changes, as [`find_writes`] reads it.
#[derive(Debug, Default)]
pub struct Script {
    /// The commands, each with the folder in which it runs, and its words. A command behind `sudo`, `env` and other
    /// programs that start one comes once more without them.
    pub commands: Vec<(String, Vec<String>)>,
    /// The actions with their paths.
    pub writes: Vec<(&'static str, String)>,
}

/// Reads the commands of a script, at most 1,000 with at most 64 words each, and what they write.
#[must_use]
pub fn read_script(script: &str, cwd: &str, home: &str, project: &str) -> Script {
    let mut shell = Shell { keeps_commands: true, ..Shell::new(cwd, home, project) };
    shell.read(script);
    Script { commands: shell.commands, writes: shell.writes }
}

/// The state of a simulated shell: the variables and the writes of a command.
#[derive(Default)]
struct Shell {
    variables: HashMap<String, String>,
    aliases: HashMap<String, String>,
    writes: Vec<(&'static str, String)>,
    /// The first command of cuecard that is for people.
    command: Option<String>,
    /// What the current command reads from the command before it, as far as it is known.
    piped: String,
    /// What the last command has printed, if it is `echo` or `printf`.
    printed: String,
    /// Whether a command of the current line is a shell that reads its script from standard input.
    reads_script: bool,
    scripts: usize,
    keeps_commands: bool,
    /// The commands that were read, if they are kept.
    commands: Vec<(String, Vec<String>)>,
}

impl Shell {
    fn new(folder: &str, home: &str, project: &str) -> Self {
        let known = [("PWD", folder), ("HOME", home), ("USERPROFILE", home), ("CLAUDE_PROJECT_DIR", project)];
        let known = known.iter().filter(|(_, value)| !value.is_empty());
        let marks = USER_VARIABLES.map(|name| (name.to_owned(), format!("{UNKNOWN}{name}")));
        let variables = known.map(|(name, value)| ((*name).into(), (*value).into())).chain(marks).collect();
        Self { variables, ..Self::default() }
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
        let (mut started, mut handed, mut before) = (None, Vec::new(), "");
        self.printed = printed(words);
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
            let program = program_of(word);
            let row = SHELL.row(&program);
            let is_behind_option = started.is_some() && before.starts_with('-');
            let is_option = word.starts_with(|char: char| char == '-' || char.is_ascii_digit()) || is_behind_option;
            if !assigned.is_some_and(|(name, _)| name.chars().all(is_name_char)) {
                self.keep(rest);
            }
            match (assigned, row) {
                (Some((name, value)), _) if name.chars().all(is_name_char) => {
                    self.variables.insert(name.into(), value.into());
                }
                (_, Some(row)) if row == "wrap" || row.starts_with("start") => {
                    started = Some(row);
                    if program == "xargs" {
                        handed =
                            self.piped.split([' ', '\n']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
                        if handed.is_empty() {
                            handed.push(UNKNOWN.into());
                        }
                    }
                }
                (_, Some("cuecard")) => {
                    // `sudo -u cuecard rm FILE`: the word may be the value of an option.
                    if self.confirm(&[behind, &handed].concat()) || !is_behind_option {
                        return;
                    }
                }
                (_, None) if started.is_some() && is_option => {}
                (_, None) if started.is_some_and(|row| row.split(' ').skip(1).any(|known| known == word)) => {}
                _ => {
                    if !self.run_text(word, behind, started.is_some_and(|row| row.starts_with("start"))) {
                        self.run_program(row.unwrap_or_default(), behind);
                    }
                    return;
                }
            }
            (rest, before) = (behind, word);
        }
    }

    /// Keeps the words of a command that begins with a program.
    fn keep(&mut self, words: &[String]) {
        if self.keeps_commands
            && self.commands.len() < MAX_COMMANDS
            && words.first().is_some_and(|word| !word.starts_with('-'))
        {
            let words = words.iter().take(MAX_COMMAND_WORDS).cloned().collect();
            self.commands.push((self.value("PWD").into(), words));
        }
    }

    /// Runs a program that is an alias, a variable or, with `is_script`, a script. Returns whether it is one.
    fn run_text(&mut self, word: &str, rest: &[String], is_script: bool) -> bool {
        let variable = word.strip_prefix('$').and_then(|name| self.variables.get(name));
        let script = Some(word).filter(|word| is_script && word.contains(' '));
        let text = variable.or_else(|| self.aliases.get(word)).map(String::as_str).or(script).unwrap_or_default();
        if text.is_empty() {
            return false;
        }
        let text = format!("({text} {})", rest.join(" "));
        self.read(&text);
        true
    }

    /// Keeps the command of cuecard with these words if it is for people. Returns whether it is a known command.
    fn confirm(&mut self, words: &[String]) -> bool {
        let Some((name, arguments)) = find_command(words) else { return false };
        if self.command.is_none() && is_for_people(&name, &arguments) {
            self.command = Some(if name.contains(UNKNOWN) { "cuecard".into() } else { name });
        }
        true
    }

    /// Runs Python: cuecard is a module (`-m cuecard`) or a script (`bin/cuecard`).
    fn run_python(&mut self, words: &[String]) {
        let (mut is_script, mut before) = (true, "");
        for (at, word) in words.iter().enumerate() {
            let behind = words.get(at + 1..).unwrap_or_default();
            let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            if word == "-m" {
                self.keep(behind);
            }
            if word == "-c" {
                return;
            }
            if let Some((_, module)) = letters.and_then(|letters| letters.split_once('m')) {
                let next = behind.first().map_or("", |next| next);
                let module = if module.is_empty() { next } else { module };
                if module == "cuecard" || module.starts_with("cuecard.") {
                    self.confirm(if word.ends_with('m') { behind.get(1..).unwrap_or_default() } else { behind });
                    return;
                }
                is_script = false;
            } else if is_script && !word.starts_with('-') && before != "-W" && before != "-X" {
                if name_of(word) == "cuecard" || word.replace('\\', "/").contains("/cuecard/cli") {
                    self.confirm(behind);
                    return;
                }
                is_script = false;
            }
            before = word;
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
                    // A folder with this name may become a store, or a folder of the user's, in the target.
                    for name in ["memory", "cuecard"] {
                        if sources.iter().any(|source| name_of(source) == name) {
                            self.add("write", &[format!("{target}/{name}")]);
                        }
                    }
                }
            }
            "edit" if words.iter().any(|word| IN_PLACE.iter().any(|option| word.starts_with(option))) => {
                // The first operand is the script. An empty operand before it belongs to the BSD form of `-i`.
                let files = operands.strip_prefix(&[""]).unwrap_or(&operands);
                self.add("write", files.get(1..).unwrap_or_default());
            }
            "sweep" => {
                // The command removes files below the folder.
                if words.iter().any(|word| word == "-delete" || word == "rm") {
                    self.add("remove", &first.iter().map(|place| format!("{place}/?")).collect::<Vec<_>>());
                }
                for (at, pair) in words.windows(2).enumerate() {
                    if ["-exec", "-execdir", "-ok"].contains(&&*pair[0]) && program_of(&pair[1]) == "cuecard" {
                        self.confirm(words.get(at + 2..).unwrap_or_default());
                    }
                }
            }
            "enter" => {
                let target = *first.first().unwrap_or(&if letter.is_empty() { "~" } else { letter });
                let folder = if target == "-" { self.value("OLDPWD").into() } else { self.locate(target) };
                let before = self.variables.insert("PWD".into(), cut(&folder, MAX_WORD_CHARS).into());
                self.variables.insert("OLDPWD".into(), before.unwrap_or_else(|| UNKNOWN.into()));
            }
            // The script is run in brackets, because a change of the working directory inside it has no effect outside.
            "run" => {
                let script = if named.is_empty() { operands } else { named }.join(" ");
                let script = if script.is_empty() { self.piped.clone() } else { script };
                self.reads_script |= script.is_empty();
                self.read(&format!("({script})"));
            }
            "python" => self.run_python(words),
            "alias" => {
                let pairs = operands.iter().filter_map(|word| word.split_once('='));
                let pairs = pairs.filter(|(_, value)| !value.is_empty());
                self.aliases.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
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
    /// that ends a here-document (`-`), or the text that the command reads (`=`).
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
                '`' if self.command.quote.is_some() && self.has_backtick() => {
                    let script = format!("({})", self.take_through("`"));
                    self.shell.read(&script);
                    self.word().push_str(UNKNOWN);
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
        self.shell.piped = if char == '|' { self.shell.printed.clone() } else { String::new() };
        let outer = if char == ')' { self.outer.pop() } else { None };
        if let Some((command, folder)) = outer {
            self.command = command;
            self.shell.variables.insert("PWD".into(), folder);
            self.word().push_str(UNKNOWN);
        }
        if char == '\n' {
            let delimiters = take(&mut self.documents);
            let documents: Vec<String> = delimiters.iter().map(|delimiter| self.take_document(delimiter)).collect();
            if take(&mut self.shell.reads_script) {
                for document in documents {
                    self.shell.read(&format!("({document})"));
                }
            }
        }
    }

    /// Takes a here-document with the line that ends it, and returns its text.
    fn take_document(&mut self, delimiter: &str) -> String {
        let mut lines = Vec::new();
        while !self.rest.is_empty() {
            let line = self.take_through("\n");
            if line.trim_matches(['\t', '\r']) == delimiter {
                break;
            }
            lines.push(line);
        }
        lines.join("\n")
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
        match &*operator {
            "<<" => {
                self.command.awaited = '-';
                self.take(|char| char == '-');
            }
            "<<<" => self.command.awaited = '=',
            _ => {}
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.command.word.take() else { return };
        let word = cut(&word, MAX_WORD_CHARS);
        match take(&mut self.command.awaited) {
            // Inside `[[ ]]`, `>` is a comparison.
            '>' if self.command.words.first().is_none_or(|first| first != "[[") => self.shell.add("write", &[word]),
            '-' => self.documents.push(word.into()),
            '=' => self.shell.piped = word.into(),
            '<' | '>' => {}
            _ => self.command.words.push(word.into()),
        }
    }

    /// Whether another backtick follows before the next double quote.
    fn has_backtick(&self) -> bool {
        self.rest.find(['`', '"']).is_some_and(|at| self.rest.get(at..).is_some_and(|rest| rest.starts_with('`')))
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
