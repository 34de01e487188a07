"""``make bench [ONLY="planning formats"]``: run every ``bench_*.py`` here and print what, budget and measured.

One that ends with an error is named at the end, and the exit code is 1: it keeps no other from being measured.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time
import traceback

import benchmarks


def main() -> int:
    """Run the benchmarks named on the command line, or all; print a table a module."""
    wanted = {f"bench_{name}" for name in sys.argv[1:]}
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_"))
    if unknown := wanted.difference(names):
        print(f"No such file: {', '.join(f'benchmarks/{name}.py' for name in sorted(unknown))}", file=sys.stderr)
        return 2
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}")
    failed = []
    for name in names:
        if wanted and name not in wanted:
            continue
        started = time.perf_counter()
        try:
            rows = importlib.import_module(f"benchmarks.{name}").run()
        except Exception:  # noqa: BLE001 (a server, a browser, a library: the others are measured all the same)
            traceback.print_exc()
            failed.append(name)
            continue
        print(f"\n{name.removeprefix('bench_')}  ({time.perf_counter() - started:.0f} s)")
        widths = [max(len(row[i]) for row in [("what", "budget", "measured"), *rows]) for i in range(3)]
        for row in [("what", "budget", "measured"), *rows]:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if failed:
        print(f"\nEnded with an error: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
