# Everything runs in .venv, which is made and filled on first use and again when a requirements file changes.
#   make app PYTHON=/path/to/python3.11     to choose the Python it is made with
#   make app PORT=8600                      to choose where the dashboard listens

PYTHON ?= python3.11
PORT ?= 8501
# As many as there are cores (tests/conftest.py), or the number that is given.
WORKERS ?= auto

BIN := .venv/bin
RUN := $(BIN)/python -m
APP_STAMP := .venv/.installed-app
DEV_STAMP := .venv/.installed-dev
VERSIONS := sed -nE '/sys_platform/!s/^([A-Za-z0-9._-]+==[^ ;\\]+).*/\1/p' constraints.txt

# The tests start hundreds of programs: what one has translated the others take as it is.
unexport PYTHONDONTWRITEBYTECODE

# So do other clones on this computer: what the tests compile, and what mypy has read, is kept by what the files say.
KEPT := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/riskkit-tests
test second both slow: export NUMBA_CACHE_DIR ?= $(KEPT)/loops
second both slow lint: export MYPY_CACHE_DIR ?= $(KEPT)/mypy

.PHONY: help app test second both slow oldest newest lint format texts docs pictures sample locked packages sbom wheel bench clean
.DEFAULT_GOAL := help

help:  ## Show this list
	@sed -n 's/^\([a-z][a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-15s %s\n", $$1, $$2 }'

app: $(APP_STAMP)  ## Start the dashboard, with the sample audit ready to look at, and print its address
	$(RUN) riskkit app --port $(PORT)

test: $(DEV_STAMP)  ## Run the tests
	$(RUN) pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 30 -m "not slow and not second"

second: $(DEV_STAMP)  ## Run the second stage: journeys in a browser, faults, simulations, types
	$(RUN) pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 60 -m "second and not slow"

both: $(DEV_STAMP)  ## Run both together, in less time: what works the processor is played while journeys and kills wait
	$(RUN) pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 60 -m "not slow"

slow: $(DEV_STAMP)  ## Run the long simulations that these leave out
	$(RUN) pytest -n $(WORKERS) --dist worksteal -m slow

oldest: ## Run the tests with the lowest versions of libraries that pyproject.toml allows
newest: ## Run the tests with the newest ones
oldest newest:
	$(PYTHON) -m venv --clear .venv-$@
	$(PYTHON) tests/versions.py $@ > .venv-$@/requirements.txt
	.venv-$@/bin/python -m pip install --disable-pip-version-check -r .venv-$@/requirements.txt
	.venv-$@/bin/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
		-m "not slow and not second and not locked"
	.venv-$@/bin/python -m pytest -m "" tests/test_versions.py

lint: $(DEV_STAMP)  ## Check style and types
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

format: $(DEV_STAMP)  ## Put the code in its usual form
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

texts: $(DEV_STAMP)  ## List all texts anew for translators
	$(RUN) tests.texts

docs: $(DEV_STAMP)  ## Build the site: docs, with the pages of the API from the docstrings
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict

pictures: $(DEV_STAMP)  ## Draw the pictures of README and docs anew from the sample, in Chromium
	$(RUN) tests.pictures

sample: $(DEV_STAMP)  ## Play the sample audit anew, after a change of its numbers or their form
	$(RUN) sample_data.play

locked: .venv/pyvenv.cfg $(BIN)/riskkit  ## Install every package by the hash of its file, and nothing else
	$(RUN) pip install --disable-pip-version-check --require-hashes -r constraints.txt
	touch $(APP_STAMP) $(DEV_STAMP)

packages: $(DEV_STAMP)  ## Ask the vulnerability service about every package that is pinned
	$(RUN) tests.packages audit

sbom: $(DEV_STAMP)  ## List the packages of a release (CycloneDX), into dist
	$(RUN) tests.packages sbom

wheel: sbom  ## Build the package, with all that it needs to run, and riskkit-bench, into dist
	$(RUN) pip wheel --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist . ./riskkit_bench

bench: $(APP_STAMP)  ## Measure the speeds that are stated
	@for file in benchmarks/*.py; do \
		[ -e "$$file" ] || continue; \
		echo "$$file"; \
		$(BIN)/python "$$file" || exit 1; \
	done

clean:  ## Remove .venv and caches; audits are kept elsewhere and stay
	rm -rf .venv .venv-oldest .venv-newest .mypy_cache .pytest_cache .ruff_cache .hypothesis dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

# The command riskkit, of this clone, for whoever has .venv/bin on the path: after `. .venv/bin/activate` in any folder.
$(BIN)/riskkit: | .venv/pyvenv.cfg
	echo '$(CURDIR)' > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/riskkit-clone.pth"
	printf '#!/bin/sh\nexec "%s" -m riskkit "$$@"\n' '$(CURDIR)/$(BIN)/python' > $@
	chmod +x $@

$(APP_STAMP): requirements.txt constraints.txt | .venv/pyvenv.cfg $(BIN)/riskkit
	$(VERSIONS) > .venv/versions.txt
	$(RUN) pip install --disable-pip-version-check -r requirements.txt -c .venv/versions.txt
	touch $@

$(DEV_STAMP): requirements-dev.txt requirements.txt constraints.txt | .venv/pyvenv.cfg $(BIN)/riskkit
	$(VERSIONS) > .venv/versions.txt
	$(RUN) pip install --disable-pip-version-check -r requirements-dev.txt -c .venv/versions.txt
	touch $(APP_STAMP) $@
