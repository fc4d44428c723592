"""Tables of words and numbers: the files of `assets/tables` (SPEC 2.4).

A line with a name in brackets begins a table, and the next empty line ends it; text outside of tables is a comment. The
Rust core embeds the same files. A file is read when the first of its tables is needed. Files and parsed tables are
cached.
"""

from .sorted_places import first_place


def asset_path(name: str) -> str:
    """The path of a file of this package's data, given by its name below `assets`."""
    return f"{__file__.rpartition('basics')[0]}assets/{name}"


def map_asset(name: str) -> "memoryview | None":
    """A file of this package's data, mapped because a prompt reads little of it; None if it is missing or empty."""
    from mmap import ACCESS_READ, mmap

    try:
        with open(asset_path(name), "rb") as file:
            return memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    except (OSError, ValueError):
        # Mapping an empty file raises ValueError.
        return None


def read_words(file: str, name: str) -> tuple[str, ...]:
    """The words of a table, which are separated by spaces and line ends."""
    words = _words.get((file, name))
    if words is None:
        words = _words[file, name] = tuple(_find(file, name).decode().replace("\n", " ").split(" "))
    return words


def read_numbers(file: str, name: str) -> tuple[int, ...]:
    """The words of a table as integers: decimal, or hexadecimal if they begin with `0x`."""
    numbers = _numbers.get((file, name))
    if numbers is None:
        numbers = _numbers[file, name] = tuple([int(word, 0) for word in _find(file, name).decode().split()])
    return numbers


def read_rows(file: str, name: str) -> tuple[tuple[int, ...], ...]:
    """The integers of a table, one tuple for each line."""
    rows = _rows.get((file, name))
    if rows is None:
        lines = _find(file, name).decode().split("\n")
        rows = _rows[file, name] = tuple([tuple([int(word, 0) for word in line.split(" ")]) for line in lines])
    return rows


def read_lines(file: str, name: str) -> list[str]:
    """The lines of a table as they are, with their spaces."""
    return _find(file, name).decode().split("\n")


def has_table(file: str, name: str) -> bool:
    """Whether the file has a table of this name."""
    return b"\n[%s]\n" % name.encode() in _read(file)


def find_row(file: str, name: str, key: str) -> str:
    """The text after the first word of the line whose first word is `key`; "" if there is no such line.

    The lines of the table must be sorted.
    """
    lines = _lines.get((file, name))
    if lines is None:
        lines = _lines[file, name] = _find(file, name).split(b"\n")
    begin = key.encode("utf-8", "replace") + b" "
    place = first_place(0, len(lines), lambda number: lines[number] >= begin)
    return lines[place][len(begin) :].decode() if place < len(lines) and lines[place].startswith(begin) else ""


def _find(file: str, name: str) -> bytes:
    """The bytes of a table, without the line of its name. Raises ValueError if the file has no such table."""
    data = _read(file)
    begin = data.index(b"\n[%s]\n" % name.encode()) + len(name) + 4
    return data[begin : data.index(b"\n\n", begin)]


def _read(file: str) -> bytes:
    """The bytes of a file, with a line end added so that an empty line ends the last table too."""
    data = _files.get(file)
    if data is None:
        with open(asset_path(f"tables/{file}.txt"), "rb") as opened:
            data = _files[file] = opened.read() + b"\n"
    return data


_files: dict[str, bytes] = {}
_words: dict[tuple[str, str], tuple[str, ...]] = {}
_numbers: dict[tuple[str, str], tuple[int, ...]] = {}
_rows: dict[tuple[str, str], tuple[tuple[int, ...], ...]] = {}
_lines: dict[tuple[str, str], list[bytes]] = {}
