"""Finds the lineage of a memory: the memories that it refers to, and the memories that refer to it, step by step.

Rules: docs/reference/consolidation.md, "Lineage".
"""

from collections import defaultdict

from ...basics.light_dataclass import dataclass, field
from .find_memory import find_places
from .memory import Memory
from .references import names_in
from .store_reader import StoreReader

KINDS = ("supersedes", "derived_from", "causes", "contradicts")
# The relation in words: seen from the memory that refers, and from the memory that is referred to.
RELATIONS = {
    "supersedes": ("supersedes", "superseded by"),
    "derived_from": ("derived from", "source of"),
    "causes": ("causes", "caused by"),
    "contradicts": ("contradicts", "contradicted by"),
}
DEFAULT_DEPTH = 10
MAX_DEPTH = 100


@dataclass(frozen=True)
class Edge:
    """A reference from one memory to another, by their paths."""

    source: str
    kind: str
    target: str


@dataclass
class Node:
    """A memory in the lineage, or a name that does not stand for exactly one memory."""

    name: str
    """`CATEGORY/ID` of the memory, or the name as the reference gives it."""
    relation: str
    """The relation to the memory above; "" for the first memory."""
    memory: Memory | None
    is_repeated: bool = False
    """Whether the memory also occurs elsewhere in the tree, where its children are."""
    children: "list[Node]" = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints for this memory and everything below it."""
        found = self.memory
        return {
            "memory": self.name,
            "relation": self.relation or None,
            "title": found.title if found else None,
            "status": found.status if found else None,
            "path": found.path if found else None,
            "missing": found is None,
            "repeated": self.is_repeated,
            "children": [child.as_dict() for child in self.children],
        }


@dataclass
class Lineage:
    """The memories that are connected to one memory, as a tree of shortest paths, and the references between them."""

    root: Node
    edges: list[Edge]
    is_cut: bool
    """Whether more memories are connected beyond the depth."""

    def as_dict(self) -> dict[str, object]:
        """Return what `--json` prints."""
        edges = [{"source": edge.source, "kind": edge.kind, "target": edge.target} for edge in self.edges]
        return {"lineage": self.root.as_dict(), "edges": edges, "is_cut": self.is_cut}


def trace_lineage(store: StoreReader, name: str, depth: int = DEFAULT_DEPTH) -> Lineage:
    """Return the lineage of the memory that `name` means, up to `depth` steps. Each edge occurs once, also in a cycle.

    Reads every memory of any status. Raises `MissingError`, `InputError`, `StoreError`.
    """
    first = store.show(name)
    memories = {memory.path: memory for memory in store.memories(status="all")} | {first.path: first}
    onward, back, missing = _read_edges(store, memories)
    root = Node(first.name, "", first)
    seen, walked = {first.path}, dict[Edge, None]()
    level, is_cut = [root], False
    for step in range(depth + 1):
        following = []
        for node in level:
            path = node.memory.path if node.memory else ""
            edges = [*onward[path], *back[path]]
            if step == depth:
                is_cut = is_cut or bool(missing[path]) or any(edge not in walked for edge in edges)
                continue
            for edge in edges:
                if edge in walked:
                    continue
                walked[edge] = None
                is_onward = edge.source == path
                other = edge.target if is_onward else edge.source
                relation = RELATIONS[edge.kind][0 if is_onward else 1]
                child = Node(memories[other].name, relation, memories[other], other in seen)
                node.children.append(child)
                if not child.is_repeated:
                    seen.add(other)
                    following.append(child)
            node.children += [Node(named, RELATIONS[kind][0], None) for kind, named in missing[path]]
        level = following
    return Lineage(root, list(walked), is_cut)


def _read_edges(
    store: StoreReader, memories: dict[str, Memory]
) -> tuple[dict[str, list[Edge]], dict[str, list[Edge]], dict[str, list[tuple[str, str]]]]:
    """Return the edges by the path of their source, the edges by the path of their target, and the unresolved names.

    The last dictionary maps the path of a memory to the names in this memory that do not lead to exactly one memory,
    each with its kind of reference.
    """
    onward: dict[str, list[Edge]] = defaultdict(list)
    back: dict[str, list[Edge]] = defaultdict(list)
    missing: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path, memory in memories.items():
        for kind in KINDS:
            for name in names_in(memory.record, kind):
                places = [place for _category, place in find_places(store.root, store.memory_dir, name)]
                if len(places) != 1 or places[0] not in memories:
                    missing[path].append((kind, name))
                    continue
                edge = Edge(path, kind, places[0])
                if edge not in onward[path]:
                    onward[path].append(edge)
                    back[places[0]].append(edge)
    return onward, back, missing
