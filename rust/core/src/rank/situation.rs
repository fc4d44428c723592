//! The situation of a prompt (paths, changed files and focus), and the memories that belong to it (SPEC 34).

use crate::index::postings::postings;
use crate::index::snapshot::Snapshot;
use crate::memory::category::FOLDERS;
use crate::rank::gate_model::{PATH_SHARE, probability};
use crate::rank::priors::Prior;
use crate::text::chars::fold;
use foldhash::HashSet;

/// The maximal number of changed files that are used.
const MAX_CHANGED: usize = 64;
/// The maximal number of paths in a prompt, and of areas in a focus, that are used.
const MAX_NAMED: usize = 16;
/// The maximal number of memories that become candidates only because they belong to a path in the prompt.
const MAX_CANDIDATES: usize = 64;
/// A path counts in the gate only if at most this many memories belong to it. A folder with more memories does not
/// point to any of them.
const FEW: usize = 16;
/// The bit in word postings that marks a tag.
const IN_TAGS: u8 = 2;
/// The points of the situational priors, in 1/4096 (SPEC 34.3).
const PATH_POINTS: i64 = 320;
const CHANGED_POINTS: i64 = 160;
const FOCUS_POINTS: i64 = 320;

/// What is known besides the words of the prompt. Paths are relative to the project's root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// The paths in the prompt, from [`mentioned_paths`](crate::memory::mentioned_paths::mentioned_paths); these may be
    /// relative to any folder.
    pub paths: Vec<String>,
    /// The changed files of the working tree.
    pub changed: Vec<String>,
    /// The areas that the user works on: `tag:x`, `category:x`, `path:x`, or `x` for any of the three.
    pub focus: Vec<String>,
}

/// The positions of the documents that belong to a situation.
#[derive(Debug, Default)]
pub(crate) struct Situated {
    /// The first documents, in document order, that are anchored to a path in the prompt.
    pub(crate) named: Vec<u32>,
    at_named: HashSet<u32>,
    singled_out: HashSet<u32>,
    changed: HashSet<u32>,
    focused: HashSet<u32>,
    /// The focus's names of categories or folders, case-folded.
    categories: HashSet<String>,
}

impl Situated {
    pub(crate) fn find<S: AsRef<[u8]>>(snapshot: &Snapshot<S>, situation: &Situation) -> Self {
        let mut situated = Self::default();
        for path in situation.paths.iter().take(MAX_NAMED) {
            let found: HashSet<u32> = snapshot.anchored_to(path).into_iter().collect();
            if found.len() <= FEW {
                situated.singled_out.extend(&found);
            }
            situated.at_named.extend(found);
        }
        situated.named = snapshot.first_in_order(situated.at_named.iter().copied(), MAX_CANDIDATES);
        for path in situation.changed.iter().take(MAX_CHANGED) {
            situated.changed.extend(snapshot.covering(path));
        }
        for area in situation.focus.iter().take(MAX_NAMED) {
            situated.add_area(snapshot, area);
        }
        situated
    }

    fn add_area<S: AsRef<[u8]>>(&mut self, snapshot: &Snapshot<S>, area: &str) {
        let of_kind = |kind: &str| match area.split_once(':') {
            Some((named, rest)) if matches!(named, "tag" | "category" | "path") => (named == kind).then_some(rest),
            _ => Some(area),
        };
        if let Some(tag) = of_kind("tag") {
            self.focused.extend(snapshot.tagged(&fold(tag)));
        }
        if let Some(category) = of_kind("category") {
            self.categories.insert(fold(category).into_owned());
        }
        if let Some(path) = of_kind("path") {
            self.focused.extend(snapshot.anchored_to(path));
            self.focused.extend(snapshot.below(path));
        }
    }

    /// Whether the document at a position is anchored to a path in the prompt to which only few documents are anchored.
    pub(crate) fn is_singled_out(&self, position: u32) -> bool {
        self.singled_out.contains(&position)
    }

    /// The situational priors of a document; `category` is the document's category in upper case. Each prior has a name
    /// and points in 1/4096.
    pub(crate) fn points(&self, position: u32, category: &str) -> Vec<Prior> {
        let category = fold(category);
        let folder = FOLDERS.iter().find(|(_, name)| *name == category).map_or("", |(folder, _)| folder);
        let is_focused = self.focused.contains(&position)
            || self.categories.contains(&*category)
            || self.categories.contains(folder);
        let found = [
            (self.at_named.contains(&position), ("path", PATH_POINTS)),
            (self.changed.contains(&position), ("changed", CHANGED_POINTS)),
            (is_focused, ("focus", FOCUS_POINTS)),
        ];
        found.into_iter().filter_map(|(is_so, prior)| is_so.then_some(prior)).collect()
    }
}

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The logit of a document without the gate's addition for paths in the prompt, and the probability for this logit
    /// (SPEC 34.4, 45.4). `logit` is the logit with the addition.
    #[must_use]
    pub fn without_path(&self, position: u32, paths: &[String], logit: i64) -> (i64, i64) {
        let situated = Situated::find(self, &Situation { paths: paths.to_vec(), ..Situation::default() });
        let logit = if situated.is_singled_out(position) { logit - PATH_SHARE } else { logit };
        (logit, probability(logit))
    }

    /// The documents that are anchored to a path, which may be relative to any folder.
    ///
    /// These are the documents with an anchor that covers the path or ends with it. If the path looks like a folder,
    /// they include the documents with an anchor below it. If there are none, these are the documents with an anchor
    /// that the path ends with.
    fn anchored_to(&self, path: &str) -> Vec<u32> {
        let mut found = self.covering(path);
        found.extend(self.ending(path));
        let last = path.rsplit('/').next().unwrap_or_default();
        if path.contains('/') && !last.contains('.') {
            found.extend(self.below(path));
        }
        if found.is_empty() { self.at_end_of(path) } else { found }
    }

    /// The positions of the living documents with a case-folded tag.
    fn tagged(&self, tag: &str) -> Vec<u32> {
        let mut found = Vec::new();
        for (place, part) in self.parts.iter().enumerate() {
            let words = part.segment.words();
            let entry = words.find(tag.as_bytes()).and_then(|entry| words.entry(entry));
            let tagged = entry.iter().flat_map(|entry| postings(part.segment.word_postings(), entry));
            let numbers = tagged.filter(|(number, byte)| byte & IN_TAGS != 0 && !part.is_dead(*number));
            found.extend(numbers.map(|(number, _)| self.position(place, number)));
        }
        found
    }
}
