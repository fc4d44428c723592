//! What the words of a shell's command mean: the program, its operands, and what it prints (SPEC 16.3).

use crate::guard::people_commands::strip_version;
use cuecard_core::tables::writing_commands::VALUES;

/// Returns the words that are operands: neither options nor values of PowerShell parameters that are not paths.
pub(crate) fn operands(words: &[String]) -> Vec<&str> {
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
pub(crate) fn name_of(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Returns the name of a program as the tables have it: `python` for `/usr/bin/Python3.12.exe`; empty if it is not
/// ASCII.
pub(crate) fn program_of(word: &str) -> String {
    let name = name_of(word).to_ascii_lowercase();
    if !name.is_ascii() {
        return String::new();
    }
    let name = strip_version(name.strip_suffix(".exe").unwrap_or(&name));
    let is_python = name.starts_with("py");
    if is_python { name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') } else { name }.into()
}

/// Returns what a command prints, if it is `echo` or `printf`.
pub(crate) fn printed(words: &[String]) -> String {
    match words {
        [program, behind @ ..] if program == "echo" || program == "printf" => {
            let begin = behind.iter().position(|word| !word.starts_with('-')).unwrap_or(behind.len());
            behind.get(begin..).unwrap_or_default().join(" ").replace("\\n", "\n")
        }
        _ => String::new(),
    }
}

pub(crate) fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}
