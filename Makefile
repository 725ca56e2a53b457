# From a fresh clone with Python >= 3.11, git and make:  make  (the figures)  or  make test.
# Everything installed goes to .venv, at the versions and hashes of requirements.lock; what the
# benchmarks need besides goes to .venv-bench, from benchmarks/requirements.lock.

CONFIG ?=
CORES ?= all
PYTHON ?=
# Of another configuration than the paper's: results/report-NAME.html.
REPORT ?=
UV ?= uv
ARGS ?=

.DEFAULT_GOAL := run
.NOTPARALLEL:
.PHONY: run studies all animals test test-cluster torture bench measure setup environment installed lint format document \
	report verify unlock clean-results lock help

# The virtual environment alone decides what is imported.
unexport PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX
# Every job is a Python of its own: compiled modules are kept.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONNOUSERSITE := 1

# Snakemake starts the interpreter of scripts unquoted. (make itself would read a "$$" in CURDIR anew.)
ifneq ($(strip $(shell pwd | LC_ALL=C tr -d 'A-Za-z0-9._/@%+=:,~^\n\200-\377-' | wc -c)),0)
$(error Snakemake cannot run in a folder whose path has spaces, quotes, parentheses or other signs that \
a shell reads, found "$(shell pwd)": move or rename it)
endif

# Programs run as modules, so a folder that was moved keeps working; PATH is for what Snakemake and
# the tests start by name.
VENV := .venv
LOCK := requirements.lock
VENV_PYTHON := $(VENV)/bin/python
IN_VENV = PATH="$$(pwd -P)/$(VENV)/bin:$$PATH" $(VENV_PYTHON)
# Paths and names go by the environment, so that no shell reads them.
export CONFIG REPORT
SNAKEMAKE = $(IN_VENV) workflow/run_here.py

# The copy of the lock is written last: an interrupted set-up, or a changed lock, is set up anew. The
# package itself is installed from this folder, and again where the folder has moved.
INSTALLED_LOCK := $(VENV)/installed.lock
INSTALLED_FROM := $(VENV)/installed.from
IS_SET_UP := $(shell cmp -s $(LOCK) $(INSTALLED_LOCK) && \
	$(VENV_PYTHON) -c "" >/dev/null 2>&1 && echo yes)

# The first Python that is new enough and can make virtual environments, looked up only if needed.
# Its base executable: with .venv activated, python3 is the very file that is about to be replaced.
FIND_PYTHON = for python in $(if $(PYTHON),"$(PYTHON)") \
	python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$python" -c "import ensurepip, sys, venv; \
	sys.version_info < (3, 11) or print(sys._base_executable)" 2>/dev/null; done | head -n 1
NO_PYTHON = Python 3.11 or newer, with its venv module, is needed and none was found: install one, or \
name it with make PYTHON=/path/to/python3

COMMA := ,
FIGURES_AND_CHECK := figures/ and check/
# A line of progress every half minute; the full log stays in .snakemake/log.
define run_workflow
	@echo "==> $(2) on $(CORES) cores; the full log is in .snakemake/log"
	@PYTHONPATH="$$(pwd -P)/workflow/progress" $(SNAKEMAKE) run $(1) --cores $(CORES) --logger progress $(ARGS)
	@echo "==> Done: see $(3) in the configuration's results_directory (results/)"
endef

run: setup  ## Set up, then make the paper's Figures 1 to 6 and their check (default)
	$(call run_workflow,paper,Making the figures of the paper,$(FIGURES_AND_CHECK))

studies: setup  ## Set up, then make the studies beyond the paper: Figures 7 to 12 and their check
	$(call run_workflow,studies,Making the studies beyond the paper,$(FIGURES_AND_CHECK))

all: setup  ## Set up, then make both
	$(call run_workflow,all,Making the figures of the paper and the studies beyond it,$(FIGURES_AND_CHECK))

animals: setup  ## Set up, then fit one's own animals (CONFIG) and draw their figures, nothing else
	$(call run_workflow,animals,Fitting the animals,each animal's summary.txt first$(COMMA) then figures/$(COMMA))

test: setup  ## Set up, then run all tests
	@echo "==> Running the tests"
	@$(IN_VENV) -m pytest $(ARGS)

# A Slurm of this machine alone, started and stopped by the tests.
SLURM_PACKAGES := slurm-wlm munge
test-cluster: setup  ## Set up, then run the cluster's tests on a Slurm of one node (Debian, as root)
	@command -v slurmctld >/dev/null || { echo "==> Installing $(SLURM_PACKAGES) (Debian, as root)"; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install -y --no-install-recommends $(SLURM_PACKAGES) >/dev/null; }
	@echo "==> Running the tests on a Slurm of one node"
	@TEST_CLUSTER=1 $(IN_VENV) -m pytest tests/cluster $(ARGS)

torture: setup  ## Kill, double, rob and damage runs for a quarter of an hour (ARGS='--minutes 60 --seed 1')
	@$(IN_VENV) -m tests.workflow.torture $(ARGS)

# The same recipes for the benchmarks' own environment, by a second make that looks if it is set up.
IN_BENCH_VENV := VENV=.venv-bench LOCK=benchmarks/requirements.lock
bench:  ## Measure speed and memory, beside other programs (ARGS=--workflow: a whole run too)
	@$(MAKE) --no-print-directory setup $(IN_BENCH_VENV)
	@$(MAKE) --no-print-directory measure $(IN_BENCH_VENV)

measure:
	@echo "==> Measuring on one core (about ten minutes); the machine should do nothing else"
	@$(IN_VENV) -m benchmarks $(ARGS)

setup: $(if $(IS_SET_UP),,environment) installed  ## Make the virtual environment .venv from requirements.lock
	@echo "==> The environment in $(VENV) is ready"

environment:
	$(eval FOUND := $(shell $(FIND_PYTHON)))$(if $(FOUND),,$(error $(NO_PYTHON)))
	@echo "==> Making the virtual environment $(VENV) with $$("$(FOUND)" --version)"
	@"$(FOUND)" -m venv --clear $(VENV)
	@echo "==> Installing the packages of $(LOCK) (a minute or two)"
	@$(VENV_PYTHON) -m pip install -qq --no-input --disable-pip-version-check --no-compile \
		--require-hashes --requirement $(LOCK)
	@cp $(LOCK) $(INSTALLED_LOCK)

installed: $(if $(IS_SET_UP),,environment)
	@if [ "$$(cat $(INSTALLED_FROM) 2>/dev/null)" != "$$(pwd -P)" ]; then \
		$(VENV_PYTHON) -m pip install -qq --no-input --disable-pip-version-check --no-index --no-deps \
			--no-build-isolation --editable . && \
		echo "$$(pwd -P)" > $(INSTALLED_FROM); fi

lint: setup  ## Check formatting and style
	@echo "==> Checking Python style (ruff)"
	@$(VENV_PYTHON) -m ruff check .
	@$(VENV_PYTHON) -m ruff format --check .
	@echo "==> Checking the format of the workflow (snakefmt)"
	@$(VENV_PYTHON) -m snakefmt --check Snakefile workflow

format: setup  ## Format Python and workflow files in place
	@$(VENV_PYTHON) -m ruff check --fix-only .
	@$(VENV_PYTHON) -m ruff format .
	@$(VENV_PYTHON) -m snakefmt Snakefile workflow

document: setup  ## Renew the tables of config/README.md from the models of the configuration
	@$(VENV_PYTHON) -m inverse_rational_control.config.document

report: setup  ## Gather the figures of a finished run into one HTML file (REPORT)
	@$(SNAKEMAKE) report $(ARGS)

verify: setup  ## Compare the results with their manifest: missing, changed, added, contracts not met
	@$(IN_VENV) workflow/verify.py

unlock: setup  ## Free this folder from the lock of a run that certainly is no more
	@$(SNAKEMAKE) unlock

clean-results:  ## List what results/ holds, ask, and delete it (YES=1: do not ask)
	@found=$$(find results -mindepth 1 -maxdepth 1 ! -name README.md); \
	if [ -z "$$found" ]; then echo "results/ holds no results"; exit 0; fi; \
	echo "These will be deleted:"; echo "$$found" | sed 's/^/  /'; \
	if [ -z "$(YES)" ]; then \
		printf "Delete them? [y/N] "; read answer || answer=n; \
		case "$$answer" in y|Y|yes) ;; *) echo "Nothing was deleted"; exit 0;; esac; \
	fi; \
	find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} + && echo "Deleted"

# The benchmarks' lock takes the versions of the first where the two share a package.
COMPILE = "$(UV)" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	pyproject.toml $(ARGS)
lock:  ## Renew both lock files from pyproject.toml, with uv (ARGS=--upgrade: newer versions)
	@command -v "$(UV)" >/dev/null || { echo "make lock needs uv: pip install uv, or name it: make lock UV=/path/to/uv" >&2; exit 1; }
	@echo "==> Renewing requirements.lock; bring environment.yml to the same versions (make test tells)"
	@$(COMPILE) --extra build --extra cluster --extra test --output-file requirements.lock
	@echo "==> Renewing benchmarks/requirements.lock"
	@$(COMPILE) --extra build --extra bench --constraint requirements.lock --output-file benchmarks/requirements.lock

help:  ## Show this list
	@echo "make [TARGET] [CONFIG=config/test.yaml] [CORES=2] [PYTHON=python3.12] [ARGS='further options']"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18
