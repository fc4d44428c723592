//! Checks the sources of this crate: only `folder.rs` and the modules below it may access files of a store (SPEC 43).
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules that may access files of a store, and test modules.
const OWNERS: [&str; 5] = ["folder", "directory", "directory_by_path", "mapped", "test_store"];

/// Words in the code that access the file system by a path.
const WORDS: [&str; 31] = [
    "File::",
    "OpenOptions::",
    "Mmap::",
    "DirBuilder::",
    "rustix::fs",
    "fs::canonicalize",
    "fs::copy",
    "fs::create_dir",
    "fs::exists",
    "fs::hard_link",
    "fs::metadata",
    "fs::read(",
    "fs::read_dir",
    "fs::read_link",
    "fs::read_to_string",
    "fs::remove",
    "fs::rename",
    "fs::set_permissions",
    "fs::soft_link",
    "fs::symlink_metadata",
    "fs::write",
    ".canonicalize()",
    ".exists()",
    ".is_dir()",
    ".is_symlink()",
    ".metadata()",
    ".read_dir()",
    ".read_link()",
    ".symlink_metadata()",
    ".try_exists()",
    "Folder::open(",
];

/// Modules, the words that each may contain, and why these words do not access files of a store.
const ALLOWED: [(&str, &[&str], &str); 15] = [
    ("consent", &["Folder::open("], "opens the user's data folder, where it is noted which endpoints failed"),
    ("files", &["fs::read_link"], "finds out where a path leads that a tool or a host names, and opens nothing"),
    (
        "git_state",
        &["fs::metadata", "fs::symlink_metadata", ".exists()", ".is_dir()"],
        "looks at git's own folder and at the times of files of the checkout",
    ),
    ("guard/answer", &[".exists()", ".is_dir()"], "asks whether there is something at a path that a tool names"),
    (
        "hosted",
        &[".exists()", "fs::metadata"],
        "asks whether the files are there that a host shows, and looks at the times of those that were read",
    ),
    ("delegate", &[".canonicalize()"], "looks for the interpreter beside the executable"),
    (
        "log",
        &["fs::create_dir", "fs::metadata", "fs::rename", "OpenOptions::", "Folder::open("],
        "writes to the file that `CUECARD_LOG` names, and makes the user's state folder",
    ),
    (
        "checkouts",
        &["fs::canonicalize", "Folder::open("],
        "follows what git says of worktrees and submodules, and reads its small files without following links",
    ),
    (
        "pack_items",
        &[".canonicalize()", "fs::metadata"],
        "looks at files of the checkout that memories are about, and whether a pointer leads out of it",
    ),
    (
        "root",
        &["fs::canonicalize", "fs::metadata", ".exists()", ".is_dir()", ".metadata()", "Folder::open("],
        "looks for projects and for `.git`, asks whose they are, and opens the checkout that a store is opened in",
    ),
    (
        "scopes",
        &["fs::canonicalize", "Folder::open("],
        "opens the folder of the packs, and tells whether two roots are one",
    ),
    (
        "user_folder",
        &["fs::canonicalize", ".exists()", ".is_dir()", "DirBuilder::", "Folder::open("],
        "opens and makes the user's data folder, resolves the path of the project, and looks for its `.git`",
    ),
    (
        "surroundings",
        &[".canonicalize()", ".exists()", ".is_symlink()", ".metadata()", "fs::read("],
        "finds out where the folders lead that variables name, and reads the list of accounts",
    ),
    ("transcript_place", &["fs::read_dir"], "looks for a transcript in the folder of a host program"),
    ("validate", &["Folder::open("], "opens the folder that a store lies in whose path a tool has named"),
];

#[test]
fn only_the_owners_touch_files_of_a_store() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut looked_at = 0;
    let rooms = fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let files = |path: PathBuf| -> Vec<PathBuf> {
        if path.is_file() {
            return vec![path];
        }
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    for path in rooms.flat_map(files) {
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let in_guard = path.parent().is_some_and(|room| room.ends_with("guard")) && module == "answer";
        let module = if in_guard { "guard/answer".into() } else { module };
        if OWNERS.contains(&module.as_str()) {
            continue;
        }
        let allowed: BTreeSet<&str> = ALLOWED
            .iter()
            .filter(|(name, ..)| *name == module)
            .flat_map(|(_, words, _)| words.iter().copied())
            .collect();
        assert_eq!(words_in(&fs::read_to_string(&path).unwrap()), allowed, "in `{module}.rs`");
        looked_at += 1;
    }
    assert!(looked_at > 20);
}

/// Returns the words in a source file, without its comments and tests.
fn words_in(source: &str) -> BTreeSet<&'static str> {
    let code = source.split("\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = lines.collect::<Vec<_>>().join("\n");
    let is_own_name = |at: usize| !code[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
    let has = |word: &&str| code.match_indices(*word).any(|(at, _)| word.starts_with('.') || is_own_name(at));
    WORDS.into_iter().filter(has).collect()
}

#[test]
fn the_words_are_found() {
    let source = "// fs::write\nlet a = fs::read_dir(SessionFile::new())?;\n#[cfg(test)]\nmod tests { fs::rename() }";
    assert_eq!(words_in(source), BTreeSet::from(["fs::read_dir"]));
}
