"""OpenCode: a plugin in JavaScript that asks the hook and adds a part to the message (reference: host protocols, 3).

When the agent in a terminal has finished its turn, the plugin gives the hook the new messages in the form of a
transcript of Claude Code. If the hook answers with a request to the agent, the plugin submits the request.

Measured in 1.18.33: the part follows the prompt in the user's message and is saved with the session. It is sent
to the agent, but not to the model that writes the title, because that request leaves out ignored parts. OpenCode
has a second plugin interface, which is not used here.
"""

from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..host_file import SCRIPT_COMMAND, OwnFileHost

_PLUGIN = """\
MARK
import { spawn, spawnSync } from "node:child_process"

COMMAND
const MILLISECONDS = 5000
// The stop hook writes files; no prompt waits for it, so it gets more time.
const STOP_MILLISECONDS = 10000

// The prefix of the parts that are ours.
const PART = "prt_cuecard-"
const isOurs = (part) => String(part.id).startsWith(PART)

// The command for another event.
const commandFor = (event) => [...command.slice(0, command.lastIndexOf("prompt")), event, "--host", "HOST"]

// The tools that change files or run commands, and those that touch a file too.
const WRITING = ["apply_patch", "bash", "edit", "multiedit", "patch", "write"]
const TOUCHING = [...WRITING, "read"]

// Only a terminal of OpenCode has a user who reads the answers: `opencode run` and a server answer programs.
const isTerminal = /[/\\\\]cli[/\\\\]tui[/\\\\]worker[.]js$/.test(process.argv[1] ?? "")
const REQUEST = "cuecard: before you stop, "
// The hook reads a payload of at most 8 MiB; these keep one far below it.
const MAX_TEXT = 20000
const MAX_RESULT = 2000
const MAX_LINES = 400000

// The records of a message, in the form of a transcript of Claude Code.
const recordsOf = ({ info, parts }) => {
  const records = []
  const add = (role, content) => records.push({ type: role, message: { role, content } })
  if (info.role === "user") {
    if (parts.some((part) => part.type === "compaction")) records.push({ type: "system", subtype: "compact_boundary" })
    const typed = parts.filter((part) => part.type === "text" && !part.synthetic && !isOurs(part))
    add("user", typed.map((part) => part.text).join("\\n").slice(0, MAX_TEXT))
    return records
  }
  for (const part of info.summary ? [] : parts) {
    if (part.type === "text" && !part.synthetic) add("assistant", [{ type: "text", text: part.text.slice(-MAX_TEXT) }])
    if (part.type !== "tool") continue
    const { input = {}, output = "", error = "", metadata = {}, status } = part.state
    const file = { file_path: input.filePath }
    const name = { bash: "Bash", edit: "Edit", write: "Write" }[part.tool] ?? part.tool
    const edit = { ...file, old_string: input.oldString, new_string: input.newString }
    const given = part.tool === "bash" ? { command: input.command } : edit
    add("assistant", [{ type: "tool_use", id: part.callID, name, input: given }])
    const hasFailed = status === "error" || (metadata.exit ?? 0) !== 0
    const content = String(output || error).slice(0, MAX_RESULT)
    add("user", [{ type: "tool_result", tool_use_id: part.callID, is_error: hasFailed, content }])
  }
  return records
}

// The lines of messages, the bytes that they have, and those of all lines behind them. What was typed is never dropped.
const linesOf = (messages, sent) => {
  const lines = messages.flatMap(recordsOf).map((record) => {
    const text = JSON.stringify(record) + "\\n"
    return { text, bytes: Buffer.byteLength(text), isTyped: typeof record.message?.content === "string" }
  })
  const all = lines.reduce((sum, { bytes }) => sum + bytes, 0)
  let size = all
  const kept = lines.filter(({ bytes, isTyped }) => {
    const isDropped = !isTyped && size > MAX_LINES
    if (isDropped) size -= bytes
    return !isDropped
  })
  return { lines: kept.map(({ text }) => text).join(""), size, end: sent + all }
}

// What the hook prints; undefined where it fails.
const ask = (payload, words = command, timeout = MILLISECONDS) =>
  new Promise((resolve) => {
    const hook = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout })
    const chunks = []
    hook.stdout.on("data", (chunk) => chunks.push(chunk))
    hook.on("error", () => resolve(undefined))
    hook.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined))
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(payload))
  })

export const Cuecard = async ({ client, directory }) => {
  // What the hook answers to the event of a tool.
  const askOfTool = async (event, name, input, given, more = {}) => {
    const about = { hook_event_name: name, tool_name: input.tool, tool_input: given, ...more }
    const printed = await ask({ ...about, session_id: input.sessionID, cwd: directory }, commandFor(event))
    try {
      return printed && JSON.parse(printed).hookSpecificOutput
    } catch {
      // The hook never hurts.
    }
  }

  // The sessions in which something was typed here: where that begins, and what of it the hook has been sent.
  const sessions = new Map()

  const stop = async (id) => {
    const session = sessions.get(id)
    if (!session || session.isBusy) return
    session.isBusy = true
    try {
      const { data: about } = await client.session.get({ path: { id } })
      const { data: messages } = await client.session.messages({ path: { id } })
      // A session of a subagent; the session that has called it stops too.
      if (!about || about.parentID || !messages) return
      const fresh = messages.filter(({ info }) => info.id >= session.first && info.id > session.last)
      if (!fresh.length) return
      const { lines, size, end } = linesOf(fresh, session.sent)
      const agent = messages.findLast(({ info }) => info.role === "user")?.info.agent
      const printed = await ask(
        {
          hook_event_name: "Stop",
          session_id: id,
          cwd: directory,
          // No file: each terminal counts the lines that it sends from 0.
          transcript_path: `${id}-${process.pid}.jsonl`,
          transcript_start: end - size,
          transcript_lines: lines,
          permission_mode: agent === "plan" ? "plan" : "default",
          stop_hook_active: session.isAsked,
          last_assistant_message: fresh.findLast(({ info }) => info.role === "assistant" && !info.summary)
            ?.parts.findLast((part) => part.type === "text")?.text,
        },
        commandFor("stop"),
        STOP_MILLISECONDS,
      )
      // What a failed hook was sent, the next stop sends again.
      if (printed === undefined) return
      session.last = fresh.at(-1).info.id
      session.sent = end
      session.isAsked = false
      const reason = printed && JSON.parse(printed).reason
      if (!reason) return
      session.isAsked = true
      await client.session.promptAsync({ path: { id }, body: { agent, parts: [{ type: "text", text: reason }] } })
    } catch {
      // The hook never hurts.
    } finally {
      session.isBusy = false
    }
  }

  return {
    "chat.message": async (input, output) => {
      // This plugin may be loaded twice: for the user, and for the project.
      if (output.parts.some(isOurs)) return
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\\n")
      if (prompt.startsWith(REQUEST)) return
      if (isTerminal && !sessions.has(input.sessionID)) {
        const nothing = { last: "", sent: 0, isAsked: false, isBusy: false }
        sessions.set(input.sessionID, { first: output.message.id, ...nothing })
      }
      const block = await ask({ prompt, cwd: directory, session_id: input.sessionID })
      if (!block) return
      output.parts.push({
        id: `${PART}${Date.now()}`,
        sessionID: input.sessionID,
        messageID: output.message.id,
        type: "text",
        text: block.trimEnd(),
        synthetic: true,
        // So it is no part of the request for a title; what the agent is sent has it, see below.
        ignored: true,
      })
    },
    "tool.execute.before": async (input, output) => {
      if (!WRITING.includes(input.tool) || !output.args) return
      const answer = await askOfTool("guard", "PreToolUse", input, output.args)
      if (answer?.permissionDecision === "deny") throw new Error(answer.permissionDecisionReason)
    },
    "tool.execute.after": async (input, output) => {
      if (!TOUCHING.includes(input.tool) || !input.args || typeof output.output !== "string") return
      const asked = [["tool-context", "PostToolUse"]]
      if (WRITING.includes(input.tool)) asked.push(["validate", "PostToolUse"])
      const hasFailed = input.tool === "bash" && (output.metadata?.exit ?? 0) !== 0
      if (hasFailed) asked.push(["tool-context", "PostToolUseFailure"])
      const error = output.output.slice(-MAX_TEXT)
      for (const [event, name] of asked) {
        const answer = await askOfTool(event, name, input, input.args, { error })
        if (answer?.additionalContext) output.output += `\\n\\n${answer.additionalContext}`
      }
    },
    "experimental.chat.messages.transform": async (_input, output) => {
      // Copies: the messages themselves are in other hands too.
      output.messages.forEach((message, place) => {
        if (!message.parts.some(isOurs)) return
        const parts = message.parts.map((part) => (isOurs(part) ? { ...part, ignored: false } : part))
        output.messages[place] = { ...message, parts }
      })
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") return stop(event.properties.sessionID)
      if (event.type !== "session.compacted") return
      const payload = { hook_event_name: "PostCompact", session_id: event.properties.sessionID, cwd: directory }
      await ask(payload, commandFor("session"))
    },
    dispose: async () => {
      for (const session_id of sessions.keys()) {
        const [program, ...words] = commandFor("session")
        const input = JSON.stringify({ hook_event_name: "SessionEnd", session_id, cwd: directory })
        spawnSync(program, words, { input, stdio: ["pipe", "ignore", "ignore"], timeout: MILLISECONDS })
      }
    },
  }
}
"""


class OpenCode(OwnFileHost):
    """OpenCode."""

    name, title = "opencode", "OpenCode"
    programs = ("opencode",)
    promises = (
        "restart OpenCode, which loads its plugins at the start; for any plugin it first installs a package of its "
        "own, and without a network its first prompt waits over a minute for that",
    )
    mark = "// Written by `cuecard install opencode`, taken away by `cuecard uninstall opencode`."

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        if scope == "project":
            return environment.project / ".opencode"
        settings = environment.folder("XDG_CONFIG_HOME", ".config") / "opencode"
        return (
            environment.folder("OPENCODE_CONFIG_DIR")
            if environment.variables.get("OPENCODE_CONFIG_DIR", "").strip()
            else settings
        )

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "plugins" / "cuecard.js"

    def content(self, hook: list[str], environment: HostEnvironment) -> str:
        import json

        command = json.dumps([*hook, "prompt", "--host", self.name])
        return (
            _PLUGIN.replace("MARK", self.mark).replace("COMMAND", SCRIPT_COMMAND + command).replace("HOST", self.name)
        )

    def words(self, text: str) -> list[str]:
        return self.find_command(text)
