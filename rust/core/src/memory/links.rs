//! The links of a memory: to project files, and to memories that it supersedes or contradicts (SPEC 33.1).

use crate::memory::category::FOLDERS;
use crate::text::chars::strip;
use crate::text::compose::compose;
use crate::text::json_reader::Json;

/// The maximal number of links of a memory.
pub const MAX_LINKS: usize = 64;
/// The maximal length in bytes of the path or id in a link; links with a longer path or id are ignored.
pub const MAX_NAME_BYTES: usize = 512;

/// The prefix of a link to a file or folder; the path of a folder ends with a slash.
pub(crate) const FILE: &str = "file:";
/// The prefix of a link that contains the parts of a file's path in reverse order.
pub(crate) const TAIL: &str = "tail:";
/// The prefix of a link that contains a pattern of paths.
pub(crate) const GLOB: &str = "glob:";
/// The prefix of a link to a superseded memory. The link gives the memory as `id` or `folder/id`.
pub(crate) const OVER: &str = "over:";
/// The prefix of a link to a contradicted memory. The link gives the memory as `id` or `folder/id`.
pub(crate) const AGAINST: &str = "against:";

/// The links of a memory, encoded for the dictionary of links: first superseded memories, then files, then the reversed
/// paths of files. There can be duplicates.
#[must_use]
pub fn read_links(record: &Json) -> Vec<String> {
    let own = record.get("cuecard");
    let memories = |field: &str, kind: &'static str| {
        let named = texts(own.and_then(|own| own.get(field)));
        named.filter_map(move |name| memory_id(name).map(|id| format!("{kind}{id}")))
    };
    let mut names: Vec<String> = Vec::new();
    let memories = memories("supersedes", OVER).chain(memories("contradicts", AGAINST));
    let files = texts(own.and_then(|own| own.get("anchors"))).chain(texts(record.get("related_files")));
    let files = files.filter_map(normalize_path).map(|path| {
        let kind = if is_pattern(&path) { GLOB } else { FILE };
        format!("{kind}{path}")
    });
    for name in memories.chain(files) {
        if names.len() == MAX_LINKS {
            break;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let tails: Vec<String> = names.iter().filter_map(|name| tail_of(name.strip_prefix(FILE)?)).collect();
    names.extend(tails);
    names
}

/// Normalizes a path for links: composed characters, forward slashes, no `./` in front, no blanks around it; `None` if it is not a usable
/// path.
#[must_use]
pub fn normalize_path(text: &str) -> Option<String> {
    let path = compose(strip(text)).replace('\\', "/");
    let mut path = path.as_str();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    let is_path = !path.is_empty() && path != "." && path.len() <= MAX_NAME_BYTES && !path.contains('\n');
    is_path.then(|| path.to_owned())
}

/// The link with the parts of a file's path in reverse order; `None` if the path is that of a folder.
pub(crate) fn tail_of(path: &str) -> Option<String> {
    let reversed: Vec<&str> = path.rsplit('/').collect();
    (!path.ends_with('/')).then(|| format!("{TAIL}{}", reversed.join("/")))
}

/// The id in the name of a memory. If the name begins with a known folder or category, the result is `folder/id`.
/// `None` if the name has no valid id.
pub(crate) fn memory_id(name: &str) -> Option<String> {
    let name = name.strip_suffix(".json").unwrap_or(name).replace('\\', "/");
    let mut parts = name.rsplit('/');
    let id = parts.next().filter(|id| !matches!(*id, "" | "." | ".."))?;
    if id.len() > MAX_NAME_BYTES || id.contains('\n') {
        return None;
    }
    let place = parts.next().unwrap_or_default();
    let folder = FOLDERS.iter().find(|(folder, category)| *folder == place || *category == place);
    Some(folder.map_or_else(|| id.to_owned(), |(folder, _)| format!("{folder}/{id}")))
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// The strings in a list; empty if the value is not a list.
pub(crate) fn texts(value: Option<&Json>) -> impl Iterator<Item = &str> {
    let items = match value {
        Some(Json::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(Json::as_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json_reader::read_json;

    #[test]
    fn names_of_files_and_memories_become_texts() {
        let record = br#"{"related_files":["./src\\a.py","src/","src/a.py",7],
            "cuecard":{"contradicts":["c"],"anchors":["docs/*.md"],"supersedes":["old","decision/b.json",".claude/memory/runbooks/c.json",""]}}"#;
        let links = read_links(&read_json(record).unwrap());
        let wanted =
            ["over:old", "over:decisions/b", "over:runbooks/c", "against:c", "glob:docs/*.md", "file:src/a.py"];
        assert_eq!(links[..6], wanted);
        assert_eq!(links[6..], ["file:src/", "tail:a.py/src"]);
    }

    #[test]
    fn a_memory_has_at_most_so_many_links() {
        let files: Vec<String> = (0..200).map(|number| format!("\"{number}.py\"")).collect();
        let record = format!("{{\"related_files\":[{}]}}", files.join(","));
        assert_eq!(read_links(&read_json(record.as_bytes()).unwrap()).len(), 2 * MAX_LINKS);
    }
}
