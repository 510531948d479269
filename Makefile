# The only commands: setup, demo, test, test-web, test-scale, check, docs, screenshots, bench, golden, fuzz, soak, tamper, inversion.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --constraint constraints.txt
DEMO := demo

.PHONY: setup demo test test-web test-scale check docs screenshots bench golden fuzz soak tamper inversion clean

setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml reproduction/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "anonset needs Python 3.11 or newer; set PYTHON=...")'
	@echo "Setting up in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable '.[report]'
	@touch $@

# The papers' comparators are plug-ins of ./reproduction: a changed entry point of its pyproject.toml installs it again.
$(VENV)/ready-dev: $(VENV)/ready
	@echo "Adding what tests and checks need ..."
	@$(PIP) --editable '.[all,dev]' --editable ./reproduction
	@touch $@

demo: $(VENV)/ready
	@$(BIN)/anonset demo $(DEMO)

# COVERAGE=1 counts the branches that tests take and compares them with the floors of each package; RAISE=1 raises those too.
test: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -q $(if $(COVERAGE),--cov --cov-report=)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist loadfile -q tests/kernels tests/measure $(if $(COVERAGE),--cov --cov-append --cov-report=html)
	$(if $(COVERAGE),$(BIN)/python tests/coverage_floors.py $(and $(RAISE),raise))

test-web: $(VENV)/ready-dev
	$(BIN)/python -m pytest -q -m web
	$(BIN)/python -m pytest -q -m browser

test-scale: $(VENV)/ready-dev
	$(BIN)/python -m pytest -q -m scale tests/engine

check: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typed_calls.py
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py

docs: $(VENV)/ready-dev
	$(BIN)/mkdocs build --strict --quiet
	@echo "Read site/index.html"

screenshots: $(VENV)/ready-dev
	$(BIN)/python docs/screenshots.py

# SIZE=full is as large as the targets are about. Of the other scripts in bench/, each run alone, bench_*.py look at one part (an
# algorithm family against its literal transcription, reading, verifying, data in pieces), table_*.py compare what algorithms lose.
bench: $(VENV)/ready-dev
	@$(BIN)/python bench/speed.py $(SIZE)

# What changed in what is published, printed and offered since tests/golden/stored was written; WRITE=1 writes it anew.
golden: $(VENV)/ready-dev
	cd tests && ../$(BIN)/python -m golden.regenerate $(if $(WRITE),--write) $(TOPICS)

fuzz: $(VENV)/ready-dev
	RUST_BACKTRACE=0 PYTHONPATH=tests $(BIN)/python -m fuzzing.run $(or $(FILES),3000) $(SEED)

soak: $(VENV)/ready-dev
	PYTHONPATH=tests $(BIN)/python -m soaking.run $(or $(SECONDS_OF_SOAKING),3600) $(SEED) $(and $(SEED),$(RELEASES))

tamper: $(VENV)/ready-dev
	PYTHONPATH=tests $(BIN)/python -m tampering.run $(or $(CHANGES),5000) $(SEED)

# What somebody who knows an algorithm learns from its releases, on all datasets of RECORDS records over ITEMS items.
inversion: $(VENV)/ready-dev
	PYTHONPATH=tests $(BIN)/python -m inversion.run $(or $(RECORDS),5) $(or $(ITEMS),4)

clean:
	rm -rf $(VENV) $(DEMO) site
