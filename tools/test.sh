#!/bin/sh
# All tests in three runs: those that need only this process on both cores, then the browser's and real Kafka's alone,
# since a screen that shares its core with a planner is slow in a way that no user sees.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pytest -q -n 2 -m "not slow and not browser and not kafka"
.venv/bin/python -m pytest -q -m "(browser or kafka) and not slow"
