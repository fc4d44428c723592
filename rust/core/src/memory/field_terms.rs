//! The fields of a memory in which a term occurs (SPEC 22.2).

/// The maximal number of different terms of title, tags and questions that a record lists. Terms that are not listed
/// count as terms of the body.
pub(crate) const MAX_LISTED: usize = 255;
const TITLE: u8 = 1;
const TAGS: u8 = 2;
const BODY: u8 = 4;
const FIRST_QUESTION: u8 = 8;

/// The set of fields in which a term occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TermFields(u8);

impl TermFields {
    pub(crate) const TITLE: Self = Self(TITLE);
    pub(crate) const TAGS: Self = Self(TAGS);
    pub(crate) const BODY: Self = Self(BODY);

    /// The set with only the field of one question; questions are numbered from 0.
    pub(crate) fn question(number: usize) -> Self {
        Self(u32::try_from(number).ok().and_then(|number| FIRST_QUESTION.checked_shl(number)).unwrap_or_default())
    }

    /// All fields.
    pub(crate) const ALL: Self = Self(u8::MAX);

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// The union of two sets of fields.
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the term occurs in at least one of `fields`.
    pub(crate) fn has_any(self, fields: Self) -> bool {
        self.0 & fields.0 != 0
    }

    /// Whether the term occurs in the title.
    #[must_use]
    pub fn has_title(self) -> bool {
        self.0 & TITLE != 0
    }

    /// Whether the term occurs in the tags.
    #[must_use]
    pub fn has_tags(self) -> bool {
        self.0 & TAGS != 0
    }

    /// Whether the term occurs in the question with this number; questions are numbered from 0.
    #[must_use]
    pub fn has_question(self, number: usize) -> bool {
        self.0 & Self::question(number).0 != 0
    }

    /// Whether the term occurs in any question.
    #[must_use]
    pub fn has_questions(self) -> bool {
        self.0 >= FIRST_QUESTION
    }

    /// The name of the most important field in the set: `title`, `tag`, `question` or `body`, in this order.
    #[must_use]
    pub fn first(self) -> &'static str {
        match () {
            () if self.has_title() => "title",
            () if self.has_tags() => "tag",
            () if self.has_questions() => "question",
            () => "body",
        }
    }

    /// The set as a bit mask, in the form that a record stores: 1 for the title, 2 for tags, 4 for the body, 8 and
    /// higher bits for the questions.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

/// The terms of a memory's title, tags and questions, each with its fields, in the encoding of a record.
#[derive(Debug, Clone, Copy, Default)]
pub struct FieldTerms<'a>(&'a [u8]);

impl<'a> FieldTerms<'a> {
    /// Wraps the encoded terms of a record.
    #[must_use]
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Encodes terms, each of at most 64 bytes, in the given order.
    pub(crate) fn write<'t>(terms: impl Iterator<Item = (&'t [u8], TermFields)>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (term, fields) in terms {
            bytes.extend([fields.number(), u8::try_from(term.len()).unwrap_or_default()]);
            bytes.extend_from_slice(term);
        }
        bytes
    }

    /// Iterates over the terms with their fields; terms of the title come first.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, TermFields)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (head, behind) = rest.split_first_chunk::<2>()?;
            let (term, behind) = behind.split_at_checked(usize::from(head[1]))?;
            rest = behind;
            Some((std::str::from_utf8(term).unwrap_or_default(), TermFields(head[0])))
        })
    }

    /// The fields of a term that is known to occur in the memory. If the term is not listed, this is the body.
    #[must_use]
    pub fn fields_of(self, term: &str) -> TermFields {
        self.iter().find(|(known, _)| *known == term).map_or(TermFields::BODY, |(_, fields)| fields)
    }
}
