"""Who leads, and who would: elections previewed. May import ``model``, ``errors`` and ``formats``; pure."""

from reseat.election.outcome import ElectionPreview, Reason
from reseat.election.preferred import after_plan, preferred
from reseat.election.rebalance import AutoRebalance, auto_rebalance
from reseat.election.restart import RestartVerdict, safe_to_restart
from reseat.election.rules import Mode
from reseat.election.stop import StopPreview, stop
from reseat.election.unclean import unclean

__all__ = [
    "AutoRebalance",
    "ElectionPreview",
    "Mode",
    "Reason",
    "RestartVerdict",
    "StopPreview",
    "after_plan",
    "auto_rebalance",
    "preferred",
    "safe_to_restart",
    "stop",
    "unclean",
]
