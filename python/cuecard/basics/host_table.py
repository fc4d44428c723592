"""The table of hosts, `assets/tables/hosts.txt`: what their protocols are like (SPEC 12). Rust embeds the same file."""

from .tables import read_lines, read_words

FILE = "hosts"


class HostFacts:
    """What the protocol of a host is like.

    `answer` is the text of the answer before and after the block, which is quoted there; None if the answer is the
    block itself. `has_prompt` is whether the host's rewritten prompt stands before the block.
    """

    def __init__(self, row: str) -> None:
        self.name, max_chars, self.context, notices, form = row.split(" ", 4)
        self.max_chars = int(max_chars)
        self.shows_notices = notices == "shown"
        self.has_prompt = _PROMPT_AND_BLOCK in form
        before, _block, after = form.partition(_PROMPT_AND_BLOCK if self.has_prompt else _BLOCK)
        self.answer = (before, after) if before else None


_BLOCK, _PROMPT_AND_BLOCK = "BLOCK", "PROMPT+BLOCK"
# The hosts by name; the first is the default.
HOSTS = {facts.name: facts for facts in [HostFacts(row) for row in read_lines(FILE, "hosts")]}
# What hosts say about who has submitted a prompt, and the member that only the events of typed prompts have.
PROMPT_SOURCES = dict([row.split(" ", 1) for row in read_lines(FILE, "prompt_sources")])
TYPED_MEMBERS = dict([row.split(" ", 1) for row in read_lines(FILE, "typed_members")])
# The hosts that drop the answer to a prompt in some versions: the member with the version, and the versions at which
# that changes; and the events that carry a dropped answer.
DROPPED_ANSWERS = dict([row.split(" ", 1) for row in read_lines(FILE, "dropped_answers")])
CARRIERS = dict([row.split(" ", 1) for row in read_lines(FILE, "carriers")])
# The members that only the prompt of a subagent has.
AGENT_MEMBERS = read_words(FILE, "agent_members")
# What changes the input of a tool, for the hosts that have such an answer.
NEW_INPUTS = dict([row.split(" ", 1) for row in read_lines(FILE, "new_inputs")])
# The events around a tool, and whether each comes `before` the tool runs, `after` it has run, or after it has `failed`.
TOOL_EVENTS = dict([row.split(" ", 1) for row in read_lines(FILE, "tool_events")])
# What stops a tool, and what gives the agent a block at the event of a tool, for the hosts with a form of their own.
REFUSALS = dict([row.split(" ", 1) for row in read_lines(FILE, "refusals")])
TOOL_CONTEXTS = dict([row.split(" ", 1) for row in read_lines(FILE, "tool_contexts")])
# What holds up a stop, for the hosts with a form of their own; the first row is the form of all others.
STOP_ANSWERS = dict([row.split(" ", 1) for row in read_lines(FILE, "stop_answers")])
# Where the transcript of a session lies below the home folder, for the hosts whose events do not name it.
TRANSCRIPTS = dict([row.split(" ", 1) for row in read_lines(FILE, "transcripts")])
TEXT_FIELDS = read_words(FILE, "text_fields")
SESSION_FIELDS = read_words(FILE, "session_fields")
ROOTS_FIELDS = read_words(FILE, "roots_fields")
# What hosts put around the text that a user types (SPEC 12.5).
MACHINE_TAGS = read_words(FILE, "machine_tags")
NOTICES = tuple(read_lines(FILE, "notices"))
INSERTED_TAGS = read_words(FILE, "inserted_tags")
PLACEHOLDERS = tuple(read_lines(FILE, "placeholders"))
INTRODUCTIONS = tuple(read_lines(FILE, "introductions"))
REQUEST_HEADINGS = tuple(read_lines(FILE, "request_headings"))
REFERENCES = read_lines(FILE, "references")[0]
# What Gemini CLI writes in the model's name behind the summary of a compressed conversation.
SUMMARY_SIGN = read_lines(FILE, "summary_sign")[0]
COMMANDS_WITHOUT_TEXT = read_words(FILE, "commands_without_text")
# The beginning of the request for memories, which is followed by a blank.
REQUEST = " ".join(read_words(FILE, "request")) + " "
