"""Recognises what users and agents say about ending and saving, in several languages (docs/reference/ledger.md)."""

from ..._backend import join_words
from ...basics.tables import read_words

# An apology is only searched for in this many characters at the beginning.
FIRST_CHARS = 80


def says_handover(own_words: str) -> bool:
    """Whether the user hands the work over or stops for the day."""
    return _has(own_words, "hands_over")


def mail_head(line: str) -> str:
    """The name of a line above a mail that has a value, such as `From: a@b.example`; "" for any other line."""
    name, _, value = line.replace("\uff1a", ":").partition(":")
    name = join_words(name)
    return name if value.strip("* ") and name in _phrases("mail_heads") else ""


def forwards_mail(line: str) -> bool:
    """Whether a line such as `--- Original Message ---` stands before a mail that was forwarded."""
    return (line[:3] == "---" == line[-3:] and _has(line, "forwarded")) or line.lower() == "begin forwarded message:"


def hands_text(lead: str) -> bool:
    """Whether the words before a colon hand over a text that is to be translated, corrected or summed up."""
    return _has(lead, "hands_text")


def quotes_others(lead: str) -> bool:
    """Whether the words before a colon say that others have said or written what follows."""
    return _has(lead, "quotes_others") and not _has(lead, "speaks_of_self")


def is_apology(text: str) -> bool:
    """Whether an agent's message begins with an apology or admits that the user is right."""
    return _has(text[:FIRST_CHARS], "apology")


def says_nothing_to_save(text: str) -> bool:
    """Whether an agent says that there is nothing to save."""
    return _has(text, "nothing")


def _has(text: str, table: str) -> bool:
    joined = join_words(text)
    return any(phrase in joined for phrase in _phrases(table))


def _phrases(table: str) -> tuple[str, ...]:
    return read_words("capture_phrases", table)
