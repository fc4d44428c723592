"""pi: an extension in TypeScript that asks the hook (measured in 1.6.0 of `@earendil-works/pi-coding-agent`)."""

import json
from pathlib import Path

from ..host_environment import HostEnvironment, Scope
from ..host_file import SCRIPT_COMMAND, OwnFileHost

_EXTENSION = """\
MARK
import { spawnSync } from "node:child_process"

COMMAND
const MILLISECONDS = 5000
const hook = command.slice(0, command.lastIndexOf("prompt"))
const TOUCHING = ["bash", "edit", "read", "write"]

// What the hook prints; nothing where anything is wrong.
const ask = (event: string, payload: object): string => {
  const [program, ...words] = [...hook, event, "--host", "pi"]
  const input = JSON.stringify(payload)
  const ran = spawnSync(program, words, { input, timeout: MILLISECONDS, encoding: "utf8" })
  return ran.status === 0 ? ran.stdout : ""
}
const read = (printed: string) => {
  try {
    return printed ? JSON.parse(printed).hookSpecificOutput : undefined
  } catch {
    return undefined
  }
}

export default function (pi: any) {
  const about = (ctx: any) => ({ cwd: ctx.cwd, session_id: ctx.sessionManager?.getSessionId?.() })
  const ofTool = (name: string, event: any) =>
    ({ hook_event_name: name, tool_name: event.toolName, tool_input: event.input })

  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const block = ask("prompt", { prompt: event.prompt, ...about(ctx) })
    if (block) return { message: { customType: "cuecard", content: block.trimEnd(), display: true } }
  })
  pi.on("session_compact", async (_event: any, ctx: any) => {
    ask("session", { hook_event_name: "PostCompact", ...about(ctx) })
  })
  pi.on("tool_call", async (event: any, ctx: any) => {
    if (!TOUCHING.includes(event.toolName) || event.toolName === "read") return
    const answer = read(ask("guard", { ...ofTool("PreToolUse", event), ...about(ctx) }))
    if (answer?.permissionDecision === "deny") return { block: true, reason: answer.permissionDecisionReason }
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    if (!TOUCHING.includes(event.toolName)) return
    const said = event.content.filter((part: any) => part.type === "text").map((part: any) => part.text)
    const names = event.isError ? ["PostToolUse", "PostToolUseFailure"] : ["PostToolUse"]
    const asked = names.map((name) => ["tool-context", name])
    if (event.toolName !== "read") asked.push(["validate", "PostToolUse"])
    const found = asked.map(([verb, name]) =>
      read(ask(verb, { ...ofTool(name, event), ...about(ctx), error: said.join("\\n") }))?.additionalContext)
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
