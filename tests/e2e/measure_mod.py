#!/usr/bin/env python3
"""How long a prompt waits with the mod, and with the settings hook alone: two real clients in terminals, asked in turn.

    measure_mod.py [ROUNDS]

Both clients live at once, each with a stub of its own, and the order within a round is random. What is measured is the
time from the Enter key to the arrival of the request with the prompt. Printed are the medians and their ratio. The first
rounds are not counted. Needs tmux and an installed cuecard.
"""

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools")]
import cc_screen
import cc_session
import cc_terminal
import mod_session
import stub_messages_api as stub

WARM = 3
PROMPTS = [
    f"{how} {what}?"
    for how in ("how do we", "why do we", "what do we know about how to")
    for what in (
        "retry payments",
        "refund a customer who was charged twice",
        "restore the database",
        "rotate the key of the gateway",
        "deploy a version",
        "store amounts of money",
        "keep invoices",
        "reserve stock",
    )
]


class Client:
    """A client in a terminal, and the moment at which its last request came."""

    def __init__(self, name, folder, home, project, plugin):
        self.name, self.waits, self.has_block = name, [], 0
        self.arrived = threading.Event()
        out = folder / name
        for part in ("t", "requests"):
            (out / part).mkdir(parents=True)
        server = stub.make_server(str(out / "requests"), [], "ok", str(project))
        client = self

        class Handler(server.RequestHandlerClass):
            def _read(self):
                at = time.perf_counter()
                body, raw = super()._read()
                if isinstance(body, dict) and body.get("tools"):
                    client.at = at
                    client.has_block += "<memory-context" in json.dumps(body["messages"][-2:])
                    client.arrived.set()
                return body, raw

        server.RequestHandlerClass = Handler
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        env = cc_session.clean_env(str(home), str(out / "t"), {"ANTHROPIC_BASE_URL": url, "TERM": "xterm-256color"})
        cc_terminal.settle_in(str(home), str(project), env["ANTHROPIC_API_KEY"])
        spec = {"out": str(out), "home": str(home), "project": str(project), "size": [110, 34]}
        command = [cc_session.client_path(), "--plugin-dir", str(plugin)]
        self.terminal = cc_screen.Tmux(spec, command, env)

    def ask(self, prompt):
        self.terminal.run("send-keys", "-l", prompt)
        self.terminal.wait(re.escape(prompt.strip()[-12:]))
        self.arrived.clear()
        begin = time.perf_counter()
        self.terminal.run("send-keys", "Enter")
        if not self.arrived.wait(60):
            raise SystemExit(f"{self.name}: no request came\n{self.terminal.screen()}")
        self.terminal.rest()
        return self.at - begin


def main(rounds):
    cc_session.loopback_up()
    with tempfile.TemporaryDirectory(prefix="cuecard-mod-") as scratch:
        folder = Path(scratch)
        home, project = mod_session.prepare(folder)
        clients = []
        for name in ("hook", "mod"):
            plugin = mod_session.copy_plugin(folder / f"plugin-{name}")
            if name == "hook":
                file = plugin / "hooks" / "hooks.json"
                manifest = json.loads(file.read_text("utf-8"))
                del manifest["modules"]
                file.write_text(json.dumps(manifest), "utf-8")
            clients.append(Client(name, folder, home, project, plugin))
        for client in clients:
            client.terminal.wait("shift.tab|shortcuts")
        choice = random.Random(1)
        try:
            for number in range(rounds + WARM):
                for client in choice.sample(clients, len(clients)):
                    wait = client.ask(PROMPTS[number % len(PROMPTS)] + " " * (number // len(PROMPTS)))
                    if number >= WARM:
                        client.waits.append(wait)
        finally:
            for client in clients:
                client.terminal.run("kill-server")
        hook, mod = (statistics.median(client.waits) for client in clients)
        ratios = [after / before for before, after in zip(clients[0].waits, clients[1].waits)]
        print(f"{rounds} rounds; requests with a block: {[client.has_block for client in clients]}")
        print(f"median wait, hook alone = 1: mod {mod / hook:.2f}; median of the ratios of a round {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inner"]:
        main(int(sys.argv[2]))
    else:
        os.environ["E2E_PATH"] = str(Path(sys.executable).parent)
        os.environ.setdefault("CLAUDE_CODE_VERSION", "2.1.332")
        cc_session.client_path()
        words = [*(cc_session.netns_prefix() or []), sys.executable, __file__, "--inner", (sys.argv + ["20"])[1]]
        sys.exit(subprocess.run(words).returncode)
