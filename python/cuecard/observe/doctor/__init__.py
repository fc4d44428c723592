"""Is everything in place for prompts to be answered? What `cuecard doctor` reports."""
