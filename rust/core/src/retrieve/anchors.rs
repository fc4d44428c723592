//! Finds the memories that are anchored to a file of the project (SPEC 33.2).

use crate::index::layout::LINKS;
use crate::index::postings::postings;
use crate::index::snapshot::{Snapshot, living_texts};
use crate::memory::document::Status;
use crate::memory::forbids::FORBIDS;
use crate::memory::links::{FILE, GLOB, normalize_path, tail_of};
use crate::text::path_pattern::matches_path;
use std::collections::BTreeSet;

/// The maximal number of links with the same prefix that are read.
const WALK_MAX: usize = 4096;
/// The maximal number of documents that are returned.
const FOUND_MAX: usize = 256;
/// The maximal number of components at the end of a path that are compared with anchors.
const END_MAX: usize = 16;

impl<S: AsRef<[u8]>> Snapshot<S> {
    /// The positions of the active documents with an anchor that covers a file of the project: the first 256, in
    /// document order.
    ///
    /// An anchor covers a file if it is the file itself, a folder above it, or a pattern that matches it.
    #[must_use]
    pub fn anchored(&self, path: &str) -> Vec<u32> {
        self.first_in_order(self.covering(path), FOUND_MAX)
    }

    /// The positions of the active documents with an anchor that ends with this file name or relative path: the first
    /// 256, in document order.
    #[must_use]
    pub fn anchored_name(&self, name: &str) -> Vec<u32> {
        self.first_in_order(self.ending(name), FOUND_MAX)
    }

    /// The positions of the active documents with an anchor below a folder: the first 256, in document order.
    #[must_use]
    pub fn anchored_below(&self, folder: &str) -> Vec<u32> {
        self.first_in_order(self.below(folder), FOUND_MAX)
    }

    /// The entries of what the documents forbid, in the order of their bytes: the first `WALK_MAX`.
    #[must_use]
    pub fn forbids(&self) -> Vec<&str> {
        let entries = self.links_from(FORBIDS);
        entries.filter_map(|text| std::str::from_utf8(text).ok()?.strip_prefix(FORBIDS)).collect()
    }

    /// The entries of [`Snapshot::forbids`], and those of dead documents, with repetitions. Reading
    /// them takes a third of the time.
    pub fn written_forbids(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().flat_map(|part| {
            let (links, _) = part.segment.lists(LINKS);
            let texts = links.range(FORBIDS.as_bytes()).map(move |entry| links.text(entry));
            texts.filter_map(|text| std::str::from_utf8(text).ok()?.strip_prefix(FORBIDS))
        })
    }

    /// The positions of the active documents that have an entry of [`Snapshot::forbids`]: the first 256, in document
    /// order.
    #[must_use]
    pub fn forbidding(&self, entry: &str) -> Vec<u32> {
        self.first_in_order(self.active(self.named(&format!("{FORBIDS}{entry}"))), FOUND_MAX)
    }

    /// Like [`Snapshot::anchored`], without the limit and in no particular order.
    pub(crate) fn covering(&self, path: &str) -> Vec<u32> {
        let Some(path) = normalize_path(path) else { return Vec::new() };
        let above = path.match_indices('/').flat_map(|(slash, _)| [path.get(..slash), path.get(..=slash)]);
        let covering = above.flatten().chain([path.as_str()]);
        let names: Vec<String> = covering.map(|name| format!("{FILE}{name}")).collect();
        let patterns = self.links_from(GLOB).filter(|text| {
            let pattern = std::str::from_utf8(text).ok().and_then(|text| text.strip_prefix(GLOB));
            pattern.is_some_and(|pattern| matches_path(pattern, &path))
        });
        self.active(self.linked(names.iter().map(String::as_bytes).chain(patterns)))
    }

    /// Like [`Snapshot::anchored_name`], without the limit and in no particular order.
    pub(crate) fn ending(&self, name: &str) -> Vec<u32> {
        let Some(tail) = normalize_path(name).and_then(|name| tail_of(&name)) else { return Vec::new() };
        let longer = self.links_from(&format!("{tail}/"));
        self.active(self.linked(std::iter::once(tail.as_bytes()).chain(longer)))
    }

    /// Like [`Snapshot::anchored_below`], without the limit and in no particular order.
    pub(crate) fn below(&self, folder: &str) -> Vec<u32> {
        let Some(folder) = normalize_path(folder) else { return Vec::new() };
        let beginnings = [FILE, GLOB].map(|kind| format!("{kind}{}/", folder.trim_end_matches('/')));
        self.active(self.linked(beginnings.iter().flat_map(|beginning| self.links_from(beginning))))
    }

    /// The active documents with the longest anchor that the path ends with, in no particular order. Anchors of a
    /// single component do not count.
    pub(crate) fn at_end_of(&self, path: &str) -> Vec<u32> {
        let path = normalize_path(path).unwrap_or_default();
        let parts: Vec<&str> = path.split('/').collect();
        let parts = parts.get(parts.len().saturating_sub(END_MAX)..).unwrap_or_default();
        let ends = (0..parts.len().saturating_sub(1)).filter_map(|begin| parts.get(begin..));
        let mut anchored = ends.map(|end| self.active(self.named(&format!("{FILE}{}", end.join("/")))));
        anchored.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The first `limit` of the positions in document order, without duplicates.
    pub(crate) fn first_in_order(&self, positions: impl IntoIterator<Item = u32>, limit: usize) -> Vec<u32> {
        let mut sorted: Vec<u32> = positions.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        // Within a part of the snapshot, numbers are in document order, so the parts only have to be merged.
        let mut rest = sorted.as_slice();
        let mut runs = Vec::new();
        let mut end = 0_u32;
        for part in &self.parts {
            end = end.saturating_add(part.segment.documents());
            let (run, behind) = rest.split_at(rest.partition_point(|position| *position < end));
            rest = behind;
            runs.extend((!run.is_empty()).then_some(run));
        }
        let mut merged = Vec::new();
        while merged.len() < limit {
            let firsts = runs.iter_mut().filter(|run| !run.is_empty());
            let first = |run: &&[u32]| run.first().copied().unwrap_or_default();
            let Some(run) = firsts.min_by(|a, b| self.compare_positions(first(a), first(b))) else { break };
            if let Some((position, behind)) = run.split_first() {
                merged.push(*position);
                *run = behind;
            }
        }
        merged
    }

    /// The positions of the living documents with exactly this link.
    pub(crate) fn named(&self, name: &str) -> Vec<u32> {
        self.linked(std::iter::once(name.as_bytes()))
    }

    pub(crate) fn is_active(&self, position: u32) -> bool {
        let part = self.place(position).and_then(|(place, number)| Some((self.parts.get(place)?, number)));
        part.is_some_and(|(part, number)| part.status(number) == Status::Active)
    }

    fn active(&self, mut positions: Vec<u32>) -> Vec<u32> {
        positions.retain(|position| self.is_active(*position));
        positions
    }

    /// The first links of living documents that begin with `beginning`, at most `WALK_MAX`.
    fn links_from(&self, beginning: &str) -> impl Iterator<Item = &[u8]> + use<'_, S> {
        living_texts(&self.parts, LINKS, beginning.as_bytes()).take(WALK_MAX)
    }

    /// The positions of the living documents that have at least one of these links.
    fn linked<'t>(&self, texts: impl Iterator<Item = &'t [u8]>) -> Vec<u32> {
        // A set, not a list: a damaged snapshot may list the same document very often.
        let mut found = BTreeSet::new();
        for text in texts {
            for (place, part) in self.parts.iter().enumerate() {
                let (links, section) = part.segment.lists(LINKS);
                let entry = links.find(text).and_then(|entry| links.entry(entry));
                let numbers = entry.iter().flat_map(|entry| postings(section, entry)).map(|(number, _)| number);
                let living = numbers.filter(|number| *number < part.segment.documents() && !part.is_dead(*number));
                found.extend(living.map(|number| self.position(place, number)));
            }
        }
        found.into_iter().collect()
    }
}
