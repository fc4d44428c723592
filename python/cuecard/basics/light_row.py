"""Immutable rows of named fields: a small replacement of `typing.NamedTuple`, whose module takes 4 ms to load.

Type checkers see the class of the standard library.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as Row
else:

    class Row(tuple):
        """The base of a class whose annotations name the fields."""

        __slots__ = ()
        _names = ()

        def __init_subclass__(cls) -> None:
            cls._names = tuple(cls.__annotations__)
            for place, name in enumerate(cls._names):
                setattr(cls, name, property(lambda self, place=place: self[place]))

        def __new__(cls, *values: object, **named: object) -> "Row":
            """Make a row of all its fields, in their order or by their names."""
            if named and list(named) == list(cls._names[len(values) :]):
                values = (*values, *named.values())
            if len(values) != len(cls._names):
                raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._names)}")
            return tuple.__new__(cls, values)

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._names, self, strict=True))

        def __repr__(self) -> str:
            listed = ", ".join([f"{name}={value!r}" for name, value in self._asdict().items()])
            return f"{type(self).__qualname__}({listed})"


__all__ = ["Row"]
