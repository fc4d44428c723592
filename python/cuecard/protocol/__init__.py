"""What crosses a boundary: what hosts send and get, and what the backend is asked."""
