PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
PIP := -m pip install --quiet --disable-pip-version-check
# A second opinion for the tests. It pins exact versions of all it needs, older than ours: so without them.
PYCANON := --no-deps "pycanon==1.3.6"
TIMES ?= 10

.PHONY: demo test sweep lowest constraints benchmark clean lint types compiled

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python $(PIP) --editable ".[dev]"
	$(BIN)/python $(PIP) $(PYCANON)
	touch $@

demo: $(VENV)/.installed ## the whole way, from a policy to a verified release, on data that ships
	$(BIN)/discreet demo --out demo-output --force

test: $(VENV)/.installed-dev ## format, lint, the order of imports, types, and every test
	$(MAKE) --jobs=2 lint types compiled
	$(BIN)/pytest --numprocesses auto

sweep: $(VENV)/.installed-dev compiled ## the random tests with ten times as many examples, new ones, and all benchmarks: hours
	DISCREET_SWEEP=$(TIMES) $(BIN)/pytest --numprocesses auto
	$(MAKE) lowest

lowest: ## the tests with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python $(PIP) uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable ".[dev]"
	$(LOWEST)/bin/python $(PIP) $(PYCANON)
	$(LOWEST)/bin/python tests/compile_kernels.py
	$(LOWEST)/bin/pytest --numprocesses auto

constraints: $(VENV)/.installed-dev ## writes down the versions that are installed, once the tests have passed with them
	echo "# Written by make constraints: what the tests were run with, on $$($(BIN)/python --version)." > constraints.txt
	$(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check >> constraints.txt

benchmark: $(VENV)/.installed-dev ## the tables of benchmarks/README.md
	$(BIN)/python -m benchmarks

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.installed-dev
	$(BIN)/mypy

compiled: $(VENV)/.installed-dev ## the kernels, once, so that not every worker of the tests compiles its own
	$(BIN)/python tests/compile_kernels.py

clean:
	rm -rf $(VENV) $(LOWEST) demo-output
