"""Judged sessions, and the transcripts that their hosts would write for them.

`tests/data/capture` has the prompts, the agent's answers, and what must be captured. The tool calls between
prompts and answers are generated here from the project's files and commands, and are the same on each run.
"""

import json
import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

SESSIONS = Path(__file__).parents[1] / "data" / "capture"
HOSTS = ("claude-code", "codex", "gemini-cli")
KINDS = ("decided", "corrected", "forbidden", "discovered", "preferred")
FEWEST_RECORDS = 20
ANNOUNCED_SHARE = 0.25
FIRST_DAY = datetime(2026, 4, 1, 8, tzinfo=timezone.utc)
Record = dict[str, Any]


@dataclass(frozen=True)
class SessionProject:
    """The files and commands of a project, for the tool calls in its sessions."""

    name: str
    code: str
    files: tuple[str, ...]
    test: str
    lint: str


@dataclass(frozen=True)
class DurableStatement:
    """A statement that is worth remembering; `text` is literally part of the turn's prompt or answer."""

    kind: str
    by: str
    turn: int
    text: str


@dataclass(frozen=True)
class CaptureTurn:
    """A prompt and the agent's last answer to it, or a compaction with the host's summary."""

    prompt: str = ""
    agent: str = ""
    compaction: str = ""
    tools: int | None = None
    failed: "dict[str, Any] | None" = None
    reverted: str = ""
    quoted: tuple[str, ...] = ()
    """The parts of the prompt that the user has quoted: mails, manuals, logs."""
    queued: bool = False
    """Whether the prompt was typed while the agent worked."""
    wrapped: str = ""
    """What the host put before the prompt, such as the selection in an editor."""


@dataclass(frozen=True)
class CaptureSession:
    """One session, as it was written by hand."""

    id: str
    host: str
    language: str
    project: str
    turns: tuple[CaptureTurn, ...]
    labels: tuple[DurableStatement, ...]
    mode: str = "default"
    """`default`, `plan` (read-only), or `print` (non-interactive)."""
    continues: str = ""
    """The id of the session that this one continues, a day later."""
    ends_early: bool = False
    fork_of: str = ""
    """The id of the session whose records this one begins with, as `/branch` copies them."""


@dataclass(frozen=True)
class Transcript:
    """The records of a transcript, and for each turn the line numbers of its prompt and its last answer."""

    records: list[Record]
    prompt_lines: dict[int, int]
    answer_lines: dict[int, int]

    def as_bytes(self) -> bytes:
        """The content of the transcript file."""
        return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in self.records)


@dataclass(frozen=True)
class ToolCall:
    """A tool call and its result."""

    kind: str
    target: str
    output: str
    fails: bool = False
    announced: str = ""
    """The agent's text before the call."""


def read_sessions() -> list[CaptureSession]:
    """All sessions, in the order of the file."""
    lines = (SESSIONS / "sessions.jsonl").read_text("utf-8").splitlines()
    return [_session(json.loads(line)) for line in lines if line]


def read_session_projects() -> dict[str, SessionProject]:
    """The projects in which the sessions take place, by name."""
    rows = json.loads((SESSIONS / "projects.json").read_text("utf-8"))
    return {row["name"]: SessionProject(**{**row, "files": tuple(row["files"])}) for row in rows}


def write_transcript(session: CaptureSession, project: SessionProject, cwd: str = "") -> Transcript:
    """The transcript of a session in the format of its host.

    `cwd` is the folder that the transcript names, by default a made-up folder.
    """
    chance = Random(session.id)
    calls = [_announce(_calls(turn, project, chance), session.language, chance) for turn in session.turns]
    renderer = {"claude-code": _Claude, "codex": _Codex, "gemini-cli": _Gemini}[session.host]

    def render() -> _Renderer:
        made = renderer(session, cwd or f"/home/dev/{session.project}", Random(session.id))
        if session.fork_of:
            made.copy(next(each for each in read_sessions() if each.id == session.fork_of), project)
        for number, turn in enumerate(session.turns):
            made.turn(number, turn, calls[number])
        return made

    rendered = render()
    while len(rendered.records) < FEWEST_RECORDS:
        calls[0].append(_call(project, chance))
        rendered = render()
    return Transcript(rendered.records, rendered.prompt_lines, rendered.answer_lines)


def _session(row: dict[str, Any]) -> CaptureSession:
    turns = tuple(CaptureTurn(**{**turn, "quoted": tuple(turn.get("quoted", ()))}) for turn in row["turns"])
    labels = tuple(DurableStatement(**label) for label in row["labels"])
    return CaptureSession(**{**row, "turns": turns, "labels": labels})


# Tool traffic

_CODE = (
    "    return self._{0}.get({1}, default)",
    "    if {0} is None or {1} < 0:",
    "        raise ValueError(f'bad {0}')",
    "    // {0} is read once and passed down",
    "    let {0} = {1}.iter().take(16);",
    "    for {0} in {1}:",
    "    {0}.apply({1}, retry=False)",
    "    const {0} = await load{1}(ctx);",
    "",
    "}}",
)
_NAMES = "batch cursor entry frame handle index item limit offset owner page period rate reader slot total zone".split()
# What agents say between calls, by language.
_ANNOUNCED = {
    "en": ("Let me look at {0} first.", "I'll check {0} next.", "Now {0}."),
    "de": ("Ich sehe mir zuerst {0} an.", "Als Nächstes prüfe ich {0}.", "Jetzt {0}."),
    "es": ("Primero miro {0}.", "Ahora reviso {0}.", "Sigo con {0}."),
    "fr": ("Je regarde d'abord {0}.", "Je vérifie maintenant {0}.", "Ensuite {0}."),
    "ja": ("まず{0}を見ます。", "次に{0}を確認します。", "続けて{0}を調べます。"),
    "ko": ("먼저 {0}부터 보겠습니다.", "다음으로 {0} 확인하겠습니다.", "이어서 {0} 살펴봅니다."),
    "tr": ("Önce {0} dosyasına bakıyorum.", "Şimdi {0} inceliyorum.", "Sırada {0} var."),
    "zh": ("先看一下{0}。", "接着检查{0}。", "再看{0}。"),
}
_FAILURES = (
    "FAILED {0}: expected {1}, got {2}\n  at line {1}\n{2} passed, 1 failed in 3.{1}s",
    "error: mismatched value in {0}\n  --> {0}:{1}:9\n   | left: {1}\n   | right: {2}\nexit status 1",
    "Error: {0} could not be loaded (code {1})\n    at step {2}\nexit code 1",
)


def _calls(turn: CaptureTurn, project: SessionProject, chance: Random) -> list[ToolCall]:
    if turn.compaction:
        return []
    wanted = turn.tools if turn.tools is not None else (chance.randint(1, 4) if len(turn.prompt) > 24 else 0)
    calls = [_call(project, chance) for _ in range(wanted)]
    if turn.reverted:
        calls.append(ToolCall("edit", turn.reverted, "The file was changed."))
        calls.append(ToolCall("shell", f"git checkout -- {turn.reverted}", "Updated 1 path from the index"))
    if turn.failed:
        for _ in range(turn.failed["times"]):
            words = (chance.choice(project.files), chance.randint(2, 90), chance.randint(2, 90))
            calls.append(ToolCall("shell", turn.failed["command"], chance.choice(_FAILURES).format(*words), fails=True))
            calls.append(ToolCall("edit", chance.choice(project.files), "The file was changed."))
        calls.append(ToolCall("shell", turn.failed["command"], f"ok, {chance.randint(20, 400)} passed"))
    return calls


def _call(project: SessionProject, chance: Random) -> ToolCall:
    file = chance.choice(project.files)
    kind = chance.choices(("read", "search", "edit", "shell"), (4, 3, 2, 3))[0]
    if kind == "read":
        return ToolCall(kind, file, "\n".join(f"{number:>5}\t{_code(chance)}" for number in range(1, _size(chance))))
    if kind == "search":
        hits = [
            f"{chance.choice(project.files)}:{chance.randint(1, 400)}:{_code(chance)}" for _ in range(_size(chance))
        ]
        return ToolCall(kind, chance.choice(_NAMES), "\n".join(hits))
    if kind == "edit":
        return ToolCall(kind, file, "The file was changed.")
    command = chance.choice((project.test, project.lint, "git status --short", "git diff --stat", f"wc -l {file}"))
    return ToolCall(
        kind, command, "\n".join(f" {chance.choice(project.files)} | {chance.randint(1, 60)} ++-" for _ in range(3))
    )


def _announce(calls: list[ToolCall], language: str, chance: Random) -> list[ToolCall]:
    """Put a sentence of the agent before some of the calls, chosen at random."""
    return [
        replace(call, announced=chance.choice(_ANNOUNCED[language]).format(f"`{call.target}`"))
        if chance.random() < ANNOUNCED_SHARE
        else call
        for call in calls
    ]


def _size(chance: Random) -> int:
    return chance.choice((6, 14, 30, 60))


def _code(chance: Random) -> str:
    return chance.choice(_CODE).format(chance.choice(_NAMES), chance.choice(_NAMES))


def _edit(chance: Random) -> tuple[str, str]:
    old, name, new = chance.sample(_NAMES, 3)
    return f"    {old} = {name}", f"    {old} = {name} or {new}"


# Hosts

_CONTINUED = "This session is being continued from a previous conversation that ran out of context."


@dataclass
class _Renderer:
    session: CaptureSession
    cwd: str
    chance: Random
    records: list[Record] = field(default_factory=list)
    prompt_lines: dict[int, int] = field(default_factory=dict)
    answer_lines: dict[int, int] = field(default_factory=dict)
    now: datetime = FIRST_DAY

    def __post_init__(self) -> None:
        self.session_id = self.name(self.session.id)
        # A session that continues another session takes place a day later than that session.
        day = Random(self.session.continues or self.session.id)
        self.now += timedelta(days=day.randint(0, 60) + bool(self.session.continues), minutes=day.randint(0, 500))
        self.start()

    def name(self, key: object) -> str:
        """An identifier for `key`, which is the same on each run."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session.id}/{key}"))

    def time(self) -> str:
        """The time of the next record; it is later than the time of the record before."""
        self.now += timedelta(seconds=self.chance.randint(1, 40), milliseconds=self.chance.randint(0, 999))
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def start(self) -> None:
        raise NotImplementedError

    def copy(self, first: CaptureSession, project: SessionProject) -> None:
        """Begin with the records of another session of the host, marked as copies."""
        for number, record in enumerate(write_transcript(first, project, self.cwd).records):
            mark = {"sessionId": record["sessionId"], "messageUuid": record.get("uuid", str(number))}
            self.records.append({**record, "sessionId": self.session_id, "forkedFrom": mark})

    def turn(self, number: int, turn: CaptureTurn, calls: list[ToolCall]) -> None:
        raise NotImplementedError


class _Claude(_Renderer):
    parent: "str | None" = None

    def start(self) -> None:
        self.records.append({"type": "queue-operation", "operation": "enqueue", "sessionId": self.session_id})

    def add(self, kind: str, **members: object) -> None:
        key = self.name(len(self.records))
        mode = "plan" if self.session.mode == "plan" else "default"
        self.records.append(
            {
                "parentUuid": self.parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": self.cwd,
                "sessionId": self.session_id,
                "version": "2.1.329",
                "gitBranch": "main",
                "entrypoint": "sdk-cli" if self.session.mode == "print" else "cli",
                "type": kind,
                **({"permissionMode": mode} if kind == "user" else {}),
                **members,
                "uuid": key,
                "timestamp": self.time(),
            }
        )
        self.parent = key

    def says(self, turn: int, message: int, block: Record) -> None:
        body = {"id": f"msg_{turn:03}{message:03}", "type": "message", "role": "assistant", "model": "claude-opus-5-5"}
        self.add("assistant", message={**body, "content": [block], "usage": {"input_tokens": 4, "output_tokens": 90}})

    def turn(self, number: int, turn: CaptureTurn, calls: list[ToolCall]) -> None:
        if turn.compaction:
            self.add("system", subtype="compact_boundary", content="Conversation compacted", isMeta=False)
            text = f"{_CONTINUED}\n\nSummary:\n{turn.compaction}"
            self.add("user", isCompactSummary=True, message={"role": "user", "content": text})
            return
        self.prompt_lines[number] = len(self.records)
        content = turn.prompt
        if content.startswith("/"):
            name, _, rest = content.partition(" ")
            message = f"<command-message>{name[1:]}</command-message>"
            content = f"<command-name>{name}</command-name>\n{message}\n<command-args>{rest}</command-args>"
        if turn.queued:
            self.add("attachment", attachment={"type": "queued_command", "prompt": content, "commandMode": "prompt"})
        else:
            content = f"{turn.wrapped}{content}"
            self.add("user", promptId=self.name(f"prompt {number}"), message={"role": "user", "content": content})
        self.add("attachment", attachment={"type": "hook_success", "hookName": "UserPromptSubmit", "rendered": ""})
        for step, call in enumerate(calls):
            if step % 3 == 0:
                self.says(
                    number, step, {"type": "thinking", "thinking": "", "signature": self.name(f"{number}.{step}")}
                )
            if call.announced:
                self.says(number, step, {"type": "text", "text": call.announced})
            key = f"toolu_{number:02}{step:03}"
            tool, given = self.tool(call)
            self.says(number, step, {"type": "tool_use", "id": key, "name": tool, "input": given})
            result = {"type": "tool_result", "tool_use_id": key, "content": call.output, "is_error": call.fails}
            outcome = f"Error: Exit code 1\n{call.output}" if call.fails else {"stdout": call.output, "stderr": ""}
            self.add("user", message={"role": "user", "content": [result]}, toolUseResult=outcome)
        self.answer_lines[number] = len(self.records)
        self.says(number, 999, {"type": "text", "text": turn.agent})
        self.add("system", subtype="stop_hook_summary", hookCount=1, preventedContinuation=False)

    def tool(self, call: ToolCall) -> tuple[str, Record]:
        if call.kind == "read":
            return "Read", {"file_path": f"{self.cwd}/{call.target}"}
        if call.kind == "search":
            return "Grep", {"pattern": call.target, "output_mode": "content"}
        if call.kind == "edit":
            old, new = _edit(self.chance)
            return "Edit", {"file_path": f"{self.cwd}/{call.target}", "old_string": old, "new_string": new}
        return "Bash", {"command": call.target, "description": "Run a command"}


class _Codex(_Renderer):
    def start(self) -> None:
        is_print = self.session.mode == "print"
        origin = {"originator": "codex_exec" if is_print else "codex_cli_rs", "source": "exec" if is_print else "cli"}
        self.add(
            "session_meta", id=self.session_id, timestamp=self.time(), cwd=self.cwd, cli_version="0.169.0", **origin
        )
        self.message("developer", "<permissions instructions>Filesystem sandboxing is on.</permissions instructions>")
        self.message(
            "user", f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>"
        )

    def add(self, record: str, **payload: object) -> None:
        self.records.append({"timestamp": self.time(), "type": record, "payload": payload})

    def message(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.add("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    def turn(self, number: int, turn: CaptureTurn, calls: list[ToolCall]) -> None:
        if turn.compaction:
            self.add("compacted", message=turn.compaction)
            return
        policy = "read-only" if self.session.mode == "plan" else "workspace-write"
        plan = {"collaboration_mode": {"mode": "plan" if self.session.mode == "plan" else "default"}}
        context = {
            "approval_policy": "never" if self.session.mode == "print" else "on-request",
            "model": "gpt-5.5-codex",
        }
        self.add("turn_context", cwd=self.cwd, sandbox_policy={"type": policy}, **context, **plan)
        self.prompt_lines[number] = len(self.records)
        self.message("user", turn.prompt)
        self.add("event_msg", type="user_message", message=turn.prompt, images=[])
        for step, call in enumerate(calls):
            if step % 3 == 0:
                self.add("response_item", type="reasoning", summary=[], encrypted_content=self.name(f"{number}.{step}"))
            if call.announced:
                self.add("event_msg", type="agent_message", message=call.announced)
                self.message("assistant", call.announced)
            key = f"call_{number:02}{step:03}"
            if call.kind == "edit":
                old, new = _edit(self.chance)
                patch = f"*** Begin Patch\n*** Update File: {call.target}\n@@\n-{old}\n+{new}\n*** End Patch"
                self.add("response_item", type="custom_tool_call", name="apply_patch", call_id=key, input=patch)
                self.add("response_item", type="custom_tool_call_output", call_id=key, output=call.output)
                continue
            given = json.dumps({"cmd": self.command(call), "workdir": self.cwd})
            self.add("response_item", type="function_call", name="exec_command", arguments=given, call_id=key)
            output = f"Process exited with code {int(call.fails)}\nOutput:\n{call.output}"
            self.add("response_item", type="function_call_output", call_id=key, output=output)
        self.add("event_msg", type="agent_message", message=turn.agent)
        self.answer_lines[number] = len(self.records)
        self.message("assistant", turn.agent)
        self.add("event_msg", type="token_count", info={"total_token_usage": {"total_tokens": 1000 * (number + 1)}})

    @staticmethod
    def command(call: ToolCall) -> str:
        return {"read": f"sed -n '1,80p' {call.target}", "search": f"rg -n {call.target}"}.get(call.kind, call.target)


class _Gemini(_Renderer):
    def start(self) -> None:
        now = self.time()
        first = {
            "sessionId": self.session_id,
            "projectHash": self.name("project"),
            "startTime": now,
            "lastUpdated": now,
        }
        self.records.append({**first, "kind": "main"})

    def add(self, kind: str, key: str, **members: object) -> None:
        self.records.append({"id": self.name(key), "timestamp": self.time(), "type": kind, **members})

    def turn(self, number: int, turn: CaptureTurn, calls: list[ToolCall]) -> None:
        if turn.compaction:
            self.add("info", f"compaction {number}", content="Chat history compressed from 612000 to 81000 tokens.")
            self.records.append({"$set": {"summary": turn.compaction, "lastUpdated": self.time()}})
            return
        self.prompt_lines[number] = len(self.records)
        self.add("user", f"prompt {number}", content=[{"text": turn.prompt}])
        self.records.append({"$set": {"lastUpdated": self.time()}})
        for step, call in enumerate(calls):
            name, given = self.tool(call)
            key = f"{name}-{number}-{step}"
            members = {
                "content": call.announced,
                "thoughts": [],
                "model": "gemini-2.5-pro",
                "tokens": {"total": 900 + step},
            }
            waiting = {"id": key, "name": name, "args": given, "status": "executing", "timestamp": self.time()}
            answer = [{"functionResponse": {"id": key, "name": name, "response": {"output": call.output}}}]
            finished = {**waiting, "status": "error" if call.fails else "success", "result": answer}
            # The host writes a growing message again with the same id, so the last line with an id counts.
            self.add("gemini", f"call {number} {step}", **members, toolCalls=[waiting])
            self.add("gemini", f"call {number} {step}", **members, toolCalls=[finished])
        self.answer_lines[number] = len(self.records)
        self.add("gemini", f"answer {number}", content=turn.agent, thoughts=[], model="gemini-2.5-pro")
        self.records.append({"$set": {"lastUpdated": self.time()}})

    def tool(self, call: ToolCall) -> tuple[str, Record]:
        if call.kind == "read":
            return "read_file", {"file_path": f"{self.cwd}/{call.target}"}
        if call.kind == "search":
            return "search_file_content", {"pattern": call.target}
        if call.kind == "edit":
            old, new = _edit(self.chance)
            return "replace", {"file_path": f"{self.cwd}/{call.target}", "old_string": old, "new_string": new}
        return "run_shell_command", {"command": call.target}
