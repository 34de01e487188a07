#!/bin/sh
# All tests in four runs, each on both cores: those that need only this process; those with real Kafka, where a file's
# tests of one kind share a cluster; those with Spark, with a session a process; and the browser's, with a dashboard a
# process. Files keep their own order: a long one of few tests is not the last to begin.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pytest -q -n 2 -m "not slow and not browser and not kafka and not spark"
for needs in "kafka and not browser" "spark and not browser" "browser"; do
    .venv/bin/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "$needs and not slow"
done
