"""Adds the other memories of a subject to the memories that pass the gate (SPEC 28.4, 33.5)."""

from ...basics.json_reader import read_json_object
from ..memory.document import ACTIVE
from ..memory.links import find_named
from ..memory.subjects import ABOUT, FROM, SESSIONS, read_subjects, tag_subjects
from ..memory.validity import HOLDS, holds_at
from ..requests.results import Beside
from ..retrieve.filters import STORE_PREFIX
from ..settings.gate_model import probability
from .recalled_memory import Found, Ranking, RecalledMemory
from .succession import naming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..rank.recall import Recall, Recalled
    from ..requests.request import Request
    from .recalled_memory import Files
    from .snapshot import Snapshot

    # The named subjects of a memory; and the positions of the memory itself and of those that it is derived from.
    Subjects = tuple[set[str], set[int]]

# The most siblings in an answer. A decision that was cut into memories has four to six.
MOST_SIBLINGS = 6
# How many files of memories are read to find the siblings of an answer.
MOST_LOOKS = 24
# A subject with more other memories than this is cut by what the prompt says: a sibling must be among the first
# candidates, and the gate must give it some chance.
FEW = 8
FIRST = 20
LEAST_LOGIT = -3584
# Where no memory passes, the subjects of this number of the surest ones are judged, if so many memories of the subject
# have some chance: one or two have words of a long prompt by accident.
MOST_JUDGED = 3
LEAST_TOGETHER = 3
# Below every logit.
NO_LOGIT = -(1 << 62)


def add_siblings(files: "Files", found: Found, recall: "Recall", now: int) -> None:
    """Add the siblings of the found memories behind them, those of the surest memory first. A found memory of the same
    subject as a surer one is marked as standing beside it."""
    leads = [memory for memory in found.memories if memory.holds == HOLDS]
    leads.sort(key=lambda memory: -(memory.logit or 0))
    added: list[RecalledMemory] = []
    looks = 0
    for place, lead in enumerate(leads):
        subjects = subjects_of(files.snapshot, lead.data, lead.position)
        members = _sharing(files.snapshot, subjects, lead.position, recall)
        members = [position for position in members if not files.is_of_another_part(position)]
        beside = lead.beside or Beside(lead.position, lead.logit or 0, True)
        for other in leads[place + 1 :]:
            if other.position in members and other.is_unreviewed == lead.is_unreviewed:
                other.beside = other.beside or beside
        for member, judged in _ordered(members, recall):
            is_known = any(memory.position == member for memory in [*found.memories, *added])
            if len(added) == MOST_SIBLINGS or looks == MOST_LOOKS or is_known:
                continue
            looks += 1
            sibling = files.verify(member, _ranking_of(member, judged, lead))
            if sibling and _may_join(files, sibling, lead, subjects, now):
                sibling.beside = Beside(beside.position, beside.logit, False)
                added.append(sibling)
    positions = {sibling.position for sibling in added}
    found.passed_over = [one for one in found.passed_over if one[1] != "gate" or one[0].position not in positions]
    found.memories += added


def find_subject(
    files: "Files", found: Found, judged: "Sequence[Recalled]", recall: "Recall", request: "Request"
) -> None:
    """Where no memory passes, let the surest one pass whose subject does, if there is one. The subject is judged as if
    those of its memories that have some chance were one memory; `add_siblings` adds the others."""
    surest = sorted([one for one in judged if one[2] >= LEAST_LOGIT], key=lambda one: -one[2])
    if found.memories or found.least is None or len(surest) < LEAST_TOGETHER:
        return
    for position, score, _logit, _probability in surest[:MOST_JUDGED]:
        ranking = Ranking(position, score)
        ranking.count = request.k
        memory = None if files.is_of_another_part(position) else files.verify(position, ranking)
        is_usable = memory and not memory.is_withheld and files.successor(position) == position
        if not memory or not is_usable or not holds_at(memory.data, request.now):
            continue
        subjects = subjects_of(files.snapshot, memory.data, position)
        members = _sharing(files.snapshot, subjects, position, recall)
        chosen = [one[0] for one in recall.judge_at(members) if one[2] >= LEAST_LOGIT]
        chosen = [member for member in chosen if not files.is_of_another_part(member)]
        logit = recall.judge_together([position, *chosen]) if len(chosen) + 1 >= LEAST_TOGETHER else None
        if logit is not None and logit >= found.least:
            memory.logit, memory.probability = logit, probability(logit)
            found.memories.append(memory)
            found.passed_over = [one for one in found.passed_over if one[0].position != position]
            return


def subjects_of(snapshot: "Snapshot", data: bytes | None, position: int) -> "Subjects":
    """The subjects of the memory at a position with the content `data`. A tag that is the name of another memory's
    subject names that subject. A session summary is no source, because the memories of a session are about many
    things."""
    record = read_json_object(data) or {}
    links = read_subjects(record)
    sources, store = {position}, snapshot.store_of(position)

    def find(path: str) -> int | None:
        return snapshot.find_from(store, path)

    for link in links:
        source = find_named(link.removeprefix(FROM), find) if link.startswith(FROM) else None
        if source is not None:
            sources.add(source)
    sources = {source for source in sources if not _is_session(snapshot, source)}
    names = {link for link in links if link.startswith(ABOUT)}
    names.update([name for name in tag_subjects(record.get("tags")) if name in snapshot.links()])
    return names, sources


def _is_session(snapshot: "Snapshot", position: int) -> bool:
    document = snapshot.stored(position)
    return document is None or document.path.startswith(f"{STORE_PREFIX}{SESSIONS}")


def _sharing(snapshot: "Snapshot", subjects: "Subjects", own: int, recall: "Recall") -> list[int]:
    """The positions, in order, of the other active documents that have one of the subjects. Of those that have it as a
    tag only, the first candidates count."""
    names, sources = subjects
    found = {position for name in names for position in snapshot.links().get(name, ())} | sources
    if names:
        found.update([place for place in recall.first(FIRST) if names.intersection(_tagged(snapshot, place))])
    for source in sources:
        found.update(naming(snapshot, FROM, source))
    return sorted([place for place in found if place != own and snapshot.documents[place].status == ACTIVE])


def _tagged(snapshot: "Snapshot", position: int) -> list[str]:
    """The names of subjects in the tags of an indexed document."""
    return tag_subjects(snapshot.documents[position].parts()[3])


def _ordered(members: list[int], recall: "Recall") -> "list[tuple[int, Recalled | None]]":
    """The members of a subject that may become siblings, each with the gate's verdict if it is a candidate: the surest
    first, those that are no candidates last."""
    if not members:
        return []
    judged = {one[0]: one for one in recall.judge_at(members)}
    rows = [(position, judged.get(position)) for position in members]
    if len(members) > FEW:
        rows = [row for row in rows if row[1] and row[1][2] >= LEAST_LOGIT and recall.best_rank(row[0]) < FIRST]
    return sorted(rows, key=lambda row: -(row[1][2] if row[1] else NO_LOGIT))


def _ranking_of(position: int, judged: "Recalled | None", lead: RecalledMemory) -> Ranking:
    ranking = Ranking(position)
    ranking.count = lead.count
    if judged:
        _position, ranking.score, ranking.logit, ranking.probability = judged
    return ranking


def is_sibling(memory: RecalledMemory) -> bool:
    """Whether a memory is shown only because another one of its subject passes the gate (SPEC 28.4)."""
    return memory.beside is not None and not memory.beside.passes


def _may_join(files: "Files", memory: RecalledMemory, lead: RecalledMemory, subjects: "Subjects", now: int) -> bool:
    """Whether a memory may be shown beside another one. The snapshot may be out of date, so the memory's own
    file must name the subject. It must hold, not be superseded or withheld, and have the same kind of trust."""
    if memory.is_unreviewed != lead.is_unreviewed or memory.is_withheld or not holds_at(memory.data, now):
        return False
    names, sources = subjects_of(files.snapshot, memory.data, memory.position)
    is_met = bool(names & subjects[0] or sources & subjects[1])
    return is_met and files.successor(memory.position) == memory.position
