//! What a PowerShell command writes, as far as its words tell (SPEC 16.4).

use crate::guard::powershell_words::read_powershell;
use crate::guard::shell_scope::{Place, Scope};
use crate::guard::shell_words::{Command, Piece, Step};
use crate::guard::shell_writes::is_pattern;
use crate::guard::tool_use::{Action, MAX_WRITES, Write};

/// Commands, with aliases, by what they do.
const WRITERS: &[(&str, Cmdlet)] = &[
    ("set-content", Cmdlet::Write),
    ("sc", Cmdlet::Write),
    ("add-content", Cmdlet::Write),
    ("ac", Cmdlet::Write),
    ("out-file", Cmdlet::Write),
    ("tee-object", Cmdlet::Write),
    ("tee", Cmdlet::Write),
    ("clear-content", Cmdlet::Write),
    ("clc", Cmdlet::Write),
    ("new-item", Cmdlet::New),
    ("ni", Cmdlet::New),
    ("copy-item", Cmdlet::Copy),
    ("cpi", Cmdlet::Copy),
    ("copy", Cmdlet::Copy),
    ("cp", Cmdlet::Copy),
    ("move-item", Cmdlet::Move),
    ("mi", Cmdlet::Move),
    ("move", Cmdlet::Move),
    ("mv", Cmdlet::Move),
    ("rename-item", Cmdlet::Rename),
    ("rni", Cmdlet::Rename),
    ("ren", Cmdlet::Rename),
    ("remove-item", Cmdlet::Remove),
    ("ri", Cmdlet::Remove),
    ("rm", Cmdlet::Remove),
    ("del", Cmdlet::Remove),
    ("erase", Cmdlet::Remove),
    ("rd", Cmdlet::Remove),
    ("rmdir", Cmdlet::Remove),
    ("set-location", Cmdlet::Enter),
    ("push-location", Cmdlet::Enter),
    ("sl", Cmdlet::Enter),
    ("cd", Cmdlet::Enter),
    ("chdir", Cmdlet::Enter),
    ("pushd", Cmdlet::Enter),
    ("pop-location", Cmdlet::Leave),
    ("popd", Cmdlet::Leave),
    ("pwsh", Cmdlet::Script),
    ("powershell", Cmdlet::Script),
    ("invoke-expression", Cmdlet::Script),
    ("iex", Cmdlet::Script),
];

/// Parameters with a value; a name may be cut where it stays clear.
const VALUED: &[&str] = &[
    "path",
    "literalpath",
    "filepath",
    "destination",
    "value",
    "name",
    "newname",
    "itemtype",
    "type",
    "encoding",
    "filter",
    "include",
    "exclude",
    "command",
    "credential",
    "stream",
    "width",
    "inputobject",
    "delimiter",
    "variable",
    "target",
    "erroraction",
];
/// Shorter beginnings of a parameter could be those of a switch; `-c` brings a script.
const MIN_PARAMETER_CHARS: usize = 2;
const PATHS: [&str; 3] = ["path", "literalpath", "filepath"];
const MAX_SCRIPTS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cmdlet {
    Write,
    New,
    Copy,
    Move,
    Rename,
    Remove,
    Enter,
    Leave,
    Script,
}

/// The writes of a PowerShell command, in its order.
pub(crate) fn find_powershell_writes(command: &str, place: &Place) -> Vec<Write> {
    let mut script = Script { scope: Scope::new(place), writes: Vec::new() };
    script.run(command, 0);
    script.writes
}

struct Script {
    scope: Scope,
    writes: Vec<Write>,
}

impl Script {
    fn run(&mut self, text: &str, depth: usize) {
        for step in read_powershell(text) {
            if let Step::Command(command) = step {
                self.run_command(&command, depth);
            }
        }
    }

    fn run_command(&mut self, command: &Command, depth: usize) {
        for target in &command.targets {
            let target = self.scope.expand(target);
            self.add(Action::Write, &target);
        }
        let words: Vec<String> = command.words.iter().map(|word| self.scope.expand(word)).collect();
        let first = command.words.first().map(Vec::as_slice);
        if let (Some([Piece::Variable(name)]), [_, sign, value, ..]) = (first, words.as_slice()) {
            if sign == "=" {
                return self.scope.assign(name, value);
            }
        }
        let Some((name, arguments)) = words.split_first() else { return };
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        let Some((_, cmdlet)) = WRITERS.iter().find(|(writer, _)| *writer == name) else { return };
        self.find(*cmdlet, &Arguments::read(arguments), depth);
    }

    fn find(&mut self, cmdlet: Cmdlet, arguments: &Arguments, depth: usize) {
        let (paths, skipped) = match arguments.values(&PATHS) {
            Some(paths) => (paths, 0),
            None => (arguments.positional.first().cloned().unwrap_or_default(), 1),
        };
        let destination = || match arguments.values(&["destination"]) {
            Some(values) => values,
            None => arguments.positional.get(skipped).cloned().unwrap_or_default(),
        };
        match cmdlet {
            Cmdlet::Write => self.add_all(Action::Write, &paths),
            Cmdlet::New => {
                let kind = arguments.values(&["itemtype", "type"]).unwrap_or_default().concat();
                if !kind.to_ascii_lowercase().starts_with('d') {
                    let folder = paths.first().map_or(".", String::as_str);
                    match arguments.values(&["name"]).unwrap_or_default().first() {
                        Some(name) => self.add(Action::Write, &format!("{folder}/{name}")),
                        None => self.add_all(Action::Write, &paths),
                    }
                }
            }
            Cmdlet::Copy | Cmdlet::Move => {
                if cmdlet == Cmdlet::Move {
                    self.add_all(Action::Move, &paths);
                }
                for target in destination() {
                    self.add(Action::Write, &target);
                    for source in &paths {
                        let name = source.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
                        if !is_pattern(name) {
                            self.add(Action::Write, &format!("{}/{name}", target.trim_end_matches(['/', '\\'])));
                        }
                    }
                }
            }
            Cmdlet::Rename => self.add_all(Action::Move, &paths),
            Cmdlet::Remove => {
                let action = if arguments.is_recursive { Action::RemoveTree } else { Action::Remove };
                self.add_all(action, &arguments.values(&PATHS).unwrap_or_else(|| arguments.positional.concat()));
            }
            Cmdlet::Enter => {
                let target = paths.first().map(|path| self.scope.expand_home(path));
                self.scope.enter(target.as_deref());
            }
            Cmdlet::Leave => self.scope.enter(Some("-")),
            Cmdlet::Script => {
                if let (Some(scripts), true) = (arguments.scripts(), depth < MAX_SCRIPTS) {
                    self.run(&scripts.join(" "), depth + 1);
                }
            }
        }
    }

    fn add(&mut self, action: Action, target: &str) {
        if self.writes.len() < MAX_WRITES {
            let path = self.scope.locate(&self.scope.expand_home(target));
            self.writes.push(Write { action, path });
        }
    }

    fn add_all(&mut self, action: Action, targets: &[String]) {
        for target in targets {
            self.add(action, target);
        }
    }
}

/// Parameters with their values, and the lists of values that stand alone.
#[derive(Default)]
struct Arguments {
    named: Vec<(&'static str, Vec<String>)>,
    positional: Vec<Vec<String>>,
    is_recursive: bool,
}

impl Arguments {
    fn read(words: &[String]) -> Self {
        let mut arguments = Self::default();
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            let parameter =
                word.strip_prefix('-').filter(|name| name.starts_with(|char: char| char.is_ascii_alphabetic()));
            let Some(parameter) = parameter else {
                let mut values = vec![word.clone()];
                while rest.next_if(|word| *word == ",").is_some() {
                    values.extend(rest.next().cloned());
                }
                arguments.positional.push(values);
                continue;
            };
            let (name, attached) =
                parameter.split_once(':').map_or((parameter, None), |(name, value)| (name, Some(value)));
            let name = name.to_ascii_lowercase();
            arguments.is_recursive |= name.starts_with('r') || name == "fr";
            let is_clear = name.len() >= MIN_PARAMETER_CHARS || name == "c";
            let known = VALUED.iter().find(|known| is_clear && known.starts_with(&name));
            let Some(known) = known else { continue };
            let mut values: Vec<String> = match attached {
                Some(value) if !value.is_empty() => vec![value.to_owned()],
                _ => rest.next().cloned().into_iter().collect(),
            };
            while rest.next_if(|word| *word == ",").is_some() {
                values.extend(rest.next().cloned());
            }
            arguments.named.push((known, values));
        }
        arguments
    }

    fn values(&self, names: &[&str]) -> Option<Vec<String>> {
        self.named.iter().find(|(name, _)| names.contains(name)).map(|(_, values)| values.clone())
    }

    /// What `-Command` brings; also all that stands alone.
    fn scripts(&self) -> Option<Vec<String>> {
        let mut scripts = self.values(&["command"]).unwrap_or_default();
        scripts.extend(self.positional.concat());
        (!scripts.is_empty()).then_some(scripts)
    }
}
