.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
READY := .venv/.ready

.PHONY: help setup demo demo-sql test test-slow test-engines lint format measure bench bench-extraction fuzz painted conformance interop golden generate clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

COMPILED := src/webquarry/_native.pyx $(wildcard src/webquarry/_read/native/*.pxi)

$(INSTALLED): pyproject.toml hatch_build.py $(COMPILED)
	@command -v $(PYTHON) >/dev/null || { echo "webquarry needs Python 3.11 or newer; none was found as '$(PYTHON)'. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "webquarry needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Setting up .venv (once; this takes a minute) ..."
	@test -x $(BIN)/python -a -x $(BIN)/pip || $(PYTHON) -m venv --clear .venv || { \
	  echo "'$(PYTHON)' brings no ensurepip; trying its own pip instead."; \
	  $(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --python $(BIN)/python install pip; \
	} || { rm -rf .venv; echo "No virtual environment could be made. On Debian and Ubuntu try: apt install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --disable-pip-version-check --no-warn-script-location --progress-bar on -e .
	@echo "Installed. Commands are in $(BIN); 'make' lists what else there is."
	@touch $@

# The extension is not compiled again, so only the requirements are installed.
$(READY): $(INSTALLED) pyproject.toml scripts/list_requirements.py
	@echo "Installing all extras and the development tools (once) ..."
	@$(BIN)/python scripts/list_requirements.py '.[http,socks,sql,dev]' > .venv/requirements.txt
	@$(BIN)/python -m pip install --disable-pip-version-check --no-warn-script-location -r .venv/requirements.txt
	@touch $@

setup: $(READY) ## create .venv with all extras and development tools

demo: $(INSTALLED) ## search, read, cite and research on the recorded web: no keys, no internet
	@$(BIN)/webquarry demo

demo-sql: $(READY) ## enrich a CSV of companies with SQL, and print the bill: no keys, no internet
	@$(BIN)/python scripts/demo_sql.py

test: $(READY) ## run the tests
	@$(BIN)/python -m pytest

test-slow: $(READY) ## run the tests that start many real programs
	@$(BIN)/python -m pytest -m slow

# In an environment on top of .venv: these engines want other releases of some libraries than we do.
# pyspark is large: ENGINES='.[polars,daft,ray,dbt,spark]' tests it too, where there is Java.
ENGINES ?= .[polars,daft,ray,dbt]
OVER := .venv/engines
OVER_READY := $(OVER)/.ready

$(OVER_READY): $(READY) pyproject.toml scripts/list_requirements.py
	@echo "Setting up $(OVER) (once; this takes a minute or two) ..."
	@$(BIN)/python -m venv --clear --without-pip $(OVER)
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > $(OVER)/base.txt
	@echo "$(CURDIR)/src" >> $(OVER)/base.txt
	@mv $(OVER)/base.txt "$$($(OVER)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/base.pth"
	@$(BIN)/python scripts/list_requirements.py '$(ENGINES)' > $(OVER)/requirements.txt
	@$(OVER)/bin/python -m pip install --quiet --disable-pip-version-check -r $(OVER)/requirements.txt
	@touch $@

test-engines: $(OVER_READY) ## run the tests of polars, Daft, Ray and dbt (and Spark, where it is)
	@$(OVER)/bin/python -m pytest -m engines -n 0 -W ignore tests/batch/engines --ignore tests/batch/engines/test_ray.py
	@$(OVER)/bin/python -m pytest -m engines -n 0 -W ignore tests/batch/engines/test_ray.py # a process has one runner of Daft

lint: $(READY) ## ruff and mypy, also of the examples in README and docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python scripts/check_examples.py

format: $(READY) ## put the code into shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

measure: $(READY) ## print what can be counted of the code, and the way of two calls
	@$(BIN)/python scripts/measure_house.py

bench: $(READY) ## print the measured ratios
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

bench-extraction: $(READY) ## score main content on the labelled sets in WEBQUARRY_EXTRACTION_DATA
	@$(BIN)/python bench/extraction.py

fuzz: $(READY) ## look for crashes for longer than the tests do
	@WEBQUARRY_FUZZ_EXAMPLES=20000 $(BIN)/python -m pytest -k fuzz

painted: $(READY) ## ask Chromium whether the labels of the hidden-text cases are what it paints
	@$(BIN)/python scripts/check_painted.py

conformance: $(READY) ## run the official MCP suite against our server (needs npm)
	@$(BIN)/python scripts/conformance.py

interop: $(READY) ## let other MCP clients call every tool of ours on the recorded web (needs npm)
	@$(BIN)/python scripts/interop.py

golden: $(READY) ## compare the answers of the MCP servers with the recorded ones; WRITE=--write records them
	@$(BIN)/python scripts/golden_calls.py $(WRITE)

generate: $(READY) ## write the generated files anew (schemas, settings table, recorded web, picture of the demo)
	@$(BIN)/python scripts/generate.py

clean: ## remove .venv and everything built
	@rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache
	@find src -name '*.so' -delete
