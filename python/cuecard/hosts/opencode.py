"""OpenCode: a plugin in JavaScript that asks the hook and adds a part to the message (reference: host protocols, 3).

Measured in 1.18.33: the part follows the prompt in the user's message and is saved with the session. It is sent
to the agent, but not to the model that writes the title, because that request leaves out ignored parts. OpenCode
has a second plugin interface, which is not used here.
"""

from pathlib import Path

from .host import OwnFileHost
from .host_environment import HostEnvironment, Scope

_CALL = "const command = "
_PLUGIN = """\
MARK
import { spawn } from "node:child_process"

COMMAND
const MILLISECONDS = 5000

// The prefix of the parts that are ours.
const PART = "prt_cuecard-"
const isOurs = (part) => String(part.id).startsWith(PART)

// What the hook prints; nothing where anything is wrong.
const ask = (payload, words = command) =>
  new Promise((resolve) => {
    const hook = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"], timeout: MILLISECONDS })
    const chunks = []
    hook.stdout.on("data", (chunk) => chunks.push(chunk))
    hook.on("error", () => resolve(""))
    hook.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks).toString("utf8") : ""))
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(payload))
  })

export const Cuecard = async ({ directory }) => ({
  "chat.message": async (input, output) => {
    // This plugin may be loaded twice: for the user, and for the project.
    if (output.parts.some(isOurs)) return
    const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
    const prompt = typed.map((part) => part.text).join("\\n")
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
  "experimental.chat.messages.transform": async (_input, output) => {
    // Copies: the messages themselves are in other hands too.
    output.messages.forEach((message, place) => {
      if (!message.parts.some(isOurs)) return
      const parts = message.parts.map((part) => (isOurs(part) ? { ...part, ignored: false } : part))
      output.messages[place] = { ...message, parts }
    })
  },
  event: async ({ event }) => {
    if (event.type !== "session.compacted") return
    const payload = { hook_event_name: "PostCompact", session_id: event.properties.sessionID, cwd: directory }
    await ask(payload, [...command.slice(0, command.lastIndexOf("prompt")), "session"])
  },
})
"""


class OpenCode(OwnFileHost):
    """OpenCode."""

    name, title, injection = "opencode", "OpenCode", "yes"
    programs = ("opencode",)
    promises = ("restart OpenCode, which loads its plugins at the start",)
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

        # A list in JSON is also valid JavaScript.
        command = json.dumps([*hook, "prompt", "--host", self.name])
        return _PLUGIN.replace("MARK", self.mark).replace("COMMAND", _CALL + command)

    def words(self, text: str) -> list[str]:
        import json

        for line in text.splitlines():
            if line.startswith(_CALL):
                try:
                    found = json.loads(line[len(_CALL) :])
                except ValueError:
                    break
                return found if isinstance(found, list) and all(isinstance(word, str) for word in found) else []
        return []
