"""Lists the newest version of glibc that each program in a wheel needs.

Usage: `python tools/glibc_symbols.py [--newest 2.17] WHEEL...`. Prints a line for each ELF file; exits 1 if a file
needs a newer glibc than `--newest` allows. A program that contains its C library needs no glibc.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

Version = tuple[int, ...]


def needed_glibc(content: bytes) -> Version:
    """The newest version of glibc that an ELF file needs; () if it needs no glibc."""
    found: list[Version] = [()]
    for section in ELFFile(io.BytesIO(content)).iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for _library, symbols in section.iter_versions():
                names = [re.fullmatch(r"GLIBC_([\d.]+)", symbol.name) for symbol in symbols]
                found += [tuple(map(int, name[1].split("."))) for name in names if name]
    return max(found)


def programs(wheel: Path) -> dict[str, bytes]:
    """The names and contents of the ELF files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    return {name: content for name, content in contents.items() if content.startswith(b"\x7fELF")}


def main(arguments: list[str]) -> int:
    """Print the newest glibc that each program needs; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--newest", default="", help="the newest glibc that is allowed, such as 2.17")
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL")
    options = parser.parse_args(arguments)
    limit = tuple(map(int, options.newest.split("."))) if options.newest else None
    status = 0
    for wheel in options.wheels:
        for name, content in programs(wheel).items():
            needed = needed_glibc(content)
            words = f"needs glibc {'.'.join(map(str, needed))}" if needed else "needs no glibc"
            if limit is not None and needed > limit:
                status, words = 1, f"{words}, newer than {options.newest}"
            print(f"{wheel.name}: {name} {words}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
