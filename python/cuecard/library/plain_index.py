"""`cuecard.Index`: the engine without a store, in whichever twin serves this process (SPEC 21.6)."""

from .._backend import twin

__all__ = ["Index"]

Index = twin.Index
