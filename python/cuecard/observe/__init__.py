"""Shows what was decided and whether all is well: events, statistics, replay, the doctor."""
