"""The numbers of a server for Prometheus: what happened since it began, and what it holds when it is asked.

What happens is counted where it happens (``reseat.observe.events``); what is held is looked up at each scrape
(``Held``), so that nothing needs to be kept in step. Labels are few: pages, kinds of plans, configured clusters, states
of runs; no topic, no person, no typed address. docs/operations.md lists every metric.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric

from reseat import __version__
from reseat.balance import findings
from reseat.balance.moved import all_findings
from reseat.errors import InputRefused, WriteRefused
from reseat.formats.documents.snapshot import reading_of
from reseat.model import ClusterLayout, Snapshot
from reseat.model.finding import Finding, Severity
from reseat.operate.journal.journal import Journal
from reseat.sources.addresses import server_at
from reseat.sources.followed import LiveCluster

__all__ = [
    "PIPELINE_RUNS",
    "PLANS",
    "READINGS",
    "READING_SECONDS",
    "REGISTRY",
    "RERUNS",
    "Held",
    "HeldCollector",
    "address_of",
    "serve",
]

#: All of them; not prometheus_client's own, which other libraries may write to.
REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)
Gauge("reseat_build_info", "1, with Reseat's version", ["version"], registry=REGISTRY).labels(__version__).set(1)

#: Seconds: a page is drawn in tenths of them, a plan of a million partitions takes half a minute.
_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
#: Seconds for which a scrape waits for findings: those of a large cluster take seconds.
_PATIENCE = 0.2
#: Pages drawn as a whole, by their title, and how long that took.
RERUNS = Histogram("reseat_rerun_seconds", "Pages drawn", ["page"], registry=REGISTRY, buckets=_SECONDS)
#: Plans made; those that were kept from before are not made again.
PLANS = Histogram("reseat_plan_seconds", "Plans made", ["kind"], registry=REGISTRY, buckets=_SECONDS)
#: Readings of configured clusters that ended.
READINGS = Counter("reseat_cluster_readings", "Readings of a cluster", ["cluster", "outcome"], registry=REGISTRY)
READING_SECONDS = Histogram(
    "reseat_cluster_reading_seconds", "How long a reading took", ["cluster"], registry=REGISTRY, buckets=_SECONDS
)
#: Jobs of the pipeline that this server began and that ended.
PIPELINE_RUNS = Counter("reseat_pipeline_runs", "Jobs of the pipeline", ["outcome"], registry=REGISTRY)


@dataclass(frozen=True, slots=True)
class Held:
    """What a server holds, each asked at a scrape.

    Attributes:
        sessions: how many sessions it keeps.
        layouts: the layouts in them, each once.
        clusters: the configured clusters that were looked at.
        journal: the journal, or None where there is none yet; may raise ``InputRefused``.
        findings: the findings of a layout, asked in a thread of its own.
    """

    sessions: Callable[[], int]
    layouts: Callable[[], Iterable[ClusterLayout]]
    clusters: Callable[[], Iterable[LiveCluster]]
    journal: Callable[[], Journal | None]
    findings: Callable[[ClusterLayout], Iterable[Finding]] = findings


class HeldCollector:
    """Tells what a server holds whenever Prometheus asks.

    Args:
        held: where to look.
    """

    def __init__(self, held: Held) -> None:
        self._held = held
        self._beside = ThreadPoolExecutor(1, "findings")
        #: Findings by severity of each cluster's latest reading, by its name, and when that was taken.
        self._found: dict[str, tuple[datetime, dict[Severity, int]]] = {}
        self._counting: dict[str, Future[None]] = {}

    def describe(self) -> Iterable[Metric]:
        """Nothing, so that registering does not ask."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Each of them."""
        layouts = list(self._held.layouts())
        yield GaugeMetricFamily("reseat_sessions", "Sessions that the server keeps", value=self._held.sessions())
        yield GaugeMetricFamily("reseat_layouts", "Layouts held for sessions", value=len(layouts))
        held = sum(column.nbytes for layout in layouts for column in layout.columns().values())
        yield GaugeMetricFamily("reseat_layout_bytes", "Bytes of their columns", value=held)
        yield from self._of_clusters()
        yield from self._of_journal()

    def _of_clusters(self) -> Iterator[Metric]:
        severity = GaugeMetricFamily("reseat_findings", "Findings of the last reading", labels=["cluster", "severity"])
        age = GaugeMetricFamily("reseat_cluster_read_at_seconds", "When it was last read (Unix)", labels=["cluster"])
        for live in self._held.clusters():
            snapshot = live.state.snapshot
            if snapshot is None:
                continue
            age.add_metric([live.name], snapshot.taken_at.timestamp())
            for level, count in self._findings(live.name, snapshot).items():
                severity.add_metric([live.name, level.word], count)
        yield severity
        yield age

    def _findings(self, name: str, snapshot: Snapshot) -> dict[Severity, int]:
        """Those of the last reading; where counting them takes longer, those of the one before, or none yet."""
        if self._found.get(name, (None,))[0] != snapshot.taken_at:
            counting = self._counting.get(name)
            if counting is None or counting.done():
                counting = self._counting[name] = self._beside.submit(self._count, name, snapshot)
            wait([counting], _PATIENCE)
        return self._found[name][1] if name in self._found else {}

    def _count(self, name: str, snapshot: Snapshot) -> None:
        layout = snapshot.layout
        told = all_findings(self._held.findings(layout), layout, reading_of(snapshot))
        found = [finding.severity for finding in told]
        self._found[name] = snapshot.taken_at, {level: found.count(level) for level in Severity}

    def _of_journal(self) -> Iterator[Metric]:
        runs = GaugeMetricFamily("reseat_runs", "Runs in the journal", labels=["cluster", "state"])
        moves = GaugeMetricFamily("reseat_moves", "Partitions of open runs", labels=["cluster", "state"])
        waiting = GaugeMetricFamily("reseat_proposals", "Proposed plans not over yet", labels=["cluster", "state"])
        left = GaugeMetricFamily("reseat_throttles_left", "Ended runs whose throttles stand", labels=["cluster"])
        alone = GaugeMetricFamily("reseat_runs_without_executor", "Open runs nobody works on", labels=["cluster"])
        try:
            journal = self._held.journal()
            if journal is not None:
                left_by = collections.Counter(
                    cluster for _, cluster, state in journal.throttled_runs() if not state.open
                )
                alone_by = collections.Counter(run.cluster for run in journal.open_runs() if not journal.attended(run))
                by_state = journal.runs_by_state()
                for cluster, state, count in by_state:
                    runs.add_metric([cluster, state], count)
                for cluster in dict.fromkeys(cluster for cluster, _, _ in by_state):
                    left.add_metric([cluster], left_by[cluster])
                    alone.add_metric([cluster], alone_by[cluster])
                for cluster, state, count in journal.open_moves_by_state():
                    moves.add_metric([cluster, state], count)
                for cluster, state, count in journal.open_proposals_by_state(datetime.now(UTC)):
                    waiting.add_metric([cluster, state], count)
        except (InputRefused, WriteRefused):
            return  # /readyz says why; the other numbers are told all the same
        yield from (runs, moves, waiting, left, alone)


def address_of(told: str) -> tuple[str, int]:
    """Where metrics are served: ``PORT`` on this machine alone, or ``ADDRESS:PORT``.

    Raises:
        InputRefused: it is neither.
    """
    address, _, port = told.rpartition(":")
    if not (port.isascii() and port.isdigit() and 0 < int(port) <= 65_535):
        raise InputRefused(f"RESEAT_METRICS is {told!r}; a port was expected, or an address and a port: 0.0.0.0:9108.")
    return address.strip("[]") or "127.0.0.1", int(port)


def serve(told: str, held: Held) -> None:
    """Serve them from now on, in a thread of its own; the process' end ends it.

    Args:
        told: as ``address_of`` takes it.
        held: where to look for what is held.

    Raises:
        InputRefused: the address is none, or cannot be listened on.
    """
    address, port = address_of(told)
    REGISTRY.register(HeldCollector(held))
    try:
        start_http_server(port, address, REGISTRY)
    except OSError as error:
        raise InputRefused(
            f"Metrics cannot be served on {server_at(address, port)}: {error.strerror or error}."
        ) from error
