//! The tests of the whole crate. They are compiled with its unit tests: as programs of their own, each would need the
//! crate compiled once more, and would compile and link what it uses of it.

#[path = "../../core/tests/chance/mod.rs"]
mod chance;
mod fuzz;
mod rooms;
mod store_access;
mod vectors;
