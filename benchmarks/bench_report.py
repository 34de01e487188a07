"""How long a report takes, from a layout and a wish to all three files, how large they are, and the memory it needs.

Run alone: ``python -m benchmarks.bench_report``. Layouts are those of ``bench_resilience``: skewed, all told. Libraries
are loaded beforehand, as they are where the dashboard runs; the command loads them first, which is measured apart.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from dataclasses import replace

from benchmarks.bench_resilience import healthy
from reseat.formats import Reading
from reseat.model import ClusterLayout, Wish
from reseat.report import ReportChoices, build
from reseat.report.gather import gather
from reseat.report.matter import chapters_for
from reseat.report.writers.html import write_html
from reseat.report.writers.pdf import write_pdf
from reseat.report.writers.pptx import write_pptx

#: (brokers, partitions, budget of all three files, repeats of which the quickest counts)
_SIZES = ((60, 20_000, "3 s", 3), (1_000, 1_000_000, "20 s", 1))
_THROTTLE = 50e6


def _all(layout: ClusterLayout) -> tuple[dict[str, float], dict[str, int], float]:
    """Seconds of each part, bytes of each file, and seconds of processor that all took."""
    choices = ReportChoices(chapters=chapters_for("management"), throttle=_THROTTLE, price_per_gb=0.02)
    seconds: dict[str, float] = {}
    start, busy = time.perf_counter(), time.process_time()

    def lap(name: str) -> None:
        nonlocal start
        now = time.perf_counter()
        seconds[name], start = now - start, now

    matter = gather(Reading(layout, "bench"), layout, Wish(remove=(3,)))
    lap("plan, curve, draws")
    told = build(matter, choices)
    lap("content")
    page = write_html(told).encode()
    lap("HTML")
    pages = write_pdf(told)
    lap("PDF")
    slides = write_pptx(told)
    lap("PPTX")
    return seconds, {"HTML": len(page), "PDF": len(pages), "PPTX": len(slides)}, time.process_time() - busy


def run() -> list[tuple[str, str, str]]:
    """(what, budget, measured) of each size."""
    rows = []
    _all(healthy(20, 300))  # loads what draws
    for brokers, partitions, budget, repeats in _SIZES:
        layout = healthy(brokers, partitions)
        found = [_all(replace(layout, brokers=layout.brokers)) for _ in range(repeats)]
        seconds, sizes, busy = min(found, key=lambda one: sum(one[0].values()))
        where = f"{brokers:,} brokers, {partitions:,} partitions"
        parts = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items())
        rows.append(
            (f"{where}: all three files", budget, f"{sum(seconds.values()):.1f} s ({parts}); {busy:.1f} s of processor")
        )
        for name, size in sizes.items():
            most = "1.5 MB" if (name, brokers) == ("HTML", 60) else ""
            rows.append((f"{where}: {name}", most, f"{size / 1e6:.2f} MB"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows.append(("report: peak memory of the process", "2 GB", f"{peak:.2f} GB"))
    start = time.perf_counter()
    command = "import reseat.report.gather, typst, pptx; from reseat.report.writers import html, pdf, pptx"
    subprocess.run([sys.executable, "-c", f"{command}; import matplotlib.figure"], check=True)
    rows.append(("report: loading what draws, once a process", "", f"{time.perf_counter() - start:.1f} s"))
    return rows


if __name__ == "__main__":
    for row in run():
        print(" | ".join(row))
