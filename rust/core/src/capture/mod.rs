//! The ledger of a session records what the user typed and did, and when an agent is asked for memories (SPEC 56).
//!
//! [`record`] reads a line of a host's transcript, [`entries`] turns new lines into entries, [`ledger`] writes and
//! reads the lines of a ledger, and [`moments`] decides when an agent is asked.

pub mod entries;
pub mod entry;
pub mod ledger;
pub mod moments;
pub mod phrases;
pub mod quotes;
pub mod record;
pub(crate) mod record_claude;
pub(crate) mod record_codex;
pub(crate) mod record_copilot;
pub(crate) mod record_gemini;
pub mod request;
pub mod substance;
pub mod typed;

pub use entries::{Batch, NewEntries, Unredacted};
pub use entry::{Entry, EntryKind};
pub use ledger::{Ask, Ledger};
pub use moments::{Cause, Moment, decide};
