"""One memory: its file, its gist, its line in `index.md`, its anchors, and who vouches for it."""
