# Everything starts from a bare checkout and a Python >= 3.10: each target sets up what it needs, once.
#
#   make demo      migrate the sample project; show the diff and the summary; run it on a simulated NPU
#   make test      lint, types, the tests that take seconds
#   make test-all  all that CI runs: also the slow tests, the site, a workbench, MindSpore
#   make test-beyond  the cases that test-all leaves out
#   make          list the targets

PYTHON ?= python3
VENV ?= .venv
# The torch that migrated code is run on. A CPU build is enough, and the only one wanted.
TORCH_SPEC ?= torch==2.13.0
# The oldest one that has what the simulated device is made of.
OLDEST_TORCH_SPEC ?= torch==2.10.0
MINDSPORE := .cache/mindspore
MINDSPORE_SPECS := 'mindspore==2.10.0' 'numpy<2' einops
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
# Most tests take milliseconds: to hand each out alone would cost more than many of them.
PYTEST_ARGS ?= -n auto --dist worksteal
# Slow tests wait for processes that they start: one more at a time than there are cores.
SLOW_ARGS ?= --dist worksteal -n $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# Mutants: which sample, how many, and of which packages or modules if not of all; or what survived of it.
SEED ?= 0
N ?= 120
MUTATED ?=
AGAIN ?=

# What `make compare` compares with, for which targets, also in which folders of projects.
BASE ?= HEAD
TARGETS ?= torch_npu
PROJECTS ?=
EXAMPLES ?= 3

# The tests that compare with golden samples.
GOLDENS = $(shell grep -rl --include='test_*.py' 'from tests.golden import' tests)

DEMO_INPUT ?= examples/shapes_classifier
DEMO_OUTPUT ?= demo-output
DEMO_VERSION ?= 2.8.0
DEMO_MIGRATED = $(DEMO_OUTPUT)/$(notdir $(DEMO_INPUT))_msft
DEMO_BY_HAND = $(wildcard $(DEMO_INPUT)_by_hand.patch)
MIGRATE_DEMO = $(BIN)/gpu2ascend migrate -i $(DEMO_INPUT) -o $(DEMO_OUTPUT) -v $(DEMO_VERSION)

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
ENVIRONMENT := GOAL='$(or $(MAKECMDGOALS),demo)' /bin/sh tools/environment.sh
RUNTIME := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
TORCH := $(VENV)/.installed-$(subst =,-,$(TORCH_SPEC))
MINDSPORE_INSTALLED := $(MINDSPORE)/.installed
NPM_PACKAGES := node_modules/.package-lock.json
HAS_NPM = /bin/sh tools/needs.sh extension || [ -n "$$GPU2ASCEND_REQUIRE_ALL" ]

# Without bytecode each process of a test run rewrites the assertions of all tests anew, which is half of what
# it costs to collect them. Empty is as if it were not set.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo demo-by-hand test test-fast lint typecheck format pytest extension bench mutants compare goldens wheel torch clean \
    needs proof rule kind check-rule untranslated translations release-check site pictures test-all test-slow test-oldest-torch \
    workbench test-beyond test-mindspore test-mindspore-all mindspore mindspore-tables \
    typecheck-after-torch

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

# --- set-up ------------------------------------------------------------------------------------------

$(BIN)/python:
	@PYTHON='$(PYTHON)' $(ENVIRONMENT) make '$(VENV)'

$(RUNTIME): pyproject.toml | $(BIN)/python
	@$(ENVIRONMENT) install '$(VENV)' -e .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	@$(ENVIRONMENT) install '$(VENV)' -e '.[dev,execution]'
	@touch $@ $(RUNTIME)

# Some indexes offer the CPU build beside the others, under its own local version; else PyTorch's own
# index of CPU builds has it. Without torch the other tests still run, except where all are asked for.
$(TORCH): $(RUNTIME)
	@echo 'Installing $(TORCH_SPEC), a CPU build of about 200 MB, to run migrated code' >&2
	@$(ENVIRONMENT) install '$(VENV)' -e '.[execution]'
	@if $(PIP) '$(TORCH_SPEC)+cpu' 2>/dev/null || $(PIP) --index-url $(TORCH_INDEX) '$(TORCH_SPEC)'; then \
	    touch $@; \
	elif [ -n "$$GPU2ASCEND_REQUIRE_ALL" ]; then \
	    echo 'error: $(TORCH_SPEC) could not be installed' >&2; exit 1; \
	else \
	    echo 'note: $(TORCH_SPEC) could not be installed; nothing that runs migrated code is run' >&2; \
	fi

torch: $(TORCH)

# --- use ---------------------------------------------------------------------------------------------

# `gpu2ascend migrate` exits 1 when it leaves something to a person; the sample means it to. The first run
# shows the diff alone, the second what is left. A patch stands for the person who answers it, and the update
# says what is left then. The last command shows that the result trains, where torch can be had.
demo: $(RUNTIME) ## migrate the sample project; show the diff and the summary; run it on a simulated NPU
	@$(MIGRATE_DEMO) --diff 2>/dev/null || true
	@echo
	@$(MIGRATE_DEMO) --force --unsafe || [ $$? -eq 1 ]
	@echo
	@$(if $(DEMO_BY_HAND),$(MAKE) --no-print-directory --silent demo-by-hand)
	@$(MAKE) --no-print-directory --silent torch
	@if [ -e $(TORCH) ]; then $(BIN)/gpu2ascend verify $(DEMO_MIGRATED) \
	    --python $(BIN)/python --device python -- train.py; fi

demo-by-hand:
	@echo 'What the errors ask for, written by hand ($(DEMO_BY_HAND)):'
	@cat $(DEMO_BY_HAND)
	@cd $(DEMO_MIGRATED) && git apply '$(abspath $(DEMO_BY_HAND))'
	@echo
	@$(MIGRATE_DEMO) --update --unsafe
	@echo

bench: $(DEV) ## measure the ratios of docs/benchmarks.md
	$(BIN)/python benchmarks/run.py

wheel: $(DEV) ## build the wheel into dist/
	$(BIN)/python -m build --wheel

# --- rules -------------------------------------------------------------------------------------------

rule: $(DEV) ## the skeleton of a rule: make rule CODE=NPU790 NAME=spacy-on-gpu FAMILY=third-party [KIND=procfile]
	$(BIN)/python -m tools.new_rule '$(CODE)' '$(NAME)' '$(FAMILY)' '$(KIND)'

kind: $(DEV) ## the skeleton of a kind of file: make kind NAME=procfile PATTERNS=procfile,*.procfile
	$(BIN)/python -m tools.new_kind '$(NAME)' '$(PATTERNS)'

check-rule: rule-outlines lint typecheck ## all that CI checks of a rule: make check-rule CODE=NPU790
	$(BIN)/python docs/coverage/build.py
	GPU2ASCEND_NEAR_SHARE=1 $(BIN)/python -m pytest tests/rules tests/server --rule '$(CODE)' -q -m 'not slow and not network and not execution and not editor'

rule-outlines: $(DEV) ## write what a check knows of each rule before it imports the rule
	$(BIN)/python -m tools.rule_outlines

untranslated: $(DEV) ## list the texts that have no Chinese translation yet
	@$(BIN)/python -m tools.translations

translations: $(DEV) ## fail where a text or a page for users has no Chinese, or its lines show stray blanks
	@$(BIN)/python -m tools.translations --strict
	@$(BIN)/python -m tools.site.twins

release-check: translations ## the same, and where the address of the repository is not known
	@$(BIN)/python -m tools.published_readme

# Tests of execution that torch_npu itself passes, on the emulated CANN.
ON_WHEEL = $(addprefix tests/execution/,distributed from_cpu similar test_absent_names.py test_advised_rewrites.py \
    test_automatic.py test_changed_behaviour.py test_device_agnostic.py test_diagnosed_scripts.py test_dynamic_shapes.py \
    test_enabled_amp.py test_extension_projects.py test_launch_scripts.py test_migrated_scripts.py \
    test_project_of_many_kinds.py test_sample_project.py)

proof: $(DEV) $(TORCH) ## all near programs; refactor examples; migrate projects from PyPI; draw the sample for docs/precision.md
	GPU2ASCEND_NEAR_SHARE=1 $(BIN)/python -m pytest $(PYTEST_ARGS) -q tests/rules/test_near_programs.py \
	    tests/rules/test_unfinished_programs.py
	$(BIN)/python -m tools.metamorphic
	GPU2ASCEND_RANDOM_EDITS=300 $(BIN)/python -m pytest $(PYTEST_ARGS) -q tests/rules/program/test_random_edits.py
	$(BIN)/python -m tools.proof.planted
	$(BIN)/python -m tools.proof.public
	GPU2ASCEND_METAMORPHIC=all $(BIN)/python -m pytest $(PYTEST_ARGS) -q tests/execution/test_refactored_programs.py
	GPU2ASCEND_ON_WHEEL=1 $(BIN)/python -m pytest $(PYTEST_ARGS) -q $(ON_WHEEL)
	$(BIN)/python -m tools.proof
	-$(BIN)/python -m tools.metamorphic --below .cache/proof --modules 200 > .cache/proof/metamorphic.txt
	$(BIN)/python -m tools.proof.other_kinds
	$(BIN)/python -m tools.proof.mutated
	$(MAKE) test-beyond test-mindspore-all
	$(MINDSPORE)/bin/python -m tools.proof.mindspore
	$(MINDSPORE)/bin/python -m tools.proof.mindspore.repositories
	$(BIN)/python -m tools.proof.aarch64
	$(BIN)/python -m tools.proof.releases

site: $(DEV) ## build the documentation site into .cache/site/html; fails on a broken link, or a page without its twin
	$(BIN)/python -m tools.site

pictures: $(DEV) ## draw docs/images/terminal*.svg from runs on the sample project
	$(BIN)/python -m tools.pictures

# --- checks ------------------------------------------------------------------------------------------

needs: ## what this machine lacks for make test, with the commands that bring it
	@PYTHON='$(PYTHON)' /bin/sh tools/needs.sh

FAST := not slow and not network and not execution and not beyond_sample

# To collect the cases of the files without a slow test would take as long as many of these.
WITH_SLOW = $(shell grep -rlwE --include='test_*.py' 'slow|network|execution|needs_mindspore' tests)

# What takes one core, two at a time; then what takes all.
TWO = $(MAKE) --no-print-directory --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: needs ## lint, types, the tests that take seconds
	@$(TWO) $(NPM_PACKAGES) $(DEV)
	@$(TWO) extension typecheck-after-torch lint
	@$(MAKE) --no-print-directory test-fast

# mypy would read half of torch while the other half is being installed.
typecheck-after-torch: $(TORCH)
	@$(MAKE) --no-print-directory typecheck

test-all: needs $(DEV) ## all that CI runs: make test, slow tests, the site, a workbench, MindSpore
	@$(TWO) mindspore lint typecheck extension site
	@$(MAKE) --no-print-directory test-fast test-slow workbench test-mindspore

pytest: $(DEV) $(TORCH)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-fast: $(DEV) $(TORCH)
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m '$(FAST)'

test-slow: $(DEV) $(TORCH) ## real packages, migrated code on torch's CPU build, editors, the wheel
	$(BIN)/python -m pytest $(SLOW_ARGS) -m 'not ($(FAST)) and not beyond_sample' $(WITH_SLOW)

test-beyond: SCENARIOS := --grep @beyond
test-beyond: $(DEV) $(TORCH) workbench ## the cases that test-all leaves out of tests with many
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m 'beyond_sample and not mindspore'

test-oldest-torch: ## the tests that run code on the simulated device, on the oldest torch that is supported
	$(MAKE) pytest VENV=.cache/oldest-torch TORCH_SPEC='$(OLDEST_TORCH_SPEC)' \
	    PYTEST_ARGS="$(PYTEST_ARGS) -m execution" GPU2ASCEND_REQUIRE_ALL=1

# MindSpore needs an older numpy, so it has an environment of its own, which finds everything else in the other
# one. Of torchvision any release will do, whatever torch it was built for: only what is written in Python is used.
BESIDE = import site; site.addsitedir("$(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')")
mindspore: $(MINDSPORE_INSTALLED)
$(MINDSPORE_INSTALLED): pyproject.toml | $(DEV) $(TORCH)
	$(PYTHON) -m venv $(MINDSPORE)
	$(MINDSPORE)/bin/python -m pip --disable-pip-version-check --quiet install $(MINDSPORE_SPECS)
	$(MINDSPORE)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps torchvision
	echo '$(BESIDE)' > "$$($(MINDSPORE)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/beside.pth"
	@touch $@

test-mindspore: mindspore ## run a sample of PyTorch code beside what it is converted to: programs, data, APIs; 4 minutes at most
	GPU2ASCEND_REQUIRE_MINDSPORE=1 $(MINDSPORE)/bin/python -m pytest $(PYTEST_ARGS) \
	    -m 'mindspore and not beyond_sample' tests/execution/mindspore

test-mindspore-all: mindspore ## the same with every program and every API that is verified, as it is and compiled
	GPU2ASCEND_REQUIRE_MINDSPORE=1 $(MINDSPORE)/bin/python -m pytest $(PYTEST_ARGS) -m mindspore \
	    tests/execution/mindspore

# The public mapping of names is not part of the repository: PAIRS is a file with the columns torch_api, mindspore_api.
mindspore-tables: mindspore ## make the tables of MindSpore's counterparts anew: make mindspore-tables PAIRS=pairs.tsv
	$(MINDSPORE)/bin/python -m tools.mindspore_tables.compiled
	$(if $(PAIRS),$(MINDSPORE)/bin/python -m tools.mindspore_tables '$(PAIRS)')
	$(if $(PAIRS),$(MINDSPORE)/bin/python -m tools.mindspore_tables.mint '$(PAIRS)')

mutants: $(DEV) ## put small defects into the code and see that tests fail: make mutants N=60 SEED=1
	$(BIN)/python -m tools.mutants --count '$(N)' --seed '$(SEED)' $(if $(AGAIN),--again) $(MUTATED)

# Exit status 0 where nothing differs, 1 where something does, 2 where the two cannot be compared.
compare: $(DEV) ## what the files as they are find and fix otherwise than a commit: make compare BASE=main
	$(BIN)/python -m tools.compare '$(BASE)' --seed '$(SEED)' --examples '$(EXAMPLES)' --targets '$(TARGETS)' \
	    $(if $(ALL)$(CODE),--share 1) $(if $(CODE),--group '$(CODE)') $(if $(PROJECTS),--projects '$(PROJECTS)') \
	    $(if $(filter 0,$(NETWORK)),--no-network)

# What differs fails a test also while it is written down: the second run is for who has read the difference.
goldens: $(DEV) ## write golden samples anew where outcomes differ (of a rule: CODE=NPU790), and print what differs
	@GPU2ASCEND_UPDATE_GOLDENS=1 $(BIN)/python -m pytest $(if $(CODE),--rule '$(CODE)',$(PYTEST_ARGS)) -q --tb=no \
	    $(GOLDENS) || true
	@git --no-pager diff -- '*/goldens/*' '*/samples/*' && git status --short -- '*/goldens/*' '*/samples/*' || true

lint: $(DEV) ## ruff, the layers of the packages, and the ways through functions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m tools.complexity

typecheck: $(DEV) ## mypy --strict
	$(BIN)/mypy

format: $(DEV) ## format the code, mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The tests in a workbench need code-server and Chromium (vscode-extension/e2e/install-workbench.sh); without
# them they are skipped, and npm says so.
extension: NPM_TESTS := npm test
workbench: NPM_TESTS = npm run e2e -- $(or $(SCENARIOS),--grep-invert @beyond)
extension: ## the VS Code extension: lint, types, unit tests
workbench: ## the packaged extension in a real workbench
extension workbench: $(DEV) $(NPM_PACKAGES)
	@if $(HAS_NPM); then $(NPM_TESTS); \
	else echo 'note: there is no npm with Node.js 20; the tests of the VS Code extension are skipped' >&2; fi

$(NPM_PACKAGES): package-lock.json
	@if $(HAS_NPM); then npm ci; fi

clean: ## remove what the targets made, the virtual environment too
	rm -rf $(VENV) $(DEMO_OUTPUT) build dist node_modules vscode-extension/dist vscode-extension/bundled/libs .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
