"""A server watched from outside: its health, its readiness, its metrics as Prometheus reads them, its log as JSON."""

from __future__ import annotations

import json
import re
import socket
import time
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.servers.dashboard import ROOT
from tests.servers.ports import free_port

DASHBOARD = ROOT / "deploy" / "grafana-dashboard.json"
PASTE = "Paste what a tool printed, prompts and log lines included"
LAYOUT = '{"version":1,"partitions":[{"topic":"secret-topic","partition":0,"replicas":[1,2]}]}'
#: How a metric of several series is told, by the ends of their names.
SERIES = re.compile(r"_(bucket|count|sum|total|created)$")


def scraped(port: int) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """What a scrape gives: by the name of each series, its value by its labels; those without a value yet are empty."""
    found: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for family in text_string_to_metric_families(httpx2.get(f"http://127.0.0.1:{port}/metrics").text):
        found.setdefault(family.name, {})
        for sample in family.samples:
            found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
    return found


def test_a_server_is_watched_by_the_tools_of_others(start, visit, tmp_path: Path) -> None:
    """Metrics count what one visitor does, /readyz sees a journal that breaks; no topic is in metrics or the log."""
    port, journal = free_port(), tmp_path / "journal.sqlite"
    server = start(
        script="app.py",
        RESEAT_METRICS=str(port), RESEAT_LOG="json", RESEAT_LOG_LEVEL="debug", RESEAT_JOURNAL=str(journal),
    )  # fmt: skip
    visitor = visit(server.address)
    healthy, ready = visitor.http.get("/healthz"), visitor.http.get("/readyz")
    before = scraped(port)
    visitor.open()
    visitor.again(page="clusters")
    visitor.again("Read", {PASTE: LAYOUT}, page="clusters")
    visitor.again(page="board")
    after = scraped(port)
    drawn = {dict(labels)["page"]: count for labels, count in after["reseat_rerun_seconds_count"].items()}
    events = [json.loads(line) for line in server.log.read_text().splitlines() if line.startswith("{")]

    assert (healthy.status_code, healthy.text) == (200, "ok\n")
    assert ready.status_code == 200
    assert ready.json()["ready"] is True
    assert set(ready.json()["checks"]) == {"journal", "tables", "clusters"}
    assert before["reseat_sessions"] == {frozenset(): 0}
    assert after["reseat_sessions"] == {frozenset(): 1}
    assert after["reseat_layouts"] == {frozenset(): 1}
    assert after["reseat_layout_bytes"][frozenset()] > 0
    assert sum(drawn.values()) >= 3
    assert drawn["Board"] >= 1
    assert {event["page"] for event in events if event["event"] == "page drawn"} >= {"Board", "Clusters"}
    assert len({event["session"] for event in events if event["event"] == "page drawn"}) == 1
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", event["time"]) for event in events)
    assert "secret-topic" not in server.log.read_text() + str(after)
    assert "No runtime found" not in server.log.read_text()

    journal.write_bytes(b"overwritten by something else" * 100)
    # An answer stands for five seconds: the test waits for the first one after that.
    until = time.monotonic() + 60
    broken = visitor.http.get("/readyz")
    while broken.status_code == 200 and time.monotonic() < until:
        broken = visitor.http.get("/readyz")

    assert broken.status_code == 503
    assert broken.json()["checks"]["journal"]["holds"] is False
    assert visitor.http.get("/healthz").status_code == 200
    assert frozenset() in scraped(port)["reseat_sessions"]


def test_metrics_are_off_unless_asked_for_and_a_port_that_is_taken_is_said(start, tmp_path: Path) -> None:
    """The server does not start half: it names the variable, or the address."""
    with socket.create_server(("127.0.0.1", free_port())) as other:
        taken = other.getsockname()[1]
        for told, said in (
            ("ninety", "RESEAT_METRICS is 'ninety'"),
            (str(taken), f"cannot be served on 127.0.0.1:{taken}"),
        ):
            with pytest.raises(pytest.fail.Exception, match=said):
                start(script="app.py", RESEAT_METRICS=told)


def test_the_grafana_dashboard_shows_what_there_is() -> None:
    """Each panel asks for metrics that the server has, by labels that they have, and none of Reseat's is left out."""
    from reseat.observe.metrics import REGISTRY, Held, HeldCollector

    held = HeldCollector(Held(lambda: 0, list, list, lambda: None))
    families = [*REGISTRY.collect(), *held.collect()]
    there = {family.name for family in families}
    labels = {
        "reseat_rerun_seconds": {"page"},
        "reseat_plan_seconds": {"kind"},
        "reseat_cluster_readings": {"cluster", "outcome"},
        "reseat_cluster_reading_seconds": {"cluster"},
        "reseat_pipeline_runs": {"outcome"},
    }
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked: set[str] = set()
    for panel in panels:
        for target in panel["targets"]:
            names = {SERIES.sub("", name) for name in re.findall(r"\b((?:reseat|process)_\w+)", target["expr"])}
            by = set(", ".join(re.findall(r"by \(([^)]*)\)", target["expr"])).split(", ")) - {"le", ""}
            assert names <= there, panel["title"]
            assert all(by <= labels.get(name, set()) for name in names if by), panel["title"]
            asked |= names
    places = [(p["gridPos"]["x"], p["gridPos"]["y"], p["gridPos"]["w"], p["gridPos"]["h"]) for p in panels]
    squares = [(x + i, y + j) for x, y, w, h in places for i in range(w) for j in range(h)]

    assert {name for name in there if name.startswith("reseat_")} == {n for n in asked if n.startswith("reseat_")}
    assert len(squares) == len(set(squares))
    assert max(x for x, _ in squares) < 24
    assert len({panel["id"] for panel in panels}) == len(panels)
