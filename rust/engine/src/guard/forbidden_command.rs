//! Compares the commands of a script with a command that a memory forbids (SPEC 40.3).

use crate::guard::shell_words::program_of;

/// The maximal number of letters behind one hyphen that count as options of one letter.
const MAX_LETTERS: usize = 4;

/// Whether a command, given as its words, is a forbidden one: it has its program, begins with its other words, and has
/// its options in any place.
#[must_use]
pub fn is_forbidden(words: &[String], forbidden: &str) -> bool {
    let (options, plain): (Vec<&str>, Vec<&str>) = forbidden.split(' ').partition(|word| is_option(word));
    let (Some((program, operands)), Some((first, rest))) = (plain.split_first(), words.split_first()) else {
        return false;
    };
    if !is_program(first, program) {
        return false;
    }
    let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
    let named = rest.get(..end).unwrap_or_default();
    begins_with(rest, operands) && options.iter().all(|option| has_option(named, option))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Whether a word starts this program, in any folder and in any version (`pip3`, `/usr/bin/git`, `npm.exe`).
fn is_program(word: &str, program: &str) -> bool {
    let (found, wanted) = (program_of(word), program_of(program));
    let plain = found.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    !wanted.is_empty() && (found == wanted || plain == wanted)
}

/// Whether the first words that are neither options nor their values are these. A word behind an option may be its value.
fn begins_with(words: &[String], wanted: &[&str]) -> bool {
    let mut wanted = wanted.iter();
    let Some(mut next) = wanted.next() else { return true };
    let mut is_behind_option = false;
    for word in words {
        if is_option(word) || word.starts_with('+') {
            is_behind_option = is_option(word) && !word.contains('=');
        } else if word == next {
            is_behind_option = false;
            match wanted.next() {
                Some(word) => next = word,
                None => return true,
            }
        } else if is_behind_option {
            is_behind_option = false;
        } else {
            return false;
        }
    }
    false
}

/// Whether some words have an option: as it is, with a value, or as letters among others (`-rf` in `-r -fv`).
fn has_option(words: &[String], option: &str) -> bool {
    let with_value = format!("{option}=");
    if words.iter().any(|word| word == option || (option.starts_with("--") && word.starts_with(&with_value))) {
        return true;
    }
    let Some(wanted) = letters_of(option) else { return false };
    let given: String = words.iter().filter_map(|word| letters_of(word)).collect();
    wanted.chars().all(|letter| given.contains(letter))
}

/// The letters of a word such as `-rf`.
fn letters_of(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-')?;
    let is_short = (1..=MAX_LETTERS).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_short.then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::shell_commands::read_script;

    fn runs(script: &str, forbidden: &str) -> bool {
        read_script(script, "/p", "/h", "").commands.iter().any(|(_, words)| is_forbidden(words, forbidden))
    }

    #[test]
    fn a_command_is_found_by_its_words_wherever_it_begins() {
        for script in [
            "npm install",
            "cd web && npm install left-pad",
            "CI=1 sudo -E npm --prefix web install",
            "make; npm install | tee log",
            "bash -c 'npm install'",
            "echo $(npm install)",
            "env FOO=1 /usr/bin/npm install",
        ] {
            assert!(runs(script, "npm install"), "{script}");
        }
        for script in [
            "npm run install",
            "echo npm install",
            "pnpm install",
            "npm ci",
            "git commit -m 'npm install'",
            "# npm install",
        ] {
            assert!(!runs(script, "npm install"), "{script}");
        }
        assert!(runs("git push origin main --force", "git push --force") && runs("rm -r -f x", "rm -rf"));
        assert!(!runs("git push --force-with-lease", "git push --force") && !runs("rm -r x", "rm -rf"));
        assert!(runs("pip3 install x", "pip install") && runs("python3 -m pip install x", "pip install"));
    }
}
