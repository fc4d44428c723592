"""Import: what other tools and people have written down, made memories (SPEC 45)."""
