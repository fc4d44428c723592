"""The ledger: records what the user typed and did, and decides when an agent is asked for memories.

Rules: docs/reference/ledger.md.

`read_record` reads a line of a host's transcript, `entries` turns the new lines into entries, `ledger_lines` writes
and reads the lines of a ledger, `moments` decides when to ask, and `stop` answers the host. The hook of the pure
backend uses this package; the engine in Rust has the same rules.
"""
