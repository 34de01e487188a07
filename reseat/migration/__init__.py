"""Topics from one cluster to another, looked at before anything is done: both sides, a target layout, waves, commands.

May import planning, placement, balance, model, errors. Nothing here reads or writes a cluster.
"""

from reseat.migration.migration import Migration, migrate
from reseat.migration.request import MigrationRequest, Placing, TargetLimits

__all__ = ["Migration", "MigrationRequest", "Placing", "TargetLimits", "migrate"]
