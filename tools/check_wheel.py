"""Refuses a wheel of cuecard with missing or stray files.

Usage: `python tools/check_wheel.py WHEEL...`. A wheel must contain the files in `python/cuecard` of this tree and the
files that the build adds. Prints one line for each good wheel; exits 1 and prints every reason if a wheel is bad.
"""

from __future__ import annotations

import base64
import configparser
import csv
import hashlib
import re
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "cuecard"

FILE_NAME = re.compile(
    r"(?P<stem>cuecard-(?P<version>[^-]+))"
    r"-(?P<tag>(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platforms>[^-]+))\.whl"
)
# The first bytes of ELF, PE, and Mach-O files (plain and universal).
BINARY_MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
# The licences of the table of word vectors, of gitleaks' rules and of htmx. They keep their paths among a wheel's
# licences.
NOTICES = (
    "python/cuecard/assets/static_table.LICENSE.txt",
    "python/cuecard/assets/static_table.NOTICE.txt",
    "python/cuecard/assets/secret_rules_gitleaks.LICENSE.txt",
    "python/cuecard/viewer/static/htmx.LICENSE.txt",
)
CONSOLE_SCRIPTS = {
    "native": {"cuecard": "cuecard.cli:main"},
    "pure": {"cuecard": "cuecard.cli:main", "cuecard-hook": "cuecard.hook:start"},
}


def problems(path: Path) -> list[str]:
    """List what is wrong with the wheel at `path`, one lower-case clause each; empty for a good wheel."""
    name = FILE_NAME.fullmatch(path.name)
    if name is None:
        return ["the file name is not that of a wheel of cuecard"]
    flavour = {("cp310", "abi3"): "native", ("py3", "none"): "pure"}.get((name["python"], name["abi"]))
    if flavour is None or (flavour == "pure" and name["tag"] != "py3-none-any"):
        return [f"the tag `{name['tag']}` is neither cp310-abi3 nor py3-none-any"]
    try:
        with zipfile.ZipFile(path) as wheel:
            entries = {entry.filename: entry for entry in wheel.infolist() if not entry.is_dir()}
            if len(entries) < sum(not entry.is_dir() for entry in wheel.infolist()):
                return ["a file is in it twice"]
            contents = {filename: wheel.read(filename) for filename in entries}
    except (OSError, zipfile.BadZipFile) as error:
        return [f"it cannot be read: {error}"]
    modes = {filename: entry.external_attr >> 16 for filename, entry in entries.items()}

    sources = _package_files(flavour)
    tree = {file.relative_to(PACKAGE.parent).as_posix(): file.read_bytes() for file in sources}
    metadata = f"{name['stem']}.dist-info"
    expected = set(tree)
    expected |= {f"{metadata}/{file}" for file in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    expected.add(f"{metadata}/licenses/LICENSE")
    expected.update(f"{metadata}/licenses/{notice}" for notice in NOTICES)
    if flavour == "native":
        windows = "-win" in name["tag"]
        extension = "cuecard/_native.pyd" if windows else "cuecard/_native.abi3.so"
        executable = f"{name['stem']}.data/scripts/cuecard-hook{'.exe' if windows else ''}"
        expected |= {extension, executable}
    found = [f"`{file}` is missing" for file in sorted(expected - set(contents))]
    found += [f"`{file}` does not belong in it" for file in sorted(set(contents) - expected)]
    found += [
        f"`{file}` differs from the tree" for file, source in tree.items() if contents.get(file, source) != source
    ]
    if flavour == "native":
        found += [
            f"`{file}` is not a binary"
            for file in (extension, executable)
            if file in contents and not contents[file].startswith(BINARY_MAGIC)
        ]
        if modes.get(executable, 0o111) & 0o111 != 0o111:
            found.append(f"`{executable}` is not executable")
    found += _machine_paths(contents)
    if not found:
        found += _record_problems(contents, f"{metadata}/RECORD")
        tags = [f"{name['python']}-{name['abi']}-{platform}" for platform in name["platforms"].split(".")]
        found += _metadata_problems(contents, metadata, flavour, tags, name["version"])
    return found


def _package_files(flavour: str) -> list[Path]:
    """The source files of the package, without the files that builds, tools and editors leave beside them."""
    return [
        file
        for file in sorted(PACKAGE.rglob("*"))
        if file.is_file()
        and "__pycache__" not in file.parts
        and not file.name.startswith(".")
        and not file.name.endswith((".pyc", ".so", ".pyd", "~"))
        and (flavour == "native" or file.name != "_native.pyi")
    ]


def _machine_paths(contents: dict[str, bytes]) -> list[str]:
    """List the text files that contain the path of this tree or the home folder of the user who built the wheel."""
    places = sorted({re.escape(str(folder)) for folder in (ROOT, Path.home()) if len(folder.parts) > 1})
    # Match a whole path only: `/home/ann` matches, `tests/home/ann` and `/home/anna` do not.
    pattern = re.compile(rf"(?<![\w.<>{{}}$-])({'|'.join(places)})(?![\w.-])".encode())
    return [
        f"`{file}` names `{match[1].decode(errors='replace')}`, a folder of the machine that built it"
        for file, content in sorted(contents.items())
        if not content.startswith(BINARY_MAGIC) and (match := pattern.search(content))
    ]


def _record_problems(contents: dict[str, bytes], record: str) -> list[str]:
    rows = {row[0]: row[1:] for row in csv.reader(contents[record].decode().splitlines()) if row}
    found = [f"RECORD does not list `{file}`" for file in sorted(set(contents) - set(rows))]
    found += [f"RECORD lists `{file}`, which is not there" for file in sorted(set(rows) - set(contents))]
    for file in sorted(set(rows) & set(contents) - {record}):
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents[file]).digest()).rstrip(b"=").decode()
        if rows[file] != [f"sha256={digest}", str(len(contents[file]))]:
            found.append(f"RECORD does not match `{file}`")
    return found


def _metadata_problems(
    contents: dict[str, bytes], folder: str, flavour: str, tags: list[str], version: str
) -> list[str]:
    found = []
    metadata = HeaderParser().parsestr(contents[f"{folder}/METADATA"].decode())
    if (metadata["Name"], metadata["Version"]) != ("cuecard", version):
        found.append(f"METADATA is that of `{metadata['Name']} {metadata['Version']}`")
    if version != _workspace_version():
        found.append(f"its version is {version}, but `Cargo.toml` has {_workspace_version()}")
    wheel = HeaderParser().parsestr(contents[f"{folder}/WHEEL"].decode())
    if sorted(wheel.get_all("Tag", [])) != sorted(tags):
        found.append(f"WHEEL states the tags {wheel.get_all('Tag')}, the file name {tags}")
    if wheel["Root-Is-Purelib"] != str(flavour == "pure").lower():
        found.append(f"WHEEL states `Root-Is-Purelib: {wheel['Root-Is-Purelib']}`")
    entry_points = configparser.ConfigParser(delimiters="=")
    entry_points.read_string(contents[f"{folder}/entry_points.txt"].decode())
    stated = {section: dict(entry_points[section]) for section in entry_points.sections()}
    if stated != {"console_scripts": CONSOLE_SCRIPTS[flavour]}:
        found.append(f"the entry points are {stated}")
    return found


def _workspace_version() -> str | None:
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "([^"]+)"', manifest, re.MULTILINE)
    return found and found[1]


def main(arguments: list[str]) -> int:
    """Check the wheels named in `arguments`; return the exit status."""
    if not arguments:
        print("usage: check_wheel.py WHEEL...", file=sys.stderr)
        return 2
    status = 0
    for argument in arguments:
        path = Path(argument)
        reasons = problems(path)
        if reasons:
            status = 1
            print(f"{path.name} is refused", *reasons, sep="\n  ", file=sys.stderr)
        else:
            print(f"{path.name} is complete, {path.stat().st_size / 1000:,.0f} kB")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
