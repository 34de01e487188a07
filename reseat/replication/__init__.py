"""What is kept: one partition's replicas, simulated step by step. Pure. May import ``reseat.errors`` alone."""

from reseat.replication.events import (
    Checkpoint,
    Consume,
    Crash,
    DropResponse,
    Elect,
    Event,
    Fetch,
    FetchResponse,
    Flush,
    Produce,
    Restart,
    Return,
    Tick,
)
from reseat.replication.faults import Fault, faults
from reseat.replication.found import FOUND
from reseat.replication.scenarios import SCENARIOS, Scenario
from reseat.replication.state import Acks, Partition, Record, Replica, Rules, Truncation, start
from reseat.replication.step import Step, apply, play

__all__ = [
    "FOUND",
    "SCENARIOS",
    "Acks",
    "Checkpoint",
    "Consume",
    "Crash",
    "DropResponse",
    "Elect",
    "Event",
    "Fault",
    "Fetch",
    "FetchResponse",
    "Flush",
    "Partition",
    "Produce",
    "Record",
    "Replica",
    "Restart",
    "Return",
    "Rules",
    "Scenario",
    "Step",
    "Tick",
    "Truncation",
    "apply",
    "faults",
    "play",
    "start",
]
