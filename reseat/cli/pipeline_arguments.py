"""The words of ``pipeline`` and its commands."""

from __future__ import annotations

import argparse
import re

from reseat.cli.argument_values import whole
from reseat.cli.options import flag, later

__all__ = ["pipeline_arguments"]

_SETTING = re.compile(r"([A-Za-z][\w.-]*)=(.*)", re.DOTALL)
_MEMORY = re.compile(r"[1-9][0-9]*[kmgtKMGT]")


def pipeline_arguments(pipeline: argparse.ArgumentParser) -> None:
    """Add the commands of ``pipeline``.

    Args:
        pipeline: the command that they belong to.
    """
    actions = pipeline.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, sentence: str) -> argparse.ArgumentParser:
        command = actions.add_parser(name, help=sentence, description=sentence[0].upper() + sentence[1:] + ".")
        command.set_defaults(run=later("pipeline", name))
        return command

    run = action("run", "ingest new snapshots into the tables, each exactly once")
    _landing(run)
    _on_spark(run)
    run.add_argument(
        "--every",
        type=_seconds,
        metavar="SECONDS",
        help="keep running and ingest new snapshots at this interval, until stopped",
    )
    sweep = action("sweep", "analyse the failure of each broker, rack and pair (table resilience)")
    _on_spark(sweep)
    sweep.add_argument("--cluster", metavar="NAME", help="only this cluster")
    flag(sweep, "--latest", "only the last snapshot of each cluster")
    compact = action("compact", "merge the small files of each cluster and day")
    _on_spark(compact)
    compact.add_argument("--cluster", metavar="NAME", help="only this cluster")
    retain = action("retain", "keep all snapshots of the last N days, and one per day before that")
    _on_spark(retain)
    retain.add_argument(
        "--keep-days", required=True, type=_days, metavar="N", help="keep all snapshots of the last N days"
    )
    migrate = action("migrate", "copy tables to where they are Delta tables (S3, ABFS, HDFS), and compare")
    migrate.add_argument("--from", dest="source", required=True, metavar="DIR", help="the tables: a folder or a URL")
    migrate.add_argument("--to", dest="target", required=True, metavar="URL", help="where the new ones are made")
    _progress(migrate)
    demo = action("demo", "save a generated week of demo clusters, to try the pages")
    _landing(demo)
    demo.add_argument("--seed", type=int, default=7, metavar="N", help="seed of the generated week (default 7)")
    _progress(demo)


def _landing(command: argparse.ArgumentParser) -> None:
    command.add_argument("--landing", required=True, metavar="DIR", help="the landing zone: a folder or a URL")


def _progress(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--progress", choices=("text", "json"), default="text", help="format of the progress on standard error"
    )


def _on_spark(command: argparse.ArgumentParser) -> None:
    command.add_argument("--tables", required=True, metavar="DIR", help="the folder of the tables, or a URL")
    where = command.add_mutually_exclusive_group()
    where.add_argument(
        "--master", metavar="URL", help="where Spark runs: local[*] (the default), spark://HOST:PORT, yarn, k8s://..."
    )
    where.add_argument("--remote", metavar="sc://HOST:PORT", help="a Spark Connect server instead")
    command.add_argument(
        "--conf", action="append", default=[], type=_setting, metavar="NAME=VALUE", help="a setting of Spark"
    )
    command.add_argument("--memory", type=_memory, metavar="SIZE", help="memory of the driver, such as 4g")
    _progress(command)


def _setting(text: str) -> tuple[str, str]:
    found = _SETTING.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError("NAME=VALUE was expected, such as spark.executor.memory=4g")
    return found.group(1), found.group(2)


def _memory(text: str) -> str:
    if not _MEMORY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: a number with k, m, g or t was expected, such as 4g")
    return text


def _days(text: str) -> int:
    return whole(text, "a number of days", 1, 100_000, "a whole number from 1 to 100000 was expected")


def _seconds(text: str) -> int:
    return whole(text, "a time", 1, 86_400, "whole seconds from 1 to 86400 were expected")
