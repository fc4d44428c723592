"""Agent programs: one module each, and what installs our hook into their settings and takes it out again."""
