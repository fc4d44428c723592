"""What a rule of an imported document forbids: only what it forbids, and not what it recommends."""

from pathlib import Path

import pytest

from cuecard.api import Store
from cuecard.store.records.prohibitions import propose_forbids


@pytest.mark.parametrize(
    ("rule", "entries"),
    [
        ("Never use `print()` in library code; use the `logging` module instead.", ["code: print()"]),
        ("Never use `print()`, `pprint()` or `console.log`.", ["code: print()", "code: pprint()", "code: console.log"]),
        ("Do not run `npm install`, use `pnpm install`.", ["command: npm install"]),
        ("Do not run npm install in this repository.", ["command: npm install"]),
        ("Never call `chmod`.", ["code: chmod()"]),
        ("The host can't `require()` the handler.", []),
        ("You can't use `eval()` here.", ["code: eval()"]),
        ("Their `exports` point at `dist/`, with no `development` source.", []),
        ("Don't add `bun:test` to a test that needs the host.", []),
        ("Use typed options (not `func(*T)`).", []),
        ("Fields typed as `string` instead of `kit.Secret` must be found.", []),
        ("Paths are made, so do not call `mkdir` prior to `save`.", []),
        ("Example: for `src/a.test.ts`, run `cd src && vitest run a`, NOT `vitest run src/a.test.ts`.", []),
        ("For example, never run `npm ci` there.", []),
        ("Actions of procedures are `Read`, never `Get`.", []),
        ("Never `git push --force` to a shared branch.", ["command: git push --force"]),
        ("Never edit `src/gen/**` by hand, run `make gen`.", ["path: src/gen/**"]),
        ("Files in `db/migrations/` must never be edited.", ["path: db/migrations/"]),
        ("Use `httpx` instead of `requests`.", ["import: requests"]),
        ("Use `date-fns` over `moment`.", ["import: moment"]),
        ("Never import `moment` or `lodash`; use `date-fns`.", ["import: moment", "import: lodash"]),
        ("`eval()` and `exec()` are forbidden.", ["code: eval()", "code: exec()"]),
        ("Log with `logger.info()`, never `print()`.", ["code: print()"]),
        ("All paths are absolute: no `os.chdir` anywhere.", ["code: os.chdir"]),
        ("Write `load_all`, not `load_each`.", ["code: load_each"]),
        ("Do not write `import requests`.", ["import: requests"]),
        ("Never import `lock`.", ["import: lock"]),
        ("No `lodash`.", ["import: lodash"]),
        ("`pickle` must not be used.", ["import: pickle"]),
        ("`src/gen/api.ts` must not be manually edited.", ["path: src/gen/api.ts"]),
        ("Files in `src/gen/` must not be hand-edited.", ["path: src/gen/"]),
        ("`eval()` must not be directly called.", ["code: eval()"]),
        ("Do not edit `example/config.json`.", ["path: example/config.json"]),
        ("Never call `subprocess.run(cmd, shell=True)`.", ["code: shell=True"]),
        ("Never use `yaml.load(f, Loader=None)`.", ["code: Loader=None"]),
        ("Never call `requests.get(url, verify = False)`.", ["code: verify = False"]),
        ("Do not attempt to run `make deploy`.", ["command: make deploy"]),
        ("Never try to edit `src/gen/**`.", ["path: src/gen/**"]),
        ("Avoid trying to import `moment`.", ["import: moment"]),
        ("Never rely on `moment`.", ["import: moment"]),
        ("Native JS is banned: no `Array.isArray()`, use `isArray()`.", ["code: Array.isArray()"]),
        (
            "Never hardcode a status or use `app.status` / `web.status` directly.",
            ["code: app.status", "code: web.status"],
        ),
        ("Do not hand-edit generated files: `gen/*`.", ["path: gen/*"]),
        ("Never call `Session.close`.", ["code: Session.close"]),
        ("Do not use the package `request`.", ["import: request"]),
        ("Never add the `left-pad` package.", ["import: left-pad"]),
        ("Use `pnpm`, not `npm`. Never use `npx`.", ["command: npm", "command: npx"]),
        ("Files `gen.go` and `words.go` must never be edited.", ["path: gen.go", "path: words.go"]),
        ("Never rely on `settings.SITE_ID`.", ["code: settings.SITE_ID"]),
        ("Use typed settings (e.g. `OpenAISettings`) instead of `extra_body`.", ["code: extra_body"]),
        ("Never use `open()`.", ["code: open()"]),
        ("`read_real()` is never allowed.", ["code: read_real()"]),
        ("Do not use `print()` any more.", ["code: print()"]),
        ("Do not add `moment` to the dependencies.", ["import: moment"]),
        ("Do not add `moment` to this project.", ["import: moment"]),
        ("Never use `eval()`1 in code.", ["code: eval()"]),
        ("Never use `print()`23, `eval()`4 or `exec()`.", ["code: print()"]),
    ],
)
def test_what_a_sentence_forbids_is_proposed(rule: str, entries: list[str]) -> None:
    assert propose_forbids(rule) == entries


@pytest.mark.parametrize(
    "rule",
    [
        "Always use `black` and `logger.info()`.",
        "Run `pnpm install` before `make test`.",
        "Avoid a fixed `height` on pictures.",
        "The `next` package may not be visible from the root.",
        "Do not keep both `foo.ts(x)` and a folder for it.",
        "Never via the old `Queue.add(name, data, { repeat })` call.",
        "Never run `terraform apply` without a reviewed plan.",
        "No `print()` outside of `scripts/`.",
        "Do not commit directly to `main`.",
        "Avoid `any`; use `unknown`.",
        "Never log secrets.",
        "`from module import *` is banned.",
        "It is not `None` when the cache is warm.",
        "Don't add dependencies without asking.",
        "Never run git commands by hand, use the tools.",
        "The bar is in the job: `[tool.report]` sets no `fail_under`, so reading it misleads.",
        "The loader runs over `items_list` in order.",
        "`load_all` does not call `save_all()`.",
        "The worker never calls `flush_now()`.",
        "`pkg` may not be supported.",
        "`lodash` must not be needed.",
        "The `left-pad` package cannot be trusted.",
        "`legacy_api()` must never be made public.",
        "Never use `foo.run()` or `example.com`.",
        "Never mock `requests` or fake `nextTick`.",
        "Do not let the order decide `active_servers`.",
        "Do not leak `JobRow` naming into the contract.",
        "Tests must not use the `_it.go` suffix.",
        "Never import `expect` from the runner.",
        "No global `fetch`; take the one of the client.",
        "Avoid `make check` between two edits.",
        "Use `Set` instead of `Array` for lists of exceptions.",
        "Use `useMount` instead of `useEffect(run, [])`.",
        "Write `waitFor` instead of `wait`.",
        "Use `start` (not `dev`) for the server.",
        "Parts have direct types (no `zod.input`).",
        "Do not add TypeScript `any`.",
        "Never call `df.drop(x, axis=1)`.",
        'Never call `open(path, mode="w")`.',
        "Do not use `json.dumps(x, indent=2)`.",
        "Never use `memo(x, deep = true)`.",
        "Never try `moment` first.",
        "Prefer `date-fns` over `moment`.",
        "Prefer `a.b` rather than `c.d`.",
        "Never use `skip`/`offset` with `count()`; only use `where`.",
        "Never use `Math.round()` directly on percentages.",
        "Do not add `useEffect` by default.",
        "Do not use `util`, `common`, or similarly vague package names.",
        "Use `snprintf` (never `sprintf`).",
        "They never call `schema.parse()`.",
        "When you build a URL, never use `fmt.Sprintf`.",
        "Do not write a bare `#NNN` in a commit message.",
        "Never write `@name` in a commit message.",
        "Do not use `run_sync` in tests.",
        "Don’t call `time.sleep` in tests.",
        "Stop timers and pollers whose `halt_poll()` is never called.",
        "A handle on which `shut_down()` is not called leaks.",
        "`refresh_all()` is never run by the tests.",
        "Do not `Fetch` a row you just wrote.",
        "Do **not** `Enumerate` every row and filter in memory.",
        "Never `json.dumps` (or `orjson.dumps`) a `Money` type.",
        "Never `toml.Encode` the settings.",
        "For a `Money` type, never use `json.dumps`.",
        "On the primary store, do not use `bulk_load()`.",
        "Do NOT add a `RowChangedFilter` to the primary `Watch()` type.",
        "Never use `Find`.",
        "Do not call `Close()`.",
        "Use the queue instead of `send`.",
        "Never use `parse_row` only to count rows.",
        "Rows without a `kind`: no `kind` entry, no export.",
        "- No `RowFilter` \u2192 all rows.",
        "Reads by `read_link()` (not `read_real()`), which follows nothing.",
        "Use `when` instead of `if-else`.",
        "Use `maybe()` for options of the user.\n- Use `nullable()` instead of `maybe()`.",
        "Never call `r.Update`, use `r.Patch`.",
        "Do not use `c.Get` here.",
        "Never call `self.save()` directly.",
        "Never use `s.T()`.",
        "Never call `get`.",
        "Never use `eval()` inside of a transaction.",
        "Do not open `Connection` in a loop.",
        "**Never use `git push -f`** unless somebody asked for it.",
        "Use `userId` instead of `userID`.",
        "No prefix for interfaces: `CheckResolver`, not `ICheckResolver`.",
        "Shorten nothing, e.g. use `version` instead of `verNo`.",
        "The option affects `git format-patch`, not `git commit`.",
        "`allowlist` / `denylist` (instead of `whitelist` / `blacklist`)",
        "Use `children` instead of `renderX` props.",
        "No `using` statements.",
        "Entry points use `control.ts` (not `cli.ts`).",
        "Do not introduce `__fixtures__` subfolders.",
        "Do not add a `cast()` around a wrong type.",
        "Never add files to the package `core`.",
        "Never edit the tests of the package `core`.",
    ],
)
def test_what_is_recommended_conditional_or_unclear_is_left_out(rule: str) -> None:
    assert propose_forbids(rule) == []


@pytest.mark.parametrize("words", ["file " * 60, "the  " * 60, "the file  " * 50, "ever  " * 60, "use  in  " * 50])
def test_many_words_before_a_thing_are_read_once(words: str) -> None:
    # Some of these did not end: the pattern tried every way to share the words or the blanks between them.
    assert propose_forbids(f"Never use {words}zz `print()`.") == []


@pytest.mark.parametrize("word", ["the ", "the  ", "generated files like ", "the generated files: "])
def test_what_stands_before_a_thing_may_name_its_kind(word: str) -> None:
    assert propose_forbids(f"Never edit {word}`gen/*`.") == ["path: gen/*"]


def test_an_import_writes_what_a_rule_forbids_and_a_second_one_changes_nothing(store: Store) -> None:
    source = Path(store.root) / "CLAUDE.md"
    rules = [
        "# Style",
        "- Never use `print()` in the service, because stdout is the protocol.",
        "- Use `ruff` to lint.",
    ]
    source.write_text("\n\n".join(rules))
    store.import_(source)
    found = [memory.extension.get("forbids") for memory in store.memories()]
    assert [forbids for forbids in found if forbids] == [["code: print()"]]
    before = [memory.hash for memory in store.memories()]
    store.import_(source)
    assert [memory.hash for memory in store.memories()] == before
