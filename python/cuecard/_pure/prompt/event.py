"""The event log: one line of JSON for each decision, appended after the answer (SPEC 38)."""

from binascii import crc32

from ...basics.chars import scrub
from ...basics.timestamp import utc_stamp
from ...files.user_folder import append_to_log
from ..host.host import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...files.environment import Environment
    from ..engine.recalled_memory import Found, RecalledMemory
    from ..requests.results import JudgeRun

    # Category by its display name, path below the project, outcome, the gate's logit in 1/1024 (None without a gate),
    # and score. The outcome of a shown memory is "full", "gist", "title",
    # "line" or "sibling"; of any other memory it is "gate", "named",
    # "session", "duplicate", "budget", "superseded", "over", "ahead", "withheld", "judge", "verdict", "hosted" or
    # "holdout".
    Considered = tuple[str, str, str, int | None, int]
    # What kind of data was sent, the host, the number of requests, and the number of bytes.
    Sent = tuple[str, str, int, int]

MAX_EVENT_LOG_BYTES = 4 << 20
MAX_MEMORIES = 12
MAX_SESSION_CHARS = 100
MAX_PROMPT_CHARS = 20_000
MAX_HISTORY = 5
MAX_SENT = 8
FOLDER = "log"
FILE, OLDER_FILE = "events.jsonl", "events.1.jsonl"
STAGES = ("load", "search", "files", "pack", "total")
# The kind of an event without a decision: a command other than the hook sent data to an endpoint.
SENT = "sent"


class Event:
    """A log entry: a decision about a prompt or a tool event, or a note that a command, not the hook, sent data."""

    def __init__(self, kind: str = "prompt", host: str = "") -> None:
        """Create an event of the kind "prompt", "need" or "sent" for a host. The caller sets the other attributes."""
        self.kind = kind
        self.host = host
        # The session's id from the host; None if the host gave none.
        self.session: str | None = None
        self.prompt = ""
        # What the session keeps of its earlier prompts (SPEC 27.7), the oldest first, and of this prompt.
        self.history: list[str] = []
        self.kept = ""
        # Whether the text of the prompt is logged, if it can have no secret (`log.prompts`).
        self.keeps_texts = False
        # The names of the strategy and of the gate's setting; None if the prompt was skipped before they were read.
        self.strategy: str | None = None
        self.setting: str | None = None
        # Why nothing was shown: "short", "slash_command", "machine_made", "disabled", "courtesy", "no_match", "gate",
        # "judge", "verdict", "holdout", "withheld", "session", "hosted", "budget", "no_snapshot" or "error".
        self.skip_reason: str | None = None
        # The shown memories in their order, then the memories that were considered and not shown.
        self.memories: list[Considered] = []
        # The scope of each memory; "" for the project's own.
        self.scopes: list[str] = []
        # What the first of the memories forbid, if a tool event breaks it.
        self.forbids: list[str] = []
        # The estimated tokens and the characters of the block that was printed for the agent.
        self.tokens = 0
        self.chars = 0
        # How many memories the snapshot or the index has.
        self.documents = 0
        # The duration of each stage, in microseconds.
        self.micros = dict.fromkeys(STAGES, 0)
        # What the judge did; None if it was not asked.
        self.judgment: JudgeRun | None = None
        # The embedder that made the prompt's vector, and why it is not the embedder of the settings ("" if it is).
        # None if the settings name no embedder.
        self.embedder: tuple[str, str] | None = None
        # In how many of a hundred sessions a memory near the gate's limit is withheld, the gate's lowest logit, and the
        # first logit that is not near to it. None without such a choice.
        self.holdout: tuple[int, int, int] | None = None
        # What was sent to endpoints.
        self.sent: list[Sent] = []

    def note_block(self, block: str, tokens: int) -> None:
        """Record the size of the block that the agent gets, in characters and in estimated tokens."""
        self.tokens, self.chars = tokens, len(block)

    def note_choice(
        self, chosen: "Found", known: "list[RecalledMemory]", memories: "list[RecalledMemory]", outcomes: list[str]
    ) -> None:
        """Record the outcome of each memory that was found.

        `memories` are the memories that the block was made from, `outcomes` has the outcome of each, and `known` are
        the memories that earlier prompts of the session have shown.
        """
        held_back = [*[(memory, "session") for memory in known], *chosen.passed_over]
        considered = [*zip(memories, outcomes, strict=True), *held_back]
        self.memories = [
            (memory.parts[0], memory.parts[2], outcome, memory.logit, memory.score) for memory, outcome in considered
        ]
        self.scopes = [memory.scope for memory, _outcome in considered]

    def _memories(self) -> list[str]:
        forbids, scopes = [some + [""] * len(self.memories) for some in (self.forbids, self.scopes)]
        return [
            _memory(memory, scopes[place], forbids[place]) for place, memory in enumerate(self.memories[:MAX_MEMORIES])
        ]

    def to_line(self, stamp: str) -> str:
        """Return the event as a line of JSON that ends with LF. `stamp` is its time in UTC."""
        prompt = scrub(self.prompt)
        members = [
            f'"v":1,"time":"{stamp}","event":"{self.kind}","host":"{self.host}"',
            f'"session":{_text(None if self.session is None else scrub(self.session)[:MAX_SESSION_CHARS])}',
            # The hash of the text itself would confirm a guess, for example of a password that is the whole prompt.
            f'"prompt_hash":"{crc32(scrub(self.kept).encode()):08x}","prompt_chars":{len(prompt)}',
        ]
        if self.keeps_texts and _may_have_secret(prompt):
            members.append(f'"kept":{_text(scrub(self.kept)[:MAX_PROMPT_CHARS])}')
        elif self.keeps_texts:
            history = ",".join([_text(scrub(text)[:MAX_PROMPT_CHARS]) for text in self.history[-MAX_HISTORY:]])
            members.append(f'"prompt":{_text(prompt[:MAX_PROMPT_CHARS])},"history":[{history}]')
        micros = ",".join([f'"{stage}":{self.micros[stage]}' for stage in STAGES])
        members += [
            f'"strategy":{_text(self.strategy)},"setting":{_text(self.setting)},"silence":{_text(self.skip_reason)}',
            f'"memories":[{",".join(self._memories())}]',
            f'"tokens":{self.tokens},"chars":{self.chars},"documents":{self.documents}',
            '"micros":{' + micros + "}",
        ]
        if self.holdout:
            percent, least, below = self.holdout
            members.append(f'"holdout":{{"percent":{percent},"from":{least},"below":{below}}}')
        if self.embedder:
            name, note = self.embedder
            words = _text(scrub(note)) if note else "null"
            members.append(f'"embedder":{{"name":{_text(scrub(name))},"note":{words}}}')
        if self.judgment:
            asked, kept, time_taken, failure = self.judgment
            counts = f'"kept":{kept},"of":{asked},"micros":{time_taken}'
            members.append(f'"judge":{{"outcome":"{"failed" if failure else "kept"}",{counts}}}')
        if self.sent:
            members.append(f'"sent":[{",".join([_sent(sent) for sent in self.sent[:MAX_SENT]])}]')
        return "{" + ",".join(members) + "}\n"


def skip_reason_of(memories: "list[RecalledMemory]", known: "list[RecalledMemory]", chosen: "Found") -> str:
    """The skip reason that applies if none of the memories is shown; `known` were shown to the session before."""
    if memories:
        return "budget"
    if known:
        return "session"
    reasons = {why for _memory, why in chosen.passed_over}
    for reason in ("hosted", "judge", "verdict", "holdout", "withheld"):
        if reason in reasons:
            return reason
    return "courtesy" if chosen.is_courtesy else "gate" if reasons else "no_match"


def append(environment: "Environment", memory_dir: str, event: Event) -> None:
    """Append an event to the event log of a store. Write errors are ignored: the hook has nowhere to report them."""
    if environment.log == "off":
        return
    try:
        stamp = utc_stamp()
        append_to_log(memory_dir, (FOLDER, FILE, OLDER_FILE), MAX_EVENT_LOG_BYTES, event.to_line(stamp).encode())
    except (OSError, ValueError):
        pass


def _may_have_secret(text: str) -> bool:
    # Few users keep texts, so most events need no table of secrets.
    from ..text.possible_secret import may_have_secret

    return may_have_secret(text)


def _memory(memory: "Considered", scope: str, forbids: str) -> str:
    category, path, outcome, logit, score = memory
    path = scrub(path)
    members = [
        f'"id":{_text(path.rpartition("/")[2].removesuffix(".json"))},"category":{_text(category)},"path":{_text(path)}'
        + (f',"scope":{_text(scope)}' if scope else ""),
        f'"outcome":"{outcome}","logit":{"null" if logit is None else logit},"score":{score}',
    ]
    if forbids:
        members.append(f'"forbids":{_text(forbids)}')
    return "{" + ",".join(members) + "}"


def _sent(sent: "Sent") -> str:
    what, host, requests, size = sent
    return f'{{"what":{_text(what)},"host":{_text(scrub(host))},"requests":{requests},"bytes":{size}}}'


def _text(text: str | None) -> str:
    return "null" if text is None else quote(text)
