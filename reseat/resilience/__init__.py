"""What each loss of a broker, a rack or a pair would do. Pure.

May import model, errors, balance, election, planning.
"""

from reseat.resilience.copysets import Copysets, copysets
from reseat.resilience.healing import Healing
from reseat.resilience.loss import Loss, loss, pair
from reseat.resilience.pairs import Pairs, pairs
from reseat.resilience.single import racks, singles
from reseat.resilience.takeovers import Takeovers

__all__ = ["Copysets", "Healing", "Loss", "Pairs", "Takeovers", "copysets", "loss", "pair", "pairs", "racks", "singles"]
