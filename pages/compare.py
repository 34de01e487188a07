"""Compare placements: many topics placed in five ways, so that one sees why the random start and the shift exist."""

import pandas as pd
import streamlit as st

from components.look import tables, text
from components.placement.compare_form import draw_form, to_query
from components.placement.multiples import NAMES, draw_multiples
from components.shell import frame, navigation
from components.state import addresses, caching
from reseat.errors import PlacementRefused
from reseat.placement.comparison import Outcome
from reseat.placement.request import brokers_in


def sentence(count: int, outcomes: dict[str, Outcome]) -> str:
    """What the random start buys, and what the shift."""
    naive, drawn, striped = outcomes["naive"], outcomes["random start"], outcomes["striped"]
    topics = "With one topic" if count == 1 else f"Over {count:,} topics"
    spread = naive.replica_spread
    before, after = int(drawn.neighbours.max()), int(striped.neighbours.max())
    if drawn.replica_spread < naive.replica_spread:
        start = f"a random start cuts the replica spread from {spread:,} to {drawn.replica_spread:,}"
    else:
        start = f"the replica spread is {spread:,}, and a random start does not help yet"
    if after > before:
        shift = f"the replica shift lets each broker share partitions with {after:,} others instead of {before:,}"
    else:
        others = text.counted(after, "other")
        shift = f"each broker shares partitions with at most {others}, with and without the replica shift"
    return f"{topics}, {start}; {shift}."


def table(outcomes: tuple[Outcome, ...]) -> None:
    """The measures of each placer."""
    values = pd.DataFrame(
        {
            "placement": [NAMES[outcome.placer][0] for outcome in outcomes],
            "replica spread": [outcome.replica_spread for outcome in outcomes],
            "leader spread": [outcome.leader_spread for outcome in outcomes],
            "topics above their best possible spread": [int((outcome.excess > 0).sum()) for outcome in outcomes],
            "partitions without rack diversity": [outcome.lacking_racks for outcome in outcomes],
            "fewest neighbours": [int(outcome.neighbours.min()) for outcome in outcomes],
            "largest shared fraction": [text.share(outcome.closest, 1) for outcome in outcomes],
        }
    )
    tables.table(values, "compare-table", {"largest shared fraction": tables.RIGHT})


open_layout = frame.lesson(navigation.COMPARE)
answer = st.container()
topics = draw_form(open_layout)
addresses.publish(to_query(topics))
try:
    brokers = brokers_in(topics.brokers)
    with st.spinner("Placing …"):
        outcomes = caching.comparison_of(brokers, topics.count, topics.factor, topics.seed)
    with answer:
        frame.answer(sentence(topics.count, {outcome.placer: outcome for outcome in outcomes}))
    draw_multiples(outcomes, brokers)
    frame.how_to_read(
        "Five ways to place the same topics of 1 to 48 partitions, all on the same scales. Top: what each broker holds "
        "and, in blue, leads; the dashed line is the mean. Middle: topics by how far their replica spread is above the "
        "best possible. Bottom: how many partitions two brokers share. When a broker fails, those that share "
        "partitions with it take over its load: many pale cells are better than a few bright ones."
    )
    table(outcomes)
except PlacementRefused as error:
    with answer:
        frame.answer("Kafka rejects this assignment." if error.kafka_error else "No assignment is possible.")
    frame.refused(error)
navigation.link(navigation.PLACEMENT, "See one topic placed step by step")
