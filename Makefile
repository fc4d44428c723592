# Every task runs in .venv, which the recipes make and fill themselves: Python 3.10, make and git are enough.
# With a Rust toolchain the package is native, without one it is pure Python (CUECARD_BUILD=pure forces that).

PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/sh
MAKEFLAGS += --no-print-directory

# In CI a missing native backend is a failure, never a skip.
ifeq ($(CUECARD_REQUIRE_NATIVE),1)
export CUECARD_BUILD ?= native
endif

# Tests and tools use a build that takes a third of the time; what is measured or shipped is a release.
export CUECARD_PROFILE ?= development
bench bench-peers wheel wheel-pure wheel-manylinux wheel-musllinux sdist: export CUECARD_PROFILE := release

# pytest and the programs compile each file once, and not at every start.
unexport PYTHONDONTWRITEBYTECODE

# What `pip install` reads. The names are kept in .venv/inputs, so that a deleted file counts as a change too.
SOURCES := $(sort $(wildcard Cargo.toml Cargo.lock pyproject.toml README.md LICENSE tools/build_backend.py) \
    $(shell find rust python -type f ! -name '*.py[cod]' ! -name '*.so' ! -name '.*'))
INPUTS = build:$(CUECARD_BUILD) wheel:$(CUECARD_WHEEL_DIR) profile:$(CUECARD_PROFILE) cargo:$(shell command -v cargo) $(SOURCES)
# `make dev` leaves the mark that keeps later installs editable.
EDITABLE = $(if $(wildcard .venv/editable),--editable)
# The native wheel in the folder that CUECARD_WHEEL_DIR names, if any.
WHEEL = $(CUECARD_WHEEL_DIR)/cuecard-*-abi3-*.whl
PIP := $(BIN)/python -m pip --disable-pip-version-check
# As in an activated environment: tests and demo call the programs that were just installed.
RUN := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python

# What `make test` leaves out; the markers are explained in pyproject.toml.
SLOW := attack or process or fault or package or e2e or slow
# What the gate leaves out of `make test` as well, because it runs it later, such as `or property`.
LATER =
PARALLEL := --numprocesses auto --dist worksteal

.PHONY: help demo test test-slow test-all test-rust test-pure dev parity lint lint-python lint-rust lint-text lint-workflows format bench bench-peers bench-tokens eval fuzz fuzz-snapshot fuzz-twins fuzz-mcp traffic schemas wheel wheel-pure wheel-manylinux wheel-musllinux sdist plugin e2e docs picture \
    release-check install clean recent-python gate-tools server-tools FORCE
.DEFAULT_GOAL := help

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

demo: ## answer a real prompt from this repository's own memory, through the real hook
	@$(MAKE) recent-python
	@if $(MAKE) install; then \
	    $(RUN) tools/demo.py; \
	elif [ "$(CUECARD_REQUIRE_NATIVE)" = 1 ]; then \
	    exit 1; \
	else \
	    echo 'notice: nothing could be installed, running the demo straight from this clone' >&2; \
	    PYTHONPATH=python $(PYTHON) tools/demo.py; \
	fi

test: .venv/installed .venv/test-tools ## the fast tier: Rust, vectors, oracles, and what needs no processes of its own
	@CUECARD_FUZZ_ITERATIONS=$${CUECARD_FUZZ_ITERATIONS:-2000} $(MAKE) test-rust
	@CUECARD_HYPOTHESIS=$${CUECARD_HYPOTHESIS:-few} $(RUN) -m pytest $(PARALLEL) -m 'not ($(SLOW) $(LATER))' $(PYTEST)

test-slow: .venv/installed .venv/test-tools gate-tools server-tools ## the rest: many examples of each property, processes, faults, packages, every script
	@$(MAKE) test-rust RUST='-p cuecard-core -p cuecard-engine --lib -- fuzz tests::snapshot:: tests::priors'
	@$(RUN) -m pytest $(PARALLEL) -m 'property or $(SLOW)' $(PYTEST)

test-all: .venv/installed .venv/test-tools gate-tools server-tools ## every test
	@$(MAKE) test-rust
	@$(RUN) -m pytest $(PARALLEL) $(PYTEST)

test-rust:
	@if [ "$$($(BIN)/python tools/build_backend.py)" = native ]; then \
	    cargo test --locked --quiet $(RUST); \
	else \
	    echo 'skipping the Rust tests: this machine or CUECARD_BUILD makes the pure package'; \
	fi

# The gate has made the wheel before.
test-pure: $(if $(CUECARD_WHEEL_DIR),,wheel-pure) ## the fast tier against the pure wheel alone, where no native file exists
	@$(PYTHON) -m venv --clear .build/pure
	@.build/pure/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@.build/pure/bin/python -m pip install --quiet --group test $(or $(CUECARD_WHEEL_DIR),dist)/cuecard-*-py3-none-any.whl
	@env -u CUECARD_REQUIRE_NATIVE CUECARD_BACKEND=pure CUECARD_AFTER_BOTH=$${CUECARD_AFTER_BOTH:-0} PATH="$(CURDIR)/.build/pure/bin:$$PATH" \
	    CUECARD_HYPOTHESIS=$${CUECARD_HYPOTHESIS:-few} \
	    .build/pure/bin/python -m pytest $(PARALLEL) -m 'not ($(SLOW))' $(PYTEST)

dev: .venv/dev-tools ## editable install and every development tool in .venv
	@touch .venv/editable
	@rm -f .venv/installed
	@$(MAKE) install

parity: .venv/installed .venv/test-tools ## both backends on the vectors and on what hypothesis makes up
	@$(RUN) -m pytest tests/engine/test_vectors.py tests/engine/test_parity.py $(PYTEST)

lint: .venv/installed .venv/dev-tools ## ruff, mypy, imports between rooms, spelling, plain English, stubtest, rustfmt, clippy
	@$(MAKE) -j 2 lint-python lint-rust lint-text

lint-python:
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

lint-text:
	@$(BIN)/codespell
	@$(BIN)/python tools/check_text.py

lint-rust:
	@if [ "$$($(BIN)/python tools/build_backend.py)" = native ]; then \
	    cargo fmt --all --check && \
	    cargo clippy --all-targets --locked -- -D warnings && \
	    $(BIN)/python -m mypy.stubtest cuecard._native; \
	else \
	    echo 'skipping stubtest, rustfmt and clippy: this machine or CUECARD_BUILD makes the pure package'; \
	fi

# It is a Go program; the package of that name on the Python index downloads it from elsewhere.
ACTIONLINT = 1.7.12
lint-workflows: .build/actionlint-$(ACTIONLINT)/actionlint ## check .github/workflows with actionlint, which Go builds
	@$<

.build/actionlint-$(ACTIONLINT)/actionlint:
	@command -v go >/dev/null || { \
	    echo 'error: `go` is not on PATH, which builds actionlint' >&2; \
	    echo 'hint: install Go' >&2; exit 1; }
	@GOBIN=$(CURDIR)/$(@D) go install github.com/rhysd/actionlint/cmd/actionlint@v$(ACTIONLINT)

format: .venv/dev-tools ## rewrite the sources as the linters want them
	@$(BIN)/ruff check --fix-only --quiet
	@$(BIN)/ruff format
	@if command -v cargo >/dev/null; then cargo fmt --all; fi

bench: .venv/installed .venv/bench-tools ## both backends, the core, recall, the whole process of the hook, the MCP server, the commands
	@$(RUN) -m pytest benches --benchmark-enable --benchmark-only $(PYTEST)
	@if command -v cargo >/dev/null; then cargo bench -p cuecard-benches; fi
	@$(RUN) benches/twins.py
	@$(RUN) benches/hook.py
	@$(RUN) benches/first_run.py
	@$(RUN) benches/recall.py
	@$(RUN) benches/store.py
	@$(RUN) benches/mcp.py
	@$(RUN) benches/cli.py

# The engines have a Python of their own, so that none of what they pull in gets into the one that tests and lints.
bench-peers: recent-python ## ours beside bm25s, tantivy, bm25-turbo, rank-bm25 and SQLite, 600 to 800,000 documents
	@test -x .build/peers/bin/python || $(PYTHON) -m venv .build/peers
	@.build/peers/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@.build/peers/bin/python -m pip install --quiet .
	@for engine in $$(grep -v '^#' benches/peers.txt); do \
	    .build/peers/bin/python -m pip install --quiet "$$engine" || echo "notice: no $$engine for this Python" >&2; \
	done
	@.build/peers/bin/python benches/peers.py --sizes 600,10000,100000,800000 --work .build/peers/work \
	    --out .build/peers/results.json $(PEERS)
	@.build/peers/bin/python benches/peer_plot.py .build/peers/results.json docs/peers.svg

# Only the tokenizers themselves are installed: what else their packages ask for is not used. Nor is cuecard's.
bench-tokens: recent-python ## the estimate of tokens beside real tokenizers
	@test -x .build/tokens/bin/python || $(PYTHON) -m venv .build/tokens
	@.build/tokens/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@.build/tokens/bin/python -m pip install --quiet --no-deps --requirement benches/tokens.txt
	@PYTHONPATH=python .build/tokens/bin/python benches/tokens.py $(TOKENS)

eval: .venv/installed .venv/test-tools ## judged prompts: what is found, what is injected by mistake
	@$(RUN) -m pytest tests/evaluate/test_evaluation.py $(PYTEST)

fuzz: .venv/installed ## ten million inputs to tokenizer, parser, hook and guard, a hundred thousand to the store
	@CUECARD_FUZZ_ITERATIONS=$${CUECARD_FUZZ_ITERATIONS:-10000000} \
	    cargo test --release -p cuecard-core -p cuecard-engine fuzz -- --nocapture
	@$(RUN) tests/support/fuzz_store.py

fuzz-snapshot: ## a hundred million damaged snapshots, opened and asked in two threads with overflow checks
	@CUECARD_FUZZ_ITERATIONS=$${CUECARD_FUZZ_ITERATIONS:-100000000} CUECARD_FUZZ_THREADS=$${CUECARD_FUZZ_THREADS:-2} \
	    CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_LTO=thin \
	    cargo test --release --target-dir target/fuzz -p cuecard-core --lib fuzz_snapshot -- --nocapture

fuzz-twins: .venv/installed .venv/test-tools ## ten thousand random stores through every strategy and setting, on both backends
	@$(RUN) tests/support/fuzz_twins.py $${CUECARD_FUZZ_STORES:-10000}

fuzz-mcp: .venv/installed .venv/test-tools ## fifty thousand malformed messages to the MCP server
	@CUECARD_MCP_MESSAGES=$${CUECARD_MCP_MESSAGES:-50000} $(RUN) -m pytest --timeout 600 tests/mcp/test_mcp_flood.py $(PYTEST)

traffic: .venv/installed ## sixteen processes write two hundred times each to one store while four read
	@$(RUN) tests/support/store_traffic.py $(TRAFFIC)

# The packages have a Python of their own. Once they are there, the build needs no network.
docs: recent-python ## build the documentation site strictly into .build/site
	@test -x .build/docs/bin/python || $(PYTHON) -m venv .build/docs
	@cmp -s pyproject.toml .build/docs/pyproject.toml || { \
	    .build/docs/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1' && \
	    .build/docs/bin/python -m pip install --quiet --disable-pip-version-check --group docs && \
	    cp pyproject.toml .build/docs/pyproject.toml; } || { \
	    echo 'error: the packages of the dependency group `docs` cannot be installed' >&2; exit 1; }
	@.build/docs/bin/zensical build --clean --strict
	@! grep -rlE --include='*.html' '<(script|link|img)[^>]* (src|href)="?https?://' .build/site || { \
	    echo 'error: these pages load something from the network' >&2; exit 1; }

picture: .venv/installed ## record the session that the README shows, draw it, and take the screenshots
	@$(RUN) tools/record_session.py
	@$(RUN) tools/screenshots.py

schemas: .venv/installed ## write the JSON Schemas from the models of the memories
	@$(RUN) tools/gen_schemas.py

plugin: ## the plugin alone, without tests, benches and documents, in dist/plugin
	@rm -rf dist/plugin
	@$(PYTHON) tools/make_plugin.py dist/plugin

e2e: .venv/installed .venv/test-tools ## plugin and installed hooks inside the real clients, which it installs; says what it skips
	@PATH="$$(tests/e2e/install_clients.sh):$$PATH" CUECARD_E2E=1 $(RUN) -m pytest -rs -m e2e $(PYTEST)

wheel: .venv/made ## the native wheel of this machine, in dist/
	@rm -f dist/cuecard-*-abi3-*.whl
	@CUECARD_BUILD=native $(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@$(BIN)/python tools/check_wheel.py dist/cuecard-*-abi3-*.whl

# Extension and executable run where glibc is 2.17 or newer, which the last two lines prove of this wheel.
wheel-manylinux: .venv/made .venv/release-tools ## the native wheel for Linux machines of this kind, in dist/
	@rm -f dist/cuecard-*-abi3-manylinux*.whl
	@CUECARD_BUILD=native CUECARD_COMPATIBILITY=manylinux_2_17 $(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@$(BIN)/python tools/check_wheel.py dist/cuecard-*-abi3-manylinux*.whl
	@$(BIN)/python tools/glibc_symbols.py --newest 2.17 dist/cuecard-*-abi3-manylinux*.whl
	@$(BIN)/auditwheel show dist/cuecard-*-abi3-manylinux*.whl

wheel-musllinux: .venv/made .venv/release-tools ## the native wheel for Alpine and other musl systems, in dist/
	@rm -f dist/cuecard-*-abi3-musllinux*.whl
	@CUECARD_BUILD=native CUECARD_COMPATIBILITY=musllinux_1_2 $(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@$(BIN)/python tools/check_wheel.py dist/cuecard-*-abi3-musllinux*.whl
	@$(BIN)/python tools/glibc_symbols.py --newest 0 dist/cuecard-*-abi3-musllinux*.whl

wheel-pure: .venv/made ## the pure wheel, for every machine, in dist/
	@rm -f dist/cuecard-*-py3-none-any.whl
	@CUECARD_BUILD=pure $(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@$(BIN)/python tools/check_wheel.py dist/cuecard-*-py3-none-any.whl

sdist: .venv/test-tools ## the source distribution, in dist/
	@mkdir -p dist
	@PYTHONPATH=tools $(BIN)/python -c 'import build_backend; print("dist/" + build_backend.build_sdist("dist"))'

# PUBLISHED=1 writes into the texts that cuecard is installed by its name.
release-check: recent-python ## prove that versions, changelog, TAG, texts and the packages in dist/ agree
	@$(PYTHON) tools/release_check.py $(if $(TAG),--tag $(TAG)) $(if $(PUBLISHED),--switch)

install: .venv/installed

clean: ## remove .venv and everything that was built
	@rm -rf .venv .build dist target cuecard._native.data .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	@find $(wildcard python tests tools benches hooks) -name __pycache__ -type d -prune -exec rm -rf {} +
	@rm -f python/cuecard/_native*.so python/cuecard/_native*.pyd

recent-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { \
	    echo 'error: `$(PYTHON)` is not Python 3.10 or newer' >&2; \
	    echo 'hint: name another one, such as `make PYTHON=python3.12`' >&2; exit 1; }

.venv/made:
	@$(MAKE) recent-python
	@mkdir -p .venv
	@$(PYTHON) -m venv .venv >.venv/made.log 2>&1 || { \
	    cat .venv/made.log >&2; \
	    echo 'error: `$(PYTHON) -m venv` cannot make a virtual environment' >&2; \
	    echo 'hint: install the venv module of this Python, on Debian and Ubuntu `apt install python3-venv`' >&2; exit 1; }
	@touch $@

.venv/inputs: .venv/made FORCE
	@printf '%s\n' $(INPUTS) | cmp -s - $@ || printf '%s\n' $(INPUTS) >$@

# The gate has made the wheel before, and tests that one instead of building once more.
.venv/installed: .venv/inputs $(SOURCES)
	@if [ -n "$(CUECARD_WHEEL_DIR)" ]; then \
	    echo "installing $(WHEEL) into .venv"; \
	    $(PIP) install --quiet $(WHEEL) && $(PIP) install --quiet --force-reinstall --no-deps $(WHEEL); \
	else \
	    flavour=$$($(BIN)/python tools/build_backend.py) && echo "installing cuecard ($$flavour) into .venv" && \
	    $(PIP) install --quiet $(EDITABLE) .; \
	fi
	@touch $@

# Groups came with pip 25.1.
.venv/pip: .venv/made
	@$(PIP) install --quiet --upgrade 'pip>=25.1'
	@touch $@

# Without them the tests of the scripts that need them are skipped, except in the gate.
gate-tools:
	@$(MAKE) .venv/gate-tools || echo 'notice: the packages of the dependency group `gate` cannot be installed' >&2

# Without its packages the tests that need a PostgreSQL server are skipped.
server-tools:
	@$(MAKE) .venv/server-tools || echo 'notice: the packages of the dependency group `server` cannot be installed' >&2

.venv/%-tools: pyproject.toml .venv/pip
	@$(PIP) install --quiet --group $*
	@touch $@

FORCE:
