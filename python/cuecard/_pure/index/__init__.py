"""The index of texts that `cuecard.Index` is."""
