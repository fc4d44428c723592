//! What the lexical retriever's impacts are made with (SPEC 22.8).

/// The fields of a document: title, tags, questions and body, in this order wherever something is said of each.
pub const FIELDS: usize = 4;

/// The weights of the fields unless others are said.
pub const WEIGHTS: [f64; FIELDS] = [3.0, 4.0, 2.0, 1.0];

/// What impacts depend on beside the document; arrays are over the fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Settings {
    /// How soon more of the same term stops counting.
    pub k1: f64,
    /// The weights w of the fields.
    pub weights: [f64; FIELDS],
    /// How much the length of a field counts, 0 to 1.
    pub bs: [f64; FIELDS],
}

impl Default for Bm25Settings {
    /// Those of a store that sets nothing.
    fn default() -> Self {
        Self { k1: 2.0, weights: WEIGHTS, bs: [0.75; FIELDS] }
    }
}

impl Bm25Settings {
    /// Those of a plain index.
    #[must_use]
    pub fn plain(k1: f64, b: f64) -> Self {
        Self { k1, weights: WEIGHTS, bs: [b; FIELDS] }
    }
}
