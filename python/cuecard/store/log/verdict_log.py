"""What the user has said of memories that were shown, kept in the user's data folder (docs/reference/verdicts.md).

    DATA/stores/KEY/
        verdicts.jsonl   a line of JSON for each verdict, each sign of use, and each that was taken back
        verdicts         what recall reads of them (SPEC 49); derived

A verdict has what the session kept of the prompt (SPEC 27.7), and no text.
"""

import json
import secrets
from collections import defaultdict

from ..._backend import VERDICTS_HEADER
from ...basics.light_dataclass import dataclass
from ...basics.timestamp import parse_timestamp, utc_stamp
from ...errors import InputError, MissingError, WriteError
from ...files.folder import PRIVATE_FILE
from ...files.lock import locked
from ...files.user_folder import data_path, open_store_folder, read_kept
from .learning import GOOD, UNSEEN, USED, WRONG, Evidence, learn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FILE, DERIVED = "verdicts.jsonl", "verdicts"
KINDS = (WRONG, GOOD, USED, UNSEEN)
MAX_BYTES = 8 << 20
MAX_DERIVED_BYTES = 1 << 19
# Only the last prompts for which a memory was wrong count.
MAX_PROMPTS = 50
MAX_TEXT_CHARS = 4000
# A prompt for which a memory was also good keeps it away only after more than this many times as many wrong verdicts.
AGAINST_GOOD = 2
# This many sessions in which a memory was wrong are no accident any more.
MANY_SESSIONS = 3


@dataclass(frozen=True)
class Verdict:
    """What was said of a memory, or a sign that an agent has used it.

    A sign of a memory that was withheld at random is of the kind `unseen`: the agent did the same without the memory.

    `scope` is the label of the memory's store, "" for the project's own.
    `kept` is what the session kept of the prompt, "" if it is not known; `prompt` is the hash by which the event log
    names the prompt. `strength` is that of a sign of use, from 0 to 1. `model` is the host's model, if it is known.
    """

    id: str
    at: str
    kind: str
    path: str
    trust_hash: str
    session: str = ""
    prompt: str = ""
    kept: str = ""
    setting: str = ""
    strength: float = 1.0
    model: str = ""
    sign: str = ""
    scope: str = ""

    def as_dict(self) -> "dict[str, object]":
        """The members of the verdict's line of JSON; `--json` prints the same."""
        members = {name: getattr(self, name) for name in _MEMBERS}
        return {name: value for name, value in members.items() if value != ""}


_MEMBERS = (
    "id",
    "at",
    "kind",
    "path",
    "trust_hash",
    "session",
    "prompt",
    "kept",
    "setting",
    "strength",
    "model",
    "sign",
    "scope",
)


def read_verdicts(memory_dir: str) -> list[Verdict]:
    """The verdicts and signs of a store that were not taken back, the oldest first. Damaged lines are left out."""
    lines = (read_kept(memory_dir, FILE, limit=MAX_BYTES) or b"").split(b"\n")
    found: dict[str, Verdict] = {}
    for line in lines:
        try:
            members = json.loads(line) if line else None
        except ValueError:
            continue
        if isinstance(members, dict) and isinstance(members.get("undoes"), str):
            found.pop(members["undoes"], None)
        elif isinstance(members, dict) and members.get("kind") in KINDS:
            verdict = _read(members)
            if verdict:
                found[verdict.id] = verdict
    return [*found.values()]


def count_since(memory_dir: str, begin: int) -> dict[str, int]:
    """How many verdicts and signs of each kind there are since a time in seconds since 1970."""
    counts = dict.fromkeys(KINDS, 0)
    for verdict in read_verdicts(memory_dir):
        moment = parse_timestamp(verdict.at)
        if moment is not None and moment // 1_000_000 >= begin:
            counts[verdict.kind] += 1
    return counts


def say(memory_dir: str, said: Verdict) -> tuple[Verdict, bool]:
    """Keep a verdict, and return it with whether it is new: the same one for the same prompt and text counts once.

    A verdict takes back the opposite one for the same prompt. Raises `WriteError`, `LockError`.
    """
    return say_all(memory_dir, [said])[0]


def say_all(memory_dir: str, said: "Sequence[Verdict]") -> list[tuple[Verdict, bool]]:
    """Keep verdicts and signs, as `say` does, with one write. Nothing is written if all of them are known."""
    if not said:
        return []
    stamp = utc_stamp()
    kept: list[tuple[Verdict, bool]] = []
    lines: list[dict[str, object]] = []
    with locked(memory_dir):
        known: dict[tuple[str, ...], Verdict] = {_place(one): one for one in read_verdicts(memory_dir)}
        for one in said:
            before = known.get(_place(one))
            if before and before.kind == one.kind:
                kept.append((before, False))
                continue
            if before:
                lines.append({"undoes": before.id})
            members = {**one.as_dict(), "id": f"v{secrets.token_hex(5)}", "at": one.at or stamp}
            new = Verdict(**members)  # type: ignore[arg-type]
            known[_place(new)] = new
            lines.append(new.as_dict())
            kept.append((new, True))
        if lines:
            _append(memory_dir, lines)
            _derive(memory_dir)
    return kept


def _place(one: Verdict) -> tuple[str, ...]:
    """What is the same for verdicts of which only one counts. A sign of use has a name, so it replaces no verdict."""
    return one.scope, one.path, one.trust_hash, one.session, one.prompt, one.sign


def take_back(memory_dir: str, name: str) -> Verdict:
    """Take back the verdict with the id `name`, or with an id that begins so. Raises `MissingError`, `WriteError`."""
    with locked(memory_dir):
        found = find_verdict(memory_dir, name)
        _append(memory_dir, [{"undoes": found.id}])
        _derive(memory_dir)
    return found


def find_verdict(memory_dir: str, name: str) -> Verdict:
    """The verdict with the id `name`, or with an id that begins so. Raises `MissingError`."""
    found = [one for one in read_verdicts(memory_dir) if name and one.id.startswith(name)]
    if len(found) != 1:
        what = f"several verdicts begin with `{name[:40]}`" if found else f"there is no verdict `{name[:40]}`"
        raise MissingError(what, "`cuecard wrong --list` lists the verdicts")
    return found[0]


def often_wrong(verdicts: list[Verdict]) -> dict[tuple[str, str], list[Verdict]]:
    """The texts of memories, by path and hash, that were wrong in at least three sessions, with these verdicts."""
    wrong: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.kind == WRONG:
            wrong[verdict.path, verdict.trust_hash].append(verdict)
    return {
        place: said for place, said in wrong.items() if len({one.session or one.id for one in said}) >= MANY_SESSIONS
    }


def derived_text(verdicts: list[Verdict]) -> str:
    """The text of the file that recall reads of these verdicts; "" if it needs none."""
    by_text: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if "\n" not in verdict.path and verdict.trust_hash and verdict.kind != UNSEEN:
            by_text[verdict.path, verdict.trust_hash].append(verdict)
    evidence = [
        Evidence(place, one.kind, one.strength, one.session or one.id)
        for place, said in by_text.items()
        for one in said
    ]
    learned = learn(evidence)
    lines, size = [f"{VERDICTS_HEADER} {learned.shift}"], 0
    # The latest texts come first, so that the oldest are left out where there are too many.
    for (path, trust_hash), said in sorted(by_text.items(), key=lambda row: row[1][-1].at, reverse=True):
        wrong = _wrong_prompts(said)[-MAX_PROMPTS:]
        prior = learned.priors.get((path, trust_hash), 0)
        if not wrong and not prior:
            continue
        part = [f"memory {trust_hash} {prior} {path}", *[f"wrong {kept}" for kept in wrong]]
        size += sum([len(line.encode()) + 1 for line in part])
        if size > MAX_DERIVED_BYTES:
            break
        lines += part
    return "" if len(lines) == 1 and not learned.shift else "\n".join(lines) + "\n"


def _wrong_prompts(said: list[Verdict]) -> list[str]:
    """What was kept of the prompts for which a text was surely wrong, the oldest first.

    One verdict is enough if nobody contradicts it. Else most verdicts must agree, because the gate was sure as well.
    """
    balance: dict[str, int] = defaultdict(int)
    for one in said:
        if one.kept and one.kind != USED:
            balance[one.kept] += 1 if one.kind == WRONG else -AGAINST_GOOD
    return [kept for kept, more in balance.items() if more > 0]


def _derive(memory_dir: str) -> None:
    text = derived_text(read_verdicts(memory_dir))
    folder = open_store_folder(memory_dir)
    if folder is None:
        return
    with folder:
        try:
            if text:
                folder.replace(DERIVED, text.encode(), mode=PRIVATE_FILE)
            else:
                folder.remove(DERIVED)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unwritten(error) from error


def _append(memory_dir: str, lines: "list[dict[str, object]]") -> None:
    folder = open_store_folder(memory_dir, make=True)
    if folder is None:
        path = data_path()
        what = f"verdicts cannot be kept in `{path}`" if path else "verdicts cannot be kept: there is no home folder"
        raise WriteError(what, "set `CUECARD_HOME` to a folder that you can write to")
    data = "".join([json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines]).encode()
    with folder:
        try:
            # A crash may have left the last line incomplete. The newline in front keeps the next line apart from it.
            folder.append(FILE, b"\n" + data, PRIVATE_FILE, durable=True)
        except OSError as error:
            raise _unwritten(error) from error


def _read(members: "dict[str, object]") -> Verdict | None:
    strength = members.get("strength", 1.0)
    texts = {name: members.get(name, "") for name in _MEMBERS if name != "strength"}
    if not all(isinstance(text, str) and len(text) <= MAX_TEXT_CHARS for text in texts.values()):
        return None
    if not isinstance(strength, int | float) or not texts["id"] or not texts["path"]:
        return None
    return Verdict(**texts, strength=min(max(float(strength), 0.0), 1.0))  # type: ignore[arg-type]


def _unwritten(error: OSError) -> WriteError:
    what = f"a verdict cannot be written: {error.strerror or error}"
    return WriteError(what, "make room, or check the permissions of the folder that `CUECARD_HOME` names")


def check_kind(kind: str) -> str:
    """The kind of a verdict that a person gives. Raises `InputError`."""
    if kind not in (WRONG, GOOD):
        raise InputError(f"unknown verdict `{kind[:40]}`", f"use `{WRONG}` or `{GOOD}`")
    return kind
