"""The words that each command takes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from reseat.cli.operate_arguments import operate_arguments
from reseat.cli.pipeline_arguments import pipeline_arguments
from reseat.cli.report_arguments import report_arguments

__all__ = ["parser"]

#: Broker ids are 32-bit numbers in Kafka.
_LARGEST_ID = 2**31 - 1
#: Seeds are 64-bit numbers in Java.
_LARGEST_SEED = 2**63


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
        self.exit(2, f"{self.prog}: {message} (--help shows what it takes)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of ``python -m reseat``; the namespace's ``run`` is the command to call with it."""
    root = _OneLineParser(
        prog="reseat",
        description="See who sits where in a Kafka cluster, take a broker out, and see who leads then.",
        epilog="Exit codes: 0 done, 2 the input or the wish is refused, 1 a fault of Reseat's own.",
    )
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _show(commands.add_parser("show", help="what a layout holds, how even it is, and what is wrong with it"))
    _plan(commands.add_parser("plan", help="plan a change, with its rollback and its proof"))
    _report(commands.add_parser("report", help="tell a layout and a change to people: HTML, PDF, slides"))
    _unmask(commands.add_parser("unmask", help="the names back in a text of a masked report"))
    _judge(commands.add_parser("judge", help="judge a plan made by hand or by another tool"))
    _elect(commands.add_parser("elect", help="preview who leads after an election, or while brokers are stopped"))
    _place(commands.add_parser("place", help="place a topic's replicas as Kafka does"))
    _consumers(commands.add_parser("consumers", help="who reads what in a consumer group, and what a change costs it"))
    _infer(commands.add_parser("infer", help="work back from replica lists to the draws that made them"))
    _snapshot(commands.add_parser("snapshot", help="read a live cluster into a file that every command reads"))
    _land(commands.add_parser("land", help="keep a layout as what its cluster was at a moment, for its history"))
    _operate(commands.add_parser("operate", help="carry a plan out on a live cluster, watch it, take it back"))
    pipeline_arguments(commands.add_parser("pipeline", help="histories of landed snapshots as tables, made on Spark"))
    return root


def _layout_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "layout",
        nargs="+",
        metavar="LAYOUT",
        help="a layout in any text that Reseat reads, - for standard input; several are read together "
        "(describe output and log directories, say)",
    )
    command.add_argument("--racks", metavar="FILE", help="racks by broker: CSV broker,rack or JSON {id: rack}")
    command.add_argument("--no-racks", action="store_true", help="brokers whose rack the text does not tell have none")
    command.add_argument(
        "--without-topics",
        action="append",
        default=[],
        type=_words,
        metavar="PATTERN,...",
        help="leave topics out, by name or pattern (* and ?); may be given again",
    )
    command.add_argument("--without-internal", action="store_true", help="leave out topics whose name starts with _")
    command.add_argument(
        "--order-is-right",
        action="store_true",
        help="take replica lists to be in assignment order where the source does not say so",
    )
    command.add_argument(
        "--accept-incomplete",
        action="store_true",
        help="plan although the text shows that partitions are missing from it",
    )
    command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")


def _show(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument(
        "--proposed", action="store_true", help="the proposed assignment of a text that holds one beside the current"
    )
    command.set_defaults(run=_run_show)


def _wish_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--remove", action="append", default=[], type=_ids, metavar="ID,...", help="brokers that leave"
    )
    command.add_argument(
        "--add", action="append", default=[], type=_additions, metavar="ID[:RACK],...", help="brokers that join"
    )
    command.add_argument(
        "--replication-factor", type=_factor, metavar="N", help="the new replication factor of --topics"
    )
    command.add_argument(
        "--topics", action="append", default=[], type=_words, metavar="NAME,...", help="topics to change, or patterns"
    )
    command.add_argument(
        "--keep-unmovable",
        action="store_true",
        help="plan partitions without a live in-sync replica too; else they are left where they are",
    )
    command.add_argument(
        "--wish", metavar="CERTIFICATE", help="the whole change, with every option, of a plan's certificate"
    )


def _plan(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    _wish_arguments(command)
    command.add_argument("--output", metavar="FILE", help="reassignment JSON to carry out, - for standard output")
    command.add_argument("--rollback", metavar="FILE", help="reassignment JSON that takes it back")
    command.add_argument(
        "--election", metavar="FILE", help="the plan's partitions, as kafka-leader-election takes them"
    )
    command.add_argument(
        "--topics-to-move",
        metavar="FILE",
        help="the topics of the plan, as kafka-reassign-partitions --generate takes them",
    )
    command.add_argument(
        "--pieces",
        metavar="FILE",
        help="the plan in pieces that each fit a ZooKeeper node, for Kafka before 2.6: FILE with a number to each",
    )
    command.add_argument("--certificate", metavar="FILE", help="what is proven of the plan, as JSON")
    _how_to_plan(command)
    command.add_argument("--points", action="store_true", help="list what more moves buy, and fewer cost")
    command.add_argument("--kafka-version", metavar="X.Y", help="print the commands to run for this version")
    command.set_defaults(run=_run_plan)


def _how_to_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--reorder-all",
        action="store_true",
        help="with --remove or --add: let every replica list be reordered for even leaders",
    )
    command.add_argument("--receive-cap", type=_count, metavar="N", help="the most replicas one broker may receive")
    command.add_argument("--by-bytes", action="store_true", help="with --remove: even out bytes, not replica counts")
    command.add_argument("--max-moves", type=_count, metavar="N", help="with --add: make at most N moves")
    command.add_argument(
        "--point", type=_count, metavar="N", help="the point of the curve with N moves, one that --points lists"
    )


def _report(command: argparse.ArgumentParser) -> None:
    report_arguments(command, _layout_arguments, _wish_arguments, _how_to_plan)
    command.set_defaults(run=_run_report)


def _unmask(command: argparse.ArgumentParser) -> None:
    command.add_argument("names", metavar="NAMES", help="the table that report --mask-names wrote")
    command.add_argument("text", metavar="TEXT", nargs="?", default="-", help="a text; by default standard input")
    command.set_defaults(run=_run_unmask)


def _judge(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument("plan", metavar="PLAN", help="reassignment JSON, or any text with a proposed assignment")
    _wish_arguments(command)
    command.add_argument("--allow-rf-change", action="store_true", help="a changed replication factor is no fault")
    command.set_defaults(run=_run_judge)


def _elect(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument("--preferred", action="store_true", help="a preferred leader election (the default)")
    command.add_argument(
        "--stopped",
        "--stop",
        dest="stopped",
        action="append",
        default=[],
        type=_ids,
        metavar="ID,...",
        help="while these brokers are stopped",
    )
    command.add_argument(
        "--stopped-racks",
        action="append",
        default=[],
        type=_words,
        metavar="RACK,...",
        help="while all brokers of these racks are stopped",
    )
    command.add_argument("--unclean", action="store_true", help="with --stopped: unclean leader election is enabled")
    command.add_argument(
        "--controller", choices=("zookeeper", "kraft"), default="zookeeper", help="which controller decides"
    )
    command.add_argument(
        "--partitions", metavar="FILE", help="of these partitions alone: JSON as kafka-leader-election takes it"
    )
    command.set_defaults(run=_run_elect)


def _place(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--brokers", action="append", required=True, type=_additions, metavar="ID[:RACK],...", help="the brokers"
    )
    command.add_argument("--partitions", required=True, type=_count, metavar="N", help="how many to place")
    command.add_argument("--replication-factor", required=True, type=_count, metavar="N", help="replicas of each")
    command.add_argument(
        "--algorithm",
        choices=("striped", "kraft", "naive"),
        default="striped",
        help="striped: the ZooKeeper era (the default); kraft: KRaft's controller; naive: one after the other",
    )
    command.add_argument("--start", type=_count, metavar="N", help="striped: the start index instead of a draw")
    command.add_argument("--shift", type=_count, metavar="N", help="striped: the replica shift instead of a draw")
    command.add_argument("--fixed-start-index", type=_count, metavar="N", help="striped: both start and shift")
    command.add_argument("--first-partition", type=_count, default=0, metavar="ID", help="id of the first partition")
    command.add_argument("--seed", type=_seed, metavar="N", help="of java.util.Random, for what is drawn")
    command.add_argument(
        "--fenced", action="append", default=[], type=_ids, metavar="ID,...", help="kraft: fenced ones"
    )
    command.add_argument("--disable-rack-aware", action="store_true", help="leave racks aside")
    command.add_argument("--explain", type=_count, metavar="ID", help="striped: show each step for this partition")
    command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")
    command.set_defaults(run=_run_place)


def _infer(command: argparse.ArgumentParser) -> None:
    _layout_arguments(command)
    command.add_argument(
        "--topic", action="append", default=[], type=_words, metavar="NAME,...", help="these topics alone, or patterns"
    )
    command.set_defaults(run=_run_infer)


def _consumers(command: argparse.ArgumentParser) -> None:
    command.add_argument("group", metavar="GROUP", help="a group as JSON (docs/formats.md), - for standard input")
    command.add_argument(
        "--assignor",
        default="range",
        metavar="NAME",
        help="range (the default), roundrobin, sticky, cooperative-sticky, or one that is installed",
    )
    command.add_argument("--compare", action="store_true", help="all of Kafka's assignors side by side")
    command.add_argument("--json", action="store_true", help="JSON on standard output, for scripts")
    command.set_defaults(run=_run_consumers)


def connection_arguments(command: argparse.ArgumentParser) -> None:
    """Where a live cluster is and how to be let in; no secret is ever an argument."""
    command.add_argument("--bootstrap", metavar="HOSTS", help="brokers, host:port with commas between")
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
        "--landing", metavar="DIR", help="put it into the pipeline's landing zone, a folder or a URL; needs --cluster"
    )
    command.add_argument("--cluster", metavar="NAME", help="the name by which you know the cluster")
    command.set_defaults(run=_run_snapshot)


def _land(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "layout",
        nargs="+",
        metavar="LAYOUT",
        help="a layout in any text that Reseat reads, - for standard input; several are read together",
    )
    command.add_argument(
        "--landing",
        metavar="DIR",
        help="the landing zone, a folder or a URL; by default RESEAT_LANDING, else ~/.local/share/reseat/landing",
    )
    command.add_argument(
        "--cluster", metavar="NAME", help="the name under which its history is kept; a snapshot may know its own"
    )
    command.add_argument(
        "--taken-at",
        metavar="ISO-TIME",
        help="when the cluster was so, with Z or an offset: 2026-05-01T12:00:00Z; a snapshot knows its own",
    )
    command.add_argument("--racks", metavar="FILE", help="racks by broker: CSV broker,rack or JSON {id: rack}")
    command.set_defaults(run=_run_land)


def _operate(command: argparse.ArgumentParser) -> None:
    operate_arguments(command, connection_arguments)


# The commands are imported when they run, so that each starts with what it needs alone.


def _run_show(chosen: argparse.Namespace) -> int:
    from reseat.cli.show import show

    return show(chosen)


def _run_plan(chosen: argparse.Namespace) -> int:
    from reseat.cli.plan import plan

    return plan(chosen)


def _run_report(chosen: argparse.Namespace) -> int:
    from reseat.cli.report import report

    return report(chosen)


def _run_unmask(chosen: argparse.Namespace) -> int:
    from reseat.cli.masks import unmask

    return unmask(chosen)


def _run_judge(chosen: argparse.Namespace) -> int:
    from reseat.cli.judge import judge

    return judge(chosen)


def _run_elect(chosen: argparse.Namespace) -> int:
    from reseat.cli.elect import elect

    return elect(chosen)


def _run_place(chosen: argparse.Namespace) -> int:
    from reseat.cli.place import place

    return place(chosen)


def _run_infer(chosen: argparse.Namespace) -> int:
    from reseat.cli.infer import infer

    return infer(chosen)


def _run_consumers(chosen: argparse.Namespace) -> int:
    from reseat.cli.consumers import consumers

    return consumers(chosen)


def _run_snapshot(chosen: argparse.Namespace) -> int:
    from reseat.cli.snapshot import snapshot

    return snapshot(chosen)


def _run_land(chosen: argparse.Namespace) -> int:
    from reseat.cli.land import land_layout

    return land_layout(chosen)


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise argparse.ArgumentTypeError("names separated by commas were expected")
    return words


def _id(text: str) -> int:
    # isdecimal() takes digits of every script; Kafka's ids are ASCII.
    if not (text.isascii() and text.isdecimal()) or int(text) > _LARGEST_ID:
        raise argparse.ArgumentTypeError(f"{text!r} is not a broker id: a whole number from 0 was expected")
    return int(text)


def _ids(text: str) -> tuple[int, ...]:
    return tuple(_id(word) for word in _words(text))


def _additions(text: str) -> tuple[tuple[int, str | None], ...]:
    out: list[tuple[int, str | None]] = []
    for word in _words(text):
        broker, colon, rack = word.partition(":")
        if colon and not rack:
            raise argparse.ArgumentTypeError(f"{word!r} names no rack after the colon")
        out.append((_id(broker), rack or None))
    return tuple(out)


def _factor(text: str) -> int:
    return _at_least(text, 1, "a replication factor")


def _count(text: str) -> int:
    return _at_least(text, 0, "a count")


def _seed(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or abs(int(digits)) > _LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: a whole number of 64 bits was expected")
    return int(text)


def _at_least(text: str, least: int, what: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not least <= int(text) <= _LARGEST_ID:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}: a whole number from {least} was expected")
    return int(text)
