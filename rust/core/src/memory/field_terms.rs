//! In which fields of a memory a term stands (SPEC 22.2).

/// A record lists so many different terms of title, tags and questions; behind them only the body is told.
pub(crate) const MAX_LISTED: usize = 255;
const TITLE: u8 = 1;
const TAGS: u8 = 2;
const BODY: u8 = 4;
const FIRST_QUESTION: u8 = 8;

/// The fields in which a term stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TermFields(u8);

impl TermFields {
    pub(crate) const TITLE: Self = Self(TITLE);
    pub(crate) const TAGS: Self = Self(TAGS);
    pub(crate) const BODY: Self = Self(BODY);

    /// The question of that number, from 0.
    pub(crate) fn question(number: usize) -> Self {
        Self(u32::try_from(number).ok().and_then(|number| FIRST_QUESTION.checked_shl(number)).unwrap_or_default())
    }

    /// Every field.
    pub(crate) const ALL: Self = Self(u8::MAX);

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// These fields and others.
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it stands in one of some fields.
    pub(crate) fn has_any(self, fields: Self) -> bool {
        self.0 & fields.0 != 0
    }

    /// Whether it stands in the title.
    #[must_use]
    pub fn has_title(self) -> bool {
        self.0 & TITLE != 0
    }

    /// Whether it stands in the tags.
    #[must_use]
    pub fn has_tags(self) -> bool {
        self.0 & TAGS != 0
    }

    /// Whether it stands in the body.
    #[must_use]
    pub fn has_body(self) -> bool {
        self.0 & BODY != 0
    }

    /// Whether it stands in the question of that number, from 0.
    #[must_use]
    pub fn has_question(self, number: usize) -> bool {
        self.0 & Self::question(number).0 != 0
    }

    /// Whether it stands in any question.
    #[must_use]
    pub fn has_questions(self) -> bool {
        self.0 >= FIRST_QUESTION
    }

    /// The name of the first of the fields: `title`, `tag`, `question` or `body`.
    #[must_use]
    pub fn first(self) -> &'static str {
        match () {
            () if self.has_title() => "title",
            () if self.has_tags() => "tag",
            () if self.has_questions() => "question",
            () => "body",
        }
    }

    /// Its number in a record, and for the pure backend: 1 title, 2 tags, 4 body, 8 and more the questions.
    #[must_use]
    pub fn number(self) -> u8 {
        self.0
    }
}

/// The terms of a memory's title, tags and questions, each with its fields, as a record has them.
#[derive(Debug, Clone, Copy, Default)]
pub struct FieldTerms<'a>(&'a [u8]);

impl<'a> FieldTerms<'a> {
    /// Those in some bytes of a record.
    #[must_use]
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes of some terms of at most 64 bytes, in their order.
    pub(crate) fn write<'t>(terms: impl Iterator<Item = (&'t [u8], TermFields)>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (term, fields) in terms {
            bytes.extend([fields.number(), u8::try_from(term.len()).unwrap_or_default()]);
            bytes.extend_from_slice(term);
        }
        bytes
    }

    /// Each term with its fields, those of the title first.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, TermFields)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (head, behind) = rest.split_first_chunk::<2>()?;
            let (term, behind) = behind.split_at_checked(usize::from(head[1]))?;
            rest = behind;
            Some((std::str::from_utf8(term).unwrap_or_default(), TermFields(head[0])))
        })
    }

    /// The fields of a term that stands in the memory.
    #[must_use]
    pub fn fields_of(self, term: &str) -> TermFields {
        self.iter().find(|(known, _)| *known == term).map_or(TermFields::BODY, |(_, fields)| fields)
    }
}
