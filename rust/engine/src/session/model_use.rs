//! What models did for the decision about a prompt, for the event log (docs/reference/models.md).

/// What models did for a decision.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelUse {
    /// The embedder that made the prompt's vector, and why it is not the embedder of the settings (empty if it is);
    /// `None` if none was asked.
    pub(crate) embedder: Option<(String, String)>,
    /// What the judge did; `None` if it was not asked.
    pub(crate) judge: Option<JudgeRun>,
    /// What was sent to endpoints.
    pub(crate) sent: Vec<Sent>,
}

/// A run of the judge.
#[derive(Debug, Clone)]
pub struct JudgeRun {
    /// How many candidates it was asked about.
    pub asked: usize,
    /// How many candidates it keeps; 0 if it failed.
    pub kept: usize,
    /// How long it took, with the search for candidates, in microseconds.
    pub micros: u64,
    /// Why it failed; empty if it answered.
    pub failure: String,
}

/// What was sent to an endpoint.
#[derive(Debug, Clone)]
pub struct Sent {
    /// What kind of data was sent.
    pub what: String,
    /// The place of the endpoint.
    pub host: String,
    /// How many requests were sent.
    pub requests: u64,
    /// How many bytes they had.
    pub bytes: u64,
}
