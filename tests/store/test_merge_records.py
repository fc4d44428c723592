"""Two versions of a memory are merged by field; files with conflict markers are repaired without git's index."""

import json
import subprocess
from pathlib import Path

import pytest

from command_process import run, run_in
from cuecard import Store
from cuecard.store.merging.conflicted import read_markers
from cuecard.store.merging.merge_records import merge_records
from cuecard.store.records.record_file import Fields, encode
from records import draft, make_store, stored

EARLY, MIDDLE, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"


def version(updated_at: str, **fields: object) -> Fields:
    return {**stored("queue", updated_at=updated_at), **fields}


def of(updated_at: str, decision: str, **fields: object) -> Fields:
    content = {"status": "accepted", "context": "a context", "decision": decision, "rationale": ["because"]}
    return version(updated_at, content=content, **fields)


def test_each_field_has_the_value_of_the_version_that_changed_it() -> None:
    base = of(EARLY, "one", title="Queue")
    merged = merge_records(base, of(MIDDLE, "two", title="Queue"), of(LATE, "one", title="The queue"))
    assert (merged.record["title"], merged.record["content"]["decision"]) == ("The queue", "two")
    assert (merged.conflicts, merged.record["updated_at"]) == ([], LATE)


def test_what_both_changed_is_kept_as_a_conflict() -> None:
    merged = merge_records(of(EARLY, "one"), of(LATE, "three"), of(MIDDLE, "two"))
    assert merged.record["content"]["decision"] == "three"
    assert merged.record["cuecard"]["conflicts"] == [{"field": "content.decision", "value": "two", "date": MIDDLE}]
    assert merge_records(of(EARLY, "one"), of(MIDDLE, "two"), of(LATE, "three")).record == merged.record


def test_lists_are_united_without_what_one_has_removed() -> None:
    base = version(EARLY, tags=["a", "b"], cuecard={"questions": ["one?"]})
    ours = version(LATE, tags=["a", "b", "c"], cuecard={"questions": ["one?", "two?"]})
    theirs = version(MIDDLE, tags=["b", "d"], cuecard={"questions": ["one?", "three?"]})
    merged = merge_records(base, ours, theirs).record
    assert (merged["tags"], merged["cuecard"]["questions"]) == (["b", "c", "d"], ["one?", "two?", "three?"])


def test_a_list_never_gets_empty() -> None:
    base, ours, theirs = [
        version(time, tags=tags) for time, tags in ((EARLY, ["a", "b"]), (LATE, ["a"]), (MIDDLE, ["b"]))
    ]
    assert merge_records(base, ours, theirs).record["tags"] == ["a"]


@pytest.mark.parametrize(("changed_at", "status"), [(EARLY, "retired"), (LATE, "active")])
def test_a_retirement_counts_unless_the_change_is_later(changed_at: str, status: str) -> None:
    retired = version(MIDDLE, record_status="retired", retired_at=MIDDLE, retired_reason="gone")
    merged = merge_records(version("2025-01-01T00:00:00Z"), retired, of(changed_at, "new")).record
    assert merged["record_status"] == status
    assert ("retired_at" in merged) == (status == "retired")
    assert merged["content"]["decision"] == "new"


def test_histories_and_counts_are_united() -> None:
    first, one, two = [{"date": date, "summary": date} for date in (EARLY, MIDDLE, LATE)]
    base = version(EARLY, changes=[first], times_updated=1)
    ours = version(LATE, changes=[first, two], times_updated=2)
    theirs = version(MIDDLE, changes=[first, one], times_updated=3)
    merged = merge_records(base, ours, theirs).record
    assert (merged["changes"], merged["times_updated"]) == ([first, one, two], 4)


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        (b"a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\nd\n", (None, b"a\nb\nd\n", b"a\nc\nd\n")),
        (b"<<<<<<< x\nb\n||||||| z\no\n=======\nc\n>>>>>>> y\n", (b"o\n", b"b\n", b"c\n")),
        (b"<<<<<<<< x\nb\n=======\n========\nc\n>>>>>>>> y\n", (None, b"b\n=======\n", b"c\n")),
        (b'{"a": "<<<<<<< x"}\n', None),
        (b"<<<<<<< x\nb\n", None),
        (b"<<<<<<< x\nb\n>>>>>>> y\n", None),
    ],
    ids=["merge", "diff3", "longer", "in a text", "open", "no middle"],
)
def test_markers_are_read(text: bytes, sides: "tuple[bytes | None, bytes, bytes] | None") -> None:
    assert read_markers(text) == sides


def in_conflict(store: Store, *, broken: bool = False) -> Path:
    """A memory file with markers, which a merge without cuecard has left and somebody has committed."""
    written = store.add(draft("Use a queue"))
    file = Path(store.root) / written.target
    text = file.read_text("utf-8")
    line = next(line for line in text.splitlines() if '"decision":' in line)
    other = line.replace('": "', '": "other ')
    between = f"<<<<<<< ours\n{line}\n=======\n{other}{'{' if broken else ''}\n>>>>>>> theirs"
    file.write_text(text.replace(line, between), encoding="utf-8")
    return file


def test_markers_that_were_committed_are_repaired(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    file = in_conflict(store)
    before = file.read_bytes()
    assert "would merge" in run_in(store, "merge", "--dry-run").stdout
    assert file.read_bytes() == before
    ran = run_in(store, "merge", "--json")
    assert (ran.code, list(ran.document["undecided"].values())) == (0, [["content.decision"]])
    [lost] = json.loads(file.read_bytes())["cuecard"]["conflicts"]
    assert lost["value"].startswith("other ")
    shown = run_in(store, "show", "use-a-queue").stdout
    assert "conflicts:\n" in shown
    assert f"  - content.decision ({lost['date']}): {lost['value']}\n" in shown
    assert "use-a-queue" in (Path(store.memory_dir) / "index.md").read_text("utf-8")
    run_in(store, "undo")
    assert file.read_bytes() == before


def test_a_file_that_cannot_be_read_stays_as_it_is(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    file = in_conflict(store, broken=True)
    before = file.read_bytes()
    ran = run_in(store, "merge")
    assert (ran.code, file.read_bytes()) == (1, before)
    assert f"left  .claude/memory/decisions/{file.name}" in ran.stdout


def test_a_merged_memory_is_vouched_for_if_both_versions_are(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    file = in_conflict(store)
    config = tmp_path / "config"
    (config / "cuecard").mkdir(parents=True)
    (config / "cuecard" / "config.json").write_text("{}", encoding="utf-8")
    base, ours, theirs = read_markers(file.read_bytes()) or (None, b"", b"")
    assert base is None
    for accepted in ((ours,), (ours, theirs)):
        before = file.read_bytes()
        for data in accepted:
            file.write_bytes(data)
            run_in(store, "trust", file.stem, "--yes", XDG_CONFIG_HOME=str(config))
        file.write_bytes(before)
        run_in(store, "merge", XDG_CONFIG_HOME=str(config))
        waiting = run_in(store, "trust", "--json", XDG_CONFIG_HOME=str(config)).document["unreviewed"]
        assert [each["id"] for each in waiting] == ([] if len(accepted) == 2 else [file.stem])
        file.write_bytes(before)


def test_git_is_told_without_the_filters_of_a_repository(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    root = Path(store.root)
    ran = tmp_path / "ran"
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org")

    def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*git, *arguments], cwd=root, capture_output=True, text=True, check=False, timeout=60)

    written = store.add(draft("Use a queue"))
    call("init", "-q", "-b", "main")
    call("add", "-A")
    call("commit", "-qm", "begin")
    call("checkout", "-qb", "other")
    store.update(written.target, {"content": {"decision": "theirs"}})
    call("commit", "-qam", "theirs")
    call("checkout", "-q", "main")
    store.update(written.target, {"content": {"decision": "ours"}})
    call("commit", "-qam", "ours")
    call("merge", "-q", "other")
    call("config", "filter.evil.clean", f"touch {ran}; cat")
    (root / ".gitattributes").write_text("*.json filter=evil\n", encoding="utf-8")
    assert run_in(store, "merge").code == 0
    assert call("ls-files", "--unmerged").stdout == ""
    assert not ran.exists()


def test_a_conflict_in_another_file_of_the_store_is_left(tmp_path: Path) -> None:
    store = make_store(tmp_path / "project")
    root = Path(store.root)
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org")
    settings = Path(store.memory_dir) / "memory-config.json"
    for branch, most in (("main", 3), ("other", 4), ("main", 5)):
        if branch == "main" and most == 3:
            subprocess.run([*git, "init", "-qb", "main"], cwd=root, check=True)
        else:
            made = ["-b"] if branch == "other" else []
            subprocess.run([*git, "checkout", "-q", *made, branch], cwd=root, check=True)
        settings.write_text(json.dumps({"retrieval": {"max_inject": most}}), encoding="utf-8")
        subprocess.run([*git, "add", "-A"], cwd=root, check=True)
        subprocess.run([*git, "commit", "-qm", str(most)], cwd=root, check=True)
    subprocess.run([*git, "merge", "-q", "other"], cwd=root, capture_output=True, check=False)
    before = settings.read_bytes()
    ran = run_in(store, "merge", "--json")
    assert (ran.code, list(ran.document["left"])) == (1, [".claude/memory/memory-config.json"])
    assert settings.read_bytes() == before


def test_the_driver_merges_for_git(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("base", "ours", "theirs")]
    for file, record in zip(files, (of(EARLY, "one"), of(MIDDLE, "two"), of(LATE, "one", tags=["x"])), strict=True):
        file.write_bytes(encode(record))
    assert run(tmp_path, tmp_path, "merge-file", *files).code == 0
    merged = json.loads(files[1].read_bytes())
    assert (merged["content"]["decision"], merged["tags"]) == ("two", ["x"])
    files[1].write_text("no memory", encoding="utf-8")
    assert run(tmp_path, tmp_path, "merge-file", *files).code == 1
    assert files[1].read_text("utf-8") == "no memory"
    files[2].unlink()
    ran = run(tmp_path, tmp_path, "merge-file", *files)
    assert (ran.code, ran.stderr.splitlines()[0]) == (1, f"error: `{files[2]}` is missing")


@pytest.mark.parametrize(
    "place", ["data/user/.claude/memory/decisions", "project/.claude/memory/decisions", "config/cuecard"]
)
def test_the_driver_writes_no_file_of_a_store_or_of_the_user(tmp_path: Path, place: str) -> None:
    folder = tmp_path / place
    folder.mkdir(parents=True)
    ours = folder / "config.json"
    ours.write_bytes(encode(of(EARLY, "one")))
    theirs = tmp_path / "theirs"
    theirs.write_bytes(encode(of(LATE, "two")))
    before = ours.read_bytes()
    folders = {"CUECARD_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    ran = run(tmp_path, tmp_path, "merge-file", theirs, ours, theirs, **folders)
    assert (ran.code, ours.read_bytes()) == (1, before)
    assert "no temporary file of git" in ran.stderr


def test_the_driver_merges_no_other_json(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("base", "ours", "theirs")]
    for file in files:
        file.write_text('{"sync": {"teams": []}}', encoding="utf-8")
    assert run(tmp_path, tmp_path, "merge-file", *files).code == 1
