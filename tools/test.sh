#!/bin/sh
# All tests in three runs: those that need only this process, on both cores; those with real Kafka, where a file's tests
# share a cluster, and with Spark, with a session a process; and the browser's, with a dashboard a process. Servers and
# pages are waited for, so that the last two have a third process to work meanwhile. Files keep their own order: a long
# one of few tests is not the last to begin.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pytest -q -n 2 -m "not slow and not browser and not kafka and not spark"
for needs in "(kafka or spark) and not browser" "browser"; do
    .venv/bin/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "$needs and not slow"
done
