"""The version of this package; a test compares it with `Cargo.toml`."""

__version__ = "0.1.0"
