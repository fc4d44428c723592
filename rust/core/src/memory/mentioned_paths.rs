//! Finds the paths of files and folders in a prompt (SPEC 34.1).

use crate::memory::links::normalize_path;
use crate::text::chars::{cut, is_white_space};

/// The maximal number of characters of a prompt that are searched.
const MAX_CHARS: usize = 4096;
const MAX_PATHS: usize = 16;
const MAX_EXTENSION: usize = 8;
/// The characters that separate words, in addition to white space.
const BREAKS: [char; 9] = ['"', '\'', '`', '<', '>', '(', ')', '|', ','];
/// The characters of a path in addition to ASCII letters and digits. Any other character ends a path, because some
/// languages write no blank after it.
const SIGNS: [char; 10] = ['/', '\\', '.', '_', '-', '+', '@', '$', '[', ']'];

/// The paths in a prompt, without duplicates, in text order: words with a slash, and names with an extension.
///
/// The paths have forward slashes and may be relative to any folder. URLs are skipped.
#[must_use]
pub fn mentioned_paths(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let words = cut(prompt, MAX_CHARS).split(|char| is_white_space(char) || BREAKS.contains(&char));
    for word in words.filter(|word| word.contains(['/', '\\', '.']) && !word.contains("://")) {
        for chunk in word.split(|char: char| !char.is_ascii_alphanumeric() && !SIGNS.contains(&char)) {
            match path_of(chunk) {
                Some(path) if !found.contains(&path) => found.push(path),
                _ => continue,
            }
            if found.len() == MAX_PATHS {
                return found;
            }
        }
    }
    found
}

fn path_of(chunk: &str) -> Option<String> {
    let mut chunk = chunk;
    // Text within brackets can have characters to strip at its ends, too.
    loop {
        let before = chunk;
        chunk = chunk.trim_start_matches(['@', '+', '-']).trim_end_matches(['.', '@', '+', '-']);
        // Brackets are part of a name only if it has both an opening and a closing bracket.
        match (chunk.contains('['), chunk.contains(']')) {
            (true, true) => chunk = chunk.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(chunk),
            _ => chunk = chunk.trim_start_matches('[').trim_end_matches(']'),
        }
        if chunk == before {
            break;
        }
    }
    let path = normalize_path(chunk)?;
    let is_named = path.contains(|char: char| char.is_ascii_alphabetic());
    (is_named && (path.contains('/') || has_extension(&path))).then_some(path)
}

fn has_extension(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.len() <= MAX_EXTENSION
        && extension.starts_with(|char: char| char.is_ascii_alphabetic())
        && extension.chars().all(|char| char.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::mentioned_paths;

    #[test]
    fn paths_are_cut_out_of_what_stands_around_them() {
        let prompt = "look at `src/users.py:12:3`, (lib\\a.ts) and @docs/ or users.py를, see https://x.y/a.py. \
            File \"./b/c.rs\", v1.2 and 1/2";
        assert_eq!(mentioned_paths(prompt), ["src/users.py", "lib/a.ts", "docs/", "users.py", "b/c.rs"]);
    }
}
