PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TIMES ?= 10

.PHONY: demo test sweep benchmark clean lint types compiled

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	# A second opinion for the tests. It pins exact versions of all it needs, older than ours: so without them.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "pycanon==1.3.6"
	touch $@

demo: $(VENV)/.installed ## the whole way, from a policy to a verified release, on data that ships
	$(BIN)/discreet demo --out demo-output --force

test: $(VENV)/.installed-dev ## format, lint, the order of imports, types, and every test
	$(MAKE) --jobs=2 lint types compiled
	$(BIN)/pytest --numprocesses auto

sweep: $(VENV)/.installed-dev compiled ## the random tests with ten times as many examples, new ones, and all benchmarks: hours
	DISCREET_SWEEP=$(TIMES) $(BIN)/pytest --numprocesses auto

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
	rm -rf $(VENV) demo-output
