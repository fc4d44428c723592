"""Our dataclasses, which load quickly, behave like the dataclasses of the standard library."""

import dataclasses
import pickle
from typing import Any

import pytest

from cuecard.basics import light_dataclass


def make_classes(module: Any) -> tuple[Any, Any]:  # noqa: ANN401
    @module.dataclass(frozen=True)
    class Part:
        name: str
        size: int = 3

        @property
        def double(self) -> int:
            return self.size * 2

    @module.dataclass
    class Whole:
        parts: list[Any]
        notes: list[str] = module.field(default_factory=list)

    return Part, Whole


def outcome(action: Any) -> object:  # noqa: ANN401
    """The result of an action: its value, or the type of the exception that it raises."""
    try:
        return action()
    except Exception as error:
        return next(kind for kind in (AttributeError, TypeError) if isinstance(error, kind))


def observe(module: Any) -> list[object]:  # noqa: ANN401
    """The results of many actions on two dataclasses that `module` makes."""
    part_class, whole_class = make_classes(module)
    part, whole = part_class("a"), whole_class([part_class("b", size=5)])
    other = whole_class([])
    other.notes.append("only here")
    whole.notes = ["changed"]
    actions: list[Any] = [
        lambda: part_class("a") == part,
        lambda: part_class("a", 4) == part,
        lambda: part == ("a", 3),
        lambda: hash(part) == hash(part_class("a", 3)),
        lambda: hash(whole),
        lambda: setattr(part, "name", "b"),
        lambda: delattr(part, "name"),
        lambda: part_class(),
        lambda: part_class("a", 3, 4),
        lambda: part_class("a", name="b"),
        lambda: part_class("a", colour="red"),
        lambda: whole_class([]).notes,
        lambda: part.double,
        lambda: repr(part).rpartition(".")[2],
        lambda: module.asdict(whole),
        lambda: module.asdict(whole_class([{"a": (part,)}])),
        lambda: module.replace(part, size=9).size,
        lambda: module.replace(part, colour=9),
        lambda: list(vars(part)),
    ]
    return [outcome(action) for action in actions]


def test_they_behave_as_those_of_the_standard_library() -> None:
    assert observe(light_dataclass) == observe(dataclasses)


@light_dataclass.dataclass(frozen=True)
class Kept:
    name: str


def test_they_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(Kept("a"))) == Kept("a")


def test_a_missing_field_is_named() -> None:
    with pytest.raises(TypeError, match="Kept needs `name`"):
        Kept()  # type: ignore[call-arg]
