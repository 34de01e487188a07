"""The words that each command takes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from reseat.cli.argument_values import (
    additions,
    broker_ids,
    count,
    factor,
    pins,
    replacements,
    seed,
    words,
)
from reseat.cli.generate_arguments import generate_arguments
from reseat.cli.operate.arguments import operate_arguments, rate
from reseat.cli.pipeline_arguments import pipeline_arguments
from reseat.cli.report_arguments import report_arguments

__all__ = ["parser"]

#: The base64 of 16 bytes, of an alphabet with ``-``: what Kafka calls a cluster.
_CLUSTER_ID = re.compile(r"[A-Za-z0-9_-]{22}")


class _OneLineParser(argparse.ArgumentParser):
    """Says in one line what is wrong; the usage is a ``--help`` away. A value may begin with a dash."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse does it, once values that begin with a dash stand beside their options."""
        return super().parse_known_args(self._joined(sys.argv[1:] if args is None else args), namespace)

    def _joined(self, words: Sequence[str]) -> list[str]:
        """``--confirm -3HM4`` as ``--confirm=-3HM4``.

        Argparse takes every word that begins with a dash for an option. One in 64 clusters of the ZooKeeper era has an
        id that begins so (Kafka draws another only since ``Uuid.randomUuid``), and topics may be called so too. What
        begins as an option of this command does is an option, also where a value is missing.
        """
        options = self._option_string_actions
        joined: list[str] = []
        for word in words:
            before = options.get(joined[-1]) if joined and "--" not in joined else None
            takes_one = before is not None and before.nargs is None
            is_option = any(option.startswith(word.partition("=")[0]) for option in options)
            shaped = _CLUSTER_ID.fullmatch(word) or re.match(r"-[^-]", word)
            if takes_one and shaped and word.startswith("-") and not is_option:
                joined[-1] += f"={word}"
            else:
                joined.append(word)
        return joined

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of ``python -m reseat``; the namespace's ``run`` is the command to call with it."""
    root = _OneLineParser(
        prog="reseat",
        description="See where the replicas of a Kafka cluster are, plan a drain, and preview leader changes.",
        epilog="Exit codes: 0 done, 2 invalid input or request, 1 internal error.",
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _show(commands.add_parser("show", help="a layout's size, balance and findings"))
    _advise(commands.add_parser("advise", help="what to do about a layout, with the cost of each and what it fixes"))
    _plan(commands.add_parser("plan", help="plan a change, with rollback and proof"))
    generate_arguments(
        commands.add_parser("generate", help="move topics onto brokers, in the place of Kafka's own --generate"),
        broker_ids,
    )
    _report(commands.add_parser("report", help="a report on a layout and a change: HTML, PDF, slides"))
    _unmask(commands.add_parser("unmask", help="replace the pseudonyms in a text of a masked report by names"))
    _judge(commands.add_parser("judge", help="validate an existing plan, made by hand or by another tool"))
    _elect(commands.add_parser("elect", help="preview leaders after an election, or while brokers are stopped"))
    _place(commands.add_parser("place", help="assign a topic's replicas as Kafka does"))
    _consumers(
        commands.add_parser("consumers", help="partition owners in a consumer group, and the cost of a rebalance")
    )
    _infer(commands.add_parser("infer", help="find the random start and shift behind existing replica lists"))
    _snapshot(commands.add_parser("snapshot", help="save a live cluster as a snapshot file that every command reads"))
    _land(commands.add_parser("land", help="save a layout as a snapshot for its cluster's history"))
    _operate(commands.add_parser("operate", help="execute a plan on a live cluster, follow it, roll it back"))
    pipeline_arguments(commands.add_parser("pipeline", help="ingest saved snapshots into history tables, on Spark"))
    return root


def _layout_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "layout",
        nargs="+",
        metavar="LAYOUT",
        help="a layout in any format that Reseat reads, - for standard input; several files are combined "
        "(such as describe output and log directories)",
    )
    command.add_argument("--racks", metavar="FILE", help="racks by broker: CSV broker,rack or JSON {id: rack}")
    command.add_argument("--no-racks", action="store_true", help="brokers without a rack in the input have none")
    command.add_argument(
        "--without-topics",
        action="append",
        default=[],
        type=words,
        metavar="PATTERN,...",
        help="exclude topics, by name or pattern (* and ?); may be repeated",
    )
    command.add_argument("--without-internal", action="store_true", help="exclude topics whose name starts with _")
    command.add_argument(
        "--order-is-right",
        action="store_true",
        help="treat replica lists as being in assignment order when the source does not say so",
    )
    command.add_argument(
        "--accept-incomplete",
        action="store_true",
        help="plan even if partitions are missing from the input",
    )
    command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")


def _show(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument(
        "--proposed", action="store_true", help="the proposed assignment, if the input has one next to the current one"
    )
    command.set_defaults(run=_later("show"))


def _advise(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    _controller(command)
    command.add_argument(
        "--throttle",
        type=rate,
        metavar="BYTES_PER_SECOND",
        help="replication throttle per broker, for the duration; none: not decided",
    )
    command.set_defaults(run=_later("advise"))


def _controller(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--controller", choices=("zookeeper", "kraft"), default="zookeeper", help="which controller elects the leaders"
    )


def _wish_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--remove", action="append", default=[], type=broker_ids, metavar="ID,...", help="brokers to drain"
    )
    command.add_argument(
        "--add", action="append", default=[], type=additions, metavar="ID[:RACK],...", help="brokers to add"
    )
    command.add_argument(
        "--replace",
        action="append",
        default=[],
        type=replacements,
        metavar="OLD:NEW[:RACK],...",
        help="drain OLD; NEW takes its place in every list",
    )
    command.add_argument(
        "--replication-factor", type=factor, metavar="N", help="the new replication factor of --topics"
    )
    command.add_argument(
        "--topics", action="append", default=[], type=words, metavar="NAME,...", help="topics to change, or patterns"
    )
    command.add_argument(
        "--rebalance",
        action="store_true",
        help="balance replicas over all brokers and leaders over all lists, with the fewest moves",
    )
    command.add_argument(
        "--mend-racks", action="store_true", help="give every partition the best rack diversity; nothing else moves"
    )
    command.add_argument(
        "--leaders-only", action="store_true", help="balance preferred leaders over all lists; no replica moves"
    )
    command.add_argument(
        "--remove-rack", action="append", default=[], type=words, metavar="RACK,...", help="drain all brokers of racks"
    )
    command.add_argument(
        "--pin",
        action="append",
        default=[],
        type=pins,
        metavar="TOPIC[:PARTITION],...",
        help="topics, patterns or partitions whose replica lists stay as they are",
    )
    command.add_argument(
        "--never-leads",
        action="append",
        default=[],
        type=broker_ids,
        metavar="ID,...",
        help="brokers that are preferred leader only of lists without another broker that can be",
    )
    command.add_argument(
        "--never-onto",
        action="append",
        default=[],
        type=broker_ids,
        metavar="ID,...",
        help="brokers that receive no replica and are not counted in the replica balance",
    )
    command.add_argument(
        "--leader-racks",
        action="append",
        default=[],
        type=words,
        metavar="RACK,...",
        help="racks in which preferred leaders are to be, the most preferred first",
    )
    command.add_argument(
        "--keep-unmovable",
        action="store_true",
        help="also plan partitions without a live in-sync replica; by default they stay as they are",
    )
    command.add_argument(
        "--wish", metavar="FILE", help="the complete change, with every option: a change file, or a plan's certificate"
    )


def _plan(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    _wish_arguments(command)
    command.add_argument("--output", metavar="FILE", help="reassignment JSON to execute, - for standard output")
    command.add_argument("--rollback", metavar="FILE", help="reassignment JSON that rolls it back")
    command.add_argument("--election", metavar="FILE", help="the plan's partitions, as input for kafka-leader-election")
    command.add_argument(
        "--topics-to-move",
        metavar="FILE",
        help="the plan's topics, as input for kafka-reassign-partitions --generate",
    )
    command.add_argument(
        "--pieces",
        metavar="FILE",
        help="the plan in pieces that each fit a ZooKeeper node, for Kafka before 2.6: FILE with a number added",
    )
    command.add_argument("--certificate", metavar="FILE", help="what is proven about the plan, as JSON")
    _how_to_plan(command)
    command.add_argument(
        "--points", action="store_true", help="list moves vs. balance: the spread for each number of moves"
    )
    command.add_argument("--kafka-version", metavar="X.Y", help="print the commands for this Kafka version")
    command.set_defaults(run=_later("plan"))


def _how_to_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--reorder-all",
        action="store_true",
        help="with --remove or --add: any replica list may be reordered to balance leaders",
    )
    command.add_argument("--receive-cap", type=count, metavar="N", help="max replicas received per broker")
    command.add_argument(
        "--by-bytes", action="store_true", help="with --remove or --rebalance: balance by size instead of replica count"
    )
    command.add_argument("--max-moves", type=count, metavar="N", help="with --add or --rebalance: at most N moves")
    command.add_argument("--point", type=count, metavar="N", help="the plan with N moves; --points lists the choices")


def _report(command: argparse.ArgumentParser) -> None:
    report_arguments(command, _layout_arguments, _wish_arguments, _how_to_plan)
    command.set_defaults(run=_later("report"))


def _unmask(command: argparse.ArgumentParser) -> None:
    command.add_argument("names", metavar="NAMES", help="the table that report --mask-names wrote")
    command.add_argument("text", metavar="TEXT", nargs="?", default="-", help="a text; by default standard input")
    command.set_defaults(run=_later("masks", "unmask"))


def _judge(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument("plan", metavar="PLAN", help="reassignment JSON, or any text with a proposed assignment")
    _wish_arguments(command)
    command.add_argument("--allow-rf-change", action="store_true", help="allow replication-factor changes")
    command.set_defaults(run=_later("judge"))


def _elect(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument("--preferred", action="store_true", help="a preferred leader election (the default)")
    command.add_argument(
        "--stopped",
        "--stop",
        dest="stopped",
        action="append",
        default=[],
        type=broker_ids,
        metavar="ID,...",
        help="preview while these brokers are stopped",
    )
    command.add_argument(
        "--stopped-racks",
        action="append",
        default=[],
        type=words,
        metavar="RACK,...",
        help="preview while all brokers of these racks are stopped",
    )
    command.add_argument("--unclean", action="store_true", help="with --stopped: unclean leader election is enabled")
    _controller(command)
    command.add_argument(
        "--partitions", metavar="FILE", help="only these partitions: JSON as for kafka-leader-election"
    )
    command.set_defaults(run=_later("elect"))


def _place(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--brokers",
        action="append",
        required=True,
        type=additions,
        metavar="ID[:RACK],...",
        help="the brokers, each with its rack if it has one",
    )
    command.add_argument("--partitions", required=True, type=count, metavar="N", help="number of partitions")
    command.add_argument("--replication-factor", required=True, type=count, metavar="N", help="replicas per partition")
    command.add_argument(
        "--algorithm",
        choices=("striped", "kraft", "naive"),
        default="striped",
        help="striped: Kafka with ZooKeeper (the default); kraft: KRaft's controller; naive: round-robin without shift",
    )
    command.add_argument(
        "--start", type=count, metavar="N", help="striped: a fixed start index instead of a random one"
    )
    command.add_argument(
        "--shift", type=count, metavar="N", help="striped: a fixed replica shift instead of a random one"
    )
    command.add_argument("--fixed-start-index", type=count, metavar="N", help="striped: both start and shift")
    command.add_argument("--first-partition", type=count, default=0, metavar="ID", help="id of the first partition")
    command.add_argument("--seed", type=seed, metavar="N", help="seed of java.util.Random for random choices")
    command.add_argument(
        "--fenced", action="append", default=[], type=broker_ids, metavar="ID,...", help="kraft: fenced brokers"
    )
    command.add_argument(
        "--cordoned",
        action="append",
        default=[],
        type=broker_ids,
        metavar="ID,...",
        help="kraft: brokers that get no new replica (4.3)",
    )
    command.add_argument("--kafka-version", metavar="X.Y", help="kraft: refuse in the words of this Kafka version")
    command.add_argument("--disable-rack-aware", action="store_true", help="ignore racks")
    command.add_argument("--explain", type=count, metavar="ID", help="striped: show each step for this partition")
    command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")
    command.set_defaults(run=_later("place"))


def _infer(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument(
        "--topic", action="append", default=[], type=words, metavar="NAME,...", help="only these topics, or patterns"
    )
    command.set_defaults(run=_later("infer"))


def _consumers(command: argparse.ArgumentParser) -> None:
    command.add_argument("group", metavar="GROUP", help="a group as JSON (docs/formats.md), - for standard input")
    command.add_argument(
        "--assignor",
        default="range",
        metavar="NAME",
        help="range (the default), roundrobin, sticky, cooperative-sticky, or one that is installed",
    )
    command.add_argument("--compare", action="store_true", help="compare all of Kafka's assignors")
    command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")
    command.set_defaults(run=_later("consumers"))


def connection_arguments(command: argparse.ArgumentParser) -> None:
    """Where a live cluster is and how to be let in; no secret is ever an argument."""
    command.add_argument("--bootstrap", metavar="HOSTS", help="brokers: host:port, comma-separated")
    command.add_argument(
        "--zookeeper", metavar="HOSTS[/CHROOT]", help="ZooKeeper servers, for clusters that keep their metadata there"
    )
    command.add_argument(
        "--config",
        metavar="FILE",
        help="security and secrets: a Kafka client's .properties, or TOML with the keys of secrets.toml",
    )


def _snapshot(command: argparse.ArgumentParser) -> None:
    connection_arguments(command)
    command.add_argument("--output", metavar="FILE", help="the snapshot file, - for standard output")
    command.add_argument(
        "--landing", metavar="DIR", help="save it in the pipeline's landing zone, a folder or a URL; needs --cluster"
    )
    command.add_argument("--cluster", metavar="NAME", help="display name of the cluster")
    command.set_defaults(run=_later("snapshot"))


def _land(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "layout",
        nargs="+",
        metavar="LAYOUT",
        help="a layout in any format that Reseat reads, - for standard input; several files are combined",
    )
    command.add_argument(
        "--landing",
        metavar="DIR",
        help="the landing zone, a folder or a URL; by default RESEAT_LANDING, else ~/.local/share/reseat/landing",
    )
    command.add_argument(
        "--cluster", metavar="NAME", help="name of the cluster in the history; a snapshot may include it"
    )
    command.add_argument(
        "--taken-at",
        metavar="ISO-TIME",
        help="snapshot time, with Z or an offset: 2026-05-01T12:00:00Z; a snapshot includes its own",
    )
    command.add_argument("--racks", metavar="FILE", help="racks by broker: CSV broker,rack or JSON {id: rack}")
    command.set_defaults(run=_later("land", "land_layout"))


def _operate(command: argparse.ArgumentParser) -> None:
    operate_arguments(command, connection_arguments)


def _later(module: str, name: str = "") -> Callable[[argparse.Namespace], int]:
    """A command that is imported when it runs, so that each starts with what it needs alone."""

    def run(chosen: argparse.Namespace) -> int:
        return int(getattr(import_module(f"reseat.cli.{module}"), name or module)(chosen))

    return run
