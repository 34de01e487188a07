"""What is uneven or unsafe in a layout: the one judge. May import ``model``, ``errors``, ``formats``; pure."""

from reseat.balance.findings import findings
from reseat.balance.health import frozen_by_cordon, out_of_every_isr, with_observers, without_live_copy
from reseat.balance.measure import Balance, Loads, TopicLoads, measure
from reseat.balance.racks import (
    distinct_racks,
    least_replica_spread,
    rack_groups,
    rack_squares,
    rack_sum_of_squares,
    rack_violating,
    rack_violations,
    shares_rack_while_free,
)
from reseat.balance.spread import Spread, least_possible_spread, spread_of
from reseat.balance.told import health_unknown, incomplete, racks_in_words, racks_unknown

__all__ = [
    "Balance",
    "Loads",
    "Spread",
    "TopicLoads",
    "distinct_racks",
    "findings",
    "frozen_by_cordon",
    "health_unknown",
    "incomplete",
    "least_possible_spread",
    "least_replica_spread",
    "measure",
    "out_of_every_isr",
    "rack_groups",
    "rack_squares",
    "rack_sum_of_squares",
    "rack_violating",
    "rack_violations",
    "racks_in_words",
    "racks_unknown",
    "shares_rack_while_free",
    "spread_of",
    "with_observers",
    "without_live_copy",
]
