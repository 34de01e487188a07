"""The commands that carry a plan out, watch it, stop it and take it back, for the cluster's version.

What each version of Kafka's tools understands:

* ``kafka-reassign-partitions --bootstrap-server``: alone from 2.6 (KIP-455's tool, KAFKA-8820), with ``--list``,
  ``--cancel`` and ``--additional``. Before, the tool goes through ``--zookeeper``; that option is gone in 3.0. From 1.1
  to 2.5 ``--bootstrap-server`` stands beside it, needed only where log directories are named (KIP-113).
* ``kafka-leader-election``: from 2.4 (KIP-460). Before, ``kafka-preferred-replica-election``, through ``--zookeeper``
  to 2.1 and ``--bootstrap-server`` from 2.2 (KIP-183); it is gone in 3.0.
* ``--throttle``: from 0.10.1 (KIP-73). A throttle stays until a ``--verify`` that finds nothing unfinished.
* ``kafka-topics --bootstrap-server``: from 2.2 (KIP-377); ``--zookeeper`` is gone in 3.0.

Source: the KIPs named; ``ReassignPartitionsCommand`` of 2.5, 2.6 and 3.0.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from reseat.errors import WishRefused

__all__ = ["Command", "commands", "version_of"]

#: Taken where the cluster's version is not told: every release that is maintained takes these commands.
_ASSUMED = (3, 0)


@dataclass(frozen=True, slots=True)
class Command:
    """One command to run.

    Attributes:
        title: what it does, in two or three words.
        text: the command for a POSIX shell, whatever came from outside quoted.
        why: when to run it and what to look for, one or two sentences.
    """

    title: str
    text: str
    why: str


def version_of(version: str | None) -> tuple[int, ...] | None:
    """Numbers of a version such as ``2.8.2``, ``3.7-IV4`` or ``v4.1``; None where nothing of the kind is told."""
    found = re.match(r"\s*v?(\d{1,4}(?:\.\d{1,4}){1,3})", version or "", re.ASCII)
    return tuple(int(part) for part in found[1].split(".")) if found else None


def commands(
    version: str | None,
    *,
    plan_file: str = "plan.json",
    rollback_file: str = "rollback.json",
    election_file: str | None = None,
    bootstrap: str = "HOST:9092",
    zookeeper: str = "HOST:2181",
    throttle: int | None = None,
    command_config: str | None = None,
    suffix: str = ".sh",
) -> tuple[Command, ...]:
    """The commands for a plan, in the order in which one needs them.

    Args:
        version: the cluster's version (``2.8.2``), or None where not told: then those of 3.0 and later are given.
        plan_file: the file with the reassignment JSON.
        rollback_file: the file with the rollback JSON.
        election_file: a preferred-election JSON; None: elect all partitions.
        bootstrap: a broker, ``host:port``.
        zookeeper: a ZooKeeper server, ``host:port/chroot``.
        throttle: bytes a second that each broker may spend on the reassignment, or None.
        command_config: a file of client settings (security), for ``--bootstrap-server`` alone.
        suffix: of the tools' names: ``.sh``, ``.bat``, or nothing (Confluent).

    Raises:
        WishRefused: a throttle below 1, or one for a cluster older than 0.10.1.
    """
    numbers = version_of(version) or _ASSUMED
    if throttle is not None and throttle < 1:
        raise WishRefused(f"A throttle of {throttle} bytes a second would stop replication.")
    if throttle is not None and numbers < (0, 10, 1):
        raise WishRefused(f"Kafka {version} knows no throttle; it came with 0.10.1.", choices=("Leave it out.",))
    by_admin = numbers >= (2, 6)
    config = f" --command-config {shlex.quote(command_config)}" if command_config else ""
    server = (
        f"--bootstrap-server {shlex.quote(bootstrap)}{config}" if by_admin else f"--zookeeper {shlex.quote(zookeeper)}"
    )
    tool = f"bin/kafka-reassign-partitions{suffix} {server}"
    # A rollback may name log directories; from 1.1 to 2.5 the tool moves those through a broker, beside ZooKeeper.
    both = f" --bootstrap-server {shlex.quote(bootstrap)}{config}" if (1, 1) <= numbers < (2, 6) else ""
    names = {
        "bootstrap": shlex.quote(bootstrap),
        "zookeeper": shlex.quote(zookeeper),
        "config": config,
        "suffix": suffix,
    }
    plan, rollback = shlex.quote(plan_file), shlex.quote(rollback_file)
    limited = "" if throttle is None else f" --throttle {throttle}"
    out = [
        Command(
            "Execute",
            f"{tool} --reassignment-json-file {plan}{limited} --execute",
            "Starts the moves and prints the assignment before them: keep that text."
            + (
                "" if by_admin else " Refused while another reassignment is running, and above 1 MB (a ZooKeeper node)."
            ),
        )
    ]
    if throttle is not None:
        faster = " --additional" if by_admin else ""
        out.append(
            Command(
                "Change the throttle",
                f"{tool} --reassignment-json-file {plan} --throttle {throttle * 2}{faster} --execute",
                "Run again with another number while it is running: the moves go on, the new throttle counts.",
            )
        )
    out.append(
        Command(
            "Verify",
            f"{tool} --reassignment-json-file {plan} --verify",
            "Says partition by partition what is done. Run it until nothing is left: that run also removes the "
            "throttles, which otherwise stay and slow ordinary replication.",
        )
    )
    if by_admin:
        out += [
            Command("List", f"{tool} --list", "Shows every reassignment that is running in the cluster."),
            Command(
                "Cancel",
                f"{tool} --reassignment-json-file {plan} --cancel",
                "Stops the partitions that are still moving, and removes the throttles. Those already done stay where "
                "they are, and the old order of a replica list may not come back: run the rollback afterwards.",
            ),
        ]
    else:
        out += [
            Command(
                "List",
                f"bin/zookeeper-shell{suffix} {shlex.quote(zookeeper)} get /admin/reassign_partitions",
                "Shows what is still moving; the node is gone once all is done. This version cannot list or cancel "
                "through its tool: wait, then roll back.",
            )
        ]
    out += [
        Command(
            "Roll back",
            f"{tool}{both} --reassignment-json-file {rollback}{limited}{' --additional' if by_admin else ''} --execute",
            "Brings every changed partition back to its list from before, once the plan is done or cancelled.",
        ),
        Command(
            "Verify the rollback",
            f"{tool}{both} --reassignment-json-file {rollback} --verify",
            "Until nothing is left; removes the throttles.",
        ),
        _election(numbers, election_file, **names),
        _describe(numbers, **names),
    ]
    return tuple(out)


def _election(
    numbers: tuple[int, ...], file: str | None, *, bootstrap: str, zookeeper: str, config: str, suffix: str
) -> Command:
    why = "Moves leadership to the first replica of each list, where it is alive and in sync. No data moves."
    if numbers >= (2, 4):
        settings = config.replace("--command-config", "--admin.config")
        which = "--all-topic-partitions" if file is None else f"--path-to-json-file {shlex.quote(file)}"
        server = f"--bootstrap-server {bootstrap}{settings}"
        text = f"bin/kafka-leader-election{suffix} {server} --election-type PREFERRED {which}"
    else:
        server = f"--bootstrap-server {bootstrap}" if numbers >= (2, 2) else f"--zookeeper {zookeeper}"
        settings = config.replace("--command-config", "--admin.config") if numbers >= (2, 2) else ""
        which = "" if file is None else f" --path-to-json-file {shlex.quote(file)}"
        text = f"bin/kafka-preferred-replica-election{suffix} {server}{settings}{which}"
    return Command("Elect preferred leaders", text, why)


def _describe(numbers: tuple[int, ...], *, bootstrap: str, zookeeper: str, config: str, suffix: str) -> Command:
    server = f"--bootstrap-server {bootstrap}{config}" if numbers >= (2, 2) else f"--zookeeper {zookeeper}"
    return Command(
        "Look again",
        f"bin/kafka-topics{suffix} {server} --describe",
        "Give its output to Reseat to see the layout afterwards.",
    )
