"""Which stores count in a folder, and where their data went when a project was moved."""
