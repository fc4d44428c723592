//! Reads memory files and counts their terms for a snapshot (SPEC 22.1, 23.2).

use crate::index::layout::Analyzer;
use crate::index::segment_builder::{BODY, Builder, QUESTIONS, TAGS, TITLE};
use crate::index::segment_writer::{Lists, SegmentSource};
use crate::index::threads::map_shares;
use crate::index::vectors::{RowMaker, RowSum, range_of};
use crate::memory::document::Document;
use crate::memory::field_terms::{FieldTerms, MAX_LISTED, TermFields};
use crate::memory::stored_document::{Stamp, StoredDocument};
use crate::text::letters::Kind;
use crate::text::terms::{WordTerms, for_each_chunk, for_each_chunk_term};
use crate::text::tokenize::{Revision, for_each_token};
use std::collections::BTreeMap;

const IN_TITLE: u8 = 1;
const IN_TAGS: u8 = 2;

const BAD_LINE: &str = "a `category` or `tags` that an index line cannot contain";

/// The maximal size of a memory file in bytes; larger files are not read.
pub const MAX_FILE_BYTES: u32 = 262_144;

/// A memory file as it was found in the store.
#[derive(Debug, Clone)]
pub struct MemoryFile {
    /// The category, taken from the file's folder.
    pub category: String,
    /// The path relative to the project, with forward slashes.
    pub path: String,
    /// The bytes of the file; `None` if it could not be read.
    pub data: Option<Vec<u8>>,
    /// The file's size and modification time.
    pub stamp: Stamp,
}

/// The path of each file without a document, and the reason. Files whose own status makes them inactive are not listed.
pub type Skipped = Vec<(String, &'static str)>;

/// The sort key for the order in which a prompt reads new files. It is a hash of the path, so that the files that are
/// read first are a random sample of all files (SPEC 23.2).
#[must_use]
pub fn reading_order(path: &str) -> u32 {
    crc32fast::hash(path.as_bytes())
}

/// The documents of memory files: their counted terms and their records.
///
/// Files can be added one by one, so that a caller can stop after any file.
#[derive(Debug, Default)]
pub struct Documents {
    builders: Vec<Builder>,
    counter: Counter,
    /// The records of the documents, in the same order as in the builders.
    stored: Vec<StoredDocument>,
    pub(crate) paths: Vec<String>,
    /// Files that were read and have no document, with size and modification time.
    pub(crate) unfit: BTreeMap<String, Stamp>,
    pub(crate) skipped: Skipped,
}

type Read = (Document, StoredDocument);

impl Documents {
    /// Reads all files with at most `threads` threads.
    #[must_use]
    pub fn read(files: &[MemoryFile], threads: usize) -> Self {
        let mut documents = Self::default();
        let read = map_shares(files, threads, |share| share.iter().map(read_file).collect::<Vec<_>>());
        let mut found = Vec::with_capacity(files.len());
        for (file, result) in files.iter().zip(read.into_iter().flatten()) {
            found.extend(documents.note(file, result));
        }
        // Documents are sorted now, because posting lists that are built in document order need no sorting later.
        found.sort_by_cached_key(|(_, stored)| stored.order_key());
        let builders = map_shares(&found, threads, |share| {
            let (mut builder, mut counter) = (Builder::new(Analyzer::Terms), Counter::default());
            let terms: Vec<Vec<u8>> = share.iter().map(|read| counter.push(&mut builder, read)).collect();
            (builder, terms)
        });
        documents.stored = found.into_iter().map(|(_, stored)| stored).collect();
        let (builders, terms): (Vec<_>, Vec<_>) = builders.into_iter().unzip();
        documents
            .stored
            .iter_mut()
            .zip(terms.into_iter().flatten())
            .for_each(|(stored, terms)| stored.set_terms(terms));
        documents.builders = builders;
        documents
    }

    /// Reads one more file.
    pub fn add(&mut self, file: &MemoryFile) {
        let Some(mut read) = self.note(file, read_file(file)) else { return };
        if self.builders.is_empty() {
            self.builders.push(Builder::new(Analyzer::Terms));
        }
        if let Some(builder) = self.builders.last_mut() {
            let terms = self.counter.push(builder, &read);
            read.1.set_terms(terms);
            self.stored.push(read.1);
        }
    }

    /// The number of files that were read, including files without a document.
    #[must_use]
    pub fn files(&self) -> usize {
        self.paths.len()
    }

    /// The path and reason of each file that has no document and must be reported.
    #[must_use]
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// The records of the documents, in the order in which they were added.
    pub(crate) fn stored(&self) -> &[StoredDocument] {
        &self.stored
    }

    /// One source of a new segment for each builder. `numbers` contains the numbers that the documents of all builders
    /// get in this segment, in order.
    pub(crate) fn parts<S>(&self, numbers: &[u32]) -> Vec<SegmentSource<'_, S>> {
        let mut rest = numbers;
        let part = |builder| {
            let (numbers, behind) = rest.split_at_checked(Builder::documents(builder) as usize).unwrap_or((rest, &[]));
            rest = behind;
            SegmentSource { lists: Lists::Builder(builder), numbers: numbers.to_vec() }
        };
        self.builders.iter().map(part).collect()
    }

    /// Records that a file was read; returns its document, if it has one.
    fn note(&mut self, file: &MemoryFile, result: Result<Read, Option<&'static str>>) -> Option<Read> {
        self.paths.push(file.path.clone());
        match result {
            Ok(read) => return Some(read),
            // A file that could not be read is tried again later, unless it is too large.
            Err(_) if file.data.is_none() && file.stamp.size <= MAX_FILE_BYTES => {}
            Err(_) => {
                self.unfit.insert(file.path.clone(), file.stamp);
            }
        }
        if let Err(Some(reason)) = result {
            self.skipped.push((file.path.clone(), reason));
        }
        None
    }
}

/// Reads the document of a file. If the file has no document, the error is the reason, or `None` if the reason is not
/// to be reported.
fn read_file(file: &MemoryFile) -> Result<Read, Option<&'static str>> {
    let document = Document::read(&file.category, &file.path, file.data.as_deref());
    let document = document.map_err(|unfit| (!unfit.is_inactive).then_some(unfit.reason))?;
    let mut stored = StoredDocument::new(&document, file.stamp).ok_or(Some(BAD_LINE))?;
    stored.set_trust(document.trust_prefix());
    Ok((document, stored))
}

/// Counts documents into a builder. The terms and rows of each distinct chunk of text are computed only once.
#[derive(Debug, Default)]
struct Counter {
    rows: RowMaker,
    word: WordTerms,
    /// For each chunk, the index in `numbers` where the chunk's terms end; chunks have the same numbers as in `rows`.
    ends: Vec<usize>,
    /// The term numbers, as the builder assigns them, of all chunks, one chunk after another.
    numbers: Vec<u32>,
    /// The terms of the current document's title, tags and questions: the builder's number of each, and its fields.
    listed: Vec<(u32, TermFields)>,
}

impl Counter {
    /// Counts a document; returns the terms of its title, tags and questions, encoded as its record stores them.
    fn push(&mut self, builder: &mut Builder, (document, stored): &Read) -> Vec<u8> {
        let [title, tags, questions, body] = document.fields();
        let mut sum = RowSum::new();
        builder.begin_counted();
        self.listed.clear();
        self.count(builder, (TITLE, Some(TermFields::TITLE)), &title, sum.begin_text(false));
        self.count(builder, (TAGS, Some(TermFields::TAGS)), &tags, sum.begin_text(false));
        for (number, question) in questions.split('\n').filter(|question| !question.is_empty()).enumerate() {
            let mut sum = RowSum::new();
            self.count(builder, (QUESTIONS, Some(TermFields::question(number))), question, &mut sum);
            builder.push_question(sum.finish());
        }
        self.count(builder, (BODY, None), &body, sum.begin_text(true));
        builder.push_row(sum.finish());
        if let Some(line) = stored.parts() {
            for_each_token(line.title, Revision::Current, &mut |word| builder.push_word(word.as_bytes(), IN_TITLE));
            line.tags.iter().for_each(|tag| builder.push_word(tag.as_bytes(), IN_TAGS));
        }
        document.links().iter().for_each(|link| builder.push_link(link.as_bytes()));
        for (number, fields) in &mut self.listed {
            if builder.count_of(*number, BODY) > 0 {
                fields.add(TermFields::BODY);
            }
        }
        FieldTerms::write(self.listed.iter().map(|(number, fields)| (builder.term(*number), *fields)))
    }

    /// Counts a text of the last document and adds its rows to `sum`. If `listed` is given, the text's terms are added
    /// to `self.listed` with these fields.
    fn count(
        &mut self,
        builder: &mut Builder,
        (field, listed): (usize, Option<TermFields>),
        text: &str,
        sum: &mut RowSum,
    ) {
        for_each_chunk(text, &mut |kind, chunk| {
            let number = self.rows.chunk_number(kind, chunk);
            if number == self.ends.len() {
                self.find_terms(builder, kind, chunk);
            }
            let terms = range_of(&self.ends, &self.numbers, number);
            builder.count_terms(field, terms);
            for (term, fields) in terms.iter().zip(listed.iter().cycle()) {
                let is_full = self.listed.len() >= MAX_LISTED;
                match self.listed.iter_mut().find(|(known, _)| known == term) {
                    Some((_, known)) => known.add(*fields),
                    None if is_full => {}
                    None => self.listed.push((*term, *fields)),
                }
            }
            self.rows.add_chunk(number, sum);
        });
    }

    fn find_terms(&mut self, builder: &mut Builder, kind: Kind, chunk: &str) {
        let numbers = &mut self.numbers;
        for_each_chunk_term(kind, chunk, &mut self.word, &mut |term| {
            numbers.extend(builder.term_number(term.as_bytes()));
        });
        self.ends.push(numbers.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_that_are_known_count_as_if_they_were_not() {
        let texts = [
            "Docker로 서버를 배포했습니다, the API of fooBar; v1.2.3",
            "日本語の設定 and the API",
            "fooBar fooBar x_y naïve",
        ];
        let (mut counter, mut known, mut plain) =
            (Counter::default(), Builder::new(Analyzer::Terms), Builder::new(Analyzer::Terms));
        for text in texts {
            let data = format!(r#"{{"title":"{text}","tags":["fooBar","서버"],"content":["{text}","{text}"]}}"#);
            let stamp = Stamp { size: 1, modified: 1 };
            let path = ".claude/memory/decisions/t.json".to_owned();
            let file = MemoryFile { category: "decision".into(), path, data: Some(data.into_bytes()), stamp };
            let read = read_file(&file).unwrap();
            counter.push(&mut known, &read);
            let [title, tags, questions, body] = read.0.fields();
            plain.push([&title, &tags, &questions, &body]);
            let number = plain.documents() - 1;
            assert_eq!(known.lengths(number), plain.lengths(number));
            let row = RowMaker::default().document_row(&title, &tags, &body);
            assert_eq!(known.row(number), Some((&row.0, row.1)));
        }
        assert_eq!(format!("{:?}", known.terms), format!("{:?}", plain.terms));
    }
}
