"""What the library gives a program: projects that are loaded, searches, hits and traces."""
