"""Text <-> model: every way a layout is written down. May import ``model`` and ``errors``; pure, opens no file."""

from reseat.formats.reading import LIMITS, Limits, Reading, Skipped

__all__ = ["LIMITS", "Limits", "Reading", "Skipped"]
