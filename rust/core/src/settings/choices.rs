//! The values of settings with named choices: the strictness of the gate, and the fusion of retrievers (SPEC 26.3).

use crate::error::Error;

/// How sure the gate must be that a memory helps before the memory is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateSetting {
    /// Few memories are shown, and nearly all of them help.
    Precise,
    /// The default, between `precise` and `eager`.
    #[default]
    Balanced,
    /// Many memories are shown.
    Eager,
    /// There is no gate: all of the best memories are shown.
    Off,
}

impl GateSetting {
    /// All values.
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

    /// The setting with this name; the error for an unknown name lists the valid names.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        const NAMES: &[&str] = &["precise", "balanced", "eager", "off"];
        let found = Self::ALL.into_iter().find(|setting| setting.name() == name);
        found.ok_or_else(|| Error::UnknownName { kind: "setting", name: name.into(), known: NAMES })
    }
}

/// How the results of the retrievers are fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// The scores are added.
    #[default]
    Score,
    /// Reciprocals of the ranks are added (reciprocal rank fusion).
    Rrf,
}

impl Fusion {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Score, Self::Rrf];

    /// The name in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Rrf => "rrf",
        }
    }
    /// The fusion with this name; `None` if the name is unknown.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fusion| fusion.name() == name)
    }
}
