# ruff: noqa: ANN401 - the objects are of any class
"""A small replacement of `dataclasses`, for modules that are loaded by commands that only read.

The standard library's module takes 8 ms to load, because it loads `inspect`, and 0.5 ms for each class, because it
generates source code; a whole `cuecard show` takes 30 ms. Type checkers see the functions of the standard library.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import asdict, dataclass, field, replace
    from typing import Any, NoReturn

__all__ = ["asdict", "dataclass", "field", "replace"]


class _Factory:
    """A default of a field: `make` is called for each object and returns its value."""

    def __init__(self, make: "Callable[[], object]") -> None:
        self.make = make


def _init(self: "Any", *values: object, **named: object) -> None:
    names = self._names
    given = dict(zip(names, values, strict=False))
    if len(values) > len(names) or not named.keys() <= set(names) - given.keys():
        raise TypeError(f"{type(self).__name__} has the fields {', '.join(names)}, each once")
    given |= named
    for name in names:
        if name not in given:
            if name not in self._defaults:
                raise TypeError(f"{type(self).__name__} needs `{name}`")
            default = self._defaults[name]
            given[name] = default.make() if isinstance(default, _Factory) else default
    # The fields are set through `__dict__`, because a frozen class refuses assignment.
    self.__dict__.update({name: given[name] for name in names})


def _values(value: "Any") -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value._names])


def _repr(self: "Any") -> str:
    listed = ", ".join([f"{name}={getattr(self, name)!r}" for name in self._names])
    return f"{type(self).__qualname__}({listed})"


def _eq(self: "Any", other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: "Any") -> int:
    return hash(_values(self))


def _refuse_change(self: "Any", name: str, *_value: object) -> "NoReturn":
    raise AttributeError(f"`{name}` cannot be changed: a {type(self).__name__} is frozen")


_METHODS = {"__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": None}
_FROZEN = {"__hash__": _hash, "__setattr__": _refuse_change, "__delattr__": _refuse_change}

if not TYPE_CHECKING:

    def field(*, default_factory: "Callable[[], object]") -> _Factory:
        """A default for a field: `default_factory` is called for each object and returns the value."""
        return _Factory(default_factory)

    def dataclass(plain: "type | None" = None, *, frozen: bool = False) -> "Any":
        """Give a class a constructor, `==` and `repr` that use its annotated fields; with `frozen` also a hash.

        The fields of its base class come first.
        """

        def make(made: type) -> type:
            own = {name: vars(made)[name] for name in made.__annotations__ if name in vars(made)}
            made._names = tuple(dict.fromkeys([*getattr(made, "_names", ()), *made.__annotations__]))
            made._defaults = getattr(made, "_defaults", {}) | own
            for name, method in (_METHODS | _FROZEN if frozen else _METHODS).items():
                setattr(made, name, method)
            return made

        return make if plain is None else make(plain)

    def asdict(value: object) -> "Any":
        """The object as a dict of its fields by name; objects inside the fields become dicts too."""
        if hasattr(value, "_names"):
            return {name: asdict(getattr(value, name)) for name in value._names}
        if isinstance(value, dict):
            return {name: asdict(item) for name, item in value.items()}
        return type(value)([asdict(item) for item in value]) if isinstance(value, (list, tuple)) else value

    def replace(value: object, **changes: object) -> "Any":
        """A copy of the object with the given fields changed."""
        return type(value)(**dict(zip(value._names, _values(value), strict=True)) | changes)
