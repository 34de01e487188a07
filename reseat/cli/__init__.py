"""The command line: ``reseat show | plan | judge | ... | operate``. May import everything of ``reseat``."""

from reseat.cli.entry import main

__all__ = ["main"]
