"""The ledger of a session: what the user typed and did, and when an agent is asked for memories about it (SPEC 56).

`read_record` reads a line of a host's transcript, `entries` makes entries of what is new in it, `ledger_lines` writes
and reads the lines of a ledger, `moments` decides about asking, and `stop` answers the host. The pure package's hook
uses this; the engine in Rust has the same rules.
"""
