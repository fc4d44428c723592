//! Tells which commands of cuecard are for people, because they widen what is trusted (SPEC 16.6).

use crate::host::Host;
use cuecard_core::tables::people_commands::{COMMANDS, FLAGS, SETTINGS};

/// Replaces a part of a text whose value only the shell knows. No path contains this character.
pub const UNKNOWN: &str = "\0";

/// Returns the command in the words after `cuecard`, if the table has it or its name is unknown, and its arguments.
pub(crate) fn find_command(words: &[String]) -> Option<(String, Vec<String>)> {
    for (at, word) in words.iter().enumerate() {
        // A program can hand on several arguments as one word: `Start-Process cuecard -ArgumentList "trust --all"`.
        let mut parts = word.split(' ');
        let name = parts.next().unwrap_or_default();
        if name.contains(UNKNOWN) || COMMANDS.has(name) {
            let behind = words.iter().skip(at + 1).map(String::as_str);
            return Some((name.into(), parts.chain(behind).map(str::to_owned).collect()));
        }
        if !word.starts_with('-') {
            return None;
        }
    }
    None
}

/// Whether a command with these arguments widens what is trusted. An unknown name or operand counts as if it did.
pub(crate) fn is_for_people(name: &str, arguments: &[String]) -> bool {
    if name.contains(UNKNOWN) {
        return true;
    }
    let (options, operands) = split(arguments);
    if options.iter().any(|option| is_help(option)) {
        return false;
    }
    let first = operands.first().copied().unwrap_or_default();
    let is_open = first.contains(UNKNOWN);
    COMMANDS.row(name).unwrap_or_default().split(' ').all(|condition| match condition {
        "*" => true,
        "OPERAND" => !operands.is_empty(),
        "SETTING" => operands.len() > 1 && (is_open || is_widening(first)),
        _ => match condition.strip_prefix('!') {
            Some(option) => !options.contains(&option),
            // Every word counts here, also one that seems to be the value of an option.
            None if condition.starts_with("--") => condition.split('|').any(|option| {
                arguments.iter().any(|word| word == option) || arguments.windows(2).any(|pair| pair.join("=") == option)
            }),
            None => condition.split('|').any(|operand| operand == first) || is_open,
        },
    })
}

/// Returns `cuecard` for `cuecard@latest`, `cuecard[extra]`, `cuecard==1.0` and `cuecard.cli`; else the name as it is.
pub(crate) fn strip_version(name: &str) -> &str {
    let behind = name.strip_prefix("cuecard").unwrap_or("-");
    let is_version = behind.starts_with(['@', '[', '=', '<', '>', '~', '!']);
    let is_module = [".cli", ".__main__", ".cli.__main__"].contains(&behind);
    if is_version || is_module { "cuecard" } else { name }
}

/// Returns the output for a command that is for people: a question to the user, or a denial without one.
#[must_use]
pub fn write_answer(command: &str, can_ask: bool, host: Host) -> String {
    let (decision, asked) = if can_ask {
        ("ask", "confirm it only if you want that")
    } else {
        ("deny", "ask the user to run it in a terminal")
    };
    let named = if command == "cuecard" { command.to_owned() } else { format!("cuecard {command}") };
    let reason = format!("`{named}` can widen what is trusted on this machine, which only a person decides: {asked}");
    host.write_refusal(decision, &reason)
}

/// Returns the options and the operands of a command line.
fn split(arguments: &[String]) -> (Vec<&str>, Vec<&str>) {
    let (mut options, mut operands, mut is_value) = (Vec::new(), Vec::new(), false);
    for (at, word) in arguments.iter().enumerate() {
        if word == "--" && !is_value {
            operands.extend(arguments.iter().skip(at + 1).map(String::as_str));
            break;
        }
        let is_option = !is_value && word.len() > 1 && word.starts_with('-');
        if is_option {
            options.push(&**word);
        } else if !is_value {
            operands.push(&**word);
        }
        let has_value = word.starts_with("--") && !word.contains('=') && !FLAGS.has(word) && !is_help(word);
        is_value = is_option && (has_value || word == "-c" || word == "-f");
    }
    (options, operands)
}

fn is_help(word: &str) -> bool {
    word == "-h" || word == "--help"
}

fn is_widening(setting: &str) -> bool {
    SETTINGS
        .iter()
        .any(|name| setting.strip_prefix(name).is_some_and(|behind| behind.is_empty() || behind.starts_with('.')))
}
