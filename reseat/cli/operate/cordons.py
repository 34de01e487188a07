"""``operate uncordon``: lifts the cordons that runs left, or those of brokers named."""

from __future__ import annotations

import argparse

from reseat.cli.operate.session import connected, guarded, sending
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import say, write_json
from reseat.model.wording import named, verb
from reseat.operate.checks.guard import access_checks
from reseat.operate.journal.journal import Journal
from reseat.operate.request import WriteRequest
from reseat.operate.run.cordoning import cordons_left
from reseat.operate.uncordon import uncordon as lift
from reseat.sources.live import read_cluster

__all__ = ["cordon_lines", "uncordon"]


def cordon_lines(journal: Journal, cluster_id: str | None) -> list[str]:
    """What runs left cordoned on a cluster, or on any, a line a run."""
    return [
        f"Run {there.run} cordoned {named('broker', sorted(there.before))} at "
        f"{there.since:%Y-%m-%d %H:%M:%S} UTC: reseat operate uncordon lifts that."
        for there in cordons_left(journal, cluster_id)
    ]


@guarded
def uncordon(chosen: argparse.Namespace) -> int:
    """Lift cordons; see the command's ``--help``."""
    with connected(chosen) as session:
        checks = access_checks(WriteRequest(**session.requested_by), read_cluster(session.connection))
        with sending():
            came = lift(
                session.target,
                session.journal,
                chosen.broker,
                checks=checks,
                cluster_id=session.cluster_id,
                operator=session.operator,
            )
    if chosen.json:
        write_json({"lifted": list(came.lifted), "left": list(came.left)})
    else:
        say(*_lines(came.lifted, "gets replicas again", "get replicas again"))
        say(*_lines(came.left, "still tells a cordon", "still tell a cordon"))
    return ExitCode.UNFINISHED if came.left else 0


def _lines(brokers: tuple[int, ...], one: str, many: str) -> list[str]:
    return [f"{named('Broker', brokers)} {verb(len(brokers), one, many)}."] if brokers else []
