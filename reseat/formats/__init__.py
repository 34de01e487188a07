"""Text <-> model: every way a layout is written down. May import ``model`` and ``errors``; pure, opens no file."""

from reseat.formats.input.reading import LIMITS, Limits, Reading, Skipped
from reseat.formats.reader import read
from reseat.formats.rows.combining import combine
from reseat.formats.text.racks import read_racks

__all__ = ["LIMITS", "Limits", "Reading", "Skipped", "combine", "read", "read_racks"]
