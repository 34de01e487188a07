"""The commands: what each does, an example, and the words that it takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from reseat import __version__
from reseat.cli import options
from reseat.cli.ahead.arguments import forecast_arguments, migrate_arguments, watch_arguments
from reseat.cli.argument_values import additions, broker_ids, count, log_directory, price, seed, words
from reseat.cli.one_line_parser import EXIT_STATUS, OneLineParser
from reseat.cli.operate.arguments import operate_arguments
from reseat.cli.options import flag, later, several, value
from reseat.cli.pipeline_arguments import pipeline_arguments
from reseat.cli.report_arguments import report_arguments
from reseat.cli.service.arguments import audit_arguments, completion_arguments, dashboard_arguments, doctor_arguments

__all__ = ["parser"]


def parser() -> argparse.ArgumentParser:
    """The parser of ``reseat``; the namespace's ``run`` is the command to call with it."""
    root = OneLineParser(
        prog="reseat",
        description="See where the replicas of a Kafka cluster are, plan a drain, and preview leader changes.",
        epilog=f"{_ENVIRONMENT}\n\n{EXIT_STATUS}",
    )
    root.add_argument("--version", action="version", version=f"reseat {__version__}")
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, takes, sentence, example in _COMMANDS:
        takes(
            commands.add_parser(
                name,
                help=sentence,
                description=f"{sentence[0].upper()}{sentence[1:]}.",
                epilog=f"EXAMPLE:\n  reseat {name} {example}\n\n{EXIT_STATUS}",
            )
        )
    return root


def _show(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    flag(command, "--proposed", "the proposed assignment, if the input has one next to the current one")
    said = "replication from rack to rack a day, by topic: a table topic,bytes_per_second of what is produced"
    value(command, "--produced", "FILE", said)
    said = "with --produced: what that costs at this price per GB (10^9 bytes)"
    value(command, "--price-per-gb", "X", said, type=price)
    command.set_defaults(run=later("show"))


def _disks(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    flag(command, "--balance", "balance the directories of each broker by bytes, moving as few as this finds")
    value(command, "--drain", "ID:PATH", "empty this log directory of this broker", type=log_directory)
    several(command, "--brokers", "ID,...", broker_ids, "with --balance: these brokers alone")
    value(command, "--output", "FILE", "reassignment JSON to execute, - for standard output")
    value(command, "--rollback", "FILE", "reassignment JSON that rolls it back")
    command.set_defaults(run=later("disks"))


def _advise(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    options.controller(command)
    options.throttle(command)
    command.set_defaults(run=later("advise"))


def _plan(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    options.wish(command)
    value(command, "--output", "FILE", "reassignment JSON to execute, - for standard output")
    value(command, "--rollback", "FILE", "reassignment JSON that rolls it back")
    value(command, "--election", "FILE", "the plan's partitions, as input for kafka-leader-election")
    value(command, "--topics-to-move", "FILE", "the plan's topics, as input for kafka-reassign-partitions --generate")
    said = "the plan in pieces that each fit a ZooKeeper node, for Kafka before 2.6: FILE with a number added"
    value(command, "--pieces", "FILE", said)
    said = "name for each new replica the log directory of its broker that has most room (log_dirs) in the plan's files"
    flag(command, "--choose-directories", said)
    said = "what is copied from rack to rack, as a table, and what it costs at this price per GB (10^9 bytes)"
    value(command, "--price-per-gb", "X", said, type=price)
    value(command, "--certificate", "FILE", "what is proven about the plan, as JSON")
    options.plan_options(command)
    said = "list moves vs. balance: the spread for each number of moves (--points says the same)"
    flag(command, "--curve", said, "--points", dest="points")
    options.kafka_version(command, "print the commands for this Kafka version")
    command.set_defaults(run=later("plan"))


def _generate(command: argparse.ArgumentParser) -> None:
    """The words of ``kafka-reassign-partitions --generate``; as ``options.layout`` has them where it has none."""
    value(command, "--topics-to-move-json-file", "FILE", 'the topics: {"version":1,"topics":[...]}', required=True)
    value(command, "--broker-list", "ID,...", "the brokers to move them to", required=True, type=broker_ids)
    flag(command, "--disable-rack-aware", "racks do not count")
    value(command, "--bootstrap-server", "HOSTS", "brokers of a live cluster", dest="bootstrap")
    value(command, "--zookeeper", "HOSTS[/CHROOT]", "or its ZooKeeper servers")
    value(command, "--command-config", "FILE", "security, as a .properties file", dest="config")
    value(command, "--layout", "LAYOUT", "or a layout in any format that Reseat reads", nargs="+")
    options.racks(command)
    flag(command, "--generate", "taken for the word that Kafka's tool needs")
    untold = {"without_internal": False, "no_racks": False, "accept_incomplete": False, "order_is_right": False}
    command.set_defaults(cluster=None, without_topics=[], **untold, run=later("generate"))


def _unmask(command: argparse.ArgumentParser) -> None:
    command.add_argument("names", metavar="NAMES", help="the table that report --mask-names wrote")
    command.add_argument("text", metavar="TEXT", nargs="?", default="-", help="a text; by default standard input")
    command.set_defaults(run=later("masks", "unmask"))


def _judge(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    command.add_argument("plan", metavar="PLAN", help="reassignment JSON, or any text with a proposed assignment")
    options.wish(command)
    flag(command, "--allow-rf-change", "allow replication-factor changes")
    command.set_defaults(run=later("judge"))


def _elect(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    flag(command, "--preferred", "a preferred leader election (the default)")
    command.add_argument(
        "--stopped", "--stop", dest="stopped", action="extend", default=[], type=broker_ids, metavar="ID,...",
        help="preview while these brokers are stopped",
    )  # fmt: skip
    several(command, "--stopped-racks", "RACK,...", words, "preview while all brokers of these racks are stopped")
    flag(command, "--unclean", "with --stopped: unclean leader election is enabled")
    options.controller(command)
    value(command, "--partitions", "FILE", "only these partitions: JSON as for kafka-leader-election")
    command.set_defaults(run=later("elect"))


def _place(command: argparse.ArgumentParser) -> None:
    said = "the brokers, each with its rack if it has one"
    value(command, "--brokers", "ID[:RACK],...", said, action="extend", required=True, type=additions)
    value(command, "--partitions", "N", "number of partitions", required=True, type=count)
    value(command, "--replication-factor", "N", "replicas per partition", required=True, type=count)
    command.add_argument(
        "--algorithm",
        choices=("striped", "kraft", "naive"),
        default="striped",
        help="striped: Kafka with ZooKeeper (the default); kraft: KRaft's controller; naive: round-robin without shift",
    )
    for name, said in (
        ("--start", "striped: a fixed start index instead of a random one"),
        ("--shift", "striped: a fixed replica shift instead of a random one"),
        ("--fixed-start-index", "striped: both start and shift"),
    ):
        value(command, name, "N", said, type=count)
    value(command, "--first-partition", "ID", "id of the first partition", type=count, default=0)
    value(command, "--seed", "N", "seed of java.util.Random for random choices", type=seed)
    several(command, "--fenced", "ID,...", broker_ids, "kraft: fenced brokers")
    several(command, "--cordoned", "ID,...", broker_ids, "kraft: brokers that get no new replica (4.3)")
    options.kafka_version(command, "kraft: refuse in the words of this Kafka version")
    flag(command, "--disable-rack-aware", "ignore racks")
    value(command, "--explain", "ID", "striped: show each step for this partition", type=count)
    options.json_output(command)
    command.set_defaults(run=later("place"))


def _infer(command: argparse.ArgumentParser) -> None:
    options.layout(command)
    several(command, "--topic", "NAME,...", words, "only these topics, or patterns")
    command.set_defaults(run=later("infer"))


def _consumers(command: argparse.ArgumentParser) -> None:
    command.add_argument("group", metavar="GROUP", help="a group as JSON (docs/formats.md), - for standard input")
    said = (
        "range (the default), roundrobin, [cooperative-]sticky[-2.8], broker-uniform, broker-range, or an installed one"
    )
    value(command, "--assignor", "NAME", said, default="range")
    flag(command, "--compare", "compare all of Kafka's assignors")
    options.json_output(command)
    command.set_defaults(run=later("consumers"))


def _snapshot(command: argparse.ArgumentParser) -> None:
    options.connection(command)
    value(command, "--output", "FILE", "the snapshot file, - for standard output")
    value(command, "--landing", "DIR", "save it in the pipeline's landing zone, a folder or a URL; needs --cluster")
    command.set_defaults(run=later("snapshot"))


def _land(command: argparse.ArgumentParser) -> None:
    said = "a layout in any format that Reseat reads, - for standard input; several files are combined"
    command.add_argument("layout", nargs="+", metavar="LAYOUT", help=said)
    said = "the landing zone, a folder or a URL; by default RESEAT_LANDING, else ~/.local/share/reseat/landing"
    value(command, "--landing", "DIR", said)
    value(command, "--cluster", "NAME", "name of the cluster in the history; a snapshot may include it")
    said = "snapshot time, with Z or an offset: 2026-05-01T12:00:00Z; a snapshot includes its own"
    value(command, "--taken-at", "ISO-TIME", said)
    options.racks(command)
    command.set_defaults(run=later("land", "land_layout"))


def _help(command: argparse.ArgumentParser) -> None:
    command.add_argument("words", metavar="COMMAND", nargs="*", help="a command, and the one below it")
    command.set_defaults(run=lambda chosen: parser().parse_args([*chosen.words, "--help"]))


#: Each command: its words, what it does, and an example.
_COMMANDS: tuple[tuple[str, Callable[[argparse.ArgumentParser], None], str, str], ...] = (
    ("dashboard", dashboard_arguments, "the dashboard, as a web server", "--port 8080 --base-path kafka"),
    ("show", _show, "a layout's size, balance and findings", "layout.txt --racks racks.csv"),
    ("advise", _advise, "what to do about a layout, with the cost of each and what it fixes", "layout.txt"),
    ("plan", _plan, "plan a change, with rollback and proof", "layout.txt --remove 3,7 --output plan.json"),
    (
        "generate",
        _generate,
        "move topics onto brokers, in the place of Kafka's own --generate",
        "--topics-to-move-json-file topics.json --broker-list 1,2,3 --bootstrap-server kafka1:9092",
    ),
    (
        "report",
        report_arguments,
        "a report on a layout and a change: HTML, PDF, slides",
        "layout.txt --remove 7 --html report.html --pdf report.pdf",
    ),
    ("unmask", _unmask, "replace the pseudonyms in a text of a masked report by names", "names.csv answer.txt"),
    (
        "judge",
        _judge,
        "validate an existing plan, made by hand or by another tool",
        "layout.txt plan.json --remove 3,7",
    ),
    (
        "disks",
        _disks,
        "log directories, and a plan that evens them out or empties one",
        "cluster.json --balance --output directories.json",
    ),
    ("elect", _elect, "preview leaders after an election, or while brokers are stopped", "layout.txt --stopped 3"),
    (
        "place",
        _place,
        "assign a topic's replicas as Kafka does",
        "--brokers 0:a,1:b,2:c --partitions 6 --replication-factor 3",
    ),
    (
        "consumers",
        _consumers,
        "partition owners in a consumer group, and the cost of a rebalance",
        "group.json --assignor sticky",
    ),
    ("infer", _infer, "find the random start and shift behind existing replica lists", "layout.txt --topic orders"),
    (
        "snapshot",
        _snapshot,
        "save a live cluster as a snapshot file that every command reads",
        "--bootstrap kafka1:9092 --output now.json",
    ),
    (
        "land",
        _land,
        "save a layout as a snapshot for its cluster's history",
        "layout.txt --landing landing --cluster production --taken-at 2026-05-01T03:10:00Z",
    ),
    (
        "operate",
        operate_arguments,
        "execute a plan on a live cluster, follow it, roll it back",
        "execute --bootstrap kafka1:9092 --plan plan.json --confirm CLUSTER_ID --wait",
    ),
    (
        "pipeline",
        pipeline_arguments,
        "ingest saved snapshots into history tables, on Spark",
        "run --landing landing --tables tables",
    ),
    (
        "forecast",
        forecast_arguments,
        "what a history says about the weeks to come, and when a limit is met",
        "--limits limits.toml",
    ),
    (
        "migrate",
        migrate_arguments,
        "what moving topics to another cluster takes: a target layout, waves, and MirrorMaker 2's files",
        "--source old.json --target new.json --topics orders,payments",
    ),
    (
        "watch",
        watch_arguments,
        "tell a webhook what began and what is over since the last time",
        "--limits limits.toml",
    ),
    ("doctor", doctor_arguments, "what of this installation is as it should be, and what is missing", "--port 8080"),
    ("audit", audit_arguments, "the audit log: whether it is as it was written", "verify audit.jsonl"),
    ("help", _help, "the manual of a command", "operate execute"),
    ("completion", completion_arguments, "print what completes words in a shell", "bash >> ~/.bashrc"),
)
#: What commands read of their environment; docs/operations.md and docs/serving.md have those of a server.
_VARIABLES = {
    "NO_COLOR": "any value: no colours",
    "RESEAT_DEBUG": "1: the traceback of an internal error",
    "RESEAT_OPERATE": "1: commands may write to clusters",
    "RESEAT_APPROVAL": "clusters on which plans need a second person's approval",
    "RESEAT_AUDIT": "the audit log",
    "RESEAT_JOURNAL": "the file that keeps every run",
    "RESEAT_LANDING": "saved snapshots: a folder or a URL",
    "RESEAT_TABLES": "the pipeline's tables: a folder or a URL",
    "RESEAT_LIMITS": "a file: what brokers and clusters may hold, and alerts",
    "RESEAT_WEBHOOK": "the address that watch tells alerts",
}
_ENVIRONMENT = "ENVIRONMENT:\n" + "\n".join(f"  {name:<16}  {meaning}" for name, meaning in _VARIABLES.items())
