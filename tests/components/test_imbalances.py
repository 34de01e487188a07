"""The imbalances that the Overview shows."""

from dataclasses import replace

import numpy as np

from components.charts import bars
from reseat.balance import measure
from reseat.balance.imbalances import imbalances
from reseat.model import Broker, ClusterLayout


def test_a_broker_of_which_no_size_is_told_is_not_called_the_emptiest() -> None:
    """What only a broker that is down could tell is not 0 B: the sentence and the bars leave it out."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [1, 3]}, brokers=[Broker(i) for i in (1, 2, 3)]),
        size_bytes=np.array([[700.0, np.nan], [500.0, 200.0]]),
    )
    (found,) = (one for one in imbalances(layout, measure(layout)) if one.unit == "bytes")
    figure = bars.simple(list(found.names), found.values, found.unit, mean=found.mean)

    assert found.sentence == "200 B (broker 3) to 1.2 kB (broker 1): spread 1.0 kB."
    assert found.mean == 700.0
    assert [row[1] for row in figure.data[0].customdata] == ["1.2 kB", "unknown", "200 B"]
    assert [row[2] for row in figure.data[0].customdata] == ["+71% of the mean", "", "-71% of the mean"]
