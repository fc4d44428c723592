//! The ledger of a session: what the user typed and did, and when an agent is asked for memories about it (SPEC 56).
//!
//! [`record`] reads a line of a host's transcript, [`entries`] makes entries of what is new in it, [`ledger`] writes and
//! reads the lines of a ledger, and [`moments`] decides about asking.

pub mod entries;
pub mod entry;
pub mod ledger;
pub mod moments;
pub mod phrases;
pub mod quotes;
pub mod record;
pub(crate) mod record_claude;
pub(crate) mod record_codex;
pub(crate) mod record_gemini;
pub mod request;
pub mod substance;
pub mod typed;

pub use entries::{Batch, NewEntries, Unredacted};
pub use entry::{Entry, EntryKind};
pub use ledger::{Ask, Ledger};
pub use moments::{Cause, Moment, decide};
