//! Checks the imports between the rooms (top-level modules) of both crates, and between the files of a room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// A crate with its rooms and its files outside of any room. A room may import itself, the rooms before it in the list,
/// and these files; `lib.rs`, `hook.rs` and `payload_input.rs` may import every room.
struct House {
    source: PathBuf,
    rooms: &'static [&'static str],
    shared: &'static [&'static str],
}

fn houses() -> [House; 2] {
    let rust = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    [
        House {
            source: rust.join("core/src"),
            rooms: &["tables", "text", "settings", "memory", "classic", "index", "retrieve", "rank", "present"],
            shared: &["error"],
        },
        House {
            source: rust.join("engine/src"),
            rooms: &["store", "session", "situation", "notices", "prompt", "guard", "tool"],
            shared: &["environment", "host", "surroundings", "tool_use"],
        },
    ]
}

impl House {
    /// Returns a text with the file and the imported room for each import that is not allowed.
    fn forbidden_imports(&self) -> Vec<String> {
        let mut forbidden = Vec::new();
        for (place, room) in self.rooms.iter().enumerate() {
            for file in read_dir(self.source.join(room)).unwrap().map(|file| file.unwrap().path()) {
                let text = read_to_string(&file).unwrap();
                let name = file.file_name().unwrap().to_string_lossy();
                let allowed = |import: &String| {
                    self.rooms[..=place].contains(&import.as_str())
                        || self.shared.contains(&import.as_str())
                        || import == "Error"
                };
                let imports = imported_rooms(code_of(&text)).into_iter().filter(|import| !allowed(import));
                forbidden.extend(imports.map(|import| format!("{room}/{name}: {import}")));
            }
        }
        forbidden.sort();
        forbidden
    }
}

impl House {
    /// Returns, for each room, the files whose imports of one another form a circle.
    fn circles(&self) -> Vec<String> {
        let mut circles = Vec::new();
        for room in self.rooms {
            let mut imports = BTreeMap::new();
            for file in read_dir(self.source.join(room)).unwrap().map(|file| file.unwrap().path()) {
                let text = read_to_string(&file).unwrap();
                let name = file.file_stem().unwrap().to_string_lossy().into_owned();
                // `mod.rs` may list the whole room.
                if name != "mod" {
                    let mut others = imported_files(code_of(&text), room);
                    // A macro names its own file.
                    others.remove(&name);
                    imports.insert(name, others);
                }
            }
            // What imports nothing that is left is in no circle.
            while let Some(free) =
                imports.iter().find(|(_, others)| !others.iter().any(|other| imports.contains_key(other)))
            {
                let free = free.0.clone();
                imports.remove(&free);
            }
            circles.extend(imports.into_keys().map(|name| format!("{room}/{name}")));
        }
        circles
    }
}

/// Returns the first name of each path below `crate::ROOM::`.
fn imported_files(text: &str, room: &str) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for after in text.split(&format!("crate::{room}::")).skip(1) {
        let after = after.strip_prefix('{').and_then(|list| list.split_once("};")).map_or(after, |(list, _)| list);
        files.extend(after.split(['{', ',', ';', '\n', ':']).map(|name| name.trim().to_owned()).take(1));
    }
    files
}

/// Returns a source text without its unit tests, which may import any room.
fn code_of(text: &str) -> &str {
    text.split("\nmod tests").next().unwrap_or_default()
}

/// Returns the first name of each path below `crate::`.
fn imported_rooms(text: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for after in text.split("crate::").skip(1) {
        // In a list of imports from several rooms, each name of the first level is a room.
        let list = after.strip_prefix('{').and_then(|list| list.split_once("};")).map_or(after, |(list, _)| list);
        let paths = if after.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for path in paths {
            let path = path.trim_start();
            let name: String = path.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
            if !rooms.contains(&name) {
                rooms.push(name);
            }
        }
    }
    rooms
}

#[test]
fn no_room_imports_one_above_it() {
    for house in houses() {
        assert_eq!(house.forbidden_imports(), Vec::<String>::new());
    }
}

#[test]
fn no_files_of_a_room_import_one_another_in_a_circle() {
    for house in houses() {
        assert_eq!(house.circles(), Vec::<String>::new());
    }
}

#[test]
fn an_upward_import_is_noticed() {
    assert_eq!(imported_rooms("use crate::rank::Recall;\nlet x = crate::text::fold(y);"), ["rank", "text"]);
    assert_eq!(imported_rooms("use crate::{Error, rank::Recall};"), ["Error", "rank"]);
    let source = std::env::temp_dir().join(format!("cuecard-rooms-{}", std::process::id()));
    let house = House { source, rooms: &["below", "above"], shared: &[] };
    for room in house.rooms {
        std::fs::create_dir_all(house.source.join(room)).unwrap();
    }
    std::fs::write(house.source.join("below/a.rs"), "use crate::above::Recall;").unwrap();
    std::fs::write(house.source.join("above/b.rs"), "use crate::below::Token;").unwrap();
    std::fs::write(house.source.join("above/c.rs"), "use crate::above::d::{E, F};").unwrap();
    std::fs::write(house.source.join("above/d.rs"), "fn f() { crate::above::c::g() }").unwrap();
    let (forbidden, circles) = (house.forbidden_imports(), house.circles());
    std::fs::remove_dir_all(&house.source).unwrap();
    assert_eq!(forbidden, ["below/a.rs: above"]);
    assert_eq!(circles, ["above/c", "above/d"]);
}

#[test]
fn every_file_lies_in_a_room() {
    for House { source, rooms, shared } in houses() {
        for entry in read_dir(&source).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.file_stem().unwrap().to_str().unwrap().to_owned();
            let is_known = if entry.is_dir() {
                rooms.contains(&&*name)
            } else {
                shared.contains(&&*name) || ["lib", "hook", "payload_input"].contains(&&*name)
            };
            assert!(is_known, "{name} lies in no room of {}", source.display());
        }
    }
}
