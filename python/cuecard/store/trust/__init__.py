"""Who vouches for the memories of a store, and what an agent may read of the others (SPEC 52)."""
