# What can be done here: make help. Needs Python 3.11 or newer, and nothing else.

.DEFAULT_GOAL := help
.PHONY: help run test test-slow test-elsewhere test-lowest test-pythons lint format types layers kernels pytest fuzz crosscheck bench docs wheelhouse clean
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(BIN)/python
WORKERS ?= 2
MARKS ?= not slow
PYTHONS ?= 3.11 3.12 3.13 3.14
OUT ?= out/demo

# Tests begin a hundred processes, and each would read every source anew.
unexport PYTHONDONTWRITEBYTECODE

# A stamp says what was installed, from which pyproject.toml, for which folder.
KEY := $(shell { cat pyproject.toml; pwd; } | cksum | cut -d ' ' -f 1)
STAMPS := $(VENV)/stamps
INSTALLED := $(STAMPS)/run-$(KEY)
PIP := $(PYTHON) -m pip --disable-pip-version-check
SOURCE := $(if $(wildcard wheelhouse/*.whl),--no-index --find-links wheelhouse)

help: ## Say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
		printf '  make %-15s %s\n' "$$name" "$$text"; done

run: $(INSTALLED) ## Solve a dozen examples; pictures, films and a report go to out/demo
	@mkdir -p $(OUT)
	@$(BIN)/pliant demo -o $(OUT)
	@echo "Compiling what the examples ran without, for the next runs"
	@$(BIN)/pliant warm

test: $(STAMPS)/dev-$(KEY) ## Check style, types and layers, and run every test but the slow ones
	@$(MAKE) --no-print-directory --keep-going --jobs=$(WORKERS) lint format types layers kernels pytest

test-slow: $(STAMPS)/dev-$(KEY) $(STAMPS)/slow-$(KEY) ## Run the slow tests, those of the accelerator and of a cluster among them
	@$(MAKE) --no-print-directory MARKS=slow kernels pytest

# Each run takes as long as make test and test-slow together, and compiling; so it is no part of either.
test-elsewhere: $(STAMPS)/dev-$(KEY) ## Run every test as on other processors, in three runs; ON=generic on one alone
	@$(PYTHON) tests/elsewhere.py $(ON) -- -n $(WORKERS) --dist worksteal $(ARGS)

# Each of these two has environments of its own, with compiled loops of their own, and fills them from the network.
test-lowest: ## Run the tests with the lowest versions that pyproject.toml allows
	@$(MAKE) --no-print-directory VENV=.venv-lowest WITH=python3.11 .venv-lowest/bin/python
	@.venv-lowest/bin/python tests/lowest.py > .venv-lowest/lowest.txt
	@PIP_CONSTRAINT=.venv-lowest/lowest.txt NUMBA_CACHE_DIR="$(CURDIR)/.venv-lowest/loops" \
		$(MAKE) --no-print-directory VENV=.venv-lowest SOURCE= kernels pytest

test-pythons: ## Run the tests under each Python that is on the path; PYTHONS="3.12 3.13" under these alone
	@ran=; failed=; for version in $(PYTHONS); do \
		if ! python$$version -c '' 2> /dev/null; then echo "left out: there is no python$$version"; continue; fi; \
		ran=yes; NUMBA_CACHE_DIR="$(CURDIR)/.venv-$$version/loops" $(MAKE) --no-print-directory \
			VENV=.venv-$$version WITH=python$$version SOURCE= kernels pytest || failed="$$failed $$version"; \
	done; if [ "$$failed" ]; then echo "Failed under Python$$failed"; fi; [ "$$ran" ] && [ -z "$$failed" ]

lint format types layers kernels pytest: $(STAMPS)/dev-$(KEY)

lint:
	@echo "ruff check"
	@$(PYTHON) -m ruff check --quiet .

format:
	@echo "ruff format --check"
	@$(PYTHON) -m ruff format --quiet --check . || { echo "Not formatted; cure: $(PYTHON) -m ruff format ."; exit 1; }

types:
	@echo "pyright"
	@$(PYTHON) -m pyright --warnings

layers:
	@echo "import-linter"
	@$(BIN)/lint-imports --no-logo

# Processes that test side by side would each compile every loop, those of the judge of random assemblies too.
kernels:
	@echo "compiling loops"
	@$(BIN)/pliant warm --quiet
	@$(PYTHON) -m tests.crosscheck.campaign --assemblies 1 --families tray > /dev/null 2>&1 || true

pytest: $(filter kernels,$(MAKECMDGOALS))
	@echo "pytest"
	@$(PYTHON) -m pytest -n $(WORKERS) --dist worksteal -m "$(MARKS)" $(ARGS)

fuzz: $(STAMPS)/dev-$(KEY) ## Break model files and see what breaks: ARGS="--seconds 3600 --processes 2"
	@$(PYTHON) -m tests.fuzz $(ARGS)

crosscheck: $(STAMPS)/dev-$(KEY) ## Solve random assemblies and judge them from outside: ARGS="--assemblies 10000 --seed 1"
	@$(PYTHON) -m tests.crosscheck.campaign $(ARGS)

bench: $(STAMPS)/bench-$(KEY) ## Measure the speed beside that of other solvers
	@$(PYTHON) -m benchmarks $(ARGS)

docs: $(STAMPS)/docs-$(KEY) ## Build the documentation into docs/_build/html
	@$(PYTHON) -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	@echo "The documentation is docs/_build/html/index.html"

wheelhouse: $(PYTHON) ## Gather all wheels, for machines like this one with no network
	@echo "Gathering wheels into wheelhouse/"
	@$(PYTHON) -c 'import tomllib; \
		data = tomllib.load(open("pyproject.toml", "rb")); project = data["project"]; \
		extras = project["optional-dependencies"].values(); \
		print(*data["build-system"]["requires"], "editables", *project["dependencies"], *sum(extras, []), sep="\n")' \
		> $(VENV)/wanted.txt
	@$(PIP) wheel --quiet --wheel-dir wheelhouse --requirement $(VENV)/wanted.txt
	@echo "$$(ls wheelhouse | wc -l) wheels; while wheelhouse/ is here, installs come from it alone"

clean: ## Remove what was made, but not environments (.venv) and wheelhouse
	@rm -rf out docs/_build build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(PYTHON):
	@for python in $(or $(WITH),python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then \
			echo "Making $(VENV) with $$($$python --version)"; \
			exec $$python -m venv $(VENV); \
		fi; \
	done; \
	echo "pliant needs $(if $(WITH),$(WITH) for this,Python 3.11 or newer), and there is none on the path."; exit 1

# Two installs at a time would get in each other's way.
$(STAMPS)/slow-$(KEY): | $(STAMPS)/dev-$(KEY)

# One rule for all: run is pliant itself, the others are its extras.
$(STAMPS)/%-$(KEY): | $(PYTHON)
	@echo "Installing pliant$(if $(filter-out run,$*), and what $* needs) into $(VENV)$(if $(SOURCE), from wheelhouse)"
	@$(PIP) install --quiet $(SOURCE) --editable '.$(if $(filter-out run,$*),[$*])'
	@mkdir -p $(STAMPS)
	@rm -f $(STAMPS)/$*-*
	@touch $@
