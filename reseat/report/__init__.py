"""A report of a layout and of a change: one content, and what is written of it. Pure.

May import model, errors, formats, placement, balance, election, planning, resilience, history.
"""

from reseat.report.build import build
from reseat.report.content import Chapter, ChapterKind, Report
from reseat.report.matter import Matter, ReportChoices, ReportPast

__all__ = ["Chapter", "ChapterKind", "Matter", "Report", "ReportChoices", "ReportPast", "build"]
