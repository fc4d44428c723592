"""What the user has said of memories that were shown: the derived file of verdicts, and similar prompts (SPEC 49)."""

from binascii import crc32

from ...basics.chars import read_whole, scrub, whole_lines
from .priors import MAX_PRIOR

VERDICTS_HEADER = "cuecard verdicts 1"
# Two prompts are similar if the words that they share are at least this part of all their words. On the judged prompts
# no memory that helps is held back by it.
SHARED, OF_ALL = 7, 20
# The most that the lowest logit of the gate may be moved, in 1/1024: near even odds this is a probability of .05.
MAX_SHIFT = 204
PREFIX_CHARS = 16


class Judgment:
    """The verdicts about one text of a memory."""

    def __init__(self, trust_hash: str, path: str, prior: int) -> None:
        """`prior` are points that reorder near-ties, in 1/4096."""
        self.trust_hash, self.path, self.prior = trust_hash, path, prior
        # What was kept of the prompts for which the memory was wrong (SPEC 27.7).
        self.wrong: list[str] = []


class Verdicts:
    """The verdicts about the memories of a store, as far as a prompt needs them."""

    def __init__(self, data: bytes) -> None:
        """Read the file of verdicts; a damaged file says nothing."""
        parsed = _parse(data)
        # What is added to the lowest logit that the gate shows, in 1/1024.
        self.shift, self._memories = parsed or (0, [])

    @property
    def has_no_priors(self) -> bool:
        """Whether no verdict moves a memory."""
        return all(memory.prior == 0 for memory in self._memories)

    def names(self, path: str) -> bool:
        """Whether a verdict names the memory at a path."""
        return any(memory.path == path for memory in self._memories)

    def prior(self, path: str, trust: str) -> int:
        """The points of the memory at a path, in 1/4096; 0 if its indexed text has another trust hash than `trust`."""
        same = [one for one in self._memories if one.path == path and one.trust_hash[:PREFIX_CHARS] == trust]
        return same[0].prior if same and trust else 0

    def is_wrong(self, path: str, trust_hash: str, kept: str) -> bool:
        """Whether the memory at a path, with this text, is wrong for a prompt of which `kept` was kept."""
        same = [one for one in self._memories if one.path == path and one.trust_hash == trust_hash]
        return any(is_similar(wrong, kept) for memory in same for wrong in memory.wrong)


def is_withheld_at_random(session: str, path: str, percent: int) -> bool:
    """Whether a memory is withheld at random in a session. `path` is the one by which the session knows the memory.

    The same session and path always give the same answer.
    """
    return crc32(scrub(f"{session}\n{path}").encode()) % 100 < percent


def is_similar(one: str, other: str) -> bool:
    """Whether two prompts are similar, by what is kept of each."""
    first, second = _names_of(one), _names_of(other)
    if first is None or second is None:
        return False
    shared = len(first[1] & second[1])
    total = len(first[1] | second[1]) + max(first[0], second[0])
    return shared > 0 and shared * OF_ALL >= total * SHARED


def _parse(data: bytes) -> tuple[int, list[Judgment]] | None:
    header, *lines = whole_lines(data) or [""]
    shift = read_whole(header[len(VERDICTS_HEADER) + 1 :], MAX_SHIFT, least=-MAX_SHIFT)
    if not header.startswith(VERDICTS_HEADER + " ") or shift is None:
        return None
    memories: list[Judgment] = []
    for line in lines:
        kind, gap, rest = line.partition(" ")
        if kind == "memory" and gap and len(parts := rest.split(" ", 2)) == 3:
            prior = read_whole(parts[1], MAX_PRIOR, least=-MAX_PRIOR)
            if prior is None:
                return None
            memories.append(Judgment(parts[0], parts[2], prior))
        elif kind == "wrong" and gap and memories:
            memories[-1].wrong.append(rest)
        else:
            return None
    return shift, memories


def _names_of(kept: str) -> tuple[int, set[str]] | None:
    """How many words of a prompt no memory has, and the terms by which its strong words are known."""
    unknown, *words = kept.split(" ")
    if not unknown.isascii() or not unknown.isdecimal():
        return None
    names = set()
    for word in words:
        kind, colon, terms = word.partition(":")
        own, mark, others = terms.partition(";")
        if not colon or not mark:
            return None
        named = [pair.partition("=") for pair in [*own.split(","), *others.split(",")]]
        name = next((term for term, equals, _weight in named if equals and term), "")
        if name and kind.startswith("s"):
            names.add(name)
    return int(unknown), names
