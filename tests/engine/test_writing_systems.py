"""Scripts without blanks, decomposed and half-width characters, and byte order marks, through the whole hook."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from cuecard import Store
from hook_process import Hook, Outcome
from records import make_store, put, stored
from scratch_home import kept_of, write_user_settings

MARK = "\ufeff".encode()
ROWS = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data/scripts.tsv").read_text(encoding="utf-8").splitlines()
]
UNRELATED = (
    "วันนี้อากาศเป็นอย่างไรบ้างที่กรุงเทพ",
    "ช่วยเขียนกลอนเกี่ยวกับทะเลให้หน่อยได้ไหม",
    "ຊ່ວຍຂຽນບົດກະວີກ່ຽວກັບທະເລໃຫ້ແດ່",
    "សូមសរសេរកំណាព្យអំពីសមុទ្រ",
    "ပင်လယ်အကြောင်း ကဗျာရေးပေးပါ",
)
QUESTION = "how is a version deployed?"
DEPLOYED = "A version is deployed by the release job"


def as_it_is(text: str) -> str:
    return text


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def composed(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def told(store: Store, title: str) -> None:
    """Write a memory that says its title."""
    name = f"m{len(title)}"
    content = {"status": "accepted", "context": title, "decision": title, "rationale": ["it is so"]}
    put(store, stored(name, title=title, tags=["note"], content=content))


def ask(hook: Hook, store: Store, prompt: str, front: bytes = b"") -> Outcome:
    sent = {"prompt": prompt, "cwd": str(store.root), "session_id": "a"}
    ran = hook.run("prompt", stdin=front + json.dumps(sent).encode(), cwd=Path(store.root))
    assert (ran.code, ran.stderr) == (0, b"")
    return ran


@pytest.mark.parametrize("in_memory", [as_it_is, decomposed, composed])
@pytest.mark.parametrize("in_question", [as_it_is, decomposed])
@pytest.mark.parametrize(("language", "memory", "question"), ROWS)
def test_a_question_finds_a_memory_by_a_shared_word(
    hook: Hook,
    store: Store,
    in_memory: Callable[[str], str],
    in_question: Callable[[str], str],
    language: str,
    memory: str,
    question: str,
) -> None:
    told(store, DEPLOYED)
    told(store, in_memory(memory))
    shown = ask(hook, store, in_question(question)).stdout.decode()
    block = json.loads(shown)["hookSpecificOutput"]["additionalContext"]
    assert in_memory(memory) in block, language
    assert DEPLOYED not in block


@pytest.mark.parametrize("question", UNRELATED)
def test_an_unrelated_question_in_such_a_script_gets_no_memory(hook: Hook, store: Store, question: str) -> None:
    for _language, memory, _question in ROWS:
        told(store, memory)
    assert ask(hook, store, question).stdout == b""


def test_a_payload_may_begin_with_a_byte_order_mark(hook: Hook, store: Store) -> None:
    told(store, DEPLOYED)
    ran = ask(hook, store, QUESTION, MARK)
    assert (DEPLOYED.encode() in ran.stdout, ran.log) == (True, [])


def test_a_payload_in_utf_16_is_not_json(hook: Hook, store: Store) -> None:
    told(store, DEPLOYED)
    sent = json.dumps({"prompt": QUESTION, "cwd": str(store.root)}).encode("utf-16")
    ran = hook.run("prompt", stdin=sent, cwd=Path(store.root))
    assert (ran.code, ran.stdout, ran.log) == (0, b"", ["the payload is not JSON"])


def test_a_memory_file_may_begin_with_a_byte_order_mark(hook: Hook, store: Store) -> None:
    told(store, DEPLOYED)
    (file,) = Path(store.memory_dir).glob("decisions/*.json")
    file.write_bytes(MARK + file.read_bytes())
    ran = ask(hook, store, QUESTION)
    assert (DEPLOYED.encode() in ran.stdout, ran.log) == (True, [])


def test_the_users_settings_may_begin_with_a_byte_order_mark(hook: Hook, store: Store) -> None:
    told(store, DEPLOYED)
    write_user_settings("\ufeff" + json.dumps({"log": {"events": False}, "trust": {"review": "off"}}))
    assert ask(hook, store, QUESTION).stdout
    assert not (kept_of(Path(store.memory_dir)) / "log/events.jsonl").exists()


def test_the_repositorys_settings_may_begin_with_a_byte_order_mark(hook: Hook, tmp_path: Path) -> None:
    store = make_store(tmp_path / "other")
    told(store, DEPLOYED)
    settings = json.dumps({"retrieval": {"enabled": False}}).encode()
    (Path(store.memory_dir) / "memory-config.json").write_bytes(MARK + settings)
    ran = ask(hook, store, QUESTION)
    assert (ran.stdout, ran.log) == (b"", [])
