"""The two files of settings on disk: where they are, and how they are read, checked and edited."""
