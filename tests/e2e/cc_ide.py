#!/usr/bin/env python3
"""An editor beside the real Claude Code client, in which the user has selected a text.

    python cc_ide.py HOME FILE TEXT

The client finds editors by files in the home of its user, and asks them over a WebSocket what is selected. Prints the
port once it listens, and runs until it is killed.
"""

import asyncio
import functools
import json
import os
import sys

import websockets

PAUSE_SECONDS = 1.0
TOKEN = "an-editor-of-the-tests"


async def answer(socket, file, text):
    async for message in socket:
        asked = json.loads(message)
        result = {"tools": []} if asked.get("method") == "tools/list" else {}
        if asked.get("method") == "initialize":
            result = {
                "protocolVersion": asked["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "editor", "version": "1.0"},
            }
        if "id" in asked and "method" in asked:
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
        if asked.get("method") == "notifications/initialized":
            asyncio.get_running_loop().create_task(select(socket, file, text))


async def select(socket, file, text):
    """Say again and again what is selected: the client forgets it with each prompt."""
    end = {"line": text.count("\n"), "character": len(text.rpartition("\n")[2])}
    selection = {"start": {"line": 0, "character": 0}, "end": end, "isEmpty": False}
    said = {"text": text, "filePath": file, "fileUrl": "file://" + file, "selection": selection}
    while True:
        await socket.send(json.dumps({"jsonrpc": "2.0", "method": "selection_changed", "params": said}))
        await asyncio.sleep(PAUSE_SECONDS)


async def main(home, file, text):
    async with websockets.serve(functools.partial(answer, file=file, text=text), "127.0.0.1", 0, subprotocols=["mcp"]) as server:
        port = server.sockets[0].getsockname()[1]
        folder = os.path.join(home, ".claude", "ide")
        os.makedirs(folder, exist_ok=True)
        lock = {"pid": os.getpid(), "workspaceFolders": [os.path.dirname(file)], "ideName": "Editor"}
        with open(os.path.join(folder, "%d.lock" % port), "w", encoding="utf-8") as opened:
            json.dump({**lock, "transport": "ws", "authToken": TOKEN}, opened)
        print(port, flush=True)
        await asyncio.Future()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
