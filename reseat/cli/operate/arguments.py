"""The words of ``operate`` and its commands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from reseat.cli.argument_values import broker_id
from reseat.errors import WishRefused
from reseat.planning.schedule import Order
from reseat.planning.windows import Windows, read_windows

__all__ = ["operate_arguments", "rate"]

_Connection = Callable[[argparse.ArgumentParser], None]
#: Rates and move counts are 32- and 64-bit numbers in Kafka; a rate of 0 would stand still for ever.
_LARGEST_RATE = 2**63 - 1
_LARGEST_COUNT = 1_000_000
_ALWAYS = "always"


def operate_arguments(operate: argparse.ArgumentParser, connection: _Connection) -> None:
    """Add the commands of ``operate``.

    Args:
        operate: the command that they belong to.
        connection: adds the options that say where a cluster is.
    """
    actions = operate.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, sentence: str) -> argparse.ArgumentParser:
        command = actions.add_parser(name, help=sentence, description=sentence[0].upper() + sentence[1:] + ".")
        connection(command)
        command.add_argument(
            "--journal", metavar="FILE", help="the journal of runs; by default RESEAT_JOURNAL or your state folder"
        )
        command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")
        command.set_defaults(run=_RUN[name])
        return command

    execute = action("execute", "execute a plan")
    execute.add_argument("--plan", required=True, metavar="FILE", help="reassignment JSON, - for standard input")
    execute.add_argument(
        "--shown",
        metavar="FILE",
        help="the layout (a snapshot, say) that you looked at; a plan without its original layout is validated "
        "against it, by default against the live cluster",
    )
    execute.add_argument(
        "--cordon",
        action="store_true",
        help="before anything moves, cordon the brokers that the plan empties, so that they get no new replica "
        "(Kafka 4.3 or later); they stay cordoned",
    )
    _pace(execute)
    _guarded(execute)
    _waited(execute)
    rollback = action("rollback", "roll back the journal's last plan")
    rollback.add_argument("--run", dest="run_id", type=_run_id, metavar="ID", help="a run other than the last plan")
    _pace(rollback)
    _guarded(rollback)
    _waited(rollback)
    cancel = action("cancel", "send nothing further, and revert what is in progress")
    cancel.add_argument("--run", dest="run_id", type=_run_id, metavar="ID", help="the run; by default the open one")
    cancel.add_argument("--let-finish", action="store_true", help="let what is in progress finish instead")
    cancel.add_argument("--confirm", default="", metavar="CLUSTER_ID", help="the cluster's id, to confirm")
    _waited(cancel)
    pause = action("pause", "send nothing further for now; what is in progress finishes")
    resume = action("resume", "continue after a pause")
    change = action("set", "change the throttle, concurrency or schedule of a running plan")
    _pace(change)
    for wish in (pause, resume, change):
        wish.add_argument("--run", dest="run_id", type=_run_id, metavar="ID", help="the run; by default the open one")
        wish.add_argument("--confirm", default="", metavar="CLUSTER_ID", help="the cluster's id, to confirm")
    uncordon = action("uncordon", "lift the cordon of brokers, so that they get replicas again")
    uncordon.add_argument(
        "--broker",
        action="append",
        type=broker_id,
        metavar="ID",
        help="this broker; may be repeated; by default all that runs left cordoned",
    )
    uncordon.add_argument("--confirm", default="", metavar="CLUSTER_ID", help="the cluster's id, to confirm")
    status = action("status", "what was executed and its progress; removes throttles left by a crash")
    status.add_argument("--run", dest="run_id", type=_run_id, metavar="ID", help="each partition of this run")
    verify = action("verify", "compare the cluster with a plan, as Kafka's --verify, and change nothing")
    which = verify.add_mutually_exclusive_group()
    which.add_argument("--plan", metavar="FILE", help="reassignment JSON; by default the last run's plan")
    which.add_argument("--run", dest="run_id", type=_run_id, metavar="ID", help="the plan of this run")
    elect = action("elect", "run an election, and show its result next to its preview")
    kind = elect.add_mutually_exclusive_group(required=True)
    kind.add_argument("--preferred", action="store_true", help="the first replica of each list, if it is in sync")
    kind.add_argument("--unclean", action="store_true", help="any live replica if there is no leader: data may be lost")
    some = elect.add_mutually_exclusive_group()
    some.add_argument(
        "--partitions", metavar="FILE", help="JSON as for kafka-leader-election; by default all partitions"
    )
    some.add_argument("--topic", action="append", metavar="NAME", help="every partition of this topic; may be repeated")
    some.add_argument(
        "--partition", action="append", type=_partition, metavar="TOPIC-ID", help="this partition; may be repeated"
    )
    elect.add_argument(
        "--accept-loss",
        action="store_true",
        help="run an unclean election although it may lose the records that it reports",
    )
    _guarded(elect)
    create = action("create", "create a topic with the given assignment")
    create.add_argument("--topic", required=True, metavar="NAME", help="name of the topic")
    placed = create.add_mutually_exclusive_group(required=True)
    placed.add_argument(
        "--replica-assignment", metavar="LISTS", help="as for kafka-topics: 1:2,2:3; ids from 0 without gaps"
    )
    placed.add_argument("--placed", metavar="FILE", help="JSON of reseat place, or {partition id: [broker ids]}")
    create.add_argument(
        "--topic-config", action="append", default=[], type=_setting, metavar="KEY=VALUE", help="a topic setting"
    )
    create.add_argument(
        "--as-nodes",
        action="store_true",
        help="write ZooKeeper nodes, unchecked by Kafka; the only way to ids with gaps",
    )
    _guarded(create)


def _pace(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--throttle", type=rate, metavar="BYTES_PER_SECOND", help="replication throttle per broker; none: no throttle"
    )
    command.add_argument(
        "--moves-a-broker", type=_moves, metavar="N", help="concurrent replica moves per broker (default 10)"
    )
    command.add_argument(
        "--order",
        choices=[order.value for order in Order],
        help="which partitions go first: the smallest (default), the largest, or those whose preferred leader changes",
    )
    command.add_argument(
        "--window",
        type=_windows,
        metavar="TIMES",
        help='send only during these times of day, such as "22:00-06:00 Europe/Berlin"; always: at any time',
    )
    command.add_argument(
        "--pause-after",
        type=_points,
        metavar="N[,N...]",
        help="pause once so many partitions have moved, until resume; none: no pause",
    )


def _guarded(command: argparse.ArgumentParser) -> None:
    command.add_argument("--confirm", default="", metavar="CLUSTER_ID", help="the cluster's id, to confirm")
    command.add_argument(
        "--override", action="append", default=[], metavar="CHECK", help="override this check; may be repeated"
    )


def _waited(command: argparse.ArgumentParser) -> None:
    command.add_argument("--wait", action="store_true", help="wait until it is complete, and verify")


def rate(text: str) -> int:
    """Bytes a second; ``none``: 0, which no run has as a rate."""
    return 0 if text == "none" else _number(text, _LARGEST_RATE, "bytes per second")


def _moves(text: str) -> int:
    return _number(text, _LARGEST_COUNT, "a number of moves")


def _windows(text: str) -> Windows | str:
    try:
        return (None if text == _ALWAYS else read_windows(text)) or _ALWAYS
    except WishRefused as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _points(text: str) -> tuple[int, ...]:
    if text == "none":
        return ()
    return tuple(
        sorted({_number(number.strip(), _LARGEST_COUNT, "a number of partitions") for number in text.split(",")})
    )


def _run_id(text: str) -> int:
    return _number(text, _LARGEST_RATE, "a run's id")


def _number(text: str, most: int, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,19}", text, re.ASCII) or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}: a whole number from 1 was expected")
    return int(text)


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


def _execute(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.execute import execute

    return execute(chosen)


def _rollback(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.execute import rollback

    return rollback(chosen)


def _cancel(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.wishes import cancel

    return cancel(chosen)


def _pause(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.wishes import pause

    return pause(chosen)


def _resume(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.wishes import resume

    return resume(chosen)


def _set(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.wishes import set_options

    return set_options(chosen)


def _uncordon(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.cordons import uncordon

    return uncordon(chosen)


def _status(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.status import status

    return status(chosen)


def _verify(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.status import verify

    return verify(chosen)


def _elect(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.leaders import elect

    return elect(chosen)


def _create(chosen: argparse.Namespace) -> int:
    from reseat.cli.operate.leaders import create

    return create(chosen)


_RUN = {
    "execute": _execute,
    "rollback": _rollback,
    "cancel": _cancel,
    "pause": _pause,
    "resume": _resume,
    "set": _set,
    "uncordon": _uncordon,
    "status": _status,
    "verify": _verify,
    "elect": _elect,
    "create": _create,
}
