//! What some settings choose among: how sure the gate has to be, and how results become one order (SPEC 26.3).

use crate::error::Error;

/// How sure the gate has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateSetting {
    /// Little is shown, nearly all of it right.
    Precise,
    /// The default.
    #[default]
    Balanced,
    /// Much is shown.
    Eager,
    /// Everything is shown.
    Off,
}

impl GateSetting {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Precise, Self::Balanced, Self::Eager, Self::Off];

    /// The name in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Balanced => "balanced",
            Self::Eager => "eager",
            Self::Off => "off",
        }
    }

    /// The setting of that name; an error says which there are.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        const NAMES: &[&str] = &["precise", "balanced", "eager", "off"];
        let found = Self::ALL.into_iter().find(|setting| setting.name() == name);
        found.ok_or_else(|| Error::UnknownName { kind: "setting", name: name.into(), known: NAMES })
    }
}

/// How the retrievers become one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// Adds their scores.
    #[default]
    Score,
    /// Adds up their ranks (reciprocal rank fusion).
    Rrf,
}

impl Fusion {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Score, Self::Rrf];

    /// The name in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Rrf => "rrf",
        }
    }
    /// That of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fusion| fusion.name() == name)
    }
}
