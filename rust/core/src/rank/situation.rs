//! What is known of the moment of a prompt beside its words, and the memories that belong to it (SPEC 34).

use crate::index::postings::postings;
use crate::index::snapshot::Snapshot;
use crate::memory::category::FOLDERS;
use crate::rank::gate::PATH_SHARE;
use crate::rank::gate_model::probability;
use crate::rank::priors::Prior;
use crate::text::chars::fold;
use std::collections::HashSet;

/// So many of the changed files count.
const MAX_CHANGED: usize = 64;
/// So many paths of a prompt, and areas of a focus.
const MAX_NAMED: usize = 16;
/// So many of the memories that no retriever may have found become candidates.
const MAX_CANDIDATES: usize = 64;
/// The gate heeds a path that no more memories belong to: a folder of everything says nothing about one of them.
const FEW: usize = 16;
/// In the postings of the words: it is a tag.
const IN_TAGS: u8 = 2;
/// Points in 1/4096 (SPEC 34.3).
const PATH_POINTS: i64 = 320;
const CHANGED_POINTS: i64 = 160;
const FOCUS_POINTS: i64 = 320;

/// What is known beside the prompt's words; paths are those of the project, from its root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Situation {
    /// What the prompt names, by [`mentioned_paths`](crate::memory::mentioned_paths::mentioned_paths); they may begin anywhere.
    pub paths: Vec<String>,
    /// The files that have changed.
    pub changed: Vec<String>,
    /// What the user works on: `tag:x`, `category:x`, `path:x`, or any of them.
    pub focus: Vec<String>,
}

/// The documents that belong to a situation, by their positions.
#[derive(Debug, Default)]
pub(crate) struct Situated {
    /// The first that are anchored to what the prompt names, in the order of documents.
    pub(crate) named: Vec<u32>,
    at_named: HashSet<u32>,
    singled_out: HashSet<u32>,
    changed: HashSet<u32>,
    focused: HashSet<u32>,
    /// Names of categories, folded, and folders.
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

    /// Whether the document at a position is one of a few that are anchored to what the prompt names.
    pub(crate) fn is_singled_out(&self, position: u32) -> bool {
        self.singled_out.contains(&position)
    }

    /// What the situation adds to a document of a category (in capitals), in 1/4096, by name.
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
    /// The logit of a document, and the probability that comes to, without what the gate adds for the paths of a prompt
    /// (SPEC 34.4, 52.4).
    #[must_use]
    pub fn without_path(&self, position: u32, paths: &[String], logit: i64) -> (i64, i64) {
        let situated = Situated::find(self, &Situation { paths: paths.to_vec(), ..Situation::default() });
        let logit = if situated.is_singled_out(position) { logit - PATH_SHARE } else { logit };
        (logit, probability(logit))
    }

    /// The documents that a path which may begin anywhere stands for: anchors that cover it or end with it; those below
    /// it where it looks like a folder; else, where there is none of these, an anchor that it ends with.
    fn anchored_to(&self, path: &str) -> Vec<u32> {
        let mut found = self.covering(path);
        found.extend(self.ending(path));
        let last = path.rsplit('/').next().unwrap_or_default();
        if path.contains('/') && !last.contains('.') {
            found.extend(self.below(path));
        }
        if found.is_empty() { self.at_end_of(path) } else { found }
    }

    /// The living documents with a tag, folded, by their positions.
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
