//! The vectors of the questions that memories answer (SPEC 24.6).

use crate::index::layout::{QUESTIONS, u32_at};
use crate::index::segment::Segment;
use crate::index::segment_writer::{LEFT_OUT, Lists, SegmentSource};
use crate::index::static_vector::{CODE_BYTES, DIMENSIONS, NORM_BYTES, Row, sign_code};

const OWNER_BYTES: usize = 4;
const QUESTION_BYTES: usize = OWNER_BYTES + NORM_BYTES + CODE_BYTES + DIMENSIONS;

/// The bytes of the section of question vectors for a segment made of `parts`; empty if there are no questions.
pub(crate) fn write_questions<S: AsRef<[u8]>>(parts: &[SegmentSource<'_, S>]) -> Vec<u8> {
    let mut found: Vec<(u32, Row, u32)> = Vec::new();
    for part in parts {
        let mut push = |number: u32, row: &Row, norm: u32| {
            let new = part.numbers.get(number as usize).copied().unwrap_or(LEFT_OUT);
            if new != LEFT_OUT {
                found.push((new, *row, norm));
            }
        };
        match &part.lists {
            Lists::Builder(builder) => {
                builder.questions().iter().for_each(|(number, row, norm)| push(*number, row, *norm));
            }
            Lists::Segment(segment) => {
                let questions = QuestionVectors::of(segment);
                for place in 0..questions.len() {
                    if let Some(row) = questions.row(place) {
                        push(questions.owner(place), row, questions.norm(place));
                    }
                }
            }
        }
    }
    found.sort_by_key(|(number, _, _)| *number);
    let mut section = Vec::with_capacity(QUESTION_BYTES * found.len());
    section.extend(found.iter().flat_map(|(number, _, _)| number.to_le_bytes()));
    section.extend(found.iter().flat_map(|(_, _, norm)| norm.to_le_bytes()));
    section.extend(found.iter().flat_map(|(_, row, _)| sign_code(row).to_le_bytes()));
    section.extend(found.iter().flat_map(|(_, row, _)| row));
    section
}

/// A view of a segment's section of question vectors. The questions are in the order of their documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuestionVectors<'a> {
    owners: &'a [u8],
    norms: &'a [u8],
    codes: &'a [u8],
    rows: &'a [u8],
}

impl<'a> QuestionVectors<'a> {
    /// The question vectors of a segment; empty if the length of the section is wrong.
    pub(crate) fn of<S: AsRef<[u8]>>(segment: &'a Segment<S>) -> Self {
        let section = segment.section(QUESTIONS);
        let count = if section.len() % QUESTION_BYTES == 0 { section.len() / QUESTION_BYTES } else { 0 };
        let (owners, rest) = section.split_at_checked(OWNER_BYTES * count).unwrap_or_default();
        let (norms, rest) = rest.split_at_checked(NORM_BYTES * count).unwrap_or_default();
        let (codes, rows) = rest.split_at_checked(CODE_BYTES * count).unwrap_or_default();
        Self { owners, norms, codes, rows }
    }

    /// The number of questions.
    pub(crate) fn len(&self) -> usize {
        self.owners.len() / OWNER_BYTES
    }

    /// The indexes, in this section, of the questions of a document.
    pub(crate) fn places(&self, number: u32) -> impl Iterator<Item = usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.owner(middle) < number { low = middle + 1 } else { high = middle }
        }
        let questions = *self;
        (low..self.len()).take_while(move |place| questions.owner(*place) == number)
    }

    /// The number of the document that the question at an index belongs to.
    pub(crate) fn owner(&self, place: usize) -> u32 {
        u32_at(self.owners, OWNER_BYTES * place).unwrap_or(LEFT_OUT)
    }

    /// The norm of the row of the question at an index.
    pub(crate) fn norm(&self, place: usize) -> u32 {
        u32_at(self.norms, NORM_BYTES * place).unwrap_or_default()
    }

    /// The row of the question at an index.
    pub(crate) fn row(&self, place: usize) -> Option<&'a Row> {
        self.rows.get(DIMENSIONS * place..)?.first_chunk()
    }

    /// For each question, in order: the number of its document, its norm and its row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, u32, &'a Row)> {
        let questions = *self;
        (0..self.len())
            .filter_map(move |place| Some((questions.owner(place), questions.norm(place), questions.row(place)?)))
    }

    /// For each question with a norm above 0, in order: the number of its document, and the number of columns in which
    /// the signs of its row differ from `code`.
    pub(crate) fn distances(&self, code: u128) -> impl Iterator<Item = (u32, u32)> {
        let codes = self.codes.chunks_exact(CODE_BYTES).filter_map(<[u8]>::first_chunk).copied();
        let (owners, norms) = (*self, *self);
        let distances = codes.map(move |other| (u128::from_le_bytes(other) ^ code).count_ones()).enumerate();
        let some = distances.filter(move |(place, _)| norms.norm(*place) > 0);
        some.map(move |(place, distance)| (owners.owner(place), distance))
    }
}
