"""What is made of the memory files: `index.md` and the snapshot, kept in step and checked."""
