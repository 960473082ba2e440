# Everything on a machine that has only Python and make: `make demo`, `make test`.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs bench notebooks clean

demo: $(VENV)/ready  ## play a tournament of four agents, and draw its figures
	rm -rf out/demo
	$(BIN)/mtrain run experiments/first.toml --out out/demo

test: $(VENV)/ready check  ## all tests
	$(BIN)/python -m pytest -n 2

check: $(VENV)/ready  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/ready  ## the pages and pictures that are made from the code
	$(BIN)/python docs/generate.py

bench: $(VENV)/ready  ## how fast it is on this machine
	$(BIN)/mtrain bench

notebooks: $(VENV)/ready  ## run all notebooks in full, and write what they print and draw into them
	$(BIN)/python notebooks/run.py

$(VENV)/ready: requirements.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "mtrain needs Python 3.11 or newer; none was found"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

clean:
	rm -rf $(VENV) out
