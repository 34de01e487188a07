# `make run` and `make test` are all that a new user needs; `make help` lists the rest.
SHELL := /bin/sh
PY := .venv/bin/python
HOST ?= 127.0.0.1
PORT ?= 8501
CODE := app.py pages components reseat tests tools benchmarks

.PHONY: help setup setup-dev run test check format bench soak mutate samples pictures kafka-jars release lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup: ## make .venv and install what users need
	@tools/setup.sh requirements.lock

setup-dev: setup
	@tools/setup.sh requirements-dev.lock

run: setup ## start the dashboard with its samples on http://127.0.0.1:8501
	@exec $(PY) -m reseat dashboard --host $(HOST) --port $(PORT)

test: setup-dev ## format, lint, types and boundaries beside all tests
	@$(PY) tools/test.py

check: setup-dev ## format, lint, types, boundaries
	@.venv/bin/ruff format --check --quiet $(CODE) || { echo "Not formatted: make format fixes it." >&2; exit 1; }
	@.venv/bin/ruff check --quiet $(CODE)
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-cache >build-lint-imports.log 2>&1 || { cat build-lint-imports.log; rm -f build-lint-imports.log; exit 1; }
	@rm -f build-lint-imports.log

format: setup-dev ## format the code and fix what the linter can
	@.venv/bin/ruff format $(CODE)
	@.venv/bin/ruff check --fix $(CODE)

bench: setup-dev ## print the speed budgets next to what is measured here (ONLY="planning formats" for some)
	@$(PY) -m benchmarks $(ONLY)

soak: setup-dev ## long sweeps of faults and random cases; pictures of all pages in build/screenshots
	@RESEAT_SCREENSHOTS=1 RESEAT_CASES=all $(PY) -m pytest -m "slow or hypothesis" tests

mutate: setup-dev ## break the code on purpose and see whether tests notice (ONLY="history guard" SAMPLE=40 SEED=1)
	@$(PY) tools/mutate.py $(ONLY) --sample $(or $(SAMPLE),40) --seed $(or $(SEED),1)

samples: setup-dev kafka-jars ## capture the bundled samples again from real clusters
	@$(PY) tools/capture_samples.py

pictures: setup-dev ## make the pictures of docs/ again (needs a Chromium)
	@RESEAT_PICTURES=docs/pictures RESEAT_REQUIRE=browser $(PY) -m pytest -q tests/browser/test_docs_pictures.py

kafka-jars: setup-dev ## fetch the jars of real Kafka for the tests (needs mvn) and keep its classes parsed
	@$(PY) -c "from tests.servers import cluster; cluster.fetch_jars()"

release: setup ## build wheel, sdist and SBOM into dist/, check licences and known vulnerabilities, try the wheel out
	@.venv/bin/uv venv -q --clear --python .venv/bin/python build/release
	@.venv/bin/uv pip install -q --python build/release/bin/python --require-hashes -r requirements-release.lock
	@PATH="$(CURDIR)/.venv/bin:$$PATH" build/release/bin/python tools/release.py

lock: setup-dev ## resolve requirements*.txt into the lock files again
	@for f in requirements requirements-dev requirements-release requirements-kerberos; do \
	  .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header $$f.txt -o $$f.lock; done

clean: ## remove the environment and all caches
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
