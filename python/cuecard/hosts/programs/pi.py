"""pi: an extension in JavaScript that asks the hook (measured in 1.6.0 of `@earendil-works/pi-coding-agent`).

In a terminal, the extension keeps what was typed and done in the form of a transcript of Claude Code, because the file
of a session does not tell what was typed from what an extension or a template has written. It gives the hook the new
lines before the agent settles, and lets the agent go on with the request that the hook answers with.
"""

import json
from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..host_file import SCRIPT_COMMAND, OwnFileHost

_EXTENSION = """\
MARK
import { spawn } from "node:child_process"

COMMAND
const MILLISECONDS = 5000
// The stop hook writes files; no prompt waits for it, so it gets more time.
const STOP_MILLISECONDS = 10000
const hook = command.slice(0, command.lastIndexOf("prompt"))
const TOUCHING = ["bash", "edit", "read", "write"]
// The hook reads a payload of at most 8 MiB; these keep one far below it.
const MAX_TEXT = 20000
const MAX_RESULT = 2000
const MAX_LINES = 400000
// What `pi @FILE` puts in front of a prompt.
const FILES = /^(<file name="[^"]*">[\\s\\S]*?<[/]file>\\n?)+/

// What the hook prints; undefined where it fails.
const ask = (event, payload, timeout = MILLISECONDS) =>
  new Promise((resolve) => {
    const [program, ...words] = [...hook, event, "--host", "pi"]
    const ran = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout })
    const chunks = []
    ran.stdout.on("data", (chunk) => chunks.push(chunk))
    ran.on("error", () => resolve(undefined))
    ran.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks).toString("utf8") : undefined))
    ran.stdin.on("error", () => {})
    ran.stdin.end(JSON.stringify(payload))
  })
const read = (printed) => {
  try {
    return printed ? JSON.parse(printed) : undefined
  } catch {
    return undefined
  }
}
const partsOf = (content, type) => (Array.isArray(content) ? content.filter((part) => part?.type === type) : [])
const textOf = (content) =>
  typeof content === "string" ? content : partsOf(content, "text").map((part) => part.text).join("\\n")

// A tool call in the form of Claude Code.
const callOf = ({ id, name, arguments: given }) => {
  const short = (text) => (typeof text === "string" ? text.slice(0, MAX_TEXT) : undefined)
  const file = { file_path: short(given?.path), content: short(given?.content) }
  const { oldText, newText } = (Array.isArray(given?.edits) ? given.edits[0] : undefined) ?? {}
  const edit = { ...file, old_string: short(oldText), new_string: short(newText) }
  const bash = { command: short(given?.command) }
  const known = { bash: ["Bash", bash], edit: ["Edit", edit], read: ["Read", file], write: ["Write", file] }
  const [called, input] = Object.hasOwn(known, name) ? known[name] : [name, { id: short(given?.id) }]
  return { type: "tool_use", id, name: called, input }
}

export default function (pi) {
  // What was typed and done since the last stop, as lines of a transcript of Claude Code with their sizes.
  let lines = []
  let size = 0
  // The bytes of all lines since the start, those that were dropped or sent included.
  let end = 0
  let isAsked = false
  let source = "user"
  const began = Date.now()
  const record = (line, isTyped = false) => {
    const text = JSON.stringify(line) + "\\n"
    const bytes = Buffer.byteLength(text)
    if (bytes > MAX_LINES && !isTyped) return
    lines.push({ text, bytes, isTyped })
    size += bytes
    end += bytes
    // What was typed is never dropped.
    while (size > MAX_LINES) {
      const oldest = lines.findIndex((each) => !each.isTyped)
      if (oldest < 0) break
      size -= lines.splice(oldest, 1)[0].bytes
    }
  }
  const add = (role, content) => record({ type: role, message: { role, content } }, typeof content === "string")
  // Gives the hook the lines, which are kept until it has them. No file has them: each start of this extension counts
  // them from 0.
  const handOver = async (ctx, verb, payload, timeout) => {
    const given = new Set(lines)
    const transcript_lines = lines.map((line) => line.text).join("")
    const transcript_path = `${ctx.sessionManager?.getSessionId?.()}-${began}.jsonl`
    const sent = { ...payload, transcript_path, transcript_start: end - size, transcript_lines, ...about(ctx) }
    const printed = await ask(verb, sent, timeout)
    if (printed === undefined) return
    lines = lines.filter((line) => !given.has(line))
    size = lines.reduce((sum, { bytes }) => sum + bytes, 0)
    return printed
  }
  const about = (ctx) => ({ cwd: ctx.cwd, session_id: ctx.sessionManager?.getSessionId?.() })
  const ofTool = (name, event) =>
    ({ hook_event_name: name, tool_name: event.toolName, tool_input: event.input })

  pi.on("input", async (event, ctx) => {
    source = event.source === "interactive" ? "user" : "sdk"
    // Only a terminal has a user who reads the answers.
    if (ctx.mode === "tui" && source === "user") add("user", event.text.replace(FILES, "").slice(0, MAX_TEXT))
  })
  pi.on("before_agent_start", async (event, ctx) => {
    if (typeof event.prompt !== "string") return
    const block = await ask("prompt", { prompt: event.prompt, source, ...about(ctx) })
    if (block) return { message: { customType: "cuecard", content: block.trimEnd(), display: true } }
  })
  pi.on("message_end", async ({ message }, ctx) => {
    if (ctx.mode !== "tui") return
    if (message.role === "assistant") {
      const said = textOf(message.content)
      const calls = partsOf(message.content, "toolCall").map(callOf)
      add("assistant", [...(said ? [{ type: "text", text: said.slice(-MAX_TEXT) }] : []), ...calls])
    } else if (message.role === "toolResult") {
      const content = textOf(message.content).slice(0, MAX_RESULT)
      add("user", [{ type: "tool_result", tool_use_id: message.toolCallId, is_error: message.isError, content }])
    }
  })
  pi.on("session_compact", async (_event, ctx) => {
    if (ctx.mode === "tui") record({ type: "system", subtype: "compact_boundary" })
    await ask("session", { hook_event_name: "PostCompact", ...about(ctx) })
  })
  pi.on("agent_before_settle", async (event, ctx) => {
    if (ctx.mode !== "tui" || !lines.length) return
    const stop = { hook_event_name: "Stop", stop_hook_active: isAsked }
    const reason = read(await handOver(ctx, "stop", stop, STOP_MILLISECONDS))?.reason
    isAsked = Boolean(reason)
    if (!reason) return
    const asked = { type: "custom_message", customType: "cuecard", content: reason, display: true }
    return { entries: [...(event.entries ?? []), asked], continue: true }
  })
  pi.on("agent_settled", async (event, ctx) => {
    if (ctx.mode === "tui" && event.aborted) add("user", "[Request interrupted by user]")
  })
  pi.on("session_shutdown", async (_event, ctx) => {
    if (ctx.mode === "tui") await handOver(ctx, "session", { hook_event_name: "SessionEnd" })
  })
  pi.on("tool_call", async (event, ctx) => {
    if (!TOUCHING.includes(event.toolName) || event.toolName === "read") return
    const answer = read(await ask("guard", { ...ofTool("PreToolUse", event), ...about(ctx) }))?.hookSpecificOutput
    if (answer?.permissionDecision === "deny") return { block: true, reason: answer.permissionDecisionReason }
  })
  pi.on("tool_result", async (event, ctx) => {
    if (!TOUCHING.includes(event.toolName)) return
    const asked = [["tool-context", "PostToolUse"]]
    if (event.isError) asked.push(["tool-context", "PostToolUseFailure"])
    if (event.toolName !== "read") asked.push(["validate", "PostToolUse"])
    const found = []
    for (const [verb, name] of asked) {
      const printed = await ask(verb, { ...ofTool(name, event), ...about(ctx), error: textOf(event.content) })
      found.push(read(printed)?.hookSpecificOutput?.additionalContext)
    }
    const context = found.filter(Boolean).join("\\n\\n")
    if (context) return { content: [...event.content, { type: "text", text: context }] }
  })
}
"""


class Pi(OwnFileHost):
    """pi."""

    name, title = "pi", "pi"
    programs = ("pi",)
    mark = "// Written by `cuecard install pi`, taken away by `cuecard uninstall pi`."

    def folder(self, scope: Scope, environment: HostEnvironment) -> Path:
        return environment.home / ".pi" / "agent" if scope == "user" else environment.project / ".pi"

    def file(self, scope: Scope, environment: HostEnvironment) -> Path:
        return self.folder(scope, environment) / "extensions" / "cuecard.ts"

    def content(self, hook: list[str], environment: HostEnvironment) -> str:
        command = json.dumps([*hook, "prompt", "--host", self.name])
        return _EXTENSION.replace("MARK", self.mark).replace("COMMAND", SCRIPT_COMMAND + command)

    def words(self, text: str) -> list[str]:
        return self.find_command(text)
