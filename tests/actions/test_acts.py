"""What a person did last: damaged lines are left out, and nothing else is lost with them."""

from cuecard import Store
from cuecard.actions.acts import FILE, FOLDER, Act, Reach, note_act, note_reach, reach_of, read_acts
from scratch_home import kept_of


def test_damaged_lines_are_left_out(store: Store) -> None:
    note_act(store.memory_dir, Act("`wrong`", "v1"))
    note_reach("w1", Reach(projects=(("/a", "/a/.claude/memory"),)), store.memory_dir)
    file = kept_of(store.memory_dir) / FOLDER / FILE
    damaged = [
        "no JSON",
        "[1]",
        '{"what": 3}',
        '{"reach": 1}',
        '{"reach": {"id": "w2", "projects": [1, ["/b"], ["/c", 2], ["/d", "/d/.claude/memory"]], "drafts": []}}',
    ]
    file.write_text(file.read_text("utf-8") + "\n".join(damaged) + "\n", "utf-8")
    assert [act.id for act in read_acts(store.memory_dir) if act.what == "`wrong`"] == ["v1"]
    assert reach_of(store.memory_dir, "w1").projects == (("/a", "/a/.claude/memory"),)
    assert reach_of(store.memory_dir, "w2").projects == (("/d", "/d/.claude/memory"),)
