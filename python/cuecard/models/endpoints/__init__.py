"""Questions to endpoints: the user's consent, the connection, and what was sent."""
