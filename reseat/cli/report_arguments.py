"""The words of ``report``."""

from __future__ import annotations

import argparse
from os.path import expanduser

from reseat.cli import options
from reseat.cli.argument_values import price
from reseat.cli.options import flag, later, value

__all__ = ["report_arguments"]

#: As ``reseat.report.content`` has them; the command's help comes without loading what draws.
_CHAPTERS = (
    "summary", "today", "findings", "change", "why", "cost", "risk", "leaders", "time", "steps", "glossary", "appendix",
)  # fmt: skip


def report_arguments(command: argparse.ArgumentParser) -> None:
    """Add the words of the command."""
    options.layout(command)
    options.wish(command)
    options.plan_options(command)
    files = command.add_argument_group("output files")
    value(files, "--html", "FILE", "one file that opens anywhere, offline")
    value(files, "--pdf", "FILE", "pages to print")
    value(files, "--pptx", "FILE", "slides that can be edited")
    value(files, "--template", "FILE", "with --pptx: your own PPTX, whose master the slides get")
    value(files, "--text", "FILE", "a short text for chat, - for standard output")
    value(files, "--data", "DIR", "every table and figure as CSV and Parquet, into this folder")
    value(files, "--figure", "SLUG", "with --png or --svg: which figure; --json lists them")
    value(files, "--png", "FILE", "write the figure as PNG")
    value(files, "--svg", "FILE", "write the figure as SVG")
    told = command.add_argument_group("content")
    said = f"which ones, in this order: {', '.join(_CHAPTERS)}; by default all, for management without the appendix"
    value(told, "--chapters", "NAME,...", said, type=_chapters)
    told.add_argument(
        "--audience",
        choices=("management", "operators"),
        default="management",
        help="management: plain words (the default); operators: Kafka's terms and the commands",
    )
    value(told, "--title", "TEXT", "the title; by default the cluster and the change")
    value(told, "--author", "TEXT", "the author's line")
    value(told, "--logo", "FILE", "a PNG or SVG on the first page")
    value(told, "--price-per-gb", "X", "price of traffic between racks, per GB (10^9 bytes)", type=price)
    value(told, "--currency", "SIGN", "currency sign of prices; $ by default", default="$")
    options.throttle(told)
    options.kafka_version(told, "Kafka version of the commands")
    past = command.add_argument_group("history")
    value(past, "--history", "TABLES", "the pipeline's tables, a folder or a URL; needs --cluster")
    value(past, "--cluster", "NAME", "the cluster's name, in the history and in the report")
    said = "the journal whose runs on this cluster tell how long copying takes; by default as of reseat operate"
    value(past, "--journal", "FILE", said, type=expanduser)
    mask = command.add_argument_group("names")
    flag(mask, "--mask", "replace topics, hosts, racks and the cluster by pseudonyms")
    said = "with --mask: the key that makes pseudonyms stable; created if missing, keep it secret"
    value(mask, "--mask-key", "FILE", said)
    value(mask, "--mask-names", "FILE", "with --mask: CSV that translates back: pseudonym, kind, name")
    command.set_defaults(run=later("report"))


def _chapters(text: str) -> tuple[str, ...]:
    names = tuple(word.strip() for word in text.split(",") if word.strip())
    unknown = [name for name in names if name not in _CHAPTERS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f"{(unknown or [text])[0]!r} is not a chapter; choose from {', '.join(_CHAPTERS)}"
        )
    if len(set(names)) < len(names):
        raise argparse.ArgumentTypeError("a chapter is named twice")
    return names
