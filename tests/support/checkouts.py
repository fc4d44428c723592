"""Repositories of real git in the forms that the tests of scopes need, with one memory in each of their stores."""

import json
import subprocess
from pathlib import Path

# What a memory of a test says, by the word that names its store.
TITLE = "Deployments of {} need the VPN"
PROMPT = "what do deployments need, the VPN?"


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def begin(folder: Path, *words: str) -> Path:
    """A new repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet", *words)
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "start")
    return folder


def remember(root: Path, word: str, name: str = "") -> Path:
    """Write a memory about `word` into the store of a folder; the file is called `name`, or like the word."""
    folder = root / ".claude" / "memory" / "constraints"
    folder.mkdir(parents=True, exist_ok=True)
    memory = {
        "schema_version": "1.0",
        "category": "constraint",
        "id": name or f"vpn-{word}",
        "title": TITLE.format(word),
        "created_at": "2026-01-05T10:00:00Z",
        "updated_at": "2026-01-05T10:00:00Z",
        "tags": ["deployments", "vpn"],
        "record_status": "active",
        "content": {
            "kind": "limitation",
            "rule": f"Deployments of {word} go through the VPN.",
            "impact": ["safety"],
            "severity": "high",
        },
    }
    path = folder / f"{name or f'vpn-{word}'}.json"
    path.write_text(json.dumps(memory))
    return path


def commit_all(folder: Path) -> None:
    """Commit everything in a repository."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


def monorepo(above: Path) -> Path:
    """A repository with memories of its own and of a package. Returns the package."""
    root = begin(above / "mono")
    remember(root, "root")
    package = root / "packages" / "api"
    remember(package, "package")
    (package / "src").mkdir()
    return package


def submodule(above: Path) -> Path:
    """A superproject with memories, and a submodule without any. Returns the submodule."""
    library = begin(above / "library")
    superproject = begin(above / "super")
    remember(superproject, "super")
    git(superproject, "submodule", "--quiet", "add", str(library), "service/library")
    return superproject / "service" / "library"


def worktree(above: Path) -> Path:
    """A repository that has committed its memories, with a worktree that has one more. Returns the worktree."""
    main = begin(above / "main")
    remember(main, "main")
    commit_all(main)
    git(main, "worktree", "add", "--quiet", str(above / "tree"))
    remember(above / "tree", "branch")
    return above / "tree"


def hub(above: Path) -> Path:
    """A bare repository with two worktrees, and memories beside it. Returns one of the worktrees."""
    source = begin(above / "source")
    folder = above / "hub"
    git(above, "clone", "--quiet", "--bare", str(source), str(folder / ".bare"))
    (folder / ".git").write_text("gitdir: ./.bare\n")
    for name in ("one", "two"):
        git(folder, "worktree", "add", "--quiet", name)
    remember(folder, "hub")
    return folder / "one"


def separate(above: Path) -> Path:
    """A checkout with memories whose git folder lies elsewhere, with a worktree. Returns the worktree."""
    (above / "elsewhere").mkdir()
    main = begin(above / "work", f"--separate-git-dir={above / 'elsewhere' / 'repo.git'}")
    git(main, "worktree", "add", "--quiet", str(above / "tree"))
    return above / "tree"
