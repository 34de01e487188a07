"""Text <-> model: every way a layout is written down. May import ``model`` and ``errors``; pure, opens no file."""

from reseat.formats.combining import combine
from reseat.formats.racks import read_racks
from reseat.formats.reader import read, read_together
from reseat.formats.reading import LIMITS, Limits, Reading, Skipped

__all__ = ["LIMITS", "Limits", "Reading", "Skipped", "combine", "read", "read_racks", "read_together"]
