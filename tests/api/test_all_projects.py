"""`cuecard search --all-projects` searches the stores that this user has used."""

import json
import os
from pathlib import Path

import pytest

from command_process import run_in
from cuecard import Store
from cuecard.files.used_stores import used_stores
from records import draft, make_store, put, stored


def use(folder: Path, title: str) -> Store:
    store = make_store(folder)
    store.add(draft(title, tags=["storage"]), trust="own")
    return store


def test_the_memories_of_all_projects_are_found(tmp_path: Path, fresh_data: Path) -> None:
    one, two = use(tmp_path / "one", "The ledger is in PostgreSQL"), use(tmp_path / "two", "The ledger is append-only")
    three = use(tmp_path / "three", "Colours are in the theme")
    ran = run_in(one, "search", "ledger", "--all-projects", "--json")
    found = {project["root"]: [hit["title"] for hit in project["hits"]] for project in ran.document["projects"]}
    assert list(found)[2:] in ([], [three.root])
    assert (found[one.root], found[two.root]) == (["The ledger is in PostgreSQL"], ["The ledger is append-only"])
    assert ran.document["searched"] == 3
    shown = run_in(one, "search", "ledger", "--all-projects").stdout
    assert f"{two.root}:\n" in shown
    ran = run_in(one, "search", "ledger", "--all-projects", "--limit", "1", "--json")
    assert sum(len(project["hits"]) for project in ran.document["projects"]) == 1


@pytest.mark.parametrize("is_used", [True, False])
def test_a_memory_of_the_users_store_is_found_once(tmp_path: Path, fresh_data: Path, is_used: bool) -> None:
    stores = [use(tmp_path / name, f"Colours of {name} are in the theme") for name in ("one", "two", "three")]
    user = make_store(fresh_data / "user")
    if is_used:
        user.add(draft("The ledger is append-only", tags=["storage"]), trust="own")
    else:
        put(user, stored("the-ledger-is-append-only", title="The ledger is append-only"))
    stores[2].add(draft("The ledger is in PostgreSQL"), trust="own")
    ran = run_in(stores[0], "search", "ledger append-only", "--all-projects", "--limit", "2", "--json")
    found = [(project["root"], hit["title"]) for project in ran.document["projects"] for hit in project["hits"]]
    assert sorted(title for _root, title in found) == ["The ledger is append-only", "The ledger is in PostgreSQL"]
    assert not is_used or (user.root, "The ledger is append-only") in found


def test_a_strangers_repository_is_not_trusted_for_being_listed(tmp_path: Path, fresh_data: Path) -> None:
    store = make_store(tmp_path / "stranger")
    put(store, stored("the-ledger", title="The ledger of a stranger"))
    own = use(tmp_path / "own", "The ledger is append-only")
    # The hook keeps a session of the stranger's project.
    run_in(store, "focus", "ledger")
    ran = run_in(own, "search", "ledger", "--all-projects", "--json")
    trust = {hit["title"]: hit["trust"] for project in ran.document["projects"] for hit in project["hits"]}
    assert trust == {"The ledger of a stranger": "unreviewed", "The ledger is append-only": "own"}


def test_the_list_is_what_the_data_folder_knows(tmp_path: Path, fresh_data: Path) -> None:
    one, two = use(tmp_path / "one", "The ledger is in PostgreSQL"), use(tmp_path / "two", "The ledger is append-only")
    stores = fresh_data / "stores"
    for folder in stores.iterdir():
        age = 1000 if str(one.root) in (folder / "path").read_text("utf-8") else 2000
        for file in folder.iterdir():
            os.utime(file, (age, age))
    assert used_stores() == ([two.root, one.root], 0)
    # A folder that names another store than its own, and a store that is gone, are left out.
    forged = stores / ("0" * 32)
    forged.mkdir()
    (forged / "path").write_text(one.memory_dir + "\n", "utf-8")
    Path(two.root).rename(tmp_path / "gone")
    assert used_stores() == ([one.root], 0)


def test_other_options_are_refused(tmp_path: Path, fresh_data: Path) -> None:
    one = use(tmp_path / "one", "The ledger is in PostgreSQL")
    ran = run_in(one, "search", "ledger", "--all-projects", "--root", ".", "--json")
    assert ran.code == 2
    assert json.loads(ran.stdout)["error"]["what"].startswith("`--all-projects` goes without")
