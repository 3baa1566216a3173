# Each target sets up what it needs: a machine with Python >= 3.11, make and git is enough.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || echo 2)
VENV := .venv
READY := $(VENV)/ready
SNAKEMAKE := $(VENV)/bin/snakemake --cores $(CORES)
STUDIES := $(basename $(notdir $(wildcard config/studies/*.yaml)))
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# Every fit is a process, and so are many tests: their sources are compiled once, also where the environment forbids to keep that.
export PYTHONDONTWRITEBYTECODE :=

# Of which configuration `make report` shows the results: the paper's, or an overlay of it.
CONFIG ?=
# Snakemake names neither the file nor the line of an overlay that is not YAML.
LOOK_AT_CONFIG = $(if $(CONFIG),@$(VENV)/bin/python -m nbmf_studies.pipeline.yaml_files $(CONFIG))
REPORT = results/report-$(or $(basename $(notdir $(CONFIG))),paper).html

.PHONY: help paper papers verify publish status quick report docs test test-all examples benchmark check format lock clean

help: ## What can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

paper: $(READY) ## The main paper's full protocol: five datasets, ten masks, full iterations
	$(SNAKEMAKE) lumbreras2020

papers: $(READY) ## Every study of config/studies
	$(SNAKEMAKE) $(STUDIES)

# Of another run: make verify REFERENCE=folder. Every row identical or a failure: make verify STRICT=1
REFERENCE ?= reference
verify: $(READY) ## Compare the scores of `make paper` with the published ones; with STRICT=1 all must be identical
	$(SNAKEMAKE) verify --forcerun verification \
	  --config 'verify={reference: $(REFERENCE), accept: $(if $(STRICT),identical,medians)}'

publish: $(READY) ## Write the results of docs/lumbreras2020.md, docs/figures and reference/ from those of `make paper`
	$(VENV)/bin/python docs/publish.py

status: $(READY) ## Which fits exist, failed or are missing; of another run: make status CONFIG=config/quick.yaml
	$(LOOK_AT_CONFIG)
	@$(SNAKEMAKE) status --nolock --quiet all $(addprefix --configfile ,$(CONFIG))

quick: $(READY) ## The same workflow in minutes: animals and parliament, two masks
	$(SNAKEMAKE) --configfile config/quick.yaml

report: $(READY) ## What there is of `make paper` in one HTML file; of another run: make report CONFIG=config/quick.yaml
	$(LOOK_AT_CONFIG)
	$(SNAKEMAKE) $(addprefix --configfile ,$(CONFIG)) --config report=True \
	  --report-stylesheet workflow/report/report.css --report $(REPORT)
	@echo "$(REPORT): for any browser, no network needed"

docs: $(READY) ## The documentation site: docs/_build/html/index.html
	NUMBA_CACHE_DIR="$(CURDIR)/.numba_cache" $(VENV)/bin/sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"

# A file of tests stays in one process: what its tests share is made once.
WORKERS = --numprocesses auto --dist loadfile --no-loadscope-reorder
test: $(READY) ## The tests, without those of `make test-all` that take longer
	NUMBA_CACHE_DIR="$(CURDIR)/.numba_cache" $(VENV)/bin/pytest -m "not long and not workflow and not statistics" $(WORKERS)

# Of `make test-all`. Some of them, as .ci/run does: make test-all PARTS="wheel slurm tests"
PARTS ?= tests statistics browser workflow wheel offline slurm long fuzz kills mutants
test-all: $(addprefix test-part-,$(PARTS)) ## Everything, in many hours: also long statistics, a real Slurm, fuzzing, kills, every mutant

.PHONY: $(addprefix test-part-,tests statistics browser workflow wheel offline slurm long fuzz kills mutants)
test-part-tests: test
test-part-statistics: $(READY) # samplers against exact distributions: Geweke, calibration, enumeration, power of these
	NUMBA_CACHE_DIR="$(CURDIR)/.numba_cache" $(VENV)/bin/pytest -m "statistics and not long" $(WORKERS)
test-part-browser: $(READY) # pages in Debian's chromium; part of the tests too, which skip them where there is none
	$(VENV)/bin/pytest -m browser
test-part-workflow: $(READY) # whole programs: Snakemake with full disks, own data, a new method; examples; benchmarks
	NUMBA_CACHE_DIR="$(CURDIR)/.numba_cache" $(VENV)/bin/pytest -m "workflow and not long" $(WORKERS)
test-part-wheel: $(READY) # alone, in a fresh environment
	$(VENV)/bin/python tests/programs/wheel.py
test-part-offline: $(READY) # a clone alone: no network, no folder beside it
	$(VENV)/bin/python tests/programs/offline.py
test-part-slurm: $(READY) # some fits through a real Slurm
	$(VENV)/bin/python tests/programs/slurm.py
test-part-long: $(READY)
	$(VENV)/bin/pytest -m long --numprocesses auto
test-part-fuzz: $(READY) # nothing else needs atheris
	$(VENV)/bin/pip install --quiet --disable-pip-version-check atheris==3.0.0
	$(VENV)/bin/python tests/programs/fuzz.py --seconds 60
test-part-kills: $(READY)
	$(VENV)/bin/python tests/programs/kill_trials.py --trials 50
test-part-mutants: $(READY)
	$(VENV)/bin/python tests/programs/mutation.py
	$(VENV)/bin/python tests/programs/mutation_everywhere.py

examples: $(READY) ## Build the matrices that the package brings (nbmf.load_example) from the raw files
	$(SNAKEMAKE) $(foreach name,animals moods parliament unvotes_important,data/matrices/$(name).npz)
	cp $(foreach name,animals moods parliament,data/matrices/$(name).npz) src/nbmf/data/examples/
	cp data/matrices/unvotes_important.npz src/nbmf/data/examples/votes.npz

benchmark: $(READY) ## Speed, threads, scaling, mixing, memory, start-up, peers: results/benchmarks
	$(SNAKEMAKE) $(foreach name,animals lastfm parliament paleo unvotes,data/matrices/$(name).npz)
	NUMBA_CACHE_DIR="$(CURDIR)/.numba_cache" $(VENV)/bin/python benchmarks/run.py

check: $(READY) ## Lint and format checks, and who imports whom
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/snakefmt --check Snakefile workflow
	$(VENV)/bin/snakemake --lint
	$(VENV)/bin/lint-imports --no-cache --no-logo

format: $(READY) ## Format all sources
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .
	$(VENV)/bin/snakefmt Snakefile workflow

lock: ## Renew requirements.lock from requirements.in (needs uv); versions stay, unless: make lock UPGRADE=--upgrade
	cp requirements.lock requirements.lock.new
	uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate $(UPGRADE) --output-file requirements.lock.new requirements.in
	( echo "# Made by \`make lock\` from requirements.in. Names, versions and hashes only: any index will do."; \
	  cat requirements.lock.new ) > requirements.lock
	rm requirements.lock.new

clean: ## Remove results and built matrices; keep raw files and the environment
	rm -rf results/*/ results/*.csv results/*.html data/matrices data/logs data/benchmarks data/kernels.txt

# Made once, and again only when the lock or the package's metadata change.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else f"Python 3.11 or newer is needed; $(PYTHON) is {v.major}.{v.minor}. Name another: make PYTHON=python3.12 ...")'
	@echo "Setting up $(VENV) (once, about a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
