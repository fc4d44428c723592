"""What is kept of a store in the user's folder: what was shown, what was said of it, and what the user is told."""
