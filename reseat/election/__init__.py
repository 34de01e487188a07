"""Who leads, and who would: elections previewed. May import ``model``, ``errors`` and ``formats``; pure."""

from reseat.election.outcome import ElectionPreview, Reason
from reseat.election.preferred import after_plan, preferred
from reseat.election.rules import Mode

__all__ = ["ElectionPreview", "Mode", "Reason", "after_plan", "preferred"]
