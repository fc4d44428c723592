"""A single memory: its file, its gist, its line in `index.md`, its anchors, and its trust level."""
