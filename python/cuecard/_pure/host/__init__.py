"""The formats at the boundaries: what hosts send and receive, and the requests to the backend."""
