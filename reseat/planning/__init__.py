"""Planning: a wish becomes a plan with its certificate. May import model, errors, formats, balance, election."""

from reseat.planning.curve import curve, plan_at
from reseat.planning.plan import plan
from reseat.planning.remove import remove_brokers

__all__ = ["curve", "plan", "plan_at", "remove_brokers"]
