"""Agent programs: one module for each host, and the code that installs our hook into its settings and removes it."""
