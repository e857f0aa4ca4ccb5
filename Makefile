PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs bench clean

demo: $(VENV)/demo
	@for site in clean findings; do \
	  echo "\$$ agentskills-lint examples/$$site"; \
	  $(BIN)/agentskills-lint examples/$$site; \
	  echo "exit code $$?"; echo; \
	done

test: $(VENV)/dev check
	$(BIN)/python -m pytest -n auto

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

docs: $(VENV)/dev
	$(BIN)/python docs/generate.py

bench: $(VENV)/dev
	$(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV)

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name it with make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/demo: pyproject.toml $(VENV)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/dev: pyproject.toml $(VENV)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/demo
