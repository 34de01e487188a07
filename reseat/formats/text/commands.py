"""The commands that carry a plan out, watch it, stop it and take it back, for the cluster's version.

What each version of Kafka's tools understands:

* ``kafka-reassign-partitions --bootstrap-server``: alone from 2.6 (KIP-455's tool, KAFKA-8820), with ``--list``,
  ``--cancel`` and ``--additional``. Before, the tool goes through ``--zookeeper``; that option is gone in 3.0. From 1.1
  to 2.5 ``--bootstrap-server`` stands beside it, needed only where log directories are named (KIP-113).
* ``kafka-leader-election``: from 2.4 (KIP-460). Before, ``kafka-preferred-replica-election``, through ``--zookeeper``
  to 2.1 and ``--bootstrap-server`` from 2.2 (KIP-183); it is gone in 3.0. Client settings come by ``--admin.config`` to
  4.1 and by ``--command-config`` from 4.2, where the other is deprecated (KIP-1147).
* ``--throttle``: from 0.10.1 (KIP-73). A throttle stays until a ``--verify`` that finds nothing unfinished.
* ``kafka-topics --bootstrap-server``: from 2.2 (KIP-377); ``--zookeeper`` is gone in 3.0.

Nothing here touches more than the plan: elections name its partitions in a file, never all.

Source: the KIPs named; ``ReassignPartitionsCommand`` of 2.5, 2.6 and 3.0. ``tests/live/test_commands.py`` runs every
command on 2.8, 4.1 and 4.4.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reseat.errors import WishRefused
from reseat.model.naming import version_of

__all__ = ["ASSUMED", "Command", "Part", "by_admin", "commands", "election_command"]

#: Taken where the cluster's version is unknown: its commands serve every release since.
_ASSUMED_NUMBERS = (3, 0)
#: The same as text.
ASSUMED = ".".join(map(str, _ASSUMED_NUMBERS))
#: Where a command belongs: the steps in their order, what may be wanted while they run, the rollback in its order.
Part: TypeAlias = Literal["steps", "meanwhile", "rollback"]


@dataclass(frozen=True, slots=True)
class Command:
    """One command to run.

    Attributes:
        title: what it does, in two or three words.
        text: the command for a POSIX shell, whatever came from outside quoted.
        why: when to run it and what to look for, one or two sentences.
        part: where it belongs.
    """

    title: str
    text: str
    why: str
    part: Part = "steps"


def by_admin(version: str | None) -> bool:
    """Whether this version's tool reassigns through the Admin protocol (from 2.6 on); before, through ZooKeeper."""
    return _numbers(version) >= (2, 6)


def commands(
    version: str | None,
    *,
    plan_file: str = "plan.json",
    rollback_file: str = "rollback.json",
    election_file: str = "election.json",
    bootstrap: str = "HOST:9092",
    zookeeper: str = "HOST:2181",
    throttle: int | None = None,
    command_config: str | None = None,
    suffix: str = ".sh",
) -> tuple[Command, ...]:
    """The commands for a plan: the steps in the order in which one runs them, then the others, part by part.

    Args:
        version: the cluster's version (``2.8.2``), or None where unknown: then ``ASSUMED`` is taken.
        plan_file: the file with the reassignment JSON.
        rollback_file: the file with the rollback JSON.
        election_file: the file with the plan's partitions (``writers.write_preferred_election``).
        bootstrap: a broker, ``host:port``.
        zookeeper: a ZooKeeper server, ``host:port/chroot``.
        throttle: bytes a second that each broker may spend on the reassignment, or None.
        command_config: a file of client settings (security), for ``--bootstrap-server`` alone.
        suffix: of the tools' names: ``.sh``, ``.bat``, or nothing (Confluent).

    Raises:
        WishRefused: a throttle below 1, or one for a cluster older than 0.10.1.
    """
    numbers = _numbers(version)
    if throttle is not None and throttle < 1:
        raise WishRefused(f"A throttle of {throttle} bytes per second would stop replication.")
    if throttle is not None and numbers < (0, 10, 1):
        raise WishRefused(f"Kafka {version} has no throttle; it was added in 0.10.1.", choices=("Leave it out.",))
    through_admin = by_admin(version)
    config = f" --command-config {shlex.quote(command_config)}" if command_config else ""
    server = (
        f"--bootstrap-server {shlex.quote(bootstrap)}{config}"
        if through_admin
        else f"--zookeeper {shlex.quote(zookeeper)}"
    )
    tool = f"bin/kafka-reassign-partitions{suffix} {server}"
    # A rollback may name log directories; from 1.1 to 2.5 the tool moves those through a broker, beside ZooKeeper.
    both = f" --bootstrap-server {shlex.quote(bootstrap)}{config}" if (1, 1) <= numbers < (2, 6) else ""
    plan, rollback = shlex.quote(plan_file), shlex.quote(rollback_file)
    limited = "" if throttle is None else f" --throttle {throttle}"
    again = " --additional" if through_admin else ""
    elect = election_command(
        version,
        election_file,
        bootstrap=bootstrap,
        zookeeper=zookeeper,
        command_config=command_config,
        suffix=suffix,
    )
    return (
        Command(
            "Execute",
            f"{tool} --reassignment-json-file {plan}{limited} --execute",
            "Starts the moves and prints the current assignment first: save that text."
            + (" " + _UNLIMITED if throttle is None else "")
            + (
                ""
                if through_admin
                else " Refused while another reassignment is running, and above 1 MB (a ZooKeeper node)."
            ),
        ),
        Command(
            "Verify",
            f"{tool} --reassignment-json-file {plan} --verify",
            "Shows the state of each partition. Repeat until all reassignments are complete. The last run removes the "
            "throttles; otherwise they stay and limit normal replication.",
        ),
        Command("Elect preferred leaders", elect, f"{_ELECTS} The plan's partitions only: {election_file} names them."),
        _describe(numbers, shlex.quote(bootstrap), shlex.quote(zookeeper), config, suffix),
        *_change_of_throttle(f"{tool} --reassignment-json-file {plan}", throttle, again),
        *(
            _list_and_cancel(tool, plan)
            if through_admin
            else [_list_of_node(f"bin/zookeeper-shell{suffix} {shlex.quote(zookeeper)}")]
        ),
        Command(
            "Roll back",
            f"{tool}{both} --reassignment-json-file {rollback}{limited}{again} --execute",
            "Restores every changed partition's previous replica list, once the plan is done or cancelled.",
            "rollback",
        ),
        Command(
            "Verify the rollback",
            f"{tool}{both} --reassignment-json-file {rollback} --verify",
            "Repeat until nothing is left; this removes the throttles.",
            "rollback",
        ),
        Command("Elect the previous leaders", elect, f"{_ELECTS} Once the rollback is verified.", "rollback"),
    )


_UNLIMITED = "Without --throttle, copying uses all network and disk bandwidth of the brokers."
_ELECTS = "Moves leadership to the first replica of each list if it is alive and in sync. No data moves."


def _numbers(version: str | None) -> tuple[int, ...]:
    return version_of(version) or _ASSUMED_NUMBERS


def _change_of_throttle(tool: str, throttle: int | None, again: str) -> list[Command]:
    if throttle is None:
        return []
    return [
        Command(
            "Change the throttle",
            f"{tool} --throttle {throttle * 2}{again} --execute",
            "Run it again with another number while the moves are running: they continue with the new throttle.",
            "meanwhile",
        )
    ]


def _list_of_node(shell: str) -> Command:
    return Command(
        "List",
        f"{shell} get /admin/reassign_partitions",
        "Shows what is still moving; the node is removed once all is done. The tool of this version cannot list or "
        "cancel: wait, then roll back.",
        "meanwhile",
    )


def _list_and_cancel(tool: str, plan: str) -> list[Command]:
    return [
        Command("List", f"{tool} --list", "Shows every reassignment running in the cluster.", "meanwhile"),
        Command(
            "Cancel",
            f"{tool} --reassignment-json-file {plan} --cancel",
            "Stops the partitions that are still moving, and removes the throttles. Those already done stay where they "
            "are, and the previous order of a replica list may not be restored: run the rollback afterwards.",
            "meanwhile",
        ),
    ]


def election_command(
    version: str | None,
    file: str,
    *,
    bootstrap: str = "HOST:9092",
    zookeeper: str = "HOST:2181",
    command_config: str | None = None,
    suffix: str = ".sh",
) -> str:
    """The command for a preferred-leader election of the partitions that a file names.

    Args:
        version: the cluster's version, or None where unknown.
        file: JSON as ``writers.write_preferred_election`` writes it.
        bootstrap: a broker, ``host:port``.
        zookeeper: a ZooKeeper server, ``host:port/chroot``.
        command_config: a file of client settings, for ``--bootstrap-server`` alone.
        suffix: of the tool's name.
    """
    numbers = _numbers(version)
    server = f"--bootstrap-server {shlex.quote(bootstrap)}"
    if command_config:
        server += f" {'--command-config' if numbers >= (4, 2) else '--admin.config'} {shlex.quote(command_config)}"
    which = f"--path-to-json-file {shlex.quote(file)}"
    if numbers >= (2, 4):
        return f"bin/kafka-leader-election{suffix} {server} --election-type PREFERRED {which}"
    server = server if numbers >= (2, 2) else f"--zookeeper {shlex.quote(zookeeper)}"
    return f"bin/kafka-preferred-replica-election{suffix} {server} {which}"


def _describe(numbers: tuple[int, ...], bootstrap: str, zookeeper: str, config: str, suffix: str) -> Command:
    server = f"--bootstrap-server {bootstrap}{config}" if numbers >= (2, 2) else f"--zookeeper {zookeeper}"
    return Command(
        "Check the result",
        f"bin/kafka-topics{suffix} {server} --describe",
        "Paste the output into Reseat to see the layout afterwards.",
    )
