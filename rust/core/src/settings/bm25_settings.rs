//! The settings of BM25F, which the lexical retriever's impacts depend on (SPEC 22.8).

/// The number of fields of a document. In arrays, the fields are in the order title, tags, questions, body.
pub const FIELDS: usize = 4;

/// The default weights of the fields.
pub const WEIGHTS: [f64; FIELDS] = [3.0, 4.0, 2.0, 1.0];

/// The parameters of BM25F; arrays have one item for each field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25Settings {
    /// The saturation of term frequency: with a smaller k1, further occurrences of a term count less.
    pub k1: f64,
    /// The weight of each field.
    pub weights: [f64; FIELDS],
    /// How much the length of each field counts, 0 to 1.
    pub bs: [f64; FIELDS],
}

impl Default for Bm25Settings {
    /// The settings of a store whose files set none of these values.
    fn default() -> Self {
        Self { k1: 2.0, weights: WEIGHTS, bs: [0.75; FIELDS] }
    }
}

impl Bm25Settings {
    /// The settings of a plain index, with the same b for all fields.
    #[must_use]
    pub fn plain(k1: f64, b: f64) -> Self {
        Self { k1, weights: WEIGHTS, bs: [b; FIELDS] }
    }
}
