"""How long the texts of a memory may be, for those who need no models."""

MAX_TITLE_CHARS = 120
MAX_SUMMARY_CHARS = 300
MAX_GIST_CHARS = 200
