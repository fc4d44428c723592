"""The objects of the public library: loaded projects, searches, hits and traces."""
