"""`cuecard.Index`: the engine without a store, from the backend that this process uses (SPEC 21.6)."""

from .._backend import engine

__all__ = ["Index"]

Index = engine.Index
