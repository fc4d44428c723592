//! The rooms of the crate and which of them may import which.

use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// A room imports itself and the rooms before it.
const ROOMS: [&str; 9] = ["text", "settings", "memory", "classic", "index", "retrieve", "rank", "present", "host"];

/// File and room of each import that is not allowed.
fn forbidden_imports(source: &Path) -> Vec<String> {
    let mut forbidden = Vec::new();
    for (place, room) in ROOMS.iter().enumerate() {
        for file in read_dir(source.join(room)).unwrap().map(|file| file.unwrap().path()) {
            let text = read_to_string(&file).unwrap();
            for imported in imported_rooms(&text) {
                if !ROOMS[..=place].contains(&imported.as_str()) {
                    forbidden.push(format!("{room}/{}: {imported}", file.file_name().unwrap().to_string_lossy()));
                }
            }
        }
    }
    forbidden
}

/// The first names of all paths below `crate::`, but for the crate's own `Error` and its module.
fn imported_rooms(text: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for after in text.split("crate::").skip(1) {
        // The names of a list that spans several rooms stand at its first level.
        let list = after.strip_prefix('{').map_or(vec![after], |list| list.split(',').map(str::trim).collect());
        for path in list {
            let name: String = path.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect();
            if name != "Error" && name != "error" && !rooms.contains(&name) {
                rooms.push(name);
            }
            if path.contains('}') || !after.starts_with('{') {
                break;
            }
        }
    }
    rooms
}

#[test]
fn no_room_imports_one_above_it() {
    assert_eq!(forbidden_imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")), Vec::<String>::new());
}

#[test]
fn an_upward_import_is_noticed() {
    assert_eq!(imported_rooms("use crate::rank::Recall;\nlet x = crate::text::fold(y);"), ["rank", "text"]);
    assert_eq!(imported_rooms("use crate::{Error, rank::Recall};"), ["rank"]);
    let folder = std::env::temp_dir().join(format!("rooms-{}", std::process::id()));
    for room in ROOMS {
        std::fs::create_dir_all(folder.join(room)).unwrap();
    }
    std::fs::write(folder.join("index/a.rs"), "use crate::rank::Recall;").unwrap();
    let forbidden = forbidden_imports(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(forbidden, ["index/a.rs: rank"]);
}

#[test]
fn every_file_lies_in_a_room() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut outside: Vec<String> = Vec::new();
    for entry in read_dir(&source).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !ROOMS.contains(&name.as_str()) && !["lib.rs", "error.rs"].contains(&name.as_str()) {
            outside.push(name);
        }
    }
    assert_eq!(outside, Vec::<String>::new());
}
