"""`tools/release_check.py` accepts this repository, and finds every kind of disagreement between its files."""

import io
import shutil
import sys
import tarfile
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    check = import_module("release_check")
finally:
    sys.path.remove(str(ROOT / "tools"))

VERSION = check.read_version(ROOT)
STATE = (
    *("Cargo.toml", "Cargo.lock", "CITATION.cff", "CHANGELOG.md", "README.md"),
    *("docs/index.md", "docs/quick-start.md", "zensical.toml"),
    *("docs/guides/branches.md", "docs/guides/models.md", "docs/guides/view.md"),
    *(".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".claude-plugin/marketplace.json"),
    *("python/cuecard/basics/version.py", "python/cuecard/basics/installing.py"),
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of every file that contains the version or says how to install."""
    for name in STATE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def replace(tree: Path, name: str, old: str, new: str) -> None:
    text = (tree / name).read_text("utf-8")
    assert old in text
    (tree / name).write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")


def write_wheel(folder: Path, version: str, readme: str, tag: str = "py3-none-any", inside: str = "") -> None:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"cuecard-{version}-{tag}.whl", "w") as wheel:
        metadata = f"Metadata-Version: 2.4\nName: cuecard\nVersion: {inside or version}\n\n{readme}"
        wheel.writestr(f"cuecard-{version}.dist-info/METADATA", metadata)


def write_sdist(folder: Path, version: str, readme: str) -> None:
    content = f"Metadata-Version: 2.4\nName: cuecard\nVersion: {version}\n\n{readme}".encode()
    with tarfile.open(folder / f"cuecard-{version}.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(f"cuecard-{version}/PKG-INFO")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def test_this_tree_agrees() -> None:
    assert check.version_problems(ROOT, VERSION) == []
    assert check.changelog_problems(ROOT, VERSION, None) == []


def test_no_tracked_text_installs_by_a_name_that_nobody_owns() -> None:
    assert check.install_problems(ROOT, published=check.is_published(ROOT)) == []


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        (".claude-plugin/plugin.json", VERSION),
        (".codex-plugin/plugin.json", VERSION),
        (".claude-plugin/marketplace.json", VERSION),
        ("CITATION.cff", VERSION),
        ("Cargo.lock", f'name = "cuecard-core"\nversion = "{VERSION}"'),
        ("python/cuecard/basics/version.py", VERSION),
        ("zensical.toml", VERSION),
    ],
)
def test_a_copy_of_the_version_that_was_forgotten_is_named(tree: Path, name: str, stated: str) -> None:
    replace(tree, name, stated, stated.replace(VERSION, "9.8.7"))
    assert check.version_problems(tree, VERSION) == [f"`{name}` states 9.8.7, `Cargo.toml` {VERSION}"]


def test_a_file_without_a_version_is_named(tree: Path) -> None:
    (tree / "CITATION.cff").unlink()
    assert check.version_problems(tree, VERSION) == ["`CITATION.cff` states no version"]


def test_a_release_in_the_documentation_is_compared(tree: Path) -> None:
    (tree / "docs" / "old.md").write_text("Works with cuecard 0.0.9 and bm25s 0.2.1.\n", encoding="utf-8")
    assert check.version_problems(tree, VERSION) == [f"`docs/old.md` names release 0.0.9, `Cargo.toml` {VERSION}"]


def test_what_is_no_version_is_refused(tree: Path) -> None:
    assert "`one` in `Cargo.toml` is not a version such as 0.1.0" in check.version_problems(tree, "one")


class TestChangelog:
    def write(self, tree: Path, text: str) -> None:
        (tree / "CHANGELOG.md").write_text(f"# Changelog\n\n{text}", encoding="utf-8")

    def test_the_newest_heading_is_that_of_the_version(self, tree: Path) -> None:
        self.write(tree, "## [0.0.9] - 2026-01-31\n")
        assert check.changelog_problems(tree, "0.1.0", None) == [
            "the newest heading of `CHANGELOG.md` is 0.0.9, but the version is 0.1.0"
        ]

    def test_a_tagged_release_has_a_date(self, tree: Path) -> None:
        self.write(tree, "## [0.1.0] - unreleased\n")
        assert check.changelog_problems(tree, "0.1.0", None) == []
        [problem] = check.changelog_problems(tree, "0.1.0", "v0.1.0")
        assert "needs a day" in problem

    def test_an_older_release_has_one_always(self, tree: Path) -> None:
        self.write(tree, "## [0.1.0] - 2026-01-31\n\n## [0.0.9] - soon\n")
        assert check.changelog_problems(tree, "0.1.0", None) == [
            "`CHANGELOG.md` dates 0.0.9 `soon`, which is not a day"
        ]

    def test_nothing_is_left_unreleased_by_a_tag(self, tree: Path) -> None:
        self.write(tree, "## [Unreleased]\n\n- A thing.\n\n## [0.1.0] - 2026-01-31\n")
        assert check.changelog_problems(tree, "0.1.0", None) == []
        [problem] = check.changelog_problems(tree, "0.1.0", "v0.1.0")
        assert "[Unreleased]" in problem
        self.write(tree, "## [Unreleased]\n\n## [0.1.0] - 2026-01-31\n")
        assert check.changelog_problems(tree, "0.1.0", "v0.1.0") == []

    def test_one_without_a_heading_is_refused(self, tree: Path) -> None:
        self.write(tree, "Nothing yet.\n")
        assert len(check.changelog_problems(tree, "0.1.0", None)) == 1


def test_a_tag_is_that_of_the_version() -> None:
    assert check.tag_problems("0.1.0", None) == check.tag_problems("0.1.0", "v0.1.0") == []
    assert check.tag_problems("0.1.0", "v0.2.0") == ["the tag is `v0.2.0`, but the version needs `v0.1.0`"]
    assert check.tag_problems("0.1.0", "0.1.0") != []


@pytest.mark.parametrize(
    "command",
    [
        *("pip install cuecard", "pip install -U --user cuecard", "pipx install 'cuecard[embeddings]'", "uvx cuecard"),
        *("uv tool install cuecard==0.1.0", "uv add cuecard", "uv pip install cuecard.", "pipx run cuecard doctor"),
    ],
)
def test_a_text_that_installs_by_name_is_named(tree: Path, command: str) -> None:
    (tree / "docs" / "new.md").write_text(f"First.\nRun `{command}`.\n", encoding="utf-8")
    [problem] = check.install_problems(tree, published=False)
    assert problem.startswith("`docs/new.md` line 2 installs by a name that nobody owns: ")


@pytest.mark.parametrize(
    "command",
    [
        *("uv tool install .", "pip install ./cuecard", "pipx install FOLDER", "uv tool uninstall cuecard"),
        *("claude plugin install cuecard@cuecard", "cuecard install codex", "pip install cuecard-0.1.0.whl"),
    ],
)
def test_a_text_that_installs_otherwise_is_not(tree: Path, command: str) -> None:
    (tree / "docs" / "new.md").write_text(f"Run `{command}`.\n", encoding="utf-8")
    assert check.install_problems(tree, published=False) == []


def test_a_readme_that_says_neither_is_named(tree: Path) -> None:
    replace(tree, "README.md", "uv tool install .  ", "make install  ")
    assert len(check.install_problems(tree, published=False)) == 1


def test_the_texts_are_switched_to_the_name_once_it_is_published(tree: Path) -> None:
    assert not check.is_published(tree)
    assert len(check.install_problems(tree, published=True)) == sum(map(len, check.SWITCHES.values()))
    check.switch(tree)
    assert check.is_published(tree)
    assert check.install_problems(tree, published=True) == []
    assert check.install_problems(tree, published=False) != []
    names: dict[str, str] = {}
    exec((tree / "python/cuecard/basics/installing.py").read_text("utf-8"), names)
    assert names["INSTALL"] == "`uv tool install cuecard` or `pipx install cuecard`"


class TestPackages:
    def problems(self, tree: Path, *, is_release: bool = False) -> list[str]:
        found: list[str] = check.dist_problems(tree, "0.1.0", tree / "dist", is_release=is_release)
        return found

    def test_those_of_a_release_are_accepted(self, tree: Path) -> None:
        readme = (tree / "README.md").read_text("utf-8")
        write_wheel(tree / "dist", "0.1.0", readme)
        write_wheel(tree / "dist", "0.1.0", readme, "cp310-abi3-manylinux_2_17_x86_64")
        write_sdist(tree / "dist", "0.1.0", readme)
        assert self.problems(tree, is_release=True) == []

    def test_one_of_another_version_is_named(self, tree: Path) -> None:
        readme = (tree / "README.md").read_text("utf-8")
        write_wheel(tree / "dist", "0.1.0", readme, inside="0.0.9")
        assert self.problems(tree) == ["`cuecard-0.1.0-py3-none-any.whl` is cuecard 0.0.9, not cuecard 0.1.0"]

    def test_one_that_is_named_for_another_version_is_named(self, tree: Path) -> None:
        write_wheel(tree / "dist", "0.0.9", (tree / "README.md").read_text("utf-8"), inside="0.1.0")
        assert self.problems(tree) == ["the name of `cuecard-0.0.9-py3-none-any.whl` is not that of 0.1.0"]

    def test_one_with_another_readme_is_named(self, tree: Path) -> None:
        write_wheel(tree / "dist", "0.1.0", "An old text.")
        assert self.problems(tree) == ["`cuecard-0.1.0-py3-none-any.whl` has another README than the tree"]

    def test_one_that_cannot_be_read_is_named(self, tree: Path) -> None:
        (tree / "dist").mkdir()
        (tree / "dist" / "cuecard-0.1.0-py3-none-any.whl").write_bytes(b"no archive")
        assert self.problems(tree) == ["`cuecard-0.1.0-py3-none-any.whl` has no metadata that can be read"]

    def test_a_release_lacks_no_kind(self, tree: Path) -> None:
        (tree / "dist").mkdir()
        assert self.problems(tree) == []
        assert len(self.problems(tree, is_release=True)) == 3

    def test_a_release_has_no_wheel_for_one_machine(self, tree: Path) -> None:
        readme = (tree / "README.md").read_text("utf-8")
        write_wheel(tree / "dist", "0.1.0", readme)
        write_sdist(tree / "dist", "0.1.0", readme)
        write_wheel(tree / "dist", "0.1.0", readme, "cp310-abi3-linux_x86_64")
        [problem] = self.problems(tree, is_release=True)
        assert "is only for the machine that built it" in problem


def test_a_published_readme_links_to_the_repository(tree: Path) -> None:
    (tree / "pyproject.toml").write_text('[project]\nname = "cuecard"\n', encoding="utf-8")
    [problem] = check.link_problems(tree)
    assert "no `Repository`" in problem
    before = (tree / "README.md").read_text("utf-8")
    check.write_links(tree)
    assert (tree / "README.md").read_text("utf-8") == before

    (tree / "pyproject.toml").write_text('[project.urls]\nRepository = "https://example.org/us/cuecard"\n', "utf-8")
    assert len(check.link_problems(tree)) == before.count("](") - before.count("](http")
    check.write_links(tree)
    after = (tree / "README.md").read_text("utf-8")
    assert "](https://example.org/us/cuecard/raw/main/docs/pictures/session.svg)" in after
    assert "](https://example.org/us/cuecard/blob/main/docs/comparison.md#remem)" in after
    assert check.link_problems(tree) == []
    check.write_links(tree)
    assert (tree / "README.md").read_text("utf-8") == after
    site = (tree / "zensical.toml").read_text("utf-8")
    assert site.count('\nrepo_url = "https://example.org/us/cuecard"\n') == 1
