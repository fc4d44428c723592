"""Requests to endpoints: the user's consent, the connection, and the count of what was sent."""
