"""Planning: a wish becomes a plan with its certificate. May import model, errors, formats, balance, election."""

from reseat.planning.plan import plan
from reseat.planning.remove import remove_brokers

__all__ = ["plan", "remove_brokers"]
