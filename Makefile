PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test benchmark clean

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

test: $(VENV)/.installed-dev ## format, lint, types, and every test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses auto

benchmark: $(VENV)/.installed-dev ## the tables of benchmarks/README.md
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo-output
