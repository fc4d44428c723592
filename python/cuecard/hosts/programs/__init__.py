"""The agent programs, one module each: where their files are, and which hooks are written into them."""
