"""Files and folders, opened, written and locked safely: no link is followed (SPEC 50)."""
