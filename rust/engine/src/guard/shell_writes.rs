//! What a shell command writes, judged by its words alone (SPEC 16.3); a table says what each program does.

use crate::guard::shell_reader::Reader;
use cuecard_core::text::writing_commands::{KEYWORDS, POWERSHELL, POWERSHELL_VALUES, SHELL};
use std::collections::HashMap;

/// Stands in a text for what only the shell could know; no path has it.
pub const UNKNOWN: &str = "\0";
const MAX_WRITES: usize = 1000;
/// Scripts within scripts are read this deep, and so many characters of them in all.
const MAX_DEPTH: usize = 8;
const MAX_SCRIPT_CHARS: usize = 65_536;
/// Longer values and folders count as unknown: a script can double them at every line.
const MAX_VALUE_CHARS: usize = 512;
const MAX_FOLDER_CHARS: usize = 4096;
const MAX_VARIABLES: usize = 256;

/// Folder, variables and writes of a script that is being read.
pub(crate) struct Script {
    pub(crate) folder: String,
    pub(crate) is_powershell: bool,
    pub(crate) writes: Vec<(&'static str, String)>,
    previous: String,
    variables: HashMap<String, String>,
    depth: usize,
    read_chars: usize,
}

impl Script {
    pub(crate) fn new(folder: &str, home: &str, project: &str, is_powershell: bool) -> Self {
        let known = [("HOME", home), ("USERPROFILE", home), ("CLAUDE_PROJECT_DIR", project)];
        let variables = known.iter().filter(|(_, value)| !value.is_empty());
        Self {
            folder: folder.into(),
            is_powershell,
            writes: Vec::new(),
            previous: UNKNOWN.into(),
            variables: variables.map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            depth: 0,
            read_chars: 0,
        }
    }

    /// Reads a script, or one within it; the folder of a subshell is its own, a block of PowerShell has the script's.
    pub(crate) fn read(&mut self, text: &str) {
        self.read_chars += if self.depth > 0 { text.chars().count() } else { 0 };
        if self.depth <= MAX_DEPTH && self.read_chars <= MAX_SCRIPT_CHARS {
            let folder = self.folder.clone();
            self.depth += 1;
            Reader::read(text, self);
            self.depth -= 1;
            self.folder = if self.is_powershell { std::mem::take(&mut self.folder) } else { folder };
        }
    }

    /// The value of a variable.
    pub(crate) fn value(&self, name: &str) -> String {
        let name = self.fold(name);
        if name == "PWD" { &self.folder } else { self.variables.get(&name).map_or(UNKNOWN, |value| value) }.to_owned()
    }

    /// A variable's name; those of PowerShell are of any case.
    fn fold(&self, name: &str) -> String {
        let upper = name.to_ascii_uppercase();
        if self.is_powershell { upper.strip_prefix("ENV:").unwrap_or(&upper).to_owned() } else { name.to_owned() }
    }

    /// Notes what a command writes.
    pub(crate) fn run(&mut self, words: &[String]) {
        match words {
            // Of several values the first stands for all.
            [first, name, _, value, ..] if first == "for" => self.assign(name, value),
            [name, sign, value, ..] if self.is_powershell && sign == "=" => {
                self.assign(name.trim_start_matches('$'), value);
            }
            [first, rest @ ..] if KEYWORDS.has(first) => self.run(rest),
            [first, rest @ ..] => match first.split_once('=') {
                Some((name, value)) if !name.contains(|char: char| !char.is_ascii_alphanumeric() && char != '_') => {
                    self.assign(name, value);
                    self.run(rest);
                }
                _ => self.run_program(first, rest),
            },
            [] => {}
        }
    }

    /// What the program does, and the letter of its option that matters.
    fn look_up(&self, program: &str) -> Option<(&'static str, &'static str)> {
        let name = program.rsplit(['/', '\\']).next()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let row = if self.is_powershell { POWERSHELL.row(&name.to_ascii_lowercase()) } else { SHELL.row(name) };
        row.map(|row| row.split_once(' ').unwrap_or((row, "")))
    }

    fn run_program(&mut self, program: &str, words: &[String]) {
        let Some((kind, letter)) = self.look_up(program) else { return };
        if kind == "wrap" {
            return self.run_behind(words);
        }
        let operands = self.operands(words);
        let is_option = |word: &str| word.starts_with('-') && !letter.is_empty() && word.ends_with(letter);
        let values = words.windows(2).filter(|pair| is_option(&pair[0])).map(|pair| &*pair[1]).collect::<Vec<_>>();
        match kind {
            "write" => self.add_all("write", &operands),
            "remove" => self.add_all("remove", &operands),
            "first" => self.add_all("write", operands.get(..1).unwrap_or_default()),
            "new" if !words.iter().any(|word| word.eq_ignore_ascii_case("directory")) => {
                self.add_all("write", operands.get(..1).unwrap_or_default());
            }
            "output" => self.add_all("write", &values),
            "of" => words.iter().filter_map(|word| word.strip_prefix("of=")).for_each(|path| self.add("write", path)),
            "copy" | "move" => self.copy(kind, operands, &values),
            // The first operand is the script; the empty one is what `-i` of the BSDs asks for.
            "edit" if words.iter().any(|word| edits_in_place(word)) => {
                let files = operands.strip_prefix(&[""]).unwrap_or(&operands);
                self.add_all("write", files.get(1..).unwrap_or_default());
            }
            // Something below the places goes away.
            "sweep" if words.iter().any(|word| word == "-delete" || word == "rm") => {
                for place in words.iter().take_while(|word| !word.starts_with(['-', '(', '!'])) {
                    self.add("remove", &format!("{place}/?"));
                }
            }
            "enter" => self.enter(operands.first().copied().unwrap_or(if letter == "-" { "-" } else { "~" })),
            "script" => self.read(values.first().copied().unwrap_or_default()),
            "eval" => self.read(&operands.join(" ")),
            _ => {}
        }
    }

    /// The command behind a wrapper's options, their values, numbers and assignments.
    fn run_behind(&mut self, words: &[String]) {
        for (at, word) in words.iter().enumerate() {
            let kind = self.look_up(word).map(|(kind, _)| kind);
            if kind.is_some_and(|kind| kind != "wrap") {
                return self.run(words.get(at..).unwrap_or_default());
            }
            let is_number = word.starts_with(|char: char| char.is_ascii_digit());
            let is_setting = kind.is_some() || is_number || word.contains('=') || word.starts_with('-');
            let is_value = at > 0 && words.get(at - 1).is_some_and(|before| before.starts_with('-'));
            // `command -v` only says where a program is.
            if word == "-v" || !(is_setting || is_value) {
                return;
            }
        }
    }

    /// The words that are neither options nor, in PowerShell, values of parameters that are no paths.
    fn operands<'a>(&self, words: &'a [String]) -> Vec<&'a str> {
        let is_valued = |word: &str| POWERSHELL_VALUES.iter().any(|known| known.starts_with(word));
        let (mut is_value, mut operands) = (false, Vec::new());
        for word in words {
            let option = word.strip_prefix('-').filter(|option| !option.is_empty());
            if !is_value && option.is_none() {
                operands.push(word.as_str());
            }
            let option = option.filter(|option| self.is_powershell && option.len() > 1);
            is_value = option.is_some_and(|option| is_valued(&option.to_ascii_lowercase()));
        }
        operands
    }

    /// `cp`, `mv` and their kin: sources, then a file or folder that takes them.
    fn copy(&mut self, kind: &str, mut sources: Vec<&str>, targets: &[&str]) {
        let target = targets.first().copied().or_else(|| if sources.len() > 1 { sources.pop() } else { None });
        if kind == "move" {
            self.add_all("move", &sources);
        }
        // Before a colon stands another machine, unless it is a drive.
        let Some(target) = target.filter(|target| !target.chars().skip(2).any(|char| char == ':')) else { return };
        self.add("write", target);
        for source in sources {
            let name = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
            if !name.contains(['*', '?', '[', '{', '\0']) {
                self.add("write", &format!("{}/{name}", target.trim_end_matches('/')));
            }
        }
    }

    fn assign(&mut self, name: &str, value: &str) {
        if self.variables.len() < MAX_VARIABLES {
            let value = if value.chars().count() <= MAX_VALUE_CHARS { value } else { UNKNOWN };
            self.variables.insert(self.fold(name), value.into());
        }
    }

    fn enter(&mut self, target: &str) {
        let folder = if target == "-" { self.previous.clone() } else { self.locate(target) };
        let folder = if folder.chars().count() <= MAX_FOLDER_CHARS { folder } else { UNKNOWN.into() };
        self.previous = std::mem::replace(&mut self.folder, folder);
    }

    /// The path that a text names here, its dots and links as they are.
    pub(crate) fn locate(&self, path: &str) -> String {
        let home = path.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with(['/', '\\']));
        let path = home.map_or_else(|| path.to_owned(), |below| format!("{}{below}", self.value("HOME")));
        let is_drive = path.starts_with(|char: char| char.is_ascii_alphabetic()) && path.get(1..2) == Some(":");
        match path.chars().next() {
            None => UNKNOWN.into(),
            Some('/' | '\\' | '\0') => path,
            _ if is_drive => path,
            _ => format!("{}/{path}", self.folder),
        }
    }

    fn add_all(&mut self, action: &'static str, paths: &[&str]) {
        for path in paths {
            self.add(action, path);
        }
    }

    pub(crate) fn add(&mut self, action: &'static str, path: &str) {
        if self.writes.len() < MAX_WRITES {
            self.writes.push((action, self.locate(path)));
        }
    }
}

/// Whether an option of `sed` or `perl` edits in place: `-i`, `-pi`, `-i.bak`, but not `-Mstrict`.
fn edits_in_place(word: &str) -> bool {
    let is_flag = |char: char| char.is_ascii_digit() || "Eanplrsuwz".contains(char);
    word.starts_with("--in-place")
        || word.strip_prefix('-').is_some_and(|flags| flags.trim_start_matches(is_flag).starts_with('i'))
}
