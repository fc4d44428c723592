"""The stop words of the keyword retriever (SPEC 4)."""

from ...basics.tables import read_words

STOP_WORDS = frozenset(read_words("words", "keyword_stop_words"))
