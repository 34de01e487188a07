"""A test of a connection, step by step, that says in words what is wrong and what to do about it.

What it promises, ranked: (1) nothing is changed on the cluster; (2) no secret is in a sentence; (3) the first step that
failed is the one to mend: what comes after it is not tried; (4) it ends within a few times the connection's timeout.

How it works: names are resolved and ports tried with the standard library; what speaks there is found out with
questions of its own (``reseat.sources.probing``), which tells a wrong port from a wrong password; then the clients that
read are opened and asked for the least of each kind of thing that a reading needs.
"""

from __future__ import annotations

from collections.abc import Callable

from reseat.sources.connection import Connection
from reseat.sources.diagnosis.brokers import ask_brokers
from reseat.sources.diagnosis.reaching import CONNECT_SECONDS, names, ports
from reseat.sources.diagnosis.steps import DiagnosisStep, StepFailedError, StepOutcome, Steps
from reseat.sources.diagnosis.zookeeper import ask_zookeeper

__all__ = ["DiagnosisStep", "StepOutcome", "diagnose"]


def diagnose(
    connection: Connection, *, report: Callable[[DiagnosisStep], None] | None = None
) -> tuple[DiagnosisStep, ...]:
    """Test a connection.

    Args:
        connection: what is tested.
        report: called with each step as it ends, from the same thread.

    Returns:
        The steps in order; where the last one failed, it says what to mend.
    """
    steps = Steps(report)
    servers = connection.zookeeper or connection.bootstrap
    try:
        resolved = names(steps, servers)
        reached = ports(steps, resolved, min(connection.timeout_seconds, CONNECT_SECONDS))
        if connection.zookeeper:
            ask_zookeeper(steps, connection, reached)
        else:
            ask_brokers(steps, connection, reached)
    except StepFailedError:
        pass
    return tuple(steps.taken)
