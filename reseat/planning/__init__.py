"""Planning: a wish becomes a plan with its certificate. May import model, errors, formats, balance, election."""

from reseat.planning.judge import apply_assignment, judge
from reseat.planning.kinds.add import add_brokers
from reseat.planning.kinds.curve import plan_at, whole_curve
from reseat.planning.kinds.remove import remove_brokers
from reseat.planning.kinds.replication_factor import change_replication_factor
from reseat.planning.plan import plan

__all__ = [
    "add_brokers",
    "apply_assignment",
    "change_replication_factor",
    "judge",
    "plan",
    "plan_at",
    "remove_brokers",
    "whole_curve",
]
