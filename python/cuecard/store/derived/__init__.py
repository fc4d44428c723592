"""The files that are derived from memories, `index.md` and the snapshot: how they are updated and checked."""
