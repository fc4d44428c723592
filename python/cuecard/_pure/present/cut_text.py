"""Cuts a text that does not fit into a block (SPEC 39.3)."""

from ..memory.gist import WIDE_CLOSERS, WIDE_ENDS, ends_sentence


def cut_sentences(line: str, limit: int) -> str:
    """The whole sentences, and the whole items of a list, within the first `limit` characters of a line. If there are
    none, the whole words, with an ellipsis; "" if not even one word fits."""
    sentences = words = place = 0
    for word in line.split(" "):
        end = place + len(word)
        for at, char in enumerate(word):
            if char in WIDE_ENDS:
                behind = place + at + 1 + (word[at + 1 : at + 2] in WIDE_CLOSERS and at + 1 < len(word))
                sentences = behind if behind <= limit else sentences
        if end > limit:
            break
        words = end
        if ends_sentence(word) or word.endswith(";"):
            sentences = end
        place = end + 1
    if sentences:
        return line[:sentences]
    begin = line[:words].rstrip(" ")
    return f"{begin} …" if begin else ""
