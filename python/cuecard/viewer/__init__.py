"""The local page on which a person sees and steers the memories of a project."""
