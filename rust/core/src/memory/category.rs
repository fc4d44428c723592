//! The six categories of memories and their folders (SPEC 13).

/// The folders of a store, each with its category, in the order in which they are scanned.
pub const FOLDERS: [(&str, &str); 6] = [
    ("sessions", "session_summary"),
    ("decisions", "decision"),
    ("runbooks", "runbook"),
    ("constraints", "constraint"),
    ("tech-debt", "tech_debt"),
    ("preferences", "preference"),
];

/// Whether a file is a memory. Only the name of its folder and its extension `.json` are looked at.
#[must_use]
pub fn is_memory(folder: &str, name: &str) -> bool {
    category_of(folder).is_some()
        && name.get(name.len().saturating_sub(5)..).is_some_and(|end| end.eq_ignore_ascii_case(".json"))
}

/// The category of a folder of the store; `None` for any other folder.
#[must_use]
pub fn category_of(folder: &str) -> Option<&'static str> {
    FOLDERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(folder)).map(|(_, category)| *category)
}
