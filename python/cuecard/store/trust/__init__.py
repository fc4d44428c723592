"""Trust: who vouches for the memories of a store, and what an agent may read of unreviewed memories (SPEC 45)."""
