"""What the commands that look ahead take."""

from __future__ import annotations

import argparse

from reseat.cli import options
from reseat.cli.argument_values import amount, day, factor, positive, seed, words
from reseat.cli.options import later, several, value

__all__ = ["forecast_arguments", "migrate_arguments", "watch_arguments"]


def _of_history(command: argparse.ArgumentParser) -> None:
    said = "the pipeline's tables, a folder or a URL; by default RESEAT_TABLES, else ~/.local/share/reseat/tables"
    value(command, "--tables", "DIR", said)
    said = "how much brokers and clusters may hold, and what is told when, as TOML; by default RESEAT_LIMITS"
    value(command, "--limits", "FILE", said)


def forecast_arguments(command: argparse.ArgumentParser) -> None:
    """What comes, from the tables."""
    _of_history(command)
    value(command, "--cluster", "NAME", "only this cluster")
    said = "also: how many brokers, by rack, keep every broker under its limit until this day, and when to add them"
    value(command, "--until", "DATE", said, type=day)
    said = "a line a cluster: the limit that it meets first, and when, the soonest first; kept for Fleet and watch"
    options.flag(command, "--fleet", said)
    options.json_output(command)
    command.set_defaults(run=later("ahead.forecast", "forecast"))


def migrate_arguments(command: argparse.ArgumentParser) -> None:
    """Two layouts, which topics of the one, and what the other may hold."""
    for name in ("source", "target"):
        said = f"the {name}: a layout in any format that Reseat reads; several files are combined"
        value(command, f"--{name}", "LAYOUT", said, nargs="+", required=True)
        said = f"racks of the {name} by broker: CSV broker,rack or JSON {{id: rack}}"
        value(command, f"--{name}-racks", "FILE", said)
    several(
        command, "--topics", "NAME,...", words, "topics to move, or patterns; by default all that do not begin with _"
    )
    said = "the source's name, which stands before each topic's in the target; by default names stay"
    value(command, "--prefix", "NAME", said)
    said = "replicas of topics that are created; by default each topic's own"
    value(command, "--replication-factor", "N", said, type=factor)
    said = "balanced over what the target has (the default), or by Kafka's rules alone"
    command.add_argument("--placement", choices=("balanced", "kafka"), default="balanced", help=said)
    value(command, "--seed", "N", "with --placement kafka: seed of its random choices", type=seed)
    said = "the most replicas that a broker of the target may hold"
    value(command, "--replicas-per-broker", "N", said, type=positive)
    said = "the most bytes that a broker of the target may hold (2TB)"
    value(command, "--bytes-per-broker", "SIZE", said, type=amount)
    value(command, "--partitions-per-cluster", "N", "the most partitions that the target may have", type=positive)
    value(command, "--wave-size", "SIZE", "the most of a wave; by default a quarter of all", type=amount)
    said = "topics or patterns that move in one wave, such as those that one application reads"
    value(command, "--together", "TOPIC,TOPIC,...", said, action="append", default=[], type=words)
    options.throttle(command, "what may be copied a second, for how long each wave takes")
    options.kafka_version(command, "the target's version: its placement, and its commands")
    value(command, "--create", "FILE", "write the commands that create the topics, as a shell script")
    value(command, "--properties", "FILE", "write MirrorMaker 2's property file")
    value(command, "--wave", "N", "with --properties: only the waves up to this one; by default all", type=positive)
    options.json_output(command)
    command.set_defaults(run=later("ahead.migrate", "migrate_command"))


def watch_arguments(command: argparse.ArgumentParser) -> None:
    """What is told a webhook."""
    _of_history(command)
    said = "what was told and what is still to be told; by default reseat/alerts.json in XDG_STATE_HOME"
    value(command, "--state", "FILE", said)
    command.set_defaults(run=later("service.watch", "watch"))
