"""The words of ``pipeline`` and its commands."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from reseat.cli.argument_values import whole
from reseat.cli.options import flag, later, value

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
    value(
        run,
        "--every",
        "SECONDS",
        "keep running and ingest new snapshots at this interval, until stopped",
        type=_seconds,
    )
    sweep = action("sweep", "analyse the failure of each broker, rack and pair (table resilience)")
    _on_spark(sweep)
    value(sweep, "--cluster", "NAME", "only this cluster")
    flag(sweep, "--latest", "only the last snapshot of each cluster")
    compact = action("compact", "merge the small files of each cluster and day")
    _on_spark(compact)
    value(compact, "--cluster", "NAME", "only this cluster")
    retain = action("retain", "keep all snapshots of the last N days, and one per day before that")
    _on_spark(retain)
    value(retain, "--keep-days", "N", "keep all snapshots of the last N days", required=True, type=_days)
    migrate = action("migrate", "copy tables to where they are Delta tables (S3, ABFS, HDFS), and compare")
    value(migrate, "--from", "DIR", "the tables: a folder or a URL", dest="source", required=True)
    value(migrate, "--to", "URL", "where the new ones are made", dest="target", required=True)
    _progress(migrate)
    demo = action("demo", "save a generated week of demo clusters, to try the pages")
    _landing(demo)
    value(demo, "--seed", "N", "seed of the generated week (default 7)", type=int, default=7)
    _progress(demo)


def _landing(command: argparse.ArgumentParser) -> None:
    value(command, "--landing", "DIR", "the landing zone: a folder or a URL", required=True)


def _progress(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--progress", choices=("text", "json"), default="text", help="format of the progress on standard error"
    )


def _on_spark(command: argparse.ArgumentParser) -> None:
    value(command, "--tables", "DIR", "the folder of the tables, or a URL", required=True)
    where = command.add_mutually_exclusive_group()
    value(where, "--master", "URL", "where Spark runs: local[*] (the default), spark://HOST:PORT, yarn, k8s://...")
    value(where, "--remote", "sc://HOST:PORT", "a Spark Connect server instead")
    value(command, "--conf", "NAME=VALUE", "a setting of Spark", action="append", default=[], type=_setting)
    value(command, "--jars", "FILE,FILE", "jars that Spark loads, such as those of hadoop-aws", type=_jars)
    value(command, "--memory", "SIZE", "memory of the driver, such as 4g", type=_memory)
    _progress(command)


def _setting(text: str) -> tuple[str, str]:
    found = _SETTING.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError("NAME=VALUE was expected, such as spark.executor.memory=4g")
    return found.group(1), found.group(2)


def _jars(text: str) -> str:
    lacking = [one for one in text.split(",") if "://" not in one and not Path(one).is_file()]
    if lacking:
        raise argparse.ArgumentTypeError(f"{lacking[0] or 'an empty name'} is not a file")
    return text


def _memory(text: str) -> str:
    if not _MEMORY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: a number with k, m, g or t was expected, such as 4g")
    return text


def _days(text: str) -> int:
    return whole(text, "a number of days", 1, 100_000, "a whole number from 1 to 100000 was expected")


def _seconds(text: str) -> int:
    return whole(text, "a time", 1, 86_400, "whole seconds from 1 to 86400 were expected")
