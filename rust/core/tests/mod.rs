//! The tests of the whole crate. They are compiled with its unit tests: as programs of their own, each would compile and
//! link what it uses of the crate.

mod chance;
mod fuzz_snapshot;
mod priors;
mod segment_fuzz;
mod small_snapshot;
mod snapshot;
mod snapshot_history;
mod top_k;
