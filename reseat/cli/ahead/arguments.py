"""What the commands that look ahead take."""

from __future__ import annotations

import argparse

from reseat.cli import options
from reseat.cli.argument_values import amount, day, factor, positive, seed, words
from reseat.cli.options import later, several

__all__ = ["forecast_arguments", "migrate_arguments", "watch_arguments"]


def _of_history(command: argparse.ArgumentParser) -> None:
    said = "the pipeline's tables, a folder or a URL; by default RESEAT_TABLES, else ~/.local/share/reseat/tables"
    command.add_argument("--tables", metavar="DIR", help=said)
    said = "how much brokers and clusters may hold, and what is told when, as TOML; by default RESEAT_LIMITS"
    command.add_argument("--limits", metavar="FILE", help=said)


def forecast_arguments(command: argparse.ArgumentParser) -> None:
    """What comes, from the tables."""
    _of_history(command)
    command.add_argument("--cluster", metavar="NAME", help="only this cluster")
    said = "also: how many brokers, by rack, keep every broker under its limit until this day, and when to add them"
    command.add_argument("--until", metavar="DATE", type=day, help=said)
    options.json_output(command)
    command.set_defaults(run=later("ahead.forecast", "forecast"))


def migrate_arguments(command: argparse.ArgumentParser) -> None:
    """Two layouts, which topics of the one, and what the other may hold."""
    for name in ("source", "target"):
        said = f"the {name}: a layout in any format that Reseat reads; several files are combined"
        command.add_argument(f"--{name}", nargs="+", required=True, metavar="LAYOUT", help=said)
        said = f"racks of the {name} by broker: CSV broker,rack or JSON {{id: rack}}"
        command.add_argument(f"--{name}-racks", metavar="FILE", help=said)
    several(
        command, "--topics", "NAME,...", words, "topics to move, or patterns; by default all that do not begin with _"
    )
    said = "the source's name, which stands before each topic's in the target; by default names stay"
    command.add_argument("--prefix", metavar="NAME", help=said)
    said = "replicas of topics that are created; by default each topic's own"
    command.add_argument("--replication-factor", type=factor, metavar="N", help=said)
    said = "balanced over what the target has (the default), or by Kafka's rules alone"
    command.add_argument("--placement", choices=("balanced", "kafka"), default="balanced", help=said)
    command.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of Kafka's random choices")
    said = "the most replicas that a broker of the target may hold"
    command.add_argument("--replicas-per-broker", type=positive, metavar="N", help=said)
    said = "the most bytes that a broker of the target may hold (2TB)"
    command.add_argument("--bytes-per-broker", type=amount, metavar="SIZE", help=said)
    said = "the most partitions that the target may have"
    command.add_argument("--partitions-per-cluster", type=positive, metavar="N", help=said)
    command.add_argument(
        "--wave-size", type=amount, metavar="SIZE", help="the most of a wave; by default a quarter of all"
    )
    said = "topics or patterns that move in one wave, such as those that one application reads"
    several(command, "--together", "TOPIC,TOPIC,...", words, said)
    options.throttle(command, "what may be copied a second, for how long each wave takes")
    options.kafka_version(command, "the target's version: its placement, and its commands")
    command.add_argument(
        "--create", metavar="FILE", help="write the commands that create the topics, as a shell script"
    )
    command.add_argument("--properties", metavar="FILE", help="write MirrorMaker 2's property file")
    said = "with --properties: only the waves up to this one; by default all"
    command.add_argument("--wave", type=positive, metavar="N", help=said)
    options.json_output(command)
    command.set_defaults(run=later("ahead.migrate", "migrate_command"))


def watch_arguments(command: argparse.ArgumentParser) -> None:
    """What is told a webhook."""
    _of_history(command)
    said = "what was told and what is still to be told; by default reseat/alerts.json in XDG_STATE_HOME"
    command.add_argument("--state", metavar="FILE", help=said)
    command.set_defaults(run=later("service.watch", "watch"))
