"""`cuecard doctor`: checks whether everything is in place to answer prompts."""
