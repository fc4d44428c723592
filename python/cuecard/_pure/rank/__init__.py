"""The stages after retrieval: priors, the gate, and the recall that runs all stages."""
