"""The implementation of `cuecard.Index`, an index of texts."""
