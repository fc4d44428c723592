"""Small functions that all packages share: characters, JSON, tables, times. They import only `errors`."""
