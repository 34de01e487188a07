#!/bin/sh
# All tests in four runs: those that need only this process, and those with real Kafka (a file's tests share a cluster),
# each on both cores; then those with Spark, in two processes with a session each, as a driver plans on one core;
# then the browser's alone, since a screen that shares its core with a planner is slow in a way that no user sees.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pytest -q -n 2 -m "not slow and not browser and not kafka and not spark"
.venv/bin/python -m pytest -q -n 2 --dist loadfile -m "kafka and not browser and not slow"
.venv/bin/python -m pytest -q -n 2 --dist loadfile -m "spark and not browser and not slow"
.venv/bin/python -m pytest -q -m "browser and not slow"
