"""A base class for immutable values that are compared by their fields."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


class Value:
    """An immutable object. It equals every object of its type with the same fields; the fields are its slots."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(_fields(self))

    def __repr__(self) -> str:
        listed = ", ".join([f"{name}={getattr(self, name)!r}" for name in self.__slots__])
        return f"{type(self).__name__}({listed})"

    def __reduce__(self) -> "tuple[type[Value], tuple[object, ...]]":
        return type(self), _fields(self)

    def __setattr__(self, name: str, value: object) -> "NoReturn":
        raise AttributeError(f"cannot set `{name}`: a {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> "NoReturn":
        raise AttributeError(f"cannot delete `{name}`: a {type(self).__name__} does not change")


def fill(value: Value, *fields: object) -> None:
    """Set the fields of a new value, in the order of its slots."""
    for name, field in zip(value.__slots__, fields, strict=True):
        object.__setattr__(value, name, field)


def _fields(value: Value) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value.__slots__])
