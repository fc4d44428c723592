//! What the lexical retriever's impacts are made with (SPEC 22.8).

/// The weights of title, tags and body unless others are said.
pub const WEIGHTS: [f64; 3] = [3.0, 4.0, 1.0];

/// What impacts depend on beside the document; arrays are over title, tags, body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Settings {
    /// How soon more of the same term stops counting.
    pub k1: f64,
    /// The weights w of the fields.
    pub weights: [f64; 3],
    /// How much the length of a field counts, 0 to 1.
    pub bs: [f64; 3],
}

impl Default for Bm25Settings {
    /// Those of a store that sets nothing.
    fn default() -> Self {
        Self { k1: 2.0, weights: WEIGHTS, bs: [0.75; 3] }
    }
}

impl Bm25Settings {
    /// Those of a plain index.
    #[must_use]
    pub fn plain(k1: f64, b: f64) -> Self {
        Self { k1, weights: WEIGHTS, bs: [b; 3] }
    }
}
