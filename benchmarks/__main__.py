"""``make bench [ONLY=planning,formats]``: run every ``bench_*.py`` here and print what, budget and measured."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time

import benchmarks


def main() -> int:
    """Run the benchmarks named on the command line, or all; print a table a module."""
    wanted = set(sys.argv[1:])
    names = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if m.name.startswith("bench_"))
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}")
    for name in names:
        if wanted and name.removeprefix("bench_") not in wanted:
            continue
        started = time.perf_counter()
        rows = importlib.import_module(f"benchmarks.{name}").run()
        print(f"\n{name.removeprefix('bench_')}  ({time.perf_counter() - started:.0f} s)")
        widths = [max(len(row[i]) for row in [("what", "budget", "measured"), *rows]) for i in range(3)]
        for row in [("what", "budget", "measured"), *rows]:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
