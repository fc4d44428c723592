"""The facts about typed prompts in the file of a session, which tell whether a stop has anything to do (SPEC 30.5)."""

from ...basics.chars import read_whole, scrub

# The letters of the flags in their order in the file, and the attributes that they stand for.
FLAGS = {
    "w": "is_wish",
    "c": "is_compacted",
    "a": "is_asked",
    "l": "has_looked",
    "r": "is_read",
    "e": "has_ended",
    "n": "is_unused",
}
NO_FLAG = "-"
MAX_COUNT = 2**32 - 1
MAX_DIGITS = 18
# A session counts as over if nothing was typed for two hours.
IDLE_SECONDS = 2 * 60 * 60
# A later session is asked about earlier ones that left at least this many prompts.
LEAST_LEFT = 3
# The numbers of words in a line of the file `left`, and in a line `typed` behind its name.
LEFT_WORDS = TYPED_WORDS = 4


class Typed:
    """What is known of the prompts of a session since its agent was last asked; nothing of their text."""

    def __init__(self, counts: tuple[int, int, int] = (0, 0, 0), flags: str = NO_FLAG, place: str = "") -> None:
        """`place` is the host and the path of its transcript with a blank between them; "" if it has named none."""
        # How many prompts may be substantial, how many of them were there when the transcript was read last, and how
        # many there must be for a stop to have something to ask about.
        self.open, self.read, self.next = counts
        # Whether a prompt may be a wish to remember something.
        self.is_wish = "w" in flags
        # Whether the conversation was compacted.
        self.is_compacted = "c" in flags
        # Whether the agent was asked, and its answer is not recorded yet.
        self.is_asked = "a" in flags
        # Whether a stop has looked at what earlier sessions left.
        self.has_looked = "l" in flags
        # Whether the ledger of the session was read since the session's file was begun.
        self.is_read = "r" in flags
        # Whether the session has ended, and nothing was typed since.
        self.has_ended = "e" in flags
        # Whether recall has not used the session yet.
        self.is_unused = "n" in flags
        # The host, and the path of its transcript; "" if the host has named none.
        self.host, _, self.transcript = place.partition(" ")

    @property
    def flags(self) -> str:
        """The letters of the flags that are set; "-" if there is none."""
        return "".join([flag for flag, name in FLAGS.items() if getattr(self, name)]) or NO_FLAG

    @property
    def row(self) -> tuple[int, int, int, str, str, str]:
        """All facts."""
        return self.open, self.read, self.next, self.flags, self.host, self.transcript

    def lines(self) -> list[str]:
        """The lines for the session's file."""
        lines = [f"typed {self.open} {self.read} {self.next} {self.flags}"]
        if self.transcript and "\n" not in self.transcript:
            lines.append(f"transcript {self.host} {scrub(self.transcript)}")
        return lines

    def note(self, prompt: str) -> None:
        """Count a prompt that was typed. Both facts are upper bounds: what others said in a quotation counts too."""
        from ..text.substance import is_substantial, may_say_remember

        self.has_ended = False
        self.is_wish = self.is_wish or may_say_remember(prompt)
        if is_substantial(prompt):
            self.open = min(self.open + 1, MAX_COUNT)

    def is_due(self, *, may_ask: bool, every: int) -> bool:
        """Whether a stop must read the transcript because of these facts.

        `may_ask` says whether the agent may be asked at this stop; it is asked after `every` substantial prompts.
        """
        has_many = self.open >= max(every, self.next)
        return self.is_asked or (may_ask and (self.is_wish or (self.is_compacted and self.open > 0) or has_many))


def read_typed(counts: str, transcript: str) -> Typed | None:
    """Read the values of the lines `typed` and `transcript`; None if the first is malformed."""
    words = counts.split(" ")
    if len(words) != TYPED_WORDS:
        return None
    count, read, due_at = [read_whole(word, MAX_COUNT) for word in words[:3]]
    if count is None or read is None or due_at is None:
        return None
    typed = Typed((count, read, due_at), words[3], transcript if " " in transcript else "")
    return typed if typed.flags == words[3] else None


def left_of(text: str, session: str, now: int) -> int:
    """How many prompts the sessions that are over have left, by the text of the file `left`, without `session`.

    `now` is in seconds since 1970.
    """
    seen = {session}
    total = 0
    # The last line of a session counts.
    for line in reversed(text.split("\n")):
        words = line.split(" ")
        left = read_whole(words[1], MAX_COUNT) if len(words) >= LEFT_WORDS else None
        if left is None or words[0] in seen or not _is_whole(words[2]):
            continue
        seen.add(words[0])
        if words[3] == "1" or int(words[2]) <= now - IDLE_SECONDS:
            total += left
    return total


def _is_whole(text: str) -> bool:
    """Whether a text spells an integer, with a sign or zeros in front or not."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS


def left_line(session: str, count: int, now: int, *, has_ended: bool) -> str:
    """The line of the file `left` for a session that left `count` substantial prompts."""
    return f"{session} {count} {now} {int(has_ended)}\n"
