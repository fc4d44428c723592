//! Sets of characters: the class of one place in a pattern, and the characters that a part of a pattern can begin with.

/// A character class: the characters that one place of a pattern matches.
#[derive(Debug, Clone, Default)]
pub(super) struct Class {
    /// A bit for each ASCII character that is in the class.
    pub(super) ascii: u128,
    /// The listed characters beyond ASCII.
    pub(super) others: Vec<char>,
    /// Whether `others` lists the characters beyond ASCII that are not in the class.
    pub(super) is_negated: bool,
}

impl Class {
    /// The class of one character.
    pub(super) fn of(char: char) -> Self {
        let mut class = Self::default();
        class.add(char);
        class
    }

    /// Adds a character.
    pub(super) fn add(&mut self, char: char) {
        if char.is_ascii() {
            self.ascii |= 1 << u32::from(char);
        } else {
            self.others.push(char);
        }
    }

    /// The class of all characters that are not in this class.
    pub(super) fn negated(self) -> Self {
        Self { ascii: !self.ascii, others: self.others, is_negated: true }
    }

    /// Whether a character is in the class.
    pub(super) fn takes(&self, char: char) -> bool {
        if char.is_ascii() {
            self.ascii >> u32::from(char) & 1 == 1
        } else {
            self.others.contains(&char) != self.is_negated
        }
    }

    /// The only character of the class; `None` if there are several, or it is beyond ASCII.
    pub(super) fn only(&self) -> Option<char> {
        let is_one = self.ascii.is_power_of_two() && !self.has_others();
        if is_one { char::from_u32(self.ascii.trailing_zeros()) } else { None }
    }

    /// Whether all characters of this class are in the other class.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let has_all = self.others.iter().all(|char| other.takes(*char));
        !self.is_negated && self.ascii & !other.ascii == 0 && has_all
    }

    fn has_others(&self) -> bool {
        self.is_negated || !self.others.is_empty()
    }
}

/// The characters that a part of a pattern can begin with; it may include too many characters, but never too few.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beginning {
    ascii: u128,
    /// Whether the first character can be beyond ASCII.
    has_others: bool,
    /// Whether the part can match the empty text.
    is_empty: bool,
}

impl Beginning {
    /// The beginning of an empty part.
    pub(super) const EMPTY: Self = Self { ascii: 0, has_others: false, is_empty: true };
    /// The beginning of the text after a whole pattern, which can be anything.
    pub(super) const ANYTHING: Self = Self { ascii: u128::MAX, has_others: true, is_empty: true };

    pub(super) fn of(class: &Class) -> Self {
        Self { ascii: class.ascii, has_others: class.has_others(), is_empty: false }
    }

    /// The beginning of a choice between this part and another part.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            ascii: self.ascii | other.ascii,
            has_others: self.has_others || other.has_others,
            is_empty: self.is_empty || other.is_empty,
        }
    }

    /// The beginning of this part followed by another part.
    pub(super) fn then(self, next: Self) -> Self {
        if self.is_empty { Self { is_empty: next.is_empty, ..self.or(next) } } else { self }
    }

    /// Whether the part can match if `next` is the next character; `None` means the end of the text.
    pub(super) fn fits(&self, next: Option<char>) -> bool {
        match next {
            None => self.is_empty,
            Some(char) if char.is_ascii() => self.ascii >> u32::from(char) & 1 == 1,
            Some(_) => self.has_others,
        }
    }

    /// Whether no character of the class can be the first character of the part.
    pub(super) fn excludes(&self, class: &Class) -> bool {
        self.ascii & class.ascii == 0 && !(self.has_others && class.has_others())
    }
}
