"""The door of the command line: arguments in, exit code out; errors become one line on standard error."""

from __future__ import annotations

import os
from collections.abc import Sequence

from reseat.cli.arguments import parser
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import complain, unwritten
from reseat.errors import ReseatError
from reseat.installed import needs

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after ``reseat``; those of the process by default.

    Returns:
        The exit code (``ExitCode``).

    Raises:
        SystemExit: ``--help`` was asked for (code 0), or the arguments are not understood (code 2).
    """
    known = parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what could come next; it is answered, and nothing runs
        import argcomplete

        argcomplete.autocomplete(known)
    chosen = known.parse_args(arguments)
    code: int = ExitCode.DONE
    # Of a cluster that is written to nobody can say here that nothing was sent.
    broken = ExitCode.UNFINISHED if chosen.command == "operate" else ExitCode.REFUSED
    try:
        with needs():
            code = chosen.run(chosen)
    except ReseatError as error:
        complain(f"reseat {chosen.command}: {_one_message(error)}")
        code = ExitCode.REFUSED
    except OSError as error:  # files are opened elsewhere, with their own sentences
        complain(f"reseat {chosen.command}: {error.filename or 'A file'} cannot be used: {error.strerror or error}.")
        code = broken
    except RuntimeError as error:
        if "home directory" not in str(error):
            raise
        said = "The home folder is unknown, which a default place or a ~ stands for: set HOME, or name whole paths."
        complain(f"reseat {chosen.command}: {said}")
        code = ExitCode.REFUSED
    if reason := unwritten():
        complain(f"reseat {chosen.command}: Standard output cannot be written: {reason}.")
        code = code or broken
    return code


def _one_message(error: ReseatError) -> str:
    """The error's sentence and its details, in one paragraph."""
    details = getattr(error, "details", ())
    return " ".join(" ".join(text.split()) for text in (str(error), *details[:3]))
