"""The words of ``report``."""

from __future__ import annotations

import argparse

from reseat.cli import options
from reseat.cli.argument_values import price
from reseat.cli.options import flag, later

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
    files.add_argument("--html", metavar="FILE", help="one file that opens anywhere, offline")
    files.add_argument("--pdf", metavar="FILE", help="pages to print")
    files.add_argument("--pptx", metavar="FILE", help="slides that can be edited")
    files.add_argument("--template", metavar="FILE", help="with --pptx: your own PPTX, whose master the slides get")
    files.add_argument("--text", metavar="FILE", help="a short text for chat, - for standard output")
    files.add_argument("--data", metavar="DIR", help="every table and figure as CSV and Parquet, into this folder")
    files.add_argument("--figure", metavar="SLUG", help="with --png or --svg: which figure; --json lists them")
    files.add_argument("--png", metavar="FILE", help="write the figure as PNG")
    files.add_argument("--svg", metavar="FILE", help="write the figure as SVG")
    told = command.add_argument_group("content")
    said = f"which ones, in this order: {', '.join(_CHAPTERS)}; by default all, for management without the appendix"
    told.add_argument("--chapters", type=_chapters, metavar="NAME,...", help=said)
    told.add_argument(
        "--audience",
        choices=("management", "operators"),
        default="management",
        help="management: plain words (the default); operators: Kafka's terms and the commands",
    )
    told.add_argument("--title", metavar="TEXT", help="the title; by default the cluster and the change")
    told.add_argument("--author", metavar="TEXT", help="the author's line")
    told.add_argument("--logo", metavar="FILE", help="a PNG or SVG on the first page")
    told.add_argument(
        "--price-per-gb", type=price, metavar="X", help="price of traffic between racks, per GB (10^9 bytes)"
    )
    told.add_argument("--currency", default="$", metavar="SIGN", help="currency sign of prices; $ by default")
    options.throttle(told)
    options.kafka_version(told, "Kafka version of the commands")
    past = command.add_argument_group("history")
    past.add_argument("--history", metavar="TABLES", help="the pipeline's tables, a folder or a URL; needs --cluster")
    past.add_argument("--cluster", metavar="NAME", help="the cluster's name, in the history and in the report")
    said = "the journal whose runs on this cluster tell how long copying takes; by default as of reseat operate"
    past.add_argument("--journal", metavar="FILE", help=said)
    mask = command.add_argument_group("names")
    flag(mask, "--mask", "replace topics, hosts, racks and the cluster by pseudonyms")
    said = "with --mask: the key that makes pseudonyms stable; created if missing, keep it secret"
    mask.add_argument("--mask-key", metavar="FILE", help=said)
    said = "with --mask: CSV that translates back: pseudonym, kind, name"
    mask.add_argument("--mask-names", metavar="FILE", help=said)
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
