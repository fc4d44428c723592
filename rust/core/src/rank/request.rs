//! A prompt and what it is answered by (SPEC 21, 27).

use crate::index::filters::Filters;
use crate::rank::situation::Situation;
use crate::settings::Settings;

/// What a project adds to a prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// Key and description of each described category.
    pub descriptions: &'a [(String, String)],
    /// Groups of words that stand for each other, beside the built-in ones.
    pub synonyms: &'a [Vec<String>],
}

/// A prompt and what it is answered by.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What the user typed.
    pub prompt: &'a str,
    /// The session's prompts before it, the oldest first.
    pub history: &'a [String],
    /// Descriptions and synonyms of the project.
    pub context: Context<'a>,
    /// The settings.
    pub settings: &'a Settings,
    /// The time, in microseconds since 1970.
    pub now: i64,
    /// What else is known.
    pub situation: Option<&'a Situation>,
    /// Position and cosine, in 1/4096, of every document that has a model vector (SPEC 49).
    pub embedded: &'a [(u32, i64)],
    /// Which documents may be found.
    pub filters: &'a Filters,
    /// How many are wanted.
    pub k: usize,
}

impl<'a> Request<'a> {
    /// A prompt alone, without history, situation and model vectors.
    #[must_use]
    pub fn of_prompt(
        prompt: &'a str,
        context: Context<'a>,
        settings: &'a Settings,
        filters: &'a Filters,
        k: usize,
    ) -> Self {
        Self { prompt, history: &[], context, settings, now: 0, situation: None, embedded: &[], filters, k }
    }
}
