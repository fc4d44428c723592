"""Finds memories that lack questions, a good title or a date, and adds an agent's answers to them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._backend import engine, texts_in
from ...basics.counted import counted
from ...basics.timestamp import parse_timestamp
from ...errors import CuecardError, InputError, MissingError, Problem, ValidationError
from ...files.trust_levels import UNREVIEWED
from ...store.records.memory import Memory
from ...store.records.record_file import Fields, decode_any
from ...store.records.record_limits import MAX_QUESTIONS
from ...store.records.slug import id_of_title
from ...store.trust.agent_text import NAMELESS, hide_names
from ...store.trust.agent_view import levels_of_files, views_of
from ...store.writes.journal import operation
from ...store.writes.store_writer import StoreWriter
from ..comparing.similarity import Profile, compare, make_profile
from ..draft_quality import without_signs
from .weak_titles import is_weak, says_little

# The fields that an answer may add or correct; the content stays as it is.
MEMBERS = ("title", "tags", "questions", "evidence", "valid_from", "valid_until", "applies_to", "forbids")
EXTENSION = MEMBERS[2:]
BATCH = 10
MAX_ANSWERS = 100
MAX_INPUT_BYTES = 1 << 20
# What people ask for most. Pointers come behind all of them.
ORDER = ("decision", "constraint", "preference", "runbook", "tech_debt", "session_summary")
MAX_NEIGHBOURS = 3
WEAK_TITLE = "weak title"
SUMMARY = "enriched: how it is asked for, and why it can be believed"
HINT = 'send a JSON array: [["decision/ID", ["question", ...]], {"memory": "decision/ID", "title": "..."}, ...]'


@dataclass(frozen=True)
class Task:
    """A memory that lacks questions, a good title or a date."""

    memory: Memory
    reasons: tuple[str, ...]
    """One or more of `no questions`, `weak title` and `no date`."""
    neighbours: tuple[str, ...]
    """The CATEGORY/ID of similar memories in the same category."""

    @property
    def name(self) -> str:
        """CATEGORY/ID."""
        return self.memory.name

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        return {
            "memory": self.name,
            "path": self.memory.path,
            "reasons": list(self.reasons),
            "neighbours": list(self.neighbours),
            "record": {name: self.memory.record.get(name) for name in ("title", "tags", "content")}
            | {"cuecard": _without_odd_pointer(self.memory.record.get("cuecard"))},
        }


def _without_odd_pointer(own: object) -> object:
    """The object `cuecard` of a memory, without a pointer to a file outside of the project or to a hidden one.

    The agent reads the document that a pointer names, and a stranger may have chosen the path.
    """
    pointer = own.get("pointer") if isinstance(own, dict) else None
    path = pointer.get("path") if isinstance(pointer, dict) else None
    parts = path.split("/") if isinstance(path, str) and not set(path) & set("\\:~") else [""]
    if not isinstance(own, dict) or pointer is None or all(part and not part.startswith(".") for part in parts):
        return own
    return {name: value for name, value in own.items() if name != "pointer"}


@dataclass
class Enriched:
    """The result for one answer."""

    memory: str
    status: str = "failed"
    """`updated`, `unchanged` or `failed`."""
    problem: str = ""
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The JSON object that `--json` prints."""
        return {"memory": self.memory, "status": self.status, "problem": self.problem or None, "notes": self.notes}


@dataclass(frozen=True)
class Work:
    """What is left to complete in a store."""

    tasks: list[Task]
    """The memories that lack something and that an agent may read."""
    withheld: int
    """How many others lack something, and are withheld from agents until a person has read them."""
    count: int
    """The number of all active memories."""


def find_work(store: StoreWriter, near: Mapping[str, float] | None = None) -> Work:
    """The tasks of `find_tasks` without those of withheld memories, which are only counted.

    A memory whose name an agent is not shown is among them if several have the name that is shown in its place.
    """
    tasks, count = find_tasks(store, near)
    views = views_of(store.memory_dir, [task.memory for task in tasks])
    free = [task for task, view in zip(tasks, views, strict=True) if not view.is_withheld]
    if any(hide_names(task.name) != task.name for task in free):
        shown = Counter([hide_names(memory.name) for memory in store.memories()])
        free = [task for task in free if shown[hide_names(task.name)] == 1]
    return Work(free, len(tasks) - len(free), count)


def find_tasks(store: StoreWriter, near: Mapping[str, float] | None = None) -> tuple[list[Task], int]:
    """The active memories that lack something, and the number of all active memories.

    `near` has the paths of memories that nearly answered prompts, with a number for each: the highest come first. The
    others follow by what people ask for most: decisions first and pointers last, and in a category those with a weak
    title or the most text first. An empty list of questions is not reported: somebody found
    that the memory needs none. Cost: reads every memory, and compares each memory of a task with all others of its
    category.
    """
    near = near or {}
    memories = store.memories()
    profiles: dict[str, list[Profile]] = {}
    for memory in memories:
        profile = make_profile(memory)
        if profile:
            profiles.setdefault(memory.category, []).append(profile)
    lacking = [(memory, reasons) for memory in memories if (reasons := _find_reasons(memory))]
    lacking.sort(key=lambda pair: (-near.get(pair[0].path, 0.0), *_rank(*pair)))
    tasks = [
        Task(memory, reasons, _find_neighbours(memory, profiles.get(memory.category, [])))
        for memory, reasons in lacking
    ]
    return tasks, len(memories)


def _rank(memory: Memory, reasons: tuple[str, ...]) -> tuple[bool, int, bool, int, str]:
    place = ORDER.index(memory.category) if memory.category in ORDER else len(ORDER)
    size = sum(map(len, texts_in(memory.record.get("content"))))
    return "pointer" in memory.extension, place, WEAK_TITLE not in reasons, -size, memory.path


def read_answers(data: bytes, source: str) -> list[object]:
    """Parse the answers in `data` without checking them. `source` names the data in messages. Raises `InputError`."""
    if len(data) > MAX_INPUT_BYTES:
        raise InputError(f"{source} is over 1 MiB", "send fewer answers at once")
    value = decode_any(data, source, HINT)
    if not isinstance(value, list):
        raise InputError(f"{source} is not a JSON array", HINT, field="answers", expected="an array", found="a value")
    if len(value) > MAX_ANSWERS:
        raise InputError(f"{source} has {len(value)} answers, more than {MAX_ANSWERS}", "send fewer answers at once")
    return value


@operation("enrich")
def enrich(store: StoreWriter, answers: list[object]) -> list[Enriched]:
    """Add the answers to their memories. Each answer is checked and written on its own; all are one operation.

    A failed answer does not stop the others.
    """
    return [_enrich_one(store, answer, number) for number, answer in enumerate(answers)]


def _enrich_one(store: StoreWriter, answer: object, number: int) -> Enriched:
    answer = _spelled_out(answer)
    name = answer.get("memory") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not isinstance(name, str):
        return Enriched(f"answers[{number}]", problem=f"it names no memory; {HINT}")
    done = Enriched(name)
    patch: Fields = {member: answer[member] for member in ("title", "tags") if member in answer}
    extension = {member: answer[member] for member in EXTENSION if member in answer}
    if extension:
        patch["cuecard"] = extension
    done.notes = [f"`{member}` is left out" for member in answer if member not in ("memory", *MEMBERS)]
    try:
        if not patch:
            raise ValidationError(
                "it adds nothing",
                [Problem("questions", "a list of texts", "missing", "give `questions`, which may be an empty list")],
            )
        memory = _find_answered(store, name)
        _check_title(memory, patch)
        if extension:
            is_unvouched = levels_of_files(store.memory_dir, [memory.data])[0] == UNREVIEWED
            patch["cuecard"], left_out = without_signs(extension, learned=is_unvouched)
            if left_out and not patch["cuecard"]["questions"]:
                done.problem = "; ".join(left_out)
                return done
            done.notes += left_out
            patch["cuecard"], gave_way = _with_earlier_questions(memory, patch["cuecard"])
            done.notes += gave_way
        if isinstance(patch.get("tags"), list):
            patch["tags"] = [*memory.record.get("tags", []), *patch["tags"]]
        written = store.update(memory.path, patch, expect_hash=memory.hash, summary=SUMMARY)
    except CuecardError as error:
        done.problem = error.what
        return done
    done.status = written.status
    if written.renamed_from:
        new_id = written.target.rpartition("/")[2].removesuffix(".json")
        done.notes.append(f"`{name}` is `{memory.category}/{new_id}` now")
    done.notes += [f"`{fix.field}` of `{name}` {fix.what}" for fix in written.fixes] + written.warnings
    return done


def _with_earlier_questions(memory: Memory, extension: Fields) -> tuple[Fields, list[str]]:
    """An answer whose questions are followed by those that the memory has, as far as there is room, and a note on the
    others."""
    new, old = extension.get("questions"), memory.extension.get("questions")
    if (
        not isinstance(new, list)
        or not isinstance(old, list)
        or not all(isinstance(each, str) for each in (*new, *old))
    ):
        return extension, []
    known = {each.strip().casefold() for each in new}
    earlier = [each for each in old if each.strip().casefold() not in known]
    kept = earlier[: max(0, MAX_QUESTIONS - len(new))]
    gone = len(earlier) - len(kept)
    notes = [f"{counted(gone, 'earlier question')} gave way: a memory has at most {MAX_QUESTIONS}"] if gone else []
    return {**extension, "questions": [*new, *kept]}, notes


def _find_answered(store: StoreWriter, name: str) -> Memory:
    """The memory that an answer names, also by the id that it had before its title was corrected.

    The name that is shown in place of one that reads like an order is taken if only one memory has it. Raises what
    `Store.show` raises.
    """
    try:
        return store.show(name)
    except MissingError:
        if name.rpartition("/")[2] == NAMELESS:
            meant = [memory for memory in store.memories() if hide_names(memory.name) == name]
            if len(meant) == 1 and not views_of(store.memory_dir, meant)[0].is_withheld:
                return meant[0]
        former = name.rpartition("/")[2].removesuffix(".json")
        found = [memory for memory in store.memories() if former in _former_ids(memory)]
        if len(found) != 1:
            raise
        return found[0]


def _former_ids(memory: Memory) -> set[str]:
    """The ids that were made of the former titles of a memory."""
    changes = memory.record.get("changes")
    entries = [entry for entry in changes if isinstance(entry, dict)] if isinstance(changes, list) else []
    titles = [entry.get("old_value") for entry in entries if entry.get("field") == "title"]
    return {id_of_title(memory.category, title) for title in titles if isinstance(title, str)}


def _check_title(memory: Memory, patch: Fields) -> None:
    """Raise `ValidationError` for a new title by which the memory would be withheld."""
    title = patch.get("title")
    signs = engine.instruction_signs(title) if isinstance(title, str) and title != memory.title else []
    if signs:
        what = f"the title {signs[0]}, and its memory would be withheld; say it in other words"
        raise ValidationError(what, [Problem("title", "text about the project", f"text that {signs[0]}", "reword it")])


def _spelled_out(answer: object) -> object:
    """Turn an answer in list form, `[memory, questions]` or `[memory, questions, title]`, into an object.

    Claude Code asks the user before it runs a command that contains a brace and a quote. A list has no brace.
    """
    if isinstance(answer, list) and len(answer) in (2, 3):
        return dict(zip(("memory", "questions", "title"), answer, strict=False))
    return answer


def _find_reasons(memory: Memory) -> tuple[str, ...]:
    questions = memory.extension.get("questions")
    dates = [memory.record.get(name) for name in ("updated_at", "created_at")]
    is_new = not isinstance(questions, list)
    # A title from a document is judged while an agent has not looked at it.
    is_heading = is_new and memory.extension.get("origin") == "import" and says_little(memory)
    checks = {
        "no questions": is_new,
        # Who found that the memory needs no questions has read its title.
        WEAK_TITLE: questions != [] and (is_weak(memory.title) or is_heading),
        "no date": not any(isinstance(date, str) and parse_timestamp(date) is not None for date in dates),
    }
    return tuple([reason for reason, holds in checks.items() if holds])


def _find_neighbours(memory: Memory, profiles: list[Profile]) -> tuple[str, ...]:
    own = next((profile for profile in profiles if profile.memory.path == memory.path), None)
    if own is None:
        return ()
    found = [
        (similarity.cosine, other.memory)
        for other in profiles
        if other is not own and (similarity := compare(own, other)) is not None
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1].path))
    return tuple([other.name for _cosine, other in found[:MAX_NEIGHBOURS]])
