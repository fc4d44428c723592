//! Reads `index.md` into an [`IndexMd`]. A line that cannot be read is recorded, and reading goes on (SPEC 6).

use crate::classic::keyword::{Query, ScorePart, Scored, Target, key, order, priority};
use crate::memory::index_line::{BadLine, Entry, MAX_LINE_BYTES, read_line};
use crate::text::chars::{fold, strip};
use crate::text::tokenize::{Revision, has_ascii_lower_beyond, lower_for_tokens, scan_tokens};
use std::ops::Range;

/// The memories of a store, in the order of their lines in `index.md`.
///
/// Immutable. Shortlists name a memory by its position, counted from 0. `S` owns the bytes of `index.md`.
#[derive(Debug)]
pub struct IndexMd<S = Vec<u8>> {
    source: S,
    entries: Vec<Stored>,
    /// The title and tags of every memory in lower case, one after another.
    lowered: Vec<u8>,
    /// The tokens of all titles, and all tags.
    words: Vec<Word>,
    bad_lines: Vec<(usize, BadLine)>,
}

#[derive(Debug)]
struct Stored {
    line: u32,
    category: Span,
    title: Span,
    path: Span,
    /// Where the text of this memory begins in `IndexMd::lowered`.
    lowered: u32,
    /// The words of this memory in `IndexMd::words`: the tokens of its title, then, from `tags` on, its tags.
    words: Range<u32>,
    tags: u32,
    priority: u8,
}

#[derive(Debug, Clone, Copy)]
struct Span(u32, u32);

/// A token or tag: a range within the text of its memory in `IndexMd::lowered`. No line is long enough to overflow the
/// 16-bit offsets.
#[derive(Debug, Clone, Copy)]
struct Word {
    key: u32,
    begin: u16,
    end: u16,
}

impl Span {
    fn new(place: Range<usize>) -> Self {
        Self(short(place.start), short(place.end))
    }
}

impl Word {
    fn new(lowered: &[u8], base: usize, place: Range<usize>) -> Self {
        let offset = |place: usize| u16::try_from(place - base).unwrap_or(u16::MAX);
        let (begin, end) = (offset(place.start), offset(place.end));
        Self { key: key(lowered.get(place).unwrap_or_default()), begin, end }
    }

    fn text(self, lowered: &[u8], base: usize) -> &[u8] {
        lowered.get(base + usize::from(self.begin)..base + usize::from(self.end)).unwrap_or_default()
    }
}

impl<S: AsRef<[u8]>> IndexMd<S> {
    /// Parses the bytes of an `index.md`; lines that cannot be read are kept in [`IndexMd::bad_lines`].
    ///
    /// Lines end with LF, CR LF or CR. The source must not be larger than 4 GiB.
    #[must_use]
    pub fn parse(source: S) -> Self {
        let data = source.as_ref();
        // A typical line has about 130 bytes.
        let lines = data.len() / 128;
        let mut parsed = Parsed {
            entries: Vec::with_capacity(lines),
            lowered: Vec::with_capacity(data.len()),
            words: Vec::with_capacity(lines * 10),
            bad_lines: Vec::new(),
        };
        let whole = std::str::from_utf8(data).ok();
        for (number, (begin, end)) in (1..).zip(Lines { data, begin: 0 }) {
            let line = match whole {
                Some(text) => text.get(begin..end),
                None => data.get(begin..end).and_then(|line| std::str::from_utf8(line).ok()),
            };
            match line {
                _ if end - begin > MAX_LINE_BYTES => parsed.bad_lines.push((number, BadLine::Length)),
                Some(line) => parsed.read_line(number, begin, line),
                None => parsed.bad_lines.push((number, BadLine::Encoding)),
            }
        }
        let Parsed { entries, lowered, words, bad_lines } = parsed;
        Self { source, entries, lowered, words, bad_lines }
    }

    /// The number of memories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the index has no memory.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The line number (from 1) of each line that begins like a memory but cannot be read, and the reason.
    #[must_use]
    pub fn bad_lines(&self) -> &[(usize, BadLine)] {
        &self.bad_lines
    }

    /// The memory at a position, counted from 0; `None` beyond the last one.
    #[must_use]
    pub fn entry(&self, position: usize) -> Option<Entry<'_>> {
        let stored = self.entries.get(position)?;
        Some(Entry {
            category: self.span(stored.category),
            title: self.span(stored.title),
            path: self.span(stored.path),
            tags: self.targets(stored).filter(|target| target.is_tag).map(Target::as_str).collect(),
            line: stored.line as usize,
        })
    }

    /// Every memory with a score above 0 for the prompt, best first (SPEC 7.4).
    #[must_use]
    pub fn shortlist(&self, mut query: Query) -> Vec<Scored> {
        if query.is_empty() {
            return Vec::new();
        }
        let mut scored = Vec::new();
        for (position, stored) in self.entries.iter().enumerate() {
            for (number, word) in stored.words.clone().zip(self.words_of(stored)) {
                if query.may_match(word.key) {
                    query.match_target(self.target(stored, number, *word));
                }
            }
            let score = query.take_score(|| self.span(stored.category));
            if score > 0 {
                scored.push(Scored { position, score });
            }
        }
        order(&scored, |position| self.priority(position))
    }

    /// Sorts the shortlist again after the files of its first memories were checked (SPEC 8.3).
    ///
    /// `verdicts` has one value for each checked memory. `None` drops the memory; a number is added to its score.
    #[must_use]
    pub fn rank(&self, shortlist: &[Scored], verdicts: &[Option<i64>]) -> Vec<Scored> {
        let unchecked = shortlist.get(verdicts.len()..).unwrap_or_default();
        let ranked: Vec<_> = shortlist
            .iter()
            .zip(verdicts)
            .filter_map(|(hit, verdict)| verdict.map(|points| Scored { score: hit.score + points, ..*hit }))
            .chain(unchecked.iter().copied())
            .collect();
        order(&ranked, |position| self.priority(position))
    }

    /// The parts of the score of the memory at a position (SPEC 7.5); `None` beyond the last memory.
    #[must_use]
    pub fn explain(&self, position: usize, query: &Query) -> Option<Vec<ScorePart>> {
        let stored = self.entries.get(position)?;
        let targets: Vec<_> = self.targets(stored).collect();
        Some(query.explain(self.span(stored.category), &targets))
    }

    fn priority(&self, position: usize) -> u8 {
        self.entries.get(position).map_or(u8::MAX, |stored| stored.priority)
    }

    fn span(&self, span: Span) -> &str {
        let bytes = self.source.as_ref().get(span.0 as usize..span.1 as usize);
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    fn targets<'a>(&'a self, stored: &'a Stored) -> impl Iterator<Item = Target<'a>> {
        stored.words.clone().zip(self.words_of(stored)).map(move |(number, word)| self.target(stored, number, *word))
    }

    fn target(&self, stored: &Stored, number: u32, word: Word) -> Target<'_> {
        Target { text: word.text(&self.lowered, stored.lowered as usize), key: word.key, is_tag: number >= stored.tags }
    }

    fn words_of(&self, stored: &Stored) -> &[Word] {
        self.words.get(stored.words.start as usize..stored.words.end as usize).unwrap_or_default()
    }
}

/// The fields of an [`IndexMd`] while its source is parsed.
struct Parsed {
    entries: Vec<Stored>,
    lowered: Vec<u8>,
    words: Vec<Word>,
    bad_lines: Vec<(usize, BadLine)>,
}

impl Parsed {
    fn read_line(&mut self, number: usize, begin: usize, line: &str) {
        let stripped = strip(line);
        if !stripped.starts_with('-') {
            return;
        }
        let parts = match read_line(stripped) {
            Ok(parts) => parts,
            Err(reason) => return self.bad_lines.push((number, reason)),
        };
        let place = |part: &str| {
            // Every part is a slice of the line. An empty title is the only exception.
            let offset = begin + part.as_ptr().addr().saturating_sub(line.as_ptr().addr());
            if part.is_empty() { 0..0 } else { offset..offset + part.len() }
        };
        let base = self.lowered.len();
        let first = short(self.words.len());
        self.push_title(base, parts.title);
        let tags = self.words.len();
        self.push_tags(base, parts.listed_tags);
        self.entries.push(Stored {
            line: short(number),
            category: Span::new(place(parts.category)),
            title: Span::new(place(parts.title)),
            path: Span::new(place(parts.path)),
            lowered: short(base),
            words: first..short(self.words.len()),
            tags: short(tags),
            priority: priority(parts.category),
        });
    }

    fn push_title(&mut self, base: usize, title: &str) {
        if has_ascii_lower_beyond(title) {
            self.lowered.extend(lower_for_tokens(title));
        } else {
            self.push_ascii_lowered(title);
        }
        let (lowered, words) = (&self.lowered, &mut self.words);
        scan_tokens(lowered, base..lowered.len(), Revision::Current, &mut |token| {
            words.push(Word::new(lowered, base, token));
        });
    }

    /// Stores the tags sorted by code point, without duplicates.
    fn push_tags(&mut self, base: usize, listed: &str) {
        let first = self.words.len();
        let mut begin = self.lowered.len();
        // Usually all bytes are visible ASCII: then nothing must be stripped, and case is folded byte by byte.
        if listed.bytes().fold(true, |plain, byte| plain & matches!(byte, b'!'..=b'~')) {
            self.push_ascii_lowered(listed);
            let end = self.lowered.len();
            let commas = memchr::memchr_iter(b',', listed.as_bytes()).map(|comma| end - listed.len() + comma);
            for comma in commas.chain([end]) {
                if begin < comma {
                    self.words.push(Word::new(&self.lowered, base, begin..comma));
                }
                begin = comma + 1;
            }
        } else {
            for tag in listed.split(',').map(strip).filter(|tag| !tag.is_empty()) {
                let begin = self.lowered.len();
                self.lowered.extend_from_slice(fold(tag).as_bytes());
                self.words.push(Word::new(&self.lowered, base, begin..self.lowered.len()));
            }
        }
        let text = |tag: &Word| tag.text(&self.lowered, base);
        let tags = self.words.get(first..).unwrap_or_default();
        if !tags.is_sorted_by(|a, b| (a.key, text(a)) < (b.key, text(b))) {
            let mut tags = self.words.split_off(first);
            tags.sort_unstable_by(|a, b| text(a).cmp(text(b)));
            tags.dedup_by(|a, b| text(a) == text(b));
            self.words.append(&mut tags);
        }
    }

    fn push_ascii_lowered(&mut self, text: &str) {
        let begin = self.lowered.len();
        self.lowered.extend_from_slice(text.as_bytes());
        self.lowered.get_mut(begin..).unwrap_or_default().make_ascii_lowercase();
    }
}

/// Iterates over the lines of a text, which end with LF, CR LF or CR. Each item is the offset of a line's begin and the
/// offset of its end.
struct Lines<'a> {
    data: &'a [u8],
    begin: usize,
}

impl Iterator for Lines<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.data.get(self.begin..)?;
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = (self.begin, self.begin + length);
        let is_pair = rest.get(length..).unwrap_or_default().starts_with(b"\r\n");
        self.begin = line.1 + if is_pair { 2 } else { 1 };
        Some(line)
    }
}

/// Converts an offset to 32 bits, which is enough because the hook refuses an `index.md` of 4 GiB or more.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"# Memory Index\r\n\r\n- [DECISION] Use Docker -> d.json #tags:ci,docker\r- [X\n\xff\n";

    #[test]
    fn good_lines_are_kept_beside_bad_ones() {
        let index = IndexMd::parse(TEXT.to_vec());
        let entry = index.entry(0).unwrap();
        assert_eq!((entry.category, entry.title, entry.path, entry.line), ("DECISION", "Use Docker", "d.json", 3));
        assert_eq!(entry.tags, ["ci", "docker"]);
        assert_eq!(index.bad_lines(), [(4, BadLine::Category), (5, BadLine::Encoding)]);
    }

    #[test]
    fn the_parts_of_a_score_sum_to_it() {
        let index = IndexMd::parse(TEXT.to_vec());
        let query = || Query::new("dockerfile in docker ci", Revision::Current, &[]);
        let hits = index.shortlist(query());
        let parts = index.explain(0, &query()).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.score).sum::<i64>(), parts.iter().map(|part| part.points).sum::<i64>());
        assert_eq!(hits, [Scored { position: 0, score: 1 + 5 + 3 }]);
    }
}
