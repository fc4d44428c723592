"""Checks that all files agree about the version of cuecard and about how to install it.

Usage: `python tools/release_check.py [--tag v0.1.0] [--dist FOLDER] [--published | --switch]`. Every version must equal
that in `Cargo.toml`. By default, texts must tell people to install cuecard from a checkout, and no text may tell them
to install it from the package index. With `--published`, texts must say to install it from the index, and the links of
the README must be absolute, which needs `Repository` in `[project.urls]` of `pyproject.toml`. `--switch` first changes
the texts and links accordingly. With `--tag`, `FOLDER` must contain everything that a release uploads. Prints what was
checked; if something disagrees, prints every disagreement and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
HEADING = re.compile(r"^## \[([^\]]+)\](?: - (.+))?$", re.MULTILINE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# Commands that would install the package from an index.
BY_NAME = re.compile(
    r"""\b(?:(?:pip3?|pipx|uv\ tool|uv\ pip|conda|mamba)\ +(?:install|upgrade|run)|(?:uv|poetry|pdm|rye)\ +add|uvx)
    (?:\ +--?[\w=-]+)*\ +['"]?cuecard(?![\w/@-]|\.\w)""",
    re.VERBOSE,
)
# A release in a text, such as `cuecard 0.1.0` or `cuecard==0.1.0`, but no version of another package.
STATED = re.compile(r"\bcuecard(?:==|[ -])v?(\d+\.\d+\.\d+)\b")
# A link or picture whose target is in the repository.
RELATIVE = re.compile(r"(!?)\[[^\]]*\]\((?!https?://|#)([^)\s]+)\)")
# Files that are not read: this program and its test contain such commands, and nobody follows commands in test data.
NOT_READ = (
    "tests/data/",
    "tests/vectors/",
    "tests/attacks/",
    "tests/house/test_release_check.py",
    "tools/release_check.py",
)
TEXTS = (".cff", ".json", ".md", ".py", ".pyi", ".rs", ".sh", ".svg", ".toml", ".txt", ".yaml", ".yml")
# The text before the package is published, and the text after it.
SWITCHES = {
    "README.md": (
        (
            "Until cuecard is published, install it from a checkout of this repository:",
            "Install it from the package index:",
        ),
        (
            "uv tool install .   # or: pipx install .",
            "uv tool install cuecard# or: pipx install cuecard",
        ),
    ),
    "docs/quick-start.md": (
        (
            "Nobody has published cuecard on the package index yet. Install it from a checkout of its repository:",
            "Install cuecard from the package index:",
        ),
        ("uv tool install .\n", "uv tool install cuecard\n"),
        ("pipx install .\n", "pipx install cuecard\n"),
    ),
    "docs/index.md": (
        (
            "Until cuecard is published, install it from a checkout of its repository:",
            "Install it from the package index:",
        ),
        ("uv tool install .\n", "uv tool install cuecard\n"),
        ("pipx install .\n", "pipx install cuecard\n"),
    ),
    "docs/guides/models.md": (
        ("`uv tool install '.[embeddings]'` in a checkout", "`uv tool install 'cuecard[embeddings]'`"),
        ("`uv tool install '.[e5]'` in a checkout", "`uv tool install 'cuecard[e5]'`"),
    ),
    "docs/guides/view.md": (
        ("uv tool install '.[viewer]'   # in a checkout\n", "uv tool install 'cuecard[viewer]'\n"),
    ),
    "docs/guides/branches.md": (
        ("- run: pipx run --spec FOLDER cuecard doctor --ci\n", "- run: pipx run cuecard doctor --ci\n"),
        ("In a pipeline, where FOLDER is a checkout of cuecard:", "In a pipeline:"),
    ),
    "python/cuecard/basics/installing.py": (
        ('SOURCE = "FOLDER"', 'SOURCE = "cuecard"'),
        ('WHERE = ", where FOLDER is a checkout of cuecard"', 'WHERE = ""'),
    ),
}


def read_version(root: Path) -> str:
    """The version of the workspace, which every other place repeats."""
    found = re.search(r'^version = "([^"]+)"', (root / "Cargo.toml").read_text("utf-8"), re.MULTILINE)
    if found is None:
        sys.exit("error: `Cargo.toml` states no version")
    return found[1]


def version_problems(root: Path, version: str) -> list[str]:
    """List the files of the tree whose version differs from that in `Cargo.toml`."""
    found = [] if VERSION.fullmatch(version) else [f"`{version}` in `Cargo.toml` is not a version such as 0.1.0"]
    stated: dict[str, list[str]] = {
        "Cargo.lock": re.findall(
            r'^name = "cuecard-\w+"\nversion = "([^"]+)"', _read(root, "Cargo.lock"), re.MULTILINE
        ),
        "python/cuecard/basics/version.py": re.findall(
            r'^__version__ = "([^"]+)"', _read(root, "python/cuecard/basics/version.py"), re.MULTILINE
        ),
        "zensical.toml": re.findall(r'^site_name = "cuecard ([^"]+)"$', _read(root, "zensical.toml"), re.MULTILINE),
        "CITATION.cff": re.findall(r'^version: "?([^"\n]+)"?$', _read(root, "CITATION.cff"), re.MULTILINE),
    }
    for name in (".claude-plugin/plugin.json", ".codex-plugin/plugin.json"):
        stated[name] = [json.loads(_read(root, name))["version"]]
    market = json.loads(_read(root, ".claude-plugin/marketplace.json"))
    stated[".claude-plugin/marketplace.json"] = [entry["version"] for entry in market["plugins"]]
    for name, versions in stated.items():
        if not versions:
            found.append(f"`{name}` states no version")
        found += [f"`{name}` states {other}, `Cargo.toml` {version}" for other in versions if other != version]
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        name = path.relative_to(root).as_posix()
        others = {other for other in STATED.findall(path.read_text("utf-8")) if other != version}
        found += [f"`{name}` names release {other}, `Cargo.toml` {version}" for other in sorted(others)]
    return found


def changelog_problems(root: Path, version: str, tag: str | None) -> list[str]:
    """List what is wrong with the headings of the changelog; a tagged release needs a date."""
    text = _read(root, "CHANGELOG.md")
    headings = [(name, when) for name, when in HEADING.findall(text) if name != "Unreleased"]
    if not headings:
        return ["`CHANGELOG.md` has no heading such as `## [0.1.0] - 2026-01-31`"]
    name, when = headings[0]
    found = []
    if name != version:
        found.append(f"the newest heading of `CHANGELOG.md` is {name}, but the version is {version}")
    if tag and not DATE.fullmatch(when):
        found.append(f"`CHANGELOG.md` dates {name} `{when}`; a release needs a day such as 2026-01-31")
    found += [
        f"`CHANGELOG.md` dates {name} `{when}`, which is not a day"
        for name, when in headings[1:]
        if not DATE.fullmatch(when)
    ]
    if tag and re.search(r"^## \[Unreleased\]\n+(?!## )\S", text, re.MULTILINE):
        found.append("`CHANGELOG.md` has entries under `[Unreleased]`, which belong to a release")
    return found


def tag_problems(version: str, tag: str | None) -> list[str]:
    """Return a list with a problem if the tag does not belong to the version, else an empty list."""
    return [f"the tag is `{tag}`, but the version needs `v{version}`"] if tag and tag != f"v{version}" else []


def install_problems(root: Path, *, published: bool) -> list[str]:
    """List the texts that tell people to install cuecard in a way that does not work or is outdated."""
    found = []
    for name, pairs in SWITCHES.items():
        text = _read(root, name)
        for checkout, by_name in pairs:
            expected, other = (by_name, checkout) if published else (checkout, by_name)
            if other in text or expected not in text:
                found.append(f"`{name}` does not say `{expected.strip()}`")
    if published:
        return found
    for path in _texts(root):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if match := BY_NAME.search(line):
                found.append(f"`{name}` line {number} installs by a name that nobody owns: `{match[0]}`")
    return found


def is_published(root: Path) -> bool:
    """Whether the messages of the package tell users to install it by its name, not from a checkout."""
    [_checkout, name] = SWITCHES["python/cuecard/basics/installing.py"][0]
    return name in _read(root, "python/cuecard/basics/installing.py")


def switch(root: Path) -> None:
    """Change every text so that it installs cuecard by its name."""
    for name, pairs in SWITCHES.items():
        text = _read(root, name)
        for checkout, by_name in pairs:
            text = text.replace(checkout, by_name)
        (root / name).write_text(text, encoding="utf-8", newline="\n")


def link_problems(root: Path) -> list[str]:
    """List the relative links of the README, which do not work on the package index."""
    if _repository(root) is None:
        return ["`pyproject.toml` states no `Repository` in `[project.urls]`, which the links of `README.md` need"]
    relative = RELATIVE.findall(_read(root, "README.md"))
    return [f"`README.md` links to `{target}`, which the package index cannot find" for _is_picture, target in relative]


def write_links(root: Path) -> None:
    """Make the links of the README absolute, so that they also work elsewhere, and let the site link to the repository.

    Does nothing as long as `pyproject.toml` does not state where the repository is.
    """
    place = _repository(root)
    if place is not None:
        text = RELATIVE.sub(
            lambda link: f"{link[0][: -len(link[2]) - 1]}{place}/{'raw' if link[1] else 'blob'}/main/{link[2]})",
            _read(root, "README.md"),
        )
        (root / "README.md").write_text(text, encoding="utf-8", newline="\n")
        site = re.sub(r"^repo_url = .*\n", "", _read(root, "zensical.toml"), flags=re.MULTILINE)
        site = site.replace("site_name =", f'repo_url = "{place}"\nsite_name =', 1)
        (root / "zensical.toml").write_text(site, encoding="utf-8", newline="\n")


def _repository(root: Path) -> str | None:
    found = re.search(r'^Repository = "(https://[^"]+?)/?"$', _read(root, "pyproject.toml"), re.MULTILINE)
    return found[1] if found else None


def dist_problems(root: Path, version: str, folder: Path, *, is_release: bool) -> list[str]:
    """List the packages in `folder` with a wrong version or README; for a release also each missing kind of package."""
    readme, found = _read(root, "README.md"), []
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    for path in [*wheels, *sdists]:
        try:
            metadata = HeaderParser().parsestr(_metadata(path))
        except (OSError, KeyError, StopIteration, tarfile.TarError, zipfile.BadZipFile):
            found.append(f"`{path.name}` has no metadata that can be read")
            continue
        if (metadata["Name"], metadata["Version"]) != ("cuecard", version):
            found.append(f"`{path.name}` is {metadata['Name']} {metadata['Version']}, not cuecard {version}")
        if str(metadata.get_payload()).strip() != readme.strip():
            found.append(f"`{path.name}` has another README than the tree")
        if path.name.partition("-")[2].removesuffix(".tar.gz").partition("-")[0] != version:
            found.append(f"the name of `{path.name}` is not that of {version}")
    if is_release:
        kinds = {
            "pure wheel": any(path.name.endswith("-py3-none-any.whl") for path in wheels),
            "native wheel": any("-abi3-" in path.name for path in wheels),
            "sdist": bool(sdists),
        }
        found += [f"`{folder.name}` has no {kind}" for kind, is_there in kinds.items() if not is_there]
    local = [path.name for path in wheels if "-abi3-linux_" in path.name]
    if is_release:
        found += [f"`{name}` is only for the machine that built it, and an index refuses it" for name in local]
    return found


def _metadata(path: Path) -> str:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    with tarfile.open(path) as archive:
        member = next(name for name in archive.getnames() if name.count("/") == 1 and name.endswith("/PKG-INFO"))
        content = archive.extractfile(member)
        assert content is not None
        return content.read().decode()


def _read(root: Path, name: str) -> str:
    path = root / name
    return path.read_text("utf-8") if path.is_file() else ""


def _texts(root: Path) -> list[Path]:
    """Every tracked text file. Without git, as in a source distribution, every text file outside of built folders."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    if not any(names):
        places = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
        names = [path.as_posix() for path in places if not {"target", "dist", ".venv", ".git"} & set(path.parts)]
    return [
        root / name
        for name in sorted(names)
        if not name.startswith(NOT_READ)
        and (name.endswith(TEXTS) or "." not in Path(name).name)
        and (root / name).is_file()
    ]


def main(arguments: list[str]) -> int:
    """Check the tree, and the packages in the folder; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tag", help="the tag of the release, such as v0.1.0")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="the folder with the packages")
    parser.add_argument("--published", action="store_true", help="texts must install cuecard by its name")
    parser.add_argument("--switch", action="store_true", help="change the texts to install cuecard by its name")
    options = parser.parse_args(arguments)
    if options.switch:
        switch(ROOT)
        write_links(ROOT)
    version = read_version(ROOT)
    found = [
        *version_problems(ROOT, version),
        *changelog_problems(ROOT, version, options.tag),
        *tag_problems(version, options.tag),
        *install_problems(ROOT, published=options.published or options.switch),
        *(link_problems(ROOT) if options.published or options.switch else []),
        *dist_problems(ROOT, version, options.dist, is_release=bool(options.tag)),
    ]
    if found:
        print(f"error: cuecard {version} cannot be released", *found, sep="\n  ", file=sys.stderr)
        return 1
    packages = len([*options.dist.glob("*.whl"), *options.dist.glob("*.tar.gz")])
    print(f"cuecard {version}: versions, changelog, tag, texts and {packages} packages agree")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
