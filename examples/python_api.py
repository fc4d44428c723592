"""The Python API in a copy of the tea shop's project: search, recall, explain, write."""

import os
import shutil
import tempfile
from pathlib import Path

import cuecard

EXAMPLES = Path(__file__).resolve().parent
PROMPT = "why don't we just call the gateway again after a timeout?"


def main() -> None:
    """Run every step in a temporary copy of the project, with a temporary folder for the user's data."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(CUECARD_HOME=f"{scratch}/data", XDG_CONFIG_HOME=f"{scratch}/config")
        project = Path(scratch, "teashop")
        shutil.copytree(EXAMPLES / "teashop", project)
        show(cuecard.open(project))


def show(store: cuecard.Store) -> None:
    """Show what a store can do, and print each result."""
    print("search: the best matches, without a gate")
    for hit in store.search("retry payments", k=3):
        print(f"  {hit.score:6}  {hit.category:10}  {hit.title}")

    print("recall: what a prompt gets, with the gate")
    for hit in store.recall(PROMPT):
        print(f"  {hit.title}")
    print("  and nothing for a haiku:", list(store.recall("write a haiku about autumn")))

    print("inject: the text that the agent reads")
    print(store.inject(PROMPT).block)

    print("trace: why a memory was shown or not")
    print(" ", store.trace(PROMPT, "no-card-numbers").verdict)

    print("add, update, retire: the same checks as on the command line")
    saved = store.add(
        {
            "category": "preference",
            "title": "Tea names are written in English",
            "tags": ["naming"],
            "content": {"topic": "names", "value": "English", "reason": "Customers search so.", "strength": "soft"},
        }
    )
    changed = store.update(saved.id, {"tags": ["naming", "language"]}, expect_hash=saved.hash)
    store.retire(changed.id, reason="an example")
    found = [hit.title for hit in store.search("tea names", k=5) if hit.title == "Tea names are written in English"]
    print(f"  {saved.id}: written, changed and retired; a search finds it: {bool(found)}")


if __name__ == "__main__":
    main()
