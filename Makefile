# Every variable below can be set on the command line: make load-naive SCALE=0.005 DURATION=5m
# (they reach the lab through the environment, which checks them; defaults stand in `make help`).

PYTHON ?= python3
VENV := .venv
RUN_PYTHON := $(VENV)/bin/python
# Whoever finds no such process among its ancestors was started by a make that has been killed.
export HOTBOARD_MAKE_PID := $(shell echo $$PPID)

# Their verdicts need a machine that is not busy with other tests.
DEFAULT_RUNS := tests/end_to_end/test_default_runs.py

# What every command below inherits is decided here: what the shell sets for other uses of Python, of
# its tools and of ours stays outside; docs/settings.md says what may be set on purpose.
ON_PURPOSE := PYTHON PYTHONUTF8 PYTHONIOENCODING PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX \
	MPLCONFIGDIR LOCUST_UI LOCUST_PORT PROMETHEUS_BIN PROMETHEUS_PORT
ELSEWHERE := PYTHON% MPL% MATPLOTLIBRC LOCUST_% OTEL_% GEVENT_% UVICORN_% WEB_CONCURRENCY FORWARDED_ALLOW_IPS \
	PROMETHEUS_% prometheus_multiproc_dir GF_% COMPOSE_% GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR
unexport $(filter-out $(ON_PURPOSE),$(filter $(ELSEWHERE),$(.VARIABLES)))
# A pip.conf may name indexes and certificates; where packages go is no matter of it.
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
	--no-user --target= --root=/ --prefix="$(CURDIR)/$(VENV)" --require-hashes
DRAWN := tests/end_to_end/in_browser/test_dashboards_drawn.py

.DEFAULT_GOAL := help
.PHONY: help load-naive load-partitioned load-odometer load-achievements drill serve sweep watch up stop down compare runs report export capacity calibrate lab install format lint test bench shape ui-check dashboards-check grafana-check check clean

##@ Run
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "Variables (NAME=default)"
	@echo "  SCALE=0.001 DURATION=60s (the measured phase) WARMUP=5s SEED=20260906 PLAYERS=players x scale"
	@echo "  SCENARIO=peak SET=\"name=value ...\" (changes assumptions)"
	@echo "  LEDGER=sqlite|none (default: none for load-naive, load-partitioned and compare, else sqlite;"
	@echo "  a compose stack that is up keeps its own)"
	@echo "  LEDGER_SYNC=full|normal LEDGER_PATH=file (default: in the run's directory; each adds a ledger)"
	@echo "  TOP=live|materialised (the global top: merged on request, or once a second for all)"
	@echo "  RANK_LIMIT=100 (exact ranks a second, more are refused with a 429)"
	@echo "  WORKERS=1 (of the generator) SERVICE_WORKERS=1 SERVICE_PORT=8000 MODE=naive (serve)"
	@echo "  TARGET=https://... ALLOW_WRITES=1 (load a service of yours) REDIS_URL HOTBOARD_REDIS_BIN"
	@echo "  STACK=compose|embedded (default: the compose stack while it is up, else an embedded one)"
	@echo "  LOCUST_UI=1 LOCUST_PORT=8089 (Locust's page during a run; LOCUST_UI=0 does without it)"
	@echo "  LOADGEN_PORT=9646 (the generator's metrics for Prometheus; 0 serves none)"
	@echo "  GRAFANA_URL=http://127.0.0.1:GRAFANA_PORT GRAFANA_TOKEN (annotations of runs, grafana-check)"
	@echo "  REDIS_PORT=6379 (up) PROMETHEUS_PORT=9090 GRAFANA_PORT=3000 (up, watch)"
	@echo "  PROMETHEUS_BIN GRAFANA_BIN (watch: programs that are not on PATH)"
	@echo "  ROUNDS=3 A=run B=run (compare)"
	@echo "  DRILL=redis-kill|redis-freeze|redis-restore|service-kill|duplicates|out-of-order|disk-full|stale-top|rank-storm"
	@echo "  LIFTED=1 (disk-full: room is made during the load; LIFTED=0: only after it)"
	@echo "  ODOMETER_READS=projected|direct TOTALS=file EVENT=file or URL RUN=run (calibrate: at least one)"
	@echo "  RUN=latest OUT=folder (report, export) PYTHON=python3"
	@echo
	@echo "One part of make lab: $(RUN_PYTHON) -m lab setup|capacity|naive|partitioned|failures|out-of-order"

load-naive: $(VENV)/run.stamp ## Load the service with every write on one key (LEDGER=none)
	@exec env MODE=naive $(RUN_PYTHON) -m lab load

load-partitioned: $(VENV)/run.stamp ## The same load on 12 keys, one per region, mode and season
	@exec env MODE=partitioned $(RUN_PYTHON) -m lab load

load-odometer: $(VENV)/run.stamp ## A community event: its total polled, raced for, opened and closed
	@exec env SCENARIO=odometer $(RUN_PYTHON) -m lab load

load-achievements: $(VENV)/run.stamp ## Counters, pages and boards of members, a sweep in the middle
	@exec env SCENARIO=achievements $(RUN_PYTHON) -m lab load

serve: $(VENV)/run.stamp ## Keep Redis and the service up until Ctrl-C (MODE=naive|partitioned)
	@exec $(RUN_PYTHON) -m lab serve

watch: $(VENV)/run.stamp ## Prometheus (and Grafana) beside a run, without Docker, until Ctrl-C
	@exec $(RUN_PYTHON) -m dashboards.watch

up: $(VENV)/run.stamp ## Start the compose stack with Grafana, wait until it is healthy (MODE=)
	@exec $(RUN_PYTHON) -m lab up

stop: $(VENV)/run.stamp ## Pause the compose stack: stop its containers, keep everything
	@exec $(RUN_PYTHON) -m lab stop

down: $(VENV)/run.stamp ## Remove the compose stack: containers, network and volumes, each named
	@exec $(RUN_PYTHON) -m lab down

drill: $(VENV)/run.stamp ## Break the stack under live load, then prove that nothing was lost (DRILL=)
	@exec $(RUN_PYTHON) -m lab drill

sweep: $(VENV)/run.stamp ## Recount every member with a tracking code now (SERVICE_PORT=, TARGET=)
	@exec $(RUN_PYTHON) -m lab sweep

compare: $(VENV)/run.stamp ## Both modes in alternating rounds, side by side (ROUNDS=3), or two runs (A= B=)
	@exec $(RUN_PYTHON) -m lab compare

runs: $(VENV)/run.stamp ## List the runs at hand, newest first
	@exec $(RUN_PYTHON) -m reports runs

report: $(VENV)/run.stamp ## Render the page of a run and print its table again (RUN=latest)
	@$(RUN_PYTHON) -m reports html -- "$${RUN-latest}"
	@exec $(RUN_PYTHON) -m reports show -- "$${RUN-latest}"

export: $(VENV)/run.stamp ## Copy the CSV files of a run (RUN=latest OUT=folder)
	@exec $(RUN_PYTHON) -m reports export -- "$${RUN-latest}" "$$OUT"

capacity: $(VENV)/run.stamp ## Print the traffic model: rates, partitions, players
	@exec $(RUN_PYTHON) -m lab capacity

calibrate: $(VENV)/run.stamp ## Where an event's tiers belong (TOTALS=weeks.csv, EVENT=file or URL, RUN=)
	@exec $(RUN_PYTHON) -m lab calibrate

lab: $(VENV)/run.stamp ## The terminal lab: known data, both modes, failures, PASS or FAIL (its parts: see below)
	@exec $(RUN_PYTHON) -m lab all

##@ Develop
install: $(VENV)/dev.stamp ## Make .venv with everything for development

format: $(VENV)/dev.stamp ## Format the code and fix what can be fixed
	@$(VENV)/bin/ruff format
	@$(VENV)/bin/ruff check --fix

lint: $(VENV)/dev.stamp ## Verify format, lint rules, docstrings and types
	@$(VENV)/bin/ruff format --check
	@$(VENV)/bin/ruff check
	@$(VENV)/bin/mypy
	@for folder in $(sort $(dir $(wildcard tests/*/*.py))); do $(VENV)/bin/mypy $$folder || exit 1; done

test: $(VENV)/dev.stamp ## Run the tests (fetches Prometheus on Debian; PROMETHEUS_BIN elsewhere)
	@command -v promtool >/dev/null || [ -n "$$PROMETHEUS_BIN" ] || sh dashboards/prometheus/fetch.sh
	@$(VENV)/bin/pytest -n 5 --dist loadfile --no-loadscope-reorder --ignore tests/end_to_end/in_browser --ignore $(DEFAULT_RUNS)
	@$(VENV)/bin/pytest $(DEFAULT_RUNS)

bench: $(VENV)/dev.stamp ## Parts beside plain yardsticks, as ratios; two minutes
	@exec $(RUN_PYTHON) tests/project/run_benches.py

shape: $(VENV)/dev.stamp ## How large the code is, and through how many files a score and a run pass
	@exec env PYTHONPATH=.:tests:tests/target_service $(RUN_PYTHON) tests/project/shape.py

ui-check: $(VENV)/dev.stamp ## Look at Locust's and Prometheus' pages in a real Chromium (Debian: root installs it)
	@command -v prometheus >/dev/null || [ -n "$$PROMETHEUS_BIN" ] || sh dashboards/prometheus/fetch.sh
	@sh tests/end_to_end/in_browser/fetch.sh
	@$(VENV)/bin/pytest tests/end_to_end/in_browser --ignore $(DRAWN)

dashboards-check: $(VENV)/dev.stamp ## Draw every dashboard with Grafana's own parts beside real runs (needs node)
	@sh dashboards/draw/prepare.sh
	@command -v prometheus >/dev/null || [ -n "$$PROMETHEUS_BIN" ] || sh dashboards/prometheus/fetch.sh
	@sh tests/end_to_end/in_browser/fetch.sh
	@$(VENV)/bin/pytest $(DRAWN)

grafana-check: $(VENV)/run.stamp ## Ask a Grafana for every dashboard and every panel's data
	@exec $(RUN_PYTHON) -m dashboards.grafanacheck

check: lint test ## What CI runs

clean: ## Remove .venv, caches and all runs
	rm -rf $(VENV) .hotboard .pytest_cache .mypy_cache .ruff_cache .hypothesis reports/runs reports/comparisons

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("Hotboard needs Python 3.11 or newer, $(PYTHON) is %d.%d: name one with PYTHON=python3.12." % v[:2])'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

$(VENV)/run.stamp: requirements.lock | $(VENV)/bin/python
	@echo "Installing what a run needs into $(VENV) (once, about a minute)"
	@$(VENV)/bin/python $(PIP_INSTALL) -r requirements.lock
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/run.stamp
	@echo "Installing what development needs into $(VENV)"
	@$(VENV)/bin/python $(PIP_INSTALL) -r requirements-dev.lock
	@touch $@
