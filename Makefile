# The only commands: setup, demo, test, check, docs, bench.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --constraint constraints.txt
DEMO := demo

.PHONY: setup demo test check docs bench clean

setup: $(VENV)/ready

$(VENV)/ready: pyproject.toml reproduction/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "anonset needs Python 3.11 or newer; set PYTHON=...")'
	@echo "Setting up in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable '.[report]'
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
	@echo "Adding what tests and checks need ..."
	@$(PIP) --editable '.[report,dev]' --editable ./reproduction
	@touch $@

demo: $(VENV)/ready
	@$(BIN)/anonset demo $(DEMO)

test: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -q
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist loadfile -q tests/kernels tests/measure --cov=anonset --cov-report=term

check: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_architecture.py

docs: $(VENV)/ready-dev
	$(BIN)/mkdocs build --strict --quiet
	@echo "Read site/index.html"

bench: $(VENV)/ready-dev
	@for script in bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) $(DEMO) site
