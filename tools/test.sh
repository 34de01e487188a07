#!/bin/sh
# All tests in three runs: those that need only this process, and the browser's, with a dashboard a process, on both cores
# each; those with real Kafka or Spark in three, since Kafka is waited for while Spark reckons. A file's tests share a
# server or a session, and files keep their own order: a long one of few tests is not the last to begin. Each run ends
# with its ten slowest.
set -eu
cd "$(dirname "$0")/.."
# Where bytecode is not kept, each of some hundred processes compiles all it imports, and rewrites every test, anew.
unset PYTHONDONTWRITEBYTECODE
# A process imports every file that it is given: a run is given those alone that name its marks.
marked() { grep -rlE "pytest\.mark\.($1)\b" tests --include="test_*.py" | sort; }
run() { .venv/bin/python -m pytest -q --durations=10 --durations-min=0.5 "$@"; }
by_file="--dist loadfile --no-loadscope-reorder"
run -n 2 -m "not slow and not browser and not kafka and not spark"
run -n 3 $by_file -m "(kafka or spark) and not browser and not slow" $(marked "kafka|spark")
run -n 2 $by_file -m "browser and not slow" $(marked browser)
