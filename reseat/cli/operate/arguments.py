"""The words of ``operate`` and its commands."""

from __future__ import annotations

import argparse
import re
from os.path import expanduser

from reseat.cli import options
from reseat.cli.argument_values import broker_id, whole
from reseat.cli.options import Options, flag, later, value
from reseat.errors import WishRefused
from reseat.schedule.batches import Order
from reseat.schedule.windows import Windows, read_windows

__all__ = ["operate_arguments"]

#: Runs are numbered in 64 bits; more moves at a time, or partitions before a pause, mean none.
_LARGEST_ID, _LARGEST_COUNT = 2**63 - 1, 1_000_000
_ALWAYS = "always"


def operate_arguments(operate: argparse.ArgumentParser) -> None:
    """Add the commands of ``operate``.

    Args:
        operate: the command that they belong to.
    """
    actions = operate.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, sentence: str, module: str, function: str = "") -> argparse.ArgumentParser:
        command = actions.add_parser(name, help=sentence, description=sentence[0].upper() + sentence[1:] + ".")
        options.connection(command)
        said = "the journal of runs; by default RESEAT_JOURNAL or your state folder"
        value(command, "--journal", "FILE", said, type=expanduser)  # which no shell does after =
        options.json_output(command)
        command.set_defaults(run=later(f"operate.{module}", function or name))
        return command

    execute = action("execute", "execute a plan", "execute")
    value(execute, "--plan", "FILE", "reassignment JSON, - for standard input", required=True)
    value(
        execute,
        "--shown",
        "FILE",
        "the layout (a snapshot, say) that you looked at; a plan without its original layout is validated "
        "against it, by default against the live cluster",
    )
    flag(
        execute,
        "--cordon",
        "before anything moves, cordon the brokers that the plan empties, so that they get no new replica "
        "(Kafka 4.3 or later); they stay cordoned",
    )
    _pace(execute)
    _guarded(execute)
    _waited(execute)
    rollback = action("rollback", "roll back the journal's last plan", "execute")
    _run(rollback, "a run other than the last plan")
    _pace(rollback)
    _guarded(rollback)
    _waited(rollback)
    cancel = action("cancel", "send nothing further, and revert what is in progress", "wishes")
    _run(cancel)
    flag(cancel, "--let-finish", "let what is in progress finish instead")
    _confirmed(cancel)
    _waited(cancel)
    pause = action("pause", "send nothing further for now; what is in progress finishes", "wishes")
    resume = action("resume", "continue after a pause", "wishes")
    change = action("set", "change the throttle, concurrency or schedule of a running plan", "wishes", "set_options")
    _pace(change)
    for wish in (pause, resume, change):
        _run(wish)
        _confirmed(wish)
    uncordon = action("uncordon", "lift the cordon of brokers, so that they get replicas again", "cordons")
    value(
        uncordon,
        "--broker",
        "ID",
        "this broker; may be repeated; by default all that runs left cordoned",
        action="append",
        type=broker_id,
    )
    _confirmed(uncordon)
    status = action("status", "what was executed and its progress; removes throttles left by a crash", "status")
    _run(status, "each partition of this run")
    verify = action("verify", "compare the cluster with a plan, as Kafka's --verify, and change nothing", "status")
    which = verify.add_mutually_exclusive_group()
    value(which, "--plan", "FILE", "reassignment JSON; by default the last run's plan")
    _run(which, "the plan of this run")
    elect = action("elect", "run an election, and show its result next to its preview", "leaders")
    kind = elect.add_mutually_exclusive_group(required=True)
    flag(kind, "--preferred", "the first replica of each list, if it is in sync")
    flag(kind, "--unclean", "any live replica if there is no leader: data may be lost")
    some = elect.add_mutually_exclusive_group()
    value(some, "--partitions", "FILE", "JSON as for kafka-leader-election; by default all partitions")
    value(some, "--topic", "NAME", "every partition of this topic; may be repeated", action="append")
    value(some, "--partition", "TOPIC-ID", "this partition; may be repeated", action="append", type=_partition)
    flag(elect, "--accept-loss", "run an unclean election although it may lose the records that it reports")
    _guarded(elect)
    create = action("create", "create a topic with the given assignment", "leaders")
    value(create, "--topic", "NAME", "name of the topic", required=True)
    placed = create.add_mutually_exclusive_group(required=True)
    value(placed, "--replica-assignment", "LISTS", "as for kafka-topics: 1:2,2:3; ids from 0 without gaps")
    value(placed, "--placed", "FILE", "JSON of reseat place, or {partition id: [broker ids]}")
    value(create, "--topic-config", "KEY=VALUE", "a topic setting", action="append", default=[], type=_setting)
    flag(create, "--as-nodes", "write ZooKeeper nodes, unchecked by Kafka; the only way to ids with gaps")
    _guarded(create)


def _pace(command: argparse.ArgumentParser) -> None:
    options.throttle(command, "replication throttle per broker; none: no throttle")
    value(command, "--moves-a-broker", "N", "concurrent replica moves per broker (default 10)", type=_moves)
    command.add_argument(
        "--order",
        choices=[order.value for order in Order],
        help="which partitions go first: the smallest (default), the largest, or those whose preferred leader changes",
    )
    value(
        command,
        "--window",
        "TIMES",
        'send only during these times of day, such as "22:00-06:00 Europe/Berlin"; always: at any time',
        type=_windows,
    )
    value(
        command,
        "--pause-after",
        "N[,N...]",
        "pause once so many partitions have moved, until resume; none: no pause",
        type=_points,
    )


def _run(command: Options, said: str = "the run; by default the open one") -> None:
    value(command, "--run", "ID", said, dest="run_id", type=_run_id)


def _confirmed(command: Options) -> None:
    value(command, "--confirm", "CLUSTER_ID", "the cluster's id, to confirm", default="")


def _guarded(command: Options) -> None:
    _confirmed(command)
    value(command, "--override", "CHECK", "override this check; may be repeated", action="append", default=[])


def _waited(command: Options) -> None:
    flag(command, "--wait", "wait until it is complete, and verify")


def _moves(text: str) -> int:
    return whole(text, "a number of moves", 1, _LARGEST_COUNT)


def _windows(text: str) -> Windows | str:
    try:
        return (None if text == _ALWAYS else read_windows(text)) or _ALWAYS
    except WishRefused as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _points(text: str) -> tuple[int, ...]:
    if text == "none":
        return ()
    return tuple(
        sorted({whole(number.strip(), "a number of partitions", 1, _LARGEST_COUNT) for number in text.split(",")})
    )


def _run_id(text: str) -> int:
    return whole(text, "a run's id", 1, _LARGEST_ID)


def _partition(text: str) -> tuple[str, int]:
    topic, _, number = text.rpartition("-")
    if not topic or not re.fullmatch(r"0|[1-9][0-9]{0,9}", number, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is not a partition: TOPIC-ID was expected, such as orders-0")
    return topic, int(number)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"{text!r} is not a setting: KEY=VALUE was expected")
    return key, value
