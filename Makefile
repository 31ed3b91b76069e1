# run: the dashboard and a worker, on the book in mybook/.  test: all tests.  check: format, lint,
# types, layers and tables.  bench: every rung beside its limit and its peers, then every bar, two
# hours or more on a CPU.  tables: those of the README and the docs, from results/.  pictures: those of
# the docs, of a book worked here.  Each sets up .venv first, and is quick after that.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/pip --quiet --disable-pip-version-check
BARS := startup campaigns scale workers kills noise journal first_verdict pages soak
# Tests that measure have the machine to themselves; all others share its cores.
ALONE := $(patsubst %,tests/%.py,\
	$(addprefix measure/test_,arguments commands compare contest doctor flush invocation judge lock noise \
		recheck roofs timing tools watch) \
	$(addprefix cli/test_,bench times) cli/book/test_whole $(addprefix web/test_,first_verdict soak))
TORCH := $(shell sed -n '/^torch==/p' constraints.txt)

# The registry's own build of torch brings CUDA; without a GPU, torch's index of CPU builds is asked
# as well. It is asked once, since pip may have the build from elsewhere and this machine no network.
ifneq ($(wildcard /dev/nvidiactl /dev/dxg),)
TORCH_SIZE := several GB with its CUDA libraries
GPU_BARS := host_cost ladders
else
TORCH_SIZE := 190 MB
TORCH_FROM := --retries 0 --timeout 15 --extra-index-url https://download.pytorch.org/whl/cpu
endif

.DELETE_ON_ERROR:
.PHONY: run test check bench tables pictures setup

run: setup
	@$(BIN)/warpbook up --book mybook

test: setup
	@$(BIN)/python -m pytest -n auto --dist loadfile $(addprefix --ignore=,$(ALONE))
	@$(BIN)/python -m pytest $(ALONE)

check: setup
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m warpbook.cli.tables --check

bench: setup
	$(BIN)/warpbook bench
	for bar in $(GPU_BARS) $(BARS); do $(BIN)/python bench/$$bar.py || exit; done

tables: setup
	@$(BIN)/python -m warpbook.cli.tables

pictures: setup
	@$(BIN)/python bench/pictures.py

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Warpbook needs Python 3.11 or newer; name one: make PYTHON=python3.11")'
	@echo "Setting up $(VENV). To download, unless pip has it: torch $(TORCH_SIZE), triton 190 MB, CUDA compiler 220 MB, ray 75 MB, playwright 50 MB, numpy 20 MB, all else 90 MB."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --no-deps $(TORCH_FROM) '$(TORCH)'
	@$(PIP) install --editable '.[cuda,lab,ray,journal,web,dev]'
	@touch $@
