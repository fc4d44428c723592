"""The situation of a prompt: the session, the Git branch, the changed files and the user's focus."""
