"""Values to JSON text that `read_json` reads back unchanged (SPEC 54.4)."""

from .host import quote

_LITERALS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def write_json(value: object) -> str:
    """The JSON text of what `read_json` returns, without white space; a float as the shortest text of its value."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"[{','.join([write_json(item) for item in value])}]"
    if isinstance(value, dict):
        return f"{{{','.join([f'{quote(key)}:{write_json(item)}' for key, item in value.items()])}}}"
    text = repr(value)
    return _LITERALS.get(text, text)
