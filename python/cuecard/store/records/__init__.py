"""A record: what a memory's file may hold, and how memories are found and read."""
