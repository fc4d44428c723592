"""`cuecard.Index`: the engine without a store, in whichever backend serves this process (SPEC 21.6)."""

from .._backend import engine

__all__ = ["Index"]

Index = engine.Index
