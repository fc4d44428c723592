"""The names that options of the library take, for annotations; nothing at run time needs them."""

from typing import Literal, TypeAlias

Strategy: TypeAlias = Literal["hybrid", "bm25", "tfidf", "vectors", "keyword", "keyword_classic"]
"""How to search."""

GateSetting: TypeAlias = Literal["precise", "balanced", "eager", "off"]
"""How sure the gate has to be that a memory helps."""
