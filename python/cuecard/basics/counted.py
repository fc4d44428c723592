"""Says how many there are of something."""


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 memory`, `1,200 memories`. Without `many`, the noun of several gets an "s"."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
