//! What a shell command writes, as far as its words tell (SPEC 16.3).

use crate::guard::shell_options::{Arguments, Syntax};
use crate::guard::shell_scope::{Place, Scope};
use crate::guard::shell_words::{Command, Step, read_shell};
use crate::guard::tool_use::{Action, MAX_WRITES, Write};

/// Scripts within scripts, `bash -c` and the like, are read this deep.
const MAX_SCRIPTS: usize = 2;
/// And so many programs that run programs.
const MAX_WRAPPERS: usize = 8;

const KEYWORDS: [&str; 9] = ["if", "then", "elif", "else", "do", "while", "until", "!", "{"];
const DECLARATIONS: [&str; 5] = ["export", "local", "declare", "readonly", "typeset"];
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

const PLAIN: Syntax = Syntax { valued: "", attached: "", long: &[] };
const INSTALL: Syntax =
    Syntax { valued: "tSmog", attached: "", long: &["target-directory", "suffix", "mode", "owner", "group"] };
const MOVE: Syntax = Syntax { valued: "tS", attached: "", long: &["target-directory", "suffix"] };
const TOUCH: Syntax = Syntax { valued: "rdts", attached: "", long: &["reference", "date", "size"] };
const SHRED: Syntax = Syntax { valued: "ns", attached: "", long: &["iterations", "size", "random-source"] };
const SED: Syntax = Syntax { valued: "efl", attached: "i", long: &["expression", "file", "line-length"] };
const PERL: Syntax = Syntax { valued: "eE", attached: "iFIMmCxdD", long: &[] };
const RSYNC: Syntax =
    Syntax { valued: "efMTB@", attached: "", long: &["rsh", "filter", "exclude", "include", "temp-dir"] };
const SHELL: Syntax = Syntax { valued: "oO", attached: "", long: &["rcfile", "init-file"] };

/// Programs that run the command behind their own options.
const WRAPPERS: [(&str, Syntax); 16] = [
    (
        "sudo",
        Syntax { valued: "ughpCrtTUDR", attached: "", long: &["user", "group", "host", "prompt", "chdir", "chroot"] },
    ),
    ("doas", Syntax { valued: "uC", attached: "", long: &[] }),
    ("env", Syntax { valued: "uC", attached: "", long: &["unset", "chdir"] }),
    ("command", PLAIN),
    ("builtin", PLAIN),
    ("exec", Syntax { valued: "a", attached: "", long: &[] }),
    ("nohup", PLAIN),
    ("setsid", PLAIN),
    ("busybox", PLAIN),
    ("noglob", PLAIN),
    ("time", Syntax { valued: "fo", attached: "", long: &["format", "output"] }),
    ("nice", Syntax { valued: "n", attached: "", long: &["adjustment"] }),
    ("ionice", Syntax { valued: "cnp", attached: "", long: &["class", "classdata"] }),
    ("timeout", Syntax { valued: "ks", attached: "", long: &["kill-after", "signal"] }),
    ("stdbuf", Syntax { valued: "ioe", attached: "", long: &["input", "output", "error"] }),
    (
        "xargs",
        Syntax {
            valued: "InPLdsEa",
            attached: "il",
            long: &["max-args", "max-procs", "max-lines", "delimiter", "max-chars", "arg-file", "replace"],
        },
    ),
];

/// The writes of a shell command, in its order.
pub(crate) fn find_shell_writes(command: &str, place: &Place) -> Vec<Write> {
    let mut script = Script { scopes: Vec::new(), scope: Scope::new(place), writes: Vec::new() };
    script.run(command, 0);
    script.writes
}

struct Script {
    /// Those of the shells around the present one.
    scopes: Vec<Scope>,
    scope: Scope,
    writes: Vec<Write>,
}

impl Script {
    fn run(&mut self, text: &str, depth: usize) {
        for step in read_shell(text) {
            match step {
                Step::Open => self.scopes.push(self.scope.clone()),
                Step::Close => self.scope = self.scopes.pop().unwrap_or_else(|| self.scope.clone()),
                Step::Command(command) => self.run_command(&command, depth),
            }
        }
    }

    fn run_command(&mut self, command: &Command, depth: usize) {
        let words: Vec<String> = command.words.iter().map(|word| self.scope.expand(word)).collect();
        // Inside `[[ ]]` the sign compares.
        if words.first().is_none_or(|word| word != "[[") {
            for target in &command.targets {
                let target = self.scope.expand(target);
                self.add(Action::Write, &target);
            }
        }
        let mut words = words.as_slice();
        while let [first, rest @ ..] = words {
            words = match first.as_str() {
                "function" => rest.get(1..).unwrap_or_default(),
                first if KEYWORDS.contains(&first) => rest,
                _ => break,
            };
        }
        match words {
            // Of several values the first stands for all.
            [first, name, _, value, ..] if first == "for" || first == "select" => self.scope.assign(name, value),
            [first, ..] if ["for", "select", "case", "[["].contains(&first.as_str()) => {}
            _ => self.run_words(words, depth),
        }
    }

    fn run_words(&mut self, words: &[String], depth: usize) {
        let mut words = words;
        for _ in 0..MAX_WRAPPERS {
            let assigned = words.iter().take_while(|word| split_assignment(word).is_some()).count();
            let Some((name, arguments)) = words.get(assigned..).unwrap_or_default().split_first() else {
                return self.assign(words);
            };
            let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
            let name = name.strip_suffix(".exe").unwrap_or(name);
            let Some((_, syntax)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) else {
                return self.run_program(name, arguments, depth);
            };
            let read = syntax.read(arguments, true);
            // `command -v` only says where a program is.
            if name == "command" && read.has(&["v", "V"]) {
                return;
            }
            // `timeout` has a duration before its command.
            let skipped = read.leading + usize::from(name == "timeout");
            words = arguments.get(skipped..).unwrap_or_default();
        }
    }

    fn run_program(&mut self, name: &str, arguments: &[String], depth: usize) {
        match name {
            _ if DECLARATIONS.contains(&name) => self.assign(arguments),
            _ if SHELLS.contains(&name) => {
                let read = SHELL.read(arguments, true);
                if let (true, Some(script)) = (read.has(&["c"]), read.operands.first()) {
                    self.run_script(script, depth);
                }
            }
            "eval" => self.run_script(&arguments.join(" "), depth),
            "cd" | "chdir" => self.scope.enter(PLAIN.read(arguments, false).operands.first().copied()),
            "pushd" => self.scope.enter(Some(arguments.first().map_or("-", String::as_str))),
            "popd" => self.scope.enter(Some("-")),
            _ => self.find(name, arguments),
        }
    }

    fn run_script(&mut self, script: &str, depth: usize) {
        if depth < MAX_SCRIPTS {
            self.scopes.push(self.scope.clone());
            let around = self.scopes.len();
            self.run(script, depth + 1);
            self.scopes.truncate(around);
            self.scope = self.scopes.pop().unwrap_or_else(|| self.scope.clone());
        }
    }

    fn assign(&mut self, words: &[String]) {
        for (name, value) in words.iter().filter_map(|word| split_assignment(word)) {
            self.scope.assign(name, value);
        }
    }

    fn add(&mut self, action: Action, target: &str) {
        if self.writes.len() < MAX_WRITES {
            let path = self.scope.locate(target);
            self.writes.push(Write { action, path });
        }
    }

    fn add_all(&mut self, action: Action, targets: &[&str]) {
        for target in targets {
            self.add(action, target);
        }
    }

    /// The writes of the programs that we know.
    fn find(&mut self, name: &str, arguments: &[String]) {
        match name {
            "tee" => self.add_all(Action::Write, &PLAIN.read(arguments, false).operands),
            "touch" | "truncate" => self.add_all(Action::Write, &TOUCH.read(arguments, false).operands),
            "unlink" | "rmdir" => self.add_all(Action::Remove, &PLAIN.read(arguments, false).operands),
            "shred" => self.add_all(Action::Remove, &SHRED.read(arguments, false).operands),
            "rm" => {
                let read = PLAIN.read(arguments, false);
                let action = if read.has(&["r", "R", "recursive"]) { Action::RemoveTree } else { Action::Remove };
                self.add_all(action, &read.operands);
            }
            "cp" | "ln" => self.find_copies(&MOVE.read(arguments, false), false),
            "mv" => self.find_copies(&MOVE.read(arguments, false), true),
            "install" => {
                let read = INSTALL.read(arguments, false);
                // `-d` makes folders.
                if !read.has(&["d", "directory"]) {
                    self.find_copies(&read, false);
                }
            }
            "rsync" => {
                let mut read = RSYNC.read(arguments, false);
                // The other machine's files.
                if !read.operands.last().is_some_and(|target| is_remote(target)) {
                    read.options.clear();
                    self.find_copies(&read, false);
                }
            }
            "dd" => {
                let targets: Vec<&str> = arguments.iter().filter_map(|word| word.strip_prefix("of=")).collect();
                self.add_all(Action::Write, &targets);
            }
            "sed" => self.find_edits(&SED.read(arguments, false), &["e", "f", "expression", "file"]),
            "perl" => self.find_edits(&PERL.read(arguments, false), &["e", "E"]),
            "find" => self.find_sweep(arguments),
            _ => {}
        }
    }

    /// `cp`, `mv` and their kin: sources, then a file or folder that takes them.
    fn find_copies(&mut self, arguments: &Arguments, is_move: bool) {
        let (target, sources) = match (arguments.value(&["t", "target-directory"]), arguments.operands.as_slice()) {
            (Some(target), sources) => (target, sources),
            // `ln TARGET` makes a link here.
            (None, [source]) => (".", std::slice::from_ref(source)),
            (None, [sources @ .., target]) => (*target, sources),
            (None, []) => return,
        };
        if is_move {
            self.add_all(Action::Move, sources);
        }
        if target != "." {
            self.add(Action::Write, target);
        }
        for source in sources {
            let name = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
            if !is_pattern(name) {
                self.add(Action::Write, &format!("{}/{name}", target.trim_end_matches('/')));
            }
        }
    }

    /// `sed` and `perl` with `-i`; their script is the first operand unless an option brings it.
    fn find_edits(&mut self, arguments: &Arguments, scripts: &[&str]) {
        if !arguments.has(&["i", "in-place"]) {
            return;
        }
        // The empty operand is what `-i` of the BSDs asks for.
        let operands = arguments.operands.strip_prefix(&[""]).unwrap_or(&arguments.operands);
        let skipped = usize::from(!arguments.has(scripts));
        self.add_all(Action::Write, operands.get(skipped..).unwrap_or_default());
    }

    /// `find PLACE... -delete`, or `-exec rm`: something below the places goes away.
    fn find_sweep(&mut self, arguments: &[String]) {
        let deletes = arguments.iter().any(|word| word == "-delete");
        let is_rm = |program: &String| program == "rm" || program.ends_with("/rm");
        let executes = arguments
            .windows(2)
            .any(|pair| matches!(pair, [option, program] if option.starts_with("-exec") && is_rm(program)));
        if deletes || executes {
            let options = ["-H", "-L", "-P"];
            let places = arguments.iter().skip_while(|word| options.contains(&word.as_str()));
            for place in places.take_while(|word| !word.starts_with(['-', '(', '!'])) {
                self.add(Action::Remove, &format!("{place}/?"));
            }
        }
    }
}

/// Whether a source's name is not known: a pattern, or something that only the shell knows.
pub(crate) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\0'])
}

/// Whether `rsync` would take a path for one of another machine.
fn is_remote(path: &str) -> bool {
    path.find(':').is_some_and(|colon| !path.get(..colon).unwrap_or_default().contains('/'))
}

/// `NAME=VALUE` or `NAME+=VALUE`, in its parts.
fn split_assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = !name.starts_with(|char: char| char.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, value))
}
