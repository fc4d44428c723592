"""Shows what the hook has decided: events, captures, statistics, accounts, replays and traces."""
