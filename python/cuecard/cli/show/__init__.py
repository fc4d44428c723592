"""Shows the results of commands in a terminal, in pipes and as JSON."""
