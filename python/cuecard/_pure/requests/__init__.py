"""The requests of the seam: a prompt with everything that decides about it, and the budget of an update."""
