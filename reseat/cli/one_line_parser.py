"""How words become arguments: what is wrong is said in one line, and the help is a page of a manual."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from textwrap import fill
from typing import Any, NoReturn

from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import say

__all__ = ["EXIT_STATUS", "OneLineParser"]

#: The base64 of 16 bytes, of an alphabet with ``-``: what Kafka calls a cluster.
_CLUSTER_ID = re.compile(r"[A-Za-z0-9_-]{22}")
#: What every manual ends with.
EXIT_STATUS = "EXIT STATUS:\n" + "\n".join(
    fill(code.meaning, 79, initial_indent=f"  {code.value:>3}  ", subsequent_indent=" " * 7) for code in ExitCode
)


class _Manual(argparse.RawDescriptionHelpFormatter):
    """A help in the parts of a manual page."""

    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "SYNOPSIS: " if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        super().start_section((heading or "").upper().removeprefix("POSITIONAL "))


class OneLineParser(argparse.ArgumentParser):
    """Says in one line what is wrong; the manual is a ``--help`` away. A value may begin with a dash."""

    def __init__(self, **told: Any) -> None:
        super().__init__(**{"formatter_class": _Manual, "epilog": EXIT_STATUS, **told})

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

    def print_help(self, file: Any = None) -> None:
        """On standard output, also where nobody reads it to its end (``| head``)."""
        say(self.format_help().rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        """The one line, and exit code 2."""
        self.exit(2, f"{self.prog}: {message} (see --help)\n")
