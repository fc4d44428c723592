"""Writes one memory: creates it, updates it, or changes its status (SPEC 18).

`StoreWriter` documents the functions; each holds the store's lock while it writes.
"""

from dataclasses import replace

from ...basics.timestamp import utc_stamp
from ..intake.intake import Admitted, admit, admit_record, admit_stored
from ..records import autofix, history, lifecycle
from ..records.memory import Memory
from ..records.record import CATEGORIES
from ..records.record_check import check
from ..records.record_file import Fields, encode_to_fit
from ..records.references import find_dangling, names_in
from ..records.slug import id_of_title
from ..settings.writer_settings import read_writer_settings
from .merge import merge
from .supersession import Superseded, find_superseded, retire_superseded
from .transaction import Transaction, path_of, writing
from .written import Written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...basics.options import WriteTrust

# The folder of a project and its memory folder.
Project = tuple[str, str]


def add_memory(project: Project, record: Fields, category: str | None, trust: "WriteTrust") -> Written:
    """Create a memory; see `StoreWriter.add`."""
    admitted = admit_record(record)
    fields = dict(admitted.fields)
    wanted = category or fields.get("category")
    if wanted not in CATEGORIES:
        check({"category": wanted})
    wanted = str(wanted)
    if any(found.field in ("title", "id") for found in admitted.redactions):
        # The id was made from the title, so it could still contain a secret of the title.
        fields.pop("id", None)
    fixed, fixes = autofix.fix_new(fields, wanted, utc_stamp())
    check(fixed)
    # A record that is too large is refused before other memories are retired or renamed for it.
    encode_to_fit(fixed)
    settings = read_writer_settings(project[1])
    path = path_of(wanted, str(fixed["id"]))
    retired: list[str] = []
    with writing(*project, "add") as transaction:
        transaction.trust.given = trust
        dangling = find_dangling(project, (path,), fixed)
        same = transaction.find_same(wanted, path, fixed)
        is_active = same is None or same.status == "active"
        superseded = find_superseded(project, (path,), names_in(fixed, "supersedes") if is_active else [])
        if same is None:
            is_rolling = wanted == "session_summary"
            limit = settings.max_memories_per_category
            if not (is_rolling and limit and settings.max_retained <= limit):
                leaving = [memory for memory in superseded.memories if memory.category == wanted]
                transaction.check_room(wanted, limit, len(leaving))
            transaction.clear_the_way(wanted, path)
            memory = transaction.write(wanted, path, fixed)
            retire_superseded(transaction, superseded, memory, utc_stamp())
            if is_rolling:
                retired = transaction.roll(settings.max_retained, path, utc_stamp())
        else:
            # The process that wrote the memory may have crashed before it retired the superseded ones.
            retire_superseded(transaction, superseded, same, utc_stamp())
    admitted.warnings.extend(dangling)
    if same is not None:
        return _result("unchanged", same, admitted, transaction, fixes, superseded)
    return replace(_result("created", memory, admitted, transaction, fixes, superseded), retired=retired)


def update_memory(
    project: Project, name: str, patch: Fields, expect_hash: str, summary: str, trust: "WriteTrust"
) -> Written:
    """Update a memory; see `StoreWriter.update`."""
    admitted = admit(patch)
    told = admit({"summary": summary})
    with writing(*project, "update") as transaction:
        transaction.trust.given = trust
        old = transaction.read(name, expect_hash)
        patch, fixes = autofix.fix_patch(admitted.fields, old.record)
        merged = merge(old.record, patch, str(told.fields["summary"]), utc_stamp(), project[0])
        if merged is None:
            # The process that wrote the memory may have crashed before it retired the superseded ones.
            superseded = _find_superseded(project, old, (old.path,), names_in(patch, "supersedes"))
            retire_superseded(transaction, superseded, old, utc_stamp())
            return _result("unchanged", old, admitted, transaction, fixes, superseded)
        record, path = merged.record, old.path
        record["id"] = old.id
        if merged.is_renamed:
            new_id = id_of_title(old.category, str(record.get("title")))
            new_path = path_of(old.category, new_id)
            if not transaction.is_there(new_path):
                record["id"], path = new_id, new_path
            elif new_path != path:
                merged.warnings.append(f"the id stays `{old.id}`: `{new_id}` is taken")
        # The old record may contain text that the intake would not admit today.
        mended = admit_stored(record)
        record = mended.fields
        history.fit(record)
        check(record)
        known = names_in(old.record, "supersedes")
        named = [name for name in names_in(record, "supersedes") if name not in known]
        superseded = _find_superseded(project, old, (old.path, path), named)
        merged.warnings += find_dangling(project, (old.path, path), record, old.record)
        memory = transaction.write(old.category, path, record, old.path)
        retire_superseded(transaction, superseded, memory, utc_stamp())
    renamed_from = old.path if path != old.path else ""
    fixes += merged.fixes
    for also in (told, mended):
        admitted.fixes.extend(also.fixes)
        admitted.redactions.extend(also.redactions)
    admitted.warnings.extend(merged.warnings)
    done = _result("updated", memory, admitted, transaction, fixes, superseded)
    return replace(done, renamed_from=renamed_from)


def change_status(project: Project, step: str, name: str, reason: str, expect_hash: str) -> Written:
    """Change a memory's status; see `StoreWriter.retire`. Raises StatusError if its status does not allow the step."""
    admitted = admit({"reason": reason})
    with writing(*project, step) as transaction:
        old = transaction.read(name, expect_hash)
        record = lifecycle.apply(step, old.record, str(admitted.fields["reason"]), utc_stamp())
        if record is None:
            return _result(f"already_{old.status}", old, admitted)
        if record["record_status"] == "active":
            transaction.check_room(old.category, read_writer_settings(project[1]).max_memories_per_category)
        # The old record may contain text that the intake would not admit today.
        mended = admit_stored(record)
        history.fit(mended.fields)
        memory = transaction.write(old.category, old.path, mended.fields)
    admitted.redactions.extend(mended.redactions)
    return _result(lifecycle.STEPS[step].done, memory, admitted, transaction, mended.fixes)


def _find_superseded(project: Project, memory: Memory, own_paths: tuple[str, ...], names: list[str]) -> Superseded:
    """Do the same as `find_superseded`; if `memory` is not active, return only a warning."""
    superseded = find_superseded(project, own_paths, names)
    if superseded.memories and memory.status != "active":
        return Superseded(warnings=[f"`{memory.id}` is {memory.status}: the memories that it supersedes do not change"])
    return superseded


def _result(
    status: str,
    memory: Memory,
    admitted: Admitted,
    transaction: Transaction | None = None,
    fixes: list[autofix.Fix] | None = None,
    superseded: Superseded | None = None,
) -> Written:
    problems = transaction.problems if transaction else []
    superseded = superseded or Superseded()
    times = memory.record.get("times_updated")
    return Written(
        status=status,
        target=memory.path,
        category=memory.category,
        id=memory.id,
        title=memory.title,
        hash=memory.hash,
        times_updated=times if isinstance(times, int) else 0,
        fixes=admitted.fixes + (fixes or []),
        redactions=admitted.redactions,
        warnings=admitted.warnings + superseded.warnings + problems,
        renamed_from="",
        retired=[],
        superseded=superseded.ids,
        operation=transaction.operation if transaction else "",
    )
