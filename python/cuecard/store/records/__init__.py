"""Records: the format of a memory's file, and how memories are found, read and checked."""
