"""Shares memories with a team: through a git repository, or through a PostgreSQL server of an organisation.

Nothing outside of this folder imports it unless the user has joined a team or runs `cuecard sync` or `cuecard share`.
"""
