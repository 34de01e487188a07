"""The command line: ``python -m reseat show | plan | judge | ... | operate``. May import everything of ``reseat``.

Exit codes: 0 done; 2 the input or the wish is refused, with one message on standard error; 1 a fault of Reseat's own,
or a run that ended otherwise than planned.
"""

from reseat.cli.entry import main, report_fault

__all__ = ["main", "report_fault"]
