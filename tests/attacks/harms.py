"""Finds the harm that an attack has done, in the output of a program.

`Scene.differences` finds the harm in the files.
"""

import json
import re
import unicodedata
from typing import Any

from attacks.attack import Attack
from attacks.scene import OTHER, VARIABLE, VICTIM
from fork_launcher import Ran

# A word in texts of the repository. It must never appear in texts that cuecard prints as its own.
VOICE = "CANARY-VOICE"
OPENING, CLOSING = "<memory-context", "</memory-context>"
# Invisible characters of other Unicode categories.
_UNSEEN = frozenset(
    map(chr, [0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)])
)
_UNSEEN_CATEGORIES = ("Cc", "Cf", "Co", "Cs", "Cn")


def find_harms(attack: Attack, what: str, ran: Ran) -> list[str]:
    """The harms that one run of a program has done, according to its output; empty if there are none."""
    printed = ran.stdout + ran.stderr
    harms = ["hung"] if ran.is_hung else []
    harms += [f"printed {word}" for word in (VICTIM, OTHER, VARIABLE) if word in printed]
    harms += [f"asked the resolver for {name}" for name in ran.names]
    harms += [f"printed {text!r}" for text in attack.never_printed if text in printed]
    if "Traceback" in ran.stderr:
        harms.append(f"broke down: {ran.stderr.strip().splitlines()[-1]}")
    if what in ("prompt", "need", "session", "guard", "validate", "permit", "stop"):
        harms += _harms_of_answer(attack, ran.stdout)
        if ran.code != 0 and not ran.is_hung:
            harms.append(f"ended with {ran.code}")
    return harms


def _harms_of_answer(attack: Attack, stdout: str) -> list[str]:
    """The harms in a hook's answer: in the block of memories, and in the texts outside of it."""
    if not stdout.strip():
        return []
    try:
        # The form of the claude-memory plugin is the block alone.
        answer = stdout if stdout.startswith(OPENING) else json.loads(stdout)
    except ValueError:
        return ["the answer is no JSON"]
    block, outside = split_answer(answer)
    harms = [f"spoke outside of the frame: {text[:80]!r}" for text in outside if VOICE in text]
    if block:
        harms += harms_of_block(block)
        if attack.is_unasked:
            harms.append("showed a memory that nothing asked for")
        if attack.is_marked:
            harms += [f"unmarked: {line}" for line in memories_of(block) if not is_marked(line)]
    return harms


def split_answer(answer: Any) -> tuple[str, list[str]]:  # noqa: ANN401 - JSON
    """The block of memories in an answer, or "" without one, and all other texts of the answer."""
    texts = list(_texts(answer))
    blocks = [text for text in texts if text.startswith(OPENING)]
    return (blocks[0] if blocks else ""), [text for text in texts if text not in blocks[:1]]


def harms_of_block(block: str) -> list[str]:
    """The signs that the text of a memory has broken out of its place in the block; empty for a good block."""
    lines = block.rstrip("\n").split("\n")
    harms = []
    if not lines[0].startswith(OPENING) or not lines[0].endswith(">") or lines[-1] != CLOSING:
        harms.append("the frame is not closed where it should be")
    inner = "\n".join(lines[1:-1])
    if "<" in inner or ">" in inner.replace(" -> ", ""):
        harms.append("markup in the frame")
    if any(not line.startswith(("- [", "  ")) for line in lines[1:-1]):
        harms.append("a line of its own in the frame")
    harms += [f"hidden character U+{ord(char):04X}" for char in sorted({char for char in inner if is_hidden(char)})]
    return harms


def memories_of(block: str) -> list[str]:
    """The first line that the block has for each memory."""
    return [line for line in block.split("\n") if line.startswith("- [")]


def is_marked(line: str) -> bool:
    """Whether the first line of a memory says in brackets that the memory is unreviewed."""
    return re.search(r"\((?:[^()]*, )?unreviewed(?:, [^()]*)?\)", line) is not None


def is_hidden(char: str) -> bool:
    """Whether a character is invisible to a reader; a line feed does not count."""
    if char == "\n":
        return False
    return unicodedata.category(char) in _UNSEEN_CATEGORIES or char in _UNSEEN or "\U000e0000" <= char <= "\U000e0fff"


def _texts(value: Any) -> "list[str]":  # noqa: ANN401 - JSON
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for member in value.values() for text in _texts(member)]
    return [text for member in value for text in _texts(member)] if isinstance(value, list) else []
