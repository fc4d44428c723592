//! Sets of characters: what one place of a pattern takes, and what a part of one can begin with.

/// The characters that a place of a pattern takes.
#[derive(Debug, Clone, Default)]
pub(super) struct Class {
    /// A bit for each character of ASCII.
    pub(super) ascii: u128,
    /// Characters beyond ASCII that are named.
    pub(super) others: Vec<char>,
    /// Whether it takes the characters beyond ASCII that are not named, and no other.
    pub(super) is_negated: bool,
}

impl Class {
    /// One character.
    pub(super) fn of(char: char) -> Self {
        let mut class = Self::default();
        class.add(char);
        class
    }

    /// Take one more character.
    pub(super) fn add(&mut self, char: char) {
        if char.is_ascii() {
            self.ascii |= 1 << u32::from(char);
        } else {
            self.others.push(char);
        }
    }

    /// What takes all that this does not.
    pub(super) fn negated(self) -> Self {
        Self { ascii: !self.ascii, others: self.others, is_negated: true }
    }

    /// Whether it takes a character.
    pub(super) fn takes(&self, char: char) -> bool {
        if char.is_ascii() {
            self.ascii >> u32::from(char) & 1 == 1
        } else {
            self.others.contains(&char) != self.is_negated
        }
    }

    /// The one character that it takes, if it is of ASCII and the only one.
    pub(super) fn only(&self) -> Option<char> {
        let is_one = self.ascii.is_power_of_two() && !self.has_others();
        if is_one { char::from_u32(self.ascii.trailing_zeros()) } else { None }
    }

    /// Whether the other class takes all that this one takes.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let has_all = self.others.iter().all(|char| other.takes(*char));
        !self.is_negated && self.ascii & !other.ascii == 0 && has_all
    }

    fn has_others(&self) -> bool {
        self.is_negated || !self.others.is_empty()
    }
}

/// What a part of a pattern can begin with; it may say too much, never too little.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beginning {
    ascii: u128,
    /// Whether a character beyond ASCII can be the first one.
    has_others: bool,
    /// Whether the part can match nothing.
    is_empty: bool,
}

impl Beginning {
    /// That of nothing.
    pub(super) const EMPTY: Self = Self { ascii: 0, has_others: false, is_empty: true };
    /// That of whatever may follow a whole pattern.
    pub(super) const ANYTHING: Self = Self { ascii: u128::MAX, has_others: true, is_empty: true };

    pub(super) fn of(class: &Class) -> Self {
        Self { ascii: class.ascii, has_others: class.has_others(), is_empty: false }
    }

    /// That of one part or another.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            ascii: self.ascii | other.ascii,
            has_others: self.has_others || other.has_others,
            is_empty: self.is_empty || other.is_empty,
        }
    }

    /// That of this part with another one behind it.
    pub(super) fn then(self, next: Self) -> Self {
        if self.is_empty { Self { is_empty: next.is_empty, ..self.or(next) } } else { self }
    }

    /// Whether the part can stand where this character is next, or the end.
    pub(super) fn fits(&self, next: Option<char>) -> bool {
        match next {
            None => self.is_empty,
            Some(char) if char.is_ascii() => self.ascii >> u32::from(char) & 1 == 1,
            Some(_) => self.has_others,
        }
    }

    /// Whether nothing that the class takes can be first.
    pub(super) fn excludes(&self, class: &Class) -> bool {
        self.ascii & class.ascii == 0 && !(self.has_others && class.has_others())
    }
}
