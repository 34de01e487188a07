"""Who leads, and who would: elections previewed. May import ``model``, ``errors`` and ``formats``; pure."""

from reseat.election.done import layout_after, once_done
from reseat.election.elect_leaders import ElectionKind, LeaderOutcome, elect_leaders
from reseat.election.majority import Majority, against_majority
from reseat.election.outcome import ElectionPreview, Reason, leader_spread, less_even
from reseat.election.preferred import after_plan, preferred
from reseat.election.rebalance import AutoRebalance, auto_rebalance
from reseat.election.restart import RestartSafety, safe_to_restart
from reseat.election.rules import Mode, mode_of
from reseat.election.sequence import Move, MoveKind, Walk, WalkStep, walk
from reseat.election.stop import StopPreview, stop
from reseat.election.unclean import unclean

__all__ = [
    "AutoRebalance",
    "ElectionKind",
    "ElectionPreview",
    "LeaderOutcome",
    "Majority",
    "Mode",
    "Move",
    "MoveKind",
    "Reason",
    "RestartSafety",
    "StopPreview",
    "Walk",
    "WalkStep",
    "after_plan",
    "against_majority",
    "auto_rebalance",
    "elect_leaders",
    "layout_after",
    "leader_spread",
    "less_even",
    "mode_of",
    "once_done",
    "preferred",
    "safe_to_restart",
    "stop",
    "unclean",
    "walk",
]
