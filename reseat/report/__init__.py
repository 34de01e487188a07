"""A report of a layout and of a change: one content, and what is written of it. Pure.

May import model, errors, formats, placement, balance, election, planning, resilience, history.
"""

from reseat.report.build import build
from reseat.report.content import Chapter, Kind, Report
from reseat.report.matter import Choices, Matter, Past

__all__ = ["Chapter", "Choices", "Kind", "Matter", "Past", "Report", "build"]
