#!/bin/sh
# All tests in three runs: those that need only this process, and the browser's, with a dashboard a process, on both cores
# each; those with real Kafka or Spark in three, since Kafka is waited for while Spark reckons. A file's tests share a
# server or a session, and files keep their own order: a long one of few tests is not the last to begin.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pytest -q -n 2 -m "not slow and not browser and not kafka and not spark"
by_file="--dist loadfile --no-loadscope-reorder"
.venv/bin/python -m pytest -q -n 3 $by_file -m "(kafka or spark) and not browser and not slow"
.venv/bin/python -m pytest -q -n 2 $by_file -m "browser and not slow"
