"""The model: frozen values over numpy columns. May import ``reseat.errors`` alone."""

from reseat.model.broker import Broker, BrokerState
from reseat.model.columns import NONE, NOT_TOLD, BoolArray, FloatArray, IntArray, Longs
from reseat.model.finding import Finding, Severity
from reseat.model.gaps import Gaps, ShortTopic
from reseat.model.layout import ClusterLayout
from reseat.model.plan import Certificate, Curve, CurvePoint, Moves, Plan
from reseat.model.quorum import Quorum, QuorumMember
from reseat.model.snapshot import Consistency, LogDirectory, Original, Snapshot
from reseat.model.wish import Options, Wish

__all__ = [
    "NONE",
    "NOT_TOLD",
    "BoolArray",
    "Broker",
    "BrokerState",
    "Certificate",
    "ClusterLayout",
    "Consistency",
    "Curve",
    "CurvePoint",
    "Finding",
    "FloatArray",
    "Gaps",
    "IntArray",
    "LogDirectory",
    "Longs",
    "Moves",
    "Options",
    "Original",
    "Plan",
    "Quorum",
    "QuorumMember",
    "Severity",
    "ShortTopic",
    "Snapshot",
    "Wish",
]
