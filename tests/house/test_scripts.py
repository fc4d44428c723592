"""Every program in `benches`, `tools` and `tests` runs once, with the smallest sizes and one round.

Each run gets a copy of the tree for itself, because many programs write into their own tree.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from backends import miss
from model_server import ModelServer
from scratch_home import is_foreign, make_home

ROOT = Path(__file__).resolve().parents[2]
# The files and folders that the programs read or write.
COPIED = (
    *(".claude", ".claude-plugin", ".codex-plugin", ".mcp.json", "agents", "benches", "bin", "commands", "docs"),
    *("examples", "hooks", "python", "rust", "skills", "tests", "tools", "CHANGELOG.md", "CITATION.cff"),
    *("Cargo.lock", "Cargo.toml", "LICENSE", "README.md", "pyproject.toml", "zensical.toml"),
)
NOT_COPIED = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", ".cuecard", "e2e", "settings.local.json")
SECONDS = 400
JUDGED = ("tests/data/judged/bakery", "tests/data/judged/observatory")
NATIVE = "cuecard._native"
GATE = ("numpy",)
TABLES = "python/cuecard/assets/tables"
TWINS = "tokenize 600 titles", "parse 600 lines", "score 10,000 entries", "parse and score", "recall from 600 memories"


@dataclass(frozen=True)
class Run:
    """A run of one or more programs, one after another, in the same copy of the tree."""

    # Arguments for Python. `{scratch}` stands for an empty folder, `{server}` for the URL of a fake model endpoint.
    commands: tuple[tuple[str, ...], ...]
    # Texts that must be in the output of all commands together.
    prints: tuple[str, ...] = ()
    # Files that the programs must create, in the copy or in `{scratch}`.
    makes: tuple[str, ...] = ()
    # Files that must be the same in the copy and in the original tree at the end.
    keeps: tuple[str, ...] = ()
    # Modules that the programs need in addition to the package's own.
    needs: tuple[str, ...] = ()
    # A function that creates the files that the programs read.
    prepare: "Callable[[Path, Path], None] | None" = None


def run(*command: str, prints: tuple[str, ...] = (), keeps: tuple[str, ...] = (), needs: tuple[str, ...] = ()) -> Run:
    """A run of a single program."""
    return Run((command,), prints, keeps=keeps, needs=needs)


TOKENIZERS = """\
from pathlib import Path
from types import SimpleNamespace

class Tokenizer:
    @classmethod
    def from_file(cls, path):
        Path(path).read_text("utf-8")
        return cls()

    def encode(self, text, add_special_tokens=True):
        return SimpleNamespace(ids=list(text[::4]))
"""
BPE_OPENAI = """\
def get_encoding(name):
    return Encoding()

class Encoding:
    def encode(self, text):
        return list(text[::4])
"""


def write_tokenizers(_tree: Path, scratch: Path) -> None:
    """Write fakes of the tokenizer packages, for which a token has four characters."""
    files = {
        "anthropic/tokenizer.json": "{}",
        "anthropic-0.38.0.dist-info/METADATA": "Name: anthropic\nVersion: 0.38.0\n",
        "bpe_openai.py": BPE_OPENAI,
        "tokenizers.py": TOKENIZERS,
    }
    for name, text in files.items():
        file = scratch / "packages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def write_gitleaks_rules(_tree: Path, scratch: Path) -> None:
    """Write two rules that can be converted, and one rule that cannot."""
    rules = (
        ("lantern-token", r"\b(lntn_[a-z0-9]{32})(?:[\x60'\"\s;]|\\[nr]|$)", "lntn_"),
        ("harbour-key", r"\b(hrbr-[A-Z0-9]{24})(?:[\x60'\"\s;]|\\[nr]|$)", "hrbr-"),
        ("no-keyword", "[a-z]{3}[0-9]{40}", "nowhere"),
    )
    blocks = [
        f"[[rules]]\nid = '{name}'\nregex = '''{regex}'''\nkeywords = ['{word}']\n" for name, regex, word in rules
    ]
    folder = scratch / "gitleaks@v9.9.9"
    folder.mkdir()
    (folder / "gitleaks.toml").write_text("\n".join(blocks), encoding="utf-8")


def write_table_parts(tree: Path, scratch: Path) -> None:
    """Write the files that `pack` reads, with random values: a row for each letter, and a vector for each word."""
    import numpy as np  # noqa: PLC0415 - only where the group is installed

    chance = np.random.default_rng(7)
    korean = tree / "tools" / "static_table" / "korean.txt"
    korean.write_text("배포  deploy release\n장애  outage\n", encoding="utf-8")
    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = [*letters, *[f"##{letter}" for letter in letters]]
    np.savez(scratch / "rows.npz", pieces=np.array(pieces), rows=chance.normal(size=(len(pieces), 128)))
    words = ["deployed", "released", "outages", "incident", "rollback", "deploy", "release", "outage"]
    vectors = chance.normal(size=(len(words), 384))
    np.savez(scratch / "words.npz", words=np.array(words), count=5, vectors=vectors)


def write_word_parts(tree: Path, scratch: Path) -> None:
    """Write the files that `pack` of `other.py` reads, with random values: a few words and their vectors."""
    import numpy as np  # noqa: PLC0415 - only where the group is installed

    chance = np.random.default_rng(7)
    words = {"de": {"sicherung": ["Sicherung", 3]}, "ko": {"데이터셋": ["데이터셋", 0]}}
    (scratch / "candidates.json").write_text(json.dumps(words), encoding="utf-8")
    (scratch / "aligned.json").write_text(json.dumps({"de": {"Sicherung": {"backup": 0.8}}}), encoding="utf-8")
    (scratch / "english.json").write_text("[]", encoding="utf-8")
    for name, known in {
        "en": ["backup", "data", *map(str, range(12))],
        "de": ["Sicherung"],
        "ko": ["데이터셋"],
    }.items():
        known = known + [f"{name} {number}" for number in range(12)]
        np.savez(scratch / f"other_{name}.npz", words=np.array(known), vectors=chance.normal(size=(len(known), 8)))


def write_judged_project(tree: Path, scratch: Path) -> None:
    """Write the memories of a judged project as files."""
    for line in (tree / JUDGED[0] / "memories.jsonl").read_text("utf-8").splitlines():
        memory = json.loads(line) | {"schema_version": "1.0", "record_status": "active"}
        for name in ("questions", "source", "licence", "cuecard"):
            memory.pop(name, None)
        memory |= {"category": memory["category"].lower(), "created_at": memory["updated_at"]}
        folder = {"tech_debt": "tech-debt"}.get(memory["category"], f"{memory['category']}s")
        file = scratch / "bakery/.claude/memory" / folder / f"{memory['id']}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(memory), encoding="utf-8")


RUNS = {
    # Benchmarks.
    "cases of the twins": run(
        "-m",
        "pytest",
        "benches",
        "--benchmark-disable",
        "-p",
        "no:randomly",
        "-q",
        # `twins.py` compares the results of all cases.
        "-k",
        "tokenize",
        prints=("2 passed",),
        needs=(NATIVE,),
    ),
    "twins": run("benches/twins.py", "--seconds", "0.01", "--rounds", "1", prints=TWINS, needs=(NATIVE,)),
    "hook": run(
        *("benches/hook.py", "--sizes", "600", "--rounds", "1", "--pack-size", "60"),
        prints=("the executable, 600 ", "the executable, 600, evicted", "the Python hook, native, 600", "row   over"),
        needs=(NATIVE,),
    ),
    "first run": run(
        *("benches/first_run.py", "--memories", "3", "--bytes", "2000", "--ordinary", "3", "--native", "2"),
        *("--pure", "2"),
        prints=("executable, large: at most", "pure, ordinary: at most", "pure, large: at most"),
        needs=(NATIVE,),
    ),
    "recall": run(
        *("benches/recall.py", "--sizes", "600", "--rounds", "1", "--prompts", "20"),
        prints=("native, 600: hybrid", "pure, 600: bm25", "pure, 600: the prompt's vector"),
        needs=(NATIVE,),
    ),
    "store": run(
        *("benches/store.py", "--sizes", "60", "--rounds", "1"),
        prints=(
            "cuecard add, 60 ",
            "cuecard add, pure, 60 ",
            "Store.add, 60 ",
            "snapshot of it, 60 ",
            "index rebuild, 60 ",
        ),
    ),
    "mcp": run(
        *("benches/mcp.py", "--rounds", "1", "--calls", "3"),
        prints=("| python -m cuecard.mcp |", "the plugin's launcher", "| memory_search |", "| memory_status |"),
    ),
    "pages": run(
        *("benches/viewer.py", "--size", "20", "--rounds", "1"),
        prints=("| the first page |", "| search |", "| inbox |"),
    ),
    "commands": run(
        *("benches/cli.py", "--smoke"),
        prints=("| --help |", "| recall |", "| list |", "| doctor |", "| lineage |"),
    ),
    "peers": Run(
        (
            *[("benches/peers.py", "--sizes", "600", "--engines", "cuecard", "--rounds", "1", "--out", "{scratch}/f")],
            ("benches/peer_plot.py", "{scratch}/f", "{scratch}/peers.svg"),
        ),
        prints=("600 documents: build, cold, add", "| cuecard |", "### Targets"),
        makes=("{scratch}/peers.svg",),
    ),
    "estimate of tokens": Run(
        (("benches/tokens.py",),),
        prints=("memories of this repository", "Korean", "sources"),
        prepare=write_tokenizers,
    ),
    "capture": run(
        *("tools/measure_capture.py", "--pure", "--every", "10"),
        prints=(" sessions, ", "handed over by the end of the first later session", "excess"),
    ),
    "scopes": run("tools/measure_scopes.py", *JUDGED, prints=("one  ", "divided  ", "beside  ", "silent")),
    "learning": Run(
        (
            ("tools/simulate_learning.py", "{scratch}/bakery", f"{JUDGED[0]}/prompts.jsonl"),
            (
                *("tools/simulate_learning.py", "{scratch}/bakery", f"{JUDGED[0]}/prompts.jsonl"),
                *("--similar", "35,100", "--runs", "2"),
            ),
        ),
        prints=(
            "| bakery | right |",
            "| bakery | a fifth wrong |",
            "| bakery | random |",
            "| no verdicts |",
            "| 100 % |",
        ),
        prepare=write_judged_project,
    ),
    "weights of prompts": run("tools/measure_weights.py", prints=("with a project left out",)),
    "unread sessions": run(
        *("tools/measure_unread.py", "--weight", "2"),
        prints=("the needed statement is shown to", "prompts that need nothing"),
    ),
    "folder of the plugin": Run((("tools/make_plugin.py", "{scratch}/plugin"),), makes=("{scratch}/plugin/hooks",)),
    # Generators.
    "cues": run("tools/gen_cues.py", keeps=(f"{TABLES}/cues.txt",)),
    "instruction signs": run("tools/gen_signs.py", keeps=(f"{TABLES}/instruction_signs.txt",)),
    "weights of signs": run("tools/train_signs.py", "--every", "20", prints=("harmless texts",), needs=GATE),
    "synonyms": run("tools/gen_synonyms.py", keeps=(f"{TABLES}/synonyms.txt",)),
    "schemas": run("tools/gen_schemas.py", keeps=("python/cuecard/assets/schemas",)),
    "settings": run("tools/gen_settings.py", keeps=("docs/settings.md", "python/cuecard/basics/setting_names.py")),
    "vectors of the chapters": run("tools/gen_spec_vectors.py", keeps=("docs/spec",)),
    "page of file formats": run("tools/gen_formats.py", keeps=("docs/reference/formats.md",)),
    "page of agent programs": run("tools/gen_hosts.py", keeps=("docs/guides/hosts.md",)),
    "page of commands": run("tools/gen_commands.py", keeps=("docs/reference/commands.md",)),
    "picture of a session": run("tools/record_session.py", keeps=("docs/pictures",)),
    "screenshots": run("tools/screenshots.py", keeps=("docs/pictures",), needs=(NATIVE,)),
    "commands of a guide": run("tools/console_pages.py", "docs/guides/team.md", keeps=("docs/guides/team.md",)),
    "words of languages": run("tools/gen_languages.py", keeps=(f"{TABLES}/languages.txt",)),
    # Another version of Python generates other tables.
    "unicode tables": Run((("tools/gen_unicode_tables.py",),), makes=(f"{TABLES}/characters.txt",)),
    "rules of gitleaks": Run(
        (("tools/gen_gitleaks_rules.py", "{scratch}/gitleaks@v9.9.9/gitleaks.toml"),),
        prints=("2 of 3 rules", "no-keyword: "),
        makes=("python/cuecard/assets/secret_rules_gitleaks.tsv",),
        prepare=write_gitleaks_rules,
    ),
    "pinned static table": run("tools/static_table/pin.py", keeps=("tests/vectors/static_table_shipped.toml",)),
    "static table": Run(
        (("tools/static_table/build.py", "{scratch}", "pack"),),
        prints=("pieces, ", "related ones, "),
        makes=("python/cuecard/assets/static_table.bin",),
        needs=("numpy",),
        prepare=write_table_parts,
    ),
    "words of other languages": Run(
        (("tools/static_table/other.py", "{scratch}", "pack"),),
        prints=(" words, ", " deflated"),
        makes=("python/cuecard/assets/other_words.bin",),
        needs=("numpy", "snowballstemmer"),
        prepare=write_word_parts,
    ),
    "attacks": Run(
        (("tools/attack_table.py", "--without-slow", "--every", "160", "--out", "{scratch}/attacks.md"),),
        makes=("{scratch}/attacks.md",),
    ),
    # Training and measuring the gate.
    "training of the gate": Run(
        (("tools/gate/train.py", *JUDGED, "--check"), ("tools/gate/train.py", *JUDGED)),
        prints=("precise, judged without questions", "eager, judged with questions", "general_words"),
        makes=(f"{TABLES}/gate.txt",),
        needs=GATE,
    ),
    "parts of the gate": Run(
        (
            ("tools/gate/ablate.py", "parts", *JUDGED),
            ("tools/gate/ablate.py", "features", *JUDGED),
            ("tools/gate/ablate.py", "sets", "tests/data/judged/set.json"),
            ("tools/gate/titles.py", *JUDGED),
            ("tools/gate/questions.py", *JUDGED),
            ("tools/gate/unseen.py", "tests/data/projects/rill"),
        ),
        prints=(
            "**Without a gate**",
            "`balanced` by variant",
            "`balanced` by feature",
            "**Other judged sets",
            "questions of a memory",
        ),
        needs=(*GATE, NATIVE),
    ),
    "report of the gate": Run(
        (
            ("tools/gate/report.py", *JUDGED),
            ("tools/gate/report.py", *JUDGED, "--markdown", "docs/recall-quality.md"),
        ),
        prints=("| `balanced`, all | with |", "| expected calibration error |", "| R@5 of follow-ups |"),
        makes=("docs/recall-quality.md", "docs/pictures/reliability.svg"),
        needs=GATE,
    ),
    "situations": Run(
        (("tools/gate/situations.py", *JUDGED),),
        prints=("a changed file, misleading", "right, against anchors"),
        needs=GATE,
    ),
    "injections": Run(
        (("tools/gate/injections.py", *JUDGED, "--markdown", "docs/recall-quality.md"),),
        makes=("docs/recall-quality.md",),
    ),
    "judge": run(
        *("tools/gate/judge.py", *JUDGED),
        prints=("| gate alone |", "| a judge that fails |", "| a perfect judge of 30 |"),
    ),
    "embeddings": Run(
        (("tools/gate/embedding.py", *JUDGED, "--ollama", "{server}", "--fit"),),
        prints=("median background", "all-minilm hybrid", "all-minilm alone"),
        needs=GATE,
    ),
    # Programs that make or other tests also run, at least in part.
    "build backend": run("tools/build_backend.py", prints=("native",), needs=(NATIVE,)),
    "demo": run("tools/demo.py", prints=("The hook prints for the agent", "over an empty run")),
    "an installed wheel": run("tools/try_wheel.py", prints=("and the command find the memory",)),
    "release check": run("tools/release_check.py", prints=("versions, changelog, tag, texts and 0 packages agree",)),
    "drawing of the rooms": run(
        "tools/draw_rooms.py", prints=("docs/concepts/rooms.svg is written",), keeps=("docs/concepts/rooms.svg",)
    ),
    "lines of code": run("tools/measure_house.py", prints=("code", "_pure", "the seam")),
    "inputs to the store": run("tests/support/fuzz_store.py", "200", prints=("200 inputs: ",)),
    "stores for both backends": run("tests/support/fuzz_twins.py", "5", prints=("no difference",), needs=(NATIVE,)),
    "guard": run("tests/support/guard_commands.py", prints=("dangerous",)),
    "traffic": run("tests/support/store_traffic.py", "2", "2", "1", prints=("nothing lost, nothing torn",)),
}
# Programs that none of the runs above starts, each with the reason.
LEFT_OUT = {
    "tools/measure_first_request.py": "needs the real clients",
    "tools/measure_relations.py": "`test_succession.py` runs it",
    "tools/mod_session.py": "needs the real client and tmux; tests/hosts/test_mod_client.py runs its session",
    "benches/imports.py": "imports real repositories, which are not in this tree",
    "benches/many_teams.py": "starts a PostgreSQL server and fills it for minutes",
    "benches/peer_worker.py": "`peers.py` starts it for each engine",
    "tests/attacks/swapper.py": "the races among the attacks start it",
    "tests/support/tampered.py": "`test_tampering.py` runs it",
    "tests/support/team_traffic.py": "`test_team_traffic.py` runs it",
    "tests/support/forks.py": "the attacks, `attack_table.py` among them, and the tests of the hook start it",
    "tools/check_wheel.py": "`make wheel` and `make wheel-pure` run it on what they have built, before the tests",
    "tools/check_text.py": "asks git for the files; `make lint` and `test_check_text.py` run it",
    "tools/glibc_symbols.py": "`make wheel-manylinux` and `test_glibc_symbols.py` run it",
    "tools/faults/draw.py": "needs mutmut and cargo-mutants; it drew its list once, and its results are in the tree",
    "tools/faults/run.py": "clones and builds the repository, and runs the tests for hours",
}
PROGRAMS = {argument for each in RUNS.values() for command in each.commands for argument in command[:1]} - {"-m"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the tree that a program may write into."""
    copy = tmp_path / "tree"
    copy.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=NOT_COPIED)
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.timeout(2 * SECONDS)
@pytest.mark.parametrize("each", RUNS.values(), ids=list(RUNS))
def test_a_program_runs_and_says_what_it_should(each: Run, tree: Path, tmp_path: Path, endpoint: ModelServer) -> None:
    for module in each.needs:
        if importlib.util.find_spec(module) is None:
            miss(f"`{module}`" if module == NATIVE else f"`{module}` of the dependency group `gate`")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    if each.prepare:
        each.prepare(tree, scratch)
    filled = {"scratch": str(scratch), "server": endpoint.url}
    made = [tree / name.format(**filled) for name in each.makes]
    before = [path.stat().st_mtime_ns if path.exists() else 0 for path in made]
    said = "".join([start([part.format(**filled) for part in command], tree, endpoint) for command in each.commands])
    assert [text for text in each.prints if text not in said] == [], said
    after = [path.stat().st_mtime_ns if path.exists() else 0 for path in made]
    assert [path for path, old, new in zip(made, before, after, strict=True) if old == new] == []
    assert [name for name in each.keeps if texts_below(tree / name) != texts_below(ROOT / name)] == []


def start(command: list[str], tree: Path, endpoint: ModelServer) -> str:
    """Run a program in its own home folder, and return its output.

    It must succeed in time, and without Python warnings.
    """
    home = tree.parent / "home"
    environment = {name: value for name, value in os.environ.items() if not is_foreign(name)}
    environment |= {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment |= make_home(home) | {"CUECARD_ALLOW_HOSTS": endpoint.url, "CUECARD_EVAL": str(tree / "nowhere")}
    # The Rust toolchain is in the home of the user who runs the tests.
    for variable, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        if Path.home().joinpath(folder).is_dir():
            environment.setdefault(variable, str(Path.home() / folder))
    environment["PYTHONPATH"] = str(tree.parent / "scratch" / "packages")
    # With such small matrices, threads take longer than one thread.
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def texts_below(path: Path) -> dict[str, bytes]:
    """The content of a file, or of every file in a folder, by file name. All ends of lines are made the same."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name: file.read_bytes().replace(b"\r\n", b"\n") for file in files}


# Completeness


def programs_in(*folders: str) -> set[str]:
    """The Python files that have a main block, i.e. the programs."""
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py") if "e2e" not in file.parts]
    with_main = re.compile(r"^if __name__ == ['\"]__main__['\"]:", re.MULTILINE)
    return {file.relative_to(ROOT).as_posix() for file in files if with_main.search(file.read_text(encoding="utf-8"))}


def test_every_program_runs_here_or_has_a_reason_not_to() -> None:
    found = programs_in("benches", "tools", "tests")
    assert found - set(LEFT_OUT) == PROGRAMS, "add what is new to `RUNS`, or to `LEFT_OUT` with a reason"
    assert set(LEFT_OUT) <= found


def test_what_make_starts_is_there() -> None:
    started = re.findall(r"\b((?:benches|tools|tests)/[\w/]+\.py)\b", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert started
    assert [path for path in started if not (ROOT / path).is_file()] == []
