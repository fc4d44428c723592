//! Searches for a pattern in a text, in time that is linear in the text.
//!
//! The alternatives of a pattern are tried in order, as in Python's `re`. A step that has failed at a place would fail
//! there again, so it is not tried twice. The cost is at most the product of the pattern's steps, the text's characters
//! and the longest bounded run of characters.

use super::pattern::{GROUPS, Pattern, Run, Step};

/// The place of a group that has not taken part in a match.
const NOWHERE: usize = usize::MAX;
const MARKS: usize = 2 * GROUPS.len();

/// A match of a pattern; places count characters of the searched text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    marks: [usize; MARKS],
}

impl Found {
    /// The begin and end of a group; `None` if the group took no part in the match.
    pub(super) fn group(&self, name: &str) -> Option<(usize, usize)> {
        let number = GROUPS.iter().position(|known| *known == name)?;
        match self.marks.get(2 * number..2 * number + 2)? {
            [start, end] if *start != NOWHERE && *end != NOWHERE => Some((*start, *end)),
            _ => None,
        }
    }
}

/// An entry on the stack of alternatives that are still to be tried.
enum Job {
    /// Continue with a step at a place.
    Try { step: usize, place: usize },
    /// Continue after a run of `count` characters. If that fails, try a run that is one character longer or shorter,
    /// until its length is `last`.
    Count { step: usize, place: usize, count: usize, last: usize },
    /// Set a mark back to its earlier place.
    Unmark { mark: usize, place: usize },
}

/// The search for one pattern in one text.
pub(super) struct Matcher<'a> {
    pattern: &'a Pattern,
    chars: &'a [char],
    is_folded: bool,
    is_whole: bool,
    jobs: Vec<Job>,
    marks: [usize; MARKS],
    /// A bit for each pair of step and place; it is 1 if the step was tried at the place and cannot lead to a match.
    failed: Vec<u64>,
    /// The bits that the current attempt has set.
    set: Vec<usize>,
}

impl<'a> Matcher<'a> {
    /// Creates a matcher; with `is_folded`, A to Z in the text are read as a to z.
    pub(super) fn new(pattern: &'a Pattern, chars: &'a [char], is_folded: bool) -> Self {
        Self {
            pattern,
            chars,
            is_folded,
            is_whole: false,
            jobs: Vec::new(),
            marks: [NOWHERE; MARKS],
            failed: Vec::new(),
            set: Vec::new(),
        }
    }

    /// The first match that begins at a place in `from..to` and ends at `end` or before.
    pub(super) fn search(&mut self, from: usize, to: usize, end: usize) -> Option<Found> {
        (from..to).find_map(|start| {
            let is_possible = self.pattern.beginning.fits(self.char_at(start, end));
            if is_possible { self.match_at(start, end) } else { None }
        })
    }

    /// The match that begins at `start` and ends at `end` or before.
    pub(super) fn match_at(&mut self, start: usize, end: usize) -> Option<Found> {
        self.jobs.clear();
        self.set.clear();
        self.marks = [NOWHERE; MARKS];
        self.jobs.push(Job::Try { step: 0, place: start });
        while let Some(job) = self.jobs.pop() {
            let (step, place) = match job {
                Job::Try { step, place } => (step, place),
                Job::Count { step, place, count, last } => {
                    if count != last {
                        let count = if count > last { count - 1 } else { count + 1 };
                        self.jobs.push(Job::Count { step, place, count, last });
                    }
                    (step + 1, place + count)
                }
                Job::Unmark { mark, place } => {
                    if let Some(found) = self.marks.get_mut(mark) {
                        *found = place;
                    }
                    continue;
                }
            };
            if let Some(end) = self.go(step, place, end) {
                // The steps of this attempt may have led to the match, so they do not count as failed.
                for bit in self.set.drain(..) {
                    if let Some(word) = self.failed.get_mut(bit / 64) {
                        *word &= !(1 << (bit % 64));
                    }
                }
                return Some(Found { start, end, marks: self.marks });
            }
        }
        None
    }

    /// Continues from a step until the pattern ends (returns the place) or fails (`None`); alternatives are pushed as
    /// jobs.
    fn go(&mut self, mut step: usize, mut place: usize, end: usize) -> Option<usize> {
        let pattern = self.pattern;
        loop {
            match pattern.steps.get(step)? {
                Step::Literal(chars) => {
                    for char in chars {
                        if self.char_at(place, end) != Some(*char) {
                            return None;
                        }
                        place += 1;
                    }
                }
                Step::Run(run) => place += self.count(run, step, place, end)?,
                Step::Choice { ways, memo } => {
                    let next = self.char_at(place, end);
                    let mut fitting = ways.iter().filter(|(beginning, _)| beginning.fits(next)).map(|(_, step)| *step);
                    let first = fitting.next()?;
                    let rest = self.jobs.len();
                    for step in fitting {
                        self.jobs.push(Job::Try { step, place });
                    }
                    if self.jobs.len() > rest {
                        if self.has_failed(*memo, place) {
                            self.jobs.truncate(rest);
                            return None;
                        }
                        if let Some(jobs) = self.jobs.get_mut(rest..) {
                            jobs.reverse();
                        }
                    }
                    step = first;
                    continue;
                }
                Step::Jump(target) => {
                    step = *target;
                    continue;
                }
                Step::Mark(mark) => {
                    if let Some(found) = self.marks.get_mut(*mark) {
                        self.jobs.push(Job::Unmark { mark: *mark, place: *found });
                        *found = place;
                    }
                }
                Step::End => return (!self.is_whole || place == end).then_some(place),
            }
            step += 1;
        }
    }

    /// The number of characters that a run takes first; `None` if the run cannot match. Other counts are pushed as a
    /// job.
    fn count(&mut self, run: &Run, step: usize, place: usize, end: usize) -> Option<usize> {
        let times = run.times;
        let mut most = 0;
        while most < times.most && self.char_at(place + most, end).is_some_and(|char| run.class.takes(char)) {
            most += 1;
        }
        if most < times.least {
            return None;
        }
        if run.is_whole || most == times.least {
            return Some(most);
        }
        if self.has_failed(run.memo, place) {
            return None;
        }
        let (first, second, last) =
            if times.is_greedy { (most, most - 1, times.least) } else { (times.least, times.least + 1, most) };
        self.jobs.push(Job::Count { step, place, count: second, last });
        Some(first)
    }

    fn char_at(&self, place: usize, end: usize) -> Option<char> {
        if place >= end {
            return None;
        }
        let char = *self.chars.get(place)?;
        Some(if self.is_folded { char.to_ascii_lowercase() } else { char })
    }

    /// Whether a step was tried at this place earlier, and so has failed there. Records that the step is tried now.
    fn has_failed(&mut self, memo: usize, place: usize) -> bool {
        let size = self.chars.len() + 1;
        if self.failed.is_empty() {
            self.failed = vec![0; (self.pattern.memos * size).div_ceil(64)];
        }
        let bit = memo * size + place;
        let Some(word) = self.failed.get_mut(bit / 64) else { return false };
        let has_failed = *word >> (bit % 64) & 1 == 1;
        *word |= 1 << (bit % 64);
        if !has_failed {
            self.set.push(bit);
        }
        has_failed
    }
}

/// The first match of a pattern anywhere in a text.
pub(super) fn search(pattern: &Pattern, text: &str) -> Option<Found> {
    let chars: Vec<char> = text.chars().collect();
    Matcher::new(pattern, &chars, false).search(0, chars.len(), chars.len())
}

/// Whether a pattern matches at the beginning of a text.
pub(super) fn matches_beginning(pattern: &Pattern, text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    Matcher::new(pattern, &chars, false).match_at(0, chars.len()).is_some()
}

/// Whether a pattern matches a whole text.
pub(super) fn matches_whole(pattern: &Pattern, text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    Matcher { is_whole: true, ..Matcher::new(pattern, &chars, false) }.match_at(0, chars.len()).is_some()
}
