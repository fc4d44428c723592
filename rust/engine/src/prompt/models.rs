//! What the engine asks of models while it answers a prompt (docs/reference/models.md). The models themselves are in
//! Python: it implements these traits, and the executable delegates such a prompt to it.

use crate::prompt::recalled_memory::RecalledMemory;
use crate::session::model_use::Sent;
use crate::store::mapped::Source;
use cuecard_core::index::Snapshot;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// A prompt whose settings name a model.
#[derive(Debug, Clone, Copy)]
pub struct ModelPrompt<'a> {
    /// The folder of the store.
    pub memory_dir: &'a Path,
    /// The working directory that the host names.
    pub cwd: Option<&'a str>,
    /// The text that the user typed.
    pub prompt: &'a str,
    /// The host's transcript, if the session has earlier prompts. The session's file does not keep their texts.
    pub transcript: Option<&'a str>,
}

/// Gives access to the models that settings name.
pub trait Models: Debug + Send + Sync {
    /// Returns the models to ask about a prompt. Asks none of them yet.
    fn open(&self, prompt: &ModelPrompt<'_>) -> Box<dyn OpenModels>;
}

/// The models to ask about one prompt.
pub trait OpenModels {
    /// The problems of the settings, and whether they name an endpoint that the user has not allowed.
    fn notes(&self) -> Vec<String>;
    /// Returns how similar each memory is to the prompt; `None` if no embedder is to be asked.
    fn compare(&self, snapshot: &Arc<Snapshot<Source>>) -> Option<Similarities>;
    /// Returns how many candidates the judge gets to see; `None` if no judge is to be asked.
    fn pool(&self) -> Option<usize>;
    /// Asks the judge about candidates.
    fn judge(&self, candidates: &[RecalledMemory]) -> Verdict;
    /// Returns what was sent to endpoints since the last call.
    fn take_sent(&self) -> Vec<Sent>;
}

/// How similar each memory with a vector is to a prompt.
#[derive(Debug, Clone, Default)]
pub struct Similarities {
    /// The embedder that made the prompt's vector.
    pub embedder: String,
    /// Why it is not the embedder of the settings; empty if it is.
    pub note: String,
    /// The line for the log about a problem that somebody can fix; empty if there is none.
    pub problem: String,
    /// Position and cosine, in 1/4096; empty if the built-in table is used.
    pub embedded: Vec<(u32, i64)>,
}

/// The places of the candidates that the judge keeps, ascending; or why it failed.
pub type Verdict = Result<Vec<usize>, String>;
