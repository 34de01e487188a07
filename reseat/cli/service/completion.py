"""``completion``: what a shell reads so that it completes commands, options and file names."""

from __future__ import annotations

import argparse

from reseat.cli.output.writer import say

__all__ = ["completion"]


def completion(chosen: argparse.Namespace) -> int:
    """Print it; see the command's ``--help``."""
    from argcomplete.shell_integration import shellcode

    say(shellcode(["reseat"], shell=chosen.shell))
    return 0
