"""`cuecard focus`: sets the subject of the current work, for a session or for some hours."""

import json
import os
import stat
import time
from pathlib import Path

import pytest

from command_process import Ran, error_of, run
from cuecard._pure.situation.focus import Focus, find_focus, read_focus
from cuecard.retrieval.focus_areas import set_focus
from hook_process import Hook
from scratch_home import kept_of, write_user_settings
from small_project import SampleMemory, write_project

SESSION = "CLAUDE_CODE_SESSION_ID"
ID = "0f1e2d3c-4b5a-6978"
MEMORIES = (
    SampleMemory("decision", "retry", "Retry with jitter", ("payments", "retry")),
    SampleMemory("constraint", "once", "Nothing is written twice", ("payment-ledger",)),
    SampleMemory("tech_debt", "slow", "The list is slow", ("ui",)),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = write_project(tmp_path / "project", *MEMORIES)
    file = root / MEMORIES[0].path
    file.write_text(file.read_text().replace('"tags"', '"related_files": ["src/pay/retry.py"], "tags"'))
    (root / "src/pay").mkdir(parents=True)
    (root / "src/pay/retry.py").touch()
    return root


def memory_dir(project: Path) -> str:
    return str(project / ".claude" / "memory")


def focus(project: Path, *arguments: str, cwd: Path | None = None, session: str = "") -> Ran:
    return run(project.parent, cwd or project, "focus", *arguments, **({SESSION: session} if session else {}))


def file_of(project: Path, session: str = "") -> Path:
    derived = kept_of(memory_dir(project))
    return derived / "sessions" / f"{session}.focus" if session else derived / "focus"


# Setting, showing, clearing


def test_without_a_session_it_is_the_projects_for_twelve_hours(project: Path) -> None:
    before = int(time.time())
    ran = focus(project, "payments", "category:constraint")
    assert (ran.code, ran.stderr) == (0, "")
    header, *areas = ran.stdout.splitlines()
    assert header.startswith("the focus of the project, until 2")
    assert areas == ["  payments", "  category:constraint"]
    title, at, *lines = file_of(project).read_text().splitlines()
    assert title == "cuecard focus 1"
    assert before <= int(at.removeprefix("set ")) <= time.time()
    assert lines == ["area payments", "area category:constraint"]
    assert read_focus(memory_dir(project), ID) == read_focus(memory_dir(project), None)
    assert focus(project).stdout == ran.stdout


def test_in_an_agent_it_is_that_of_its_session(project: Path) -> None:
    ran = focus(project, "payments", session=ID)
    assert ran.stdout == "the focus of this session:\n  payments\n"
    assert read_focus(memory_dir(project), ID) == ["payments"]
    assert read_focus(memory_dir(project), "another") == []
    assert read_focus(memory_dir(project), None) == []
    assert not file_of(project).exists()


def test_that_of_the_session_goes_before_that_of_the_project(project: Path) -> None:
    focus(project, "ui")
    focus(project, "payments", session=ID)
    assert read_focus(memory_dir(project), ID) == ["payments"]
    assert read_focus(memory_dir(project), "another") == ["ui"]
    assert focus(project, "--clear", session=ID).stdout.endswith("\n  ui\n")
    ran = focus(project, "--clear", session=ID)
    assert (ran.code, ran.stdout, ran.stderr) == (0, "", "note: there is no focus\n")


def test_an_id_that_no_file_can_have_is_no_session(project: Path) -> None:
    focus(project, "payments", session="../x")
    assert read_focus(memory_dir(project), "../x") == ["payments"]
    assert file_of(project).exists()


def test_without_a_focus_there_is_nothing_to_show_or_clear(project: Path) -> None:
    ran = focus(project)
    assert ran.stderr == "note: there is no focus\nhint: `cuecard focus AREA` sets one\n"
    assert focus(project, "--clear").code == 0
    assert not file_of(project).parent.exists()


def test_the_file_is_the_users_alone_and_there_is_no_other(project: Path) -> None:
    focus(project, "payments")
    focus(project, "payments", session=ID)
    for file in (file_of(project), file_of(project, ID)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert not list(file.parent.glob("*.tmp"))
    assert stat.S_IMODE(file_of(project, ID).parent.stat().st_mode) == 0o700
    assert not Path(memory_dir(project), ".cuecard", "focus").exists()


def test_programs_get_a_document(project: Path) -> None:
    document = focus(project, "payments", "pay", "--json", session=ID).document
    assert document == {
        "root": str(project),
        "scope": "session",
        "areas": ["payments", "pay"],
        "until": None,
        "unknown": [{"area": "pay", "near": ["payment-ledger", "payments"]}],
        "notes": [],
    }
    document = focus(project, "ui", "--json", "--root", str(project), cwd=project.parent).document
    assert (document["scope"], document["areas"], document["unknown"]) == ("project", ["ui"], [])
    assert document["until"].endswith("Z")
    document = focus(project, "--clear", "--json").document
    assert (document["scope"], document["areas"], document["until"]) == (None, [], None)


# Areas


@pytest.mark.parametrize(
    ("area", "kept"),
    [
        ("payments", "payments"),
        ("PAYMENTS", "PAYMENTS"),
        ("tag:retry", "tag:retry"),
        ("tech_debt", "tech_debt"),
        ("tech-debt", "tech-debt"),
        ("category:decisions", "category:decisions"),
        ("src/pay/retry.py", "path:src/pay/retry.py"),
        ("./src/pay/retry.py", "path:src/pay/retry.py"),
        ("path:src", "path:src/"),
        ("src", "src"),
        ("src/pay/", "path:src/pay/"),
        ("src/pay/**", "path:src/pay/"),
        ("src/*", "path:src/"),
        ("src/pay/*.py", "path:src/pay/*.py"),
        ("retry.py", "retry.py"),
    ],
)
def test_an_area_is_a_tag_a_category_or_a_path(project: Path, area: str, kept: str) -> None:
    file = project / MEMORIES[0].path
    file.write_text(file.read_text().replace("src/pay/retry.py", 'src/pay/retry.py", "src/pay/*.py'))
    ran = focus(project, area)
    assert (ran.code, ran.stderr) == (0, "")
    assert read_focus(memory_dir(project), None) == [kept]


def test_a_path_may_be_told_from_where_one_stands(project: Path) -> None:
    for area in ("pay/retry.py", "../src/pay/retry.py", str(project / "src/pay/retry.py"), "src/pay/retry.py"):
        focus(project, area, cwd=project / "src")
        assert read_focus(memory_dir(project), None) == ["path:src/pay/retry.py"]


@pytest.mark.parametrize(
    ("area", "hint"),
    [
        ("payment", "hint: tags with similar names: `payment-ledger`, `payments`\n"),
        ("tag:paymetns", "hint: tags with similar names: `payments`"),
        ("tag:decision", ""),
        ("category:payments", "hint: tags with similar names: `payments`\n"),
        ("src/other.py", ""),
        ("path:payments", "hint: tags with similar names: `payments`\n"),
    ],
)
def test_an_area_that_no_memory_has_is_said_and_set(project: Path, area: str, hint: str) -> None:
    ran = focus(project, area)
    assert ran.code == 0
    kept = read_focus(memory_dir(project), None)
    assert ran.stderr.startswith(f"warning: no memory belongs to the area `{kept[0]}`\n{hint}")
    assert bool(hint) == ("hint:" in ran.stderr)


@pytest.mark.parametrize(
    ("areas", "what"),
    [
        ([""], "an area is empty"),
        (["tag:"], "`tag:` is not an area"),
        (["a\x1b[31m"], "an area is not one line of printable text"),
        (["a" * 201], "an area is not one line of printable text"),
        ([f"a{number}" for number in range(9)], "9 areas are too many"),
        (["a", "--clear"], "areas and `--clear` are given together"),
    ],
)
def test_what_is_no_area_is_refused(project: Path, areas: list[str], what: str) -> None:
    ran = focus(project, "--json", *areas)
    assert (ran.code, error_of(ran)["what"]) == (2, what)
    assert not file_of(project).exists()


def test_a_line_feed_ends_no_line_of_the_file(project: Path) -> None:
    focus(project, "payments\narea ui")
    assert read_focus(memory_dir(project), None) == ["payments area ui"]


def test_the_same_area_counts_once(project: Path) -> None:
    assert focus(project, "ui", "ui", *["payments"] * 9).code == 0
    assert read_focus(memory_dir(project), None) == ["ui", "payments"]


def test_a_project_that_does_not_heed_it_is_told(project: Path) -> None:
    Path(memory_dir(project), "memory-config.json").write_text('{"retrieval": {"situation": {"focus": false}}}')
    assert "`retrieval.situation.focus` is off" in focus(project, "ui").stderr


def test_without_a_project_there_is_no_focus(tmp_path: Path) -> None:
    assert focus(tmp_path, "ui").code == 1


# The focus file


def test_that_of_a_project_ends_after_twelve_hours(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {"now": 1_700_000_000.5}
    monkeypatch.setattr(time, "time", lambda: clock["now"])
    set_focus(memory_dir(project), None, ["ui"])
    set_focus(memory_dir(project), ID, ["payments"])
    for later, areas in ((0, ["ui"]), (43_199, ["ui"]), (43_200, []), (-1, [])):
        clock["now"] = 1_700_000_000.5 + later
        assert read_focus(memory_dir(project), None) == areas
        assert read_focus(memory_dir(project), ID) == ["payments"]


DAMAGE = [
    b"",
    b"cuecard focus 1\n",
    b"cuecard focus 2\nset 1\narea ui\n",
    b"cuecard focus 1\nset {now}\narea ui",
    b"cuecard focus 1\nset 0{now}\narea ui\n",
    b"cuecard focus 1\nset -{now}\narea ui\n",
    b"cuecard focus 1\nset 99999999999999999999\narea ui\n",
    b"cuecard focus 1\nset {now}\narea \n",
    b"cuecard focus 1\nset {now}\n\n",
    b"cuecard focus 1\nset {now}\narea ui\nelse\n",
    b"cuecard focus 1\nset {now}\narea \xff\n",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_counts_as_none(project: Path, damage: bytes) -> None:
    whole = b"cuecard focus 1\nset {now}\narea ui\n"
    now = str(int(time.time())).encode()
    for session in ("", ID):
        file_of(project, session).parent.mkdir(parents=True, exist_ok=True)
        file_of(project, session).write_bytes(whole.replace(b"{now}", now))
        assert read_focus(memory_dir(project), session) == ["ui"]
        file_of(project, session).write_bytes(damage.replace(b"{now}", now))
        assert read_focus(memory_dir(project), session) == []


def test_no_more_than_eight_areas_count(project: Path) -> None:
    lines = "".join([f"area {number}\n" for number in range(20)])
    file_of(project, ID).parent.mkdir(parents=True)
    file_of(project, ID).write_text(f"cuecard focus 1\nset 1\n{lines}")
    found = find_focus(memory_dir(project), ID)
    assert isinstance(found, Focus)
    assert (found.areas, found.is_of_session) == ([str(number) for number in range(8)], True)


def test_a_session_that_is_forgotten_takes_its_focus_along(hook: Hook, project: Path) -> None:
    for name in ("old", "young"):
        set_focus(memory_dir(project), name, ["ui"])
    os.utime(file_of(project, "old"), (time.time() - 8 * 86_400,) * 2)
    sent = f'{{"prompt": "retry with jitter?", "cwd": "{project}", "session_id": "{ID}"}}'
    assert hook.run("prompt", stdin=sent.encode(), cwd=project).log == []
    kept = sorted(file.name for file in file_of(project, "old").parent.iterdir())
    assert kept == [ID, "young.focus"]


# The focus at a prompt


def first_shown(hook: Hook, project: Path, session: str | None = ID) -> str:
    """The title of the memory that the hook shows for a prompt; the settings allow only one."""
    settings = {"retrieval": {"gate_setting": "off", "max_inject": 1, "session": False}}
    write_user_settings(settings)
    sent = {"prompt": "how are payments written?", "cwd": str(project), "session_id": session}
    ran = hook.run("prompt", "--host", "plain", stdin=json.dumps(sent).encode(), cwd=project)
    assert (ran.code, ran.log) == (0, [])
    [line] = [line for line in ran.stdout.decode().splitlines() if line.startswith("- [")]
    return line.split("] ")[1].split(" (")[0]


@pytest.fixture
def payments(tmp_path: Path) -> Path:
    """A project with two memories that match a prompt equally well."""
    names = ("mine", "ours")
    return write_project(
        tmp_path / "project",
        *[SampleMemory("decision", name, f"Payments of {name} are written once", (name,)) for name in names],
    )


def test_a_prompt_favours_the_focus(hook: Hook, payments: Path) -> None:
    for name in ("mine", "ours"):
        set_focus(memory_dir(payments), ID, [f"tag:{name}"])
        assert first_shown(hook, payments) == f"Payments of {name} are written once"
    set_focus(memory_dir(payments), None, ["mine"])
    assert first_shown(hook, payments) == "Payments of ours are written once"
    assert first_shown(hook, payments, "another") == "Payments of mine are written once"
    assert first_shown(hook, payments, None) == "Payments of mine are written once"


def test_a_prompt_heeds_no_damaged_focus(hook: Hook, payments: Path) -> None:
    unfocused = first_shown(hook, payments)
    [other] = {"mine", "ours"} - {unfocused.split()[2]}
    now = str(int(time.time())).encode()
    old = str(int(time.time()) - 43_201).encode()
    whole = b"cuecard focus 1\nset {now}\narea ui\n"
    file_of(payments, ID).parent.mkdir(parents=True, exist_ok=True)
    for session in (ID, ""):
        file_of(payments, session).write_bytes(whole.replace(b"{now}", now).replace(b"ui", other.encode()))
        assert first_shown(hook, payments) == f"Payments of {other} are written once"
        for damage in DAMAGE:
            file_of(payments, session).write_bytes(damage.replace(b"{now}", now).replace(b"ui", other.encode()))
            assert first_shown(hook, payments) == unfocused, damage
    file_of(payments).write_bytes(whole.replace(b"{now}", old).replace(b"ui", other.encode()))
    assert first_shown(hook, payments) == unfocused
