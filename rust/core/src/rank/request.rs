//! A prompt, and everything that its answer depends on (SPEC 21, 27).

use crate::index::filters::Filters;
use crate::rank::situation::Situation;
use crate::settings::Settings;

/// What a project's settings add to how a prompt is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The key and description of each category that has a description.
    pub descriptions: &'a [(String, String)],
    /// Groups of synonyms, in addition to the built-in ones.
    pub synonyms: &'a [Vec<String>],
}

/// A prompt, and everything that its answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The text that the user typed.
    pub prompt: &'a str,
    /// Texts that count as older prompts, oldest first.
    pub history: &'a [String],
    /// What the session keeps of its earlier prompts, oldest first: lines of `Snapshot::kept_terms`. They come after the
    /// texts of `history`.
    pub earlier: &'a [String],
    /// The descriptions and synonyms of the project.
    pub context: Context<'a>,
    /// The settings of recall.
    pub settings: &'a Settings,
    /// The current time, in microseconds since 1970.
    pub now: i64,
    /// What is known of the situation; `None` if nothing is known.
    pub situation: Option<&'a Situation>,
    /// The position of every document with a model vector, and the cosine of that vector with the prompt's, in 1/4096
    /// (SPEC 42).
    pub embedded: &'a [(u32, i64)],
    /// The conditions that a document must meet to be found.
    pub filters: &'a Filters,
    /// How many documents are wanted.
    pub k: usize,
}

impl<'a> Request<'a> {
    /// A request for a prompt without history, situation or model vectors; its `now` is 0.
    #[must_use]
    pub fn of_prompt(
        prompt: &'a str,
        context: Context<'a>,
        settings: &'a Settings,
        filters: &'a Filters,
        k: usize,
    ) -> Self {
        let (history, earlier, embedded): (&[String], &[String], &[(u32, i64)]) = Default::default();
        Self { prompt, history, earlier, context, settings, now: 0, situation: None, embedded, filters, k }
    }

    /// Whether there are earlier prompts.
    #[must_use]
    pub fn has_history(&self) -> bool {
        !self.history.is_empty() || !self.earlier.is_empty()
    }
}
