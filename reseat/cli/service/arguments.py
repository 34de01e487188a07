"""The words of the commands that run and look after Reseat itself."""

from __future__ import annotations

import argparse

from reseat.cli.argument_values import whole
from reseat.cli.options import json_output, later, value

__all__ = ["audit_arguments", "completion_arguments", "dashboard_arguments", "doctor_arguments"]


def dashboard_arguments(command: argparse.ArgumentParser) -> None:
    """Add the words of ``dashboard``."""
    _listens(command)
    value(command, "--base-path", "PATH", "path prefix behind a proxy, such as tools/kafka", default="")
    value(command, "--metrics", "[ADDRESS:]PORT", "serve Prometheus metrics there (default: RESEAT_METRICS, else off)")
    command.set_defaults(run=later("service.dashboard", "dashboard"))


def doctor_arguments(command: argparse.ArgumentParser) -> None:
    """Add the words of ``doctor``."""
    _listens(command)
    json_output(command)
    command.set_defaults(run=later("service.doctor", "doctor"))


def audit_arguments(command: argparse.ArgumentParser) -> None:
    """Add the words of ``audit``."""
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    said = "check that no line was changed, deleted, inserted or moved"
    verify = actions.add_parser("verify", help=said, description=f"{said[0].upper()}{said[1:]}.")
    verify.add_argument("file", nargs="?", metavar="FILE", help="the audit log (default: RESEAT_AUDIT)")
    value(verify, "--last", "HASH", "the last hash of an earlier look, which must be there", default="")
    json_output(verify)
    command.set_defaults(run=later("service.audit", "audit"))


def completion_arguments(command: argparse.ArgumentParser) -> None:
    """Add the words of ``completion``."""
    command.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell that it is for")
    command.set_defaults(run=later("service.completion", "completion"))


def _listens(command: argparse.ArgumentParser) -> None:
    """Where the dashboard listens."""
    value(
        command,
        "--host",
        "ADDRESS",
        "address to listen on (default 127.0.0.1, this machine alone; 0.0.0.0: every interface)",
        default="127.0.0.1",
    )
    value(command, "--port", "N", "port to listen on (default 8501)", type=_port, default=8501)


def _port(text: str) -> int:
    return whole(text, "a port", 1, 65_535, "a number from 1 to 65535 was expected")
