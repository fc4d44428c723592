"""What becomes of candidates: priors, the gate, and the recall that puts the stages together."""
