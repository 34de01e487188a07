"""Compare placements: many topics placed in five ways, so that one sees why the random start and the shift exist."""

import pandas as pd
import streamlit as st

from components import addresses, caching, frame, navigation, tables, text
from components.compare_form import draw_form, to_query
from components.placement_multiples import NAMES, draw_multiples
from components.placement_question import brokers_in
from reseat.errors import PlacementRefused
from reseat.placement.comparison import Outcome


def sentence(count: int, outcomes: dict[str, Outcome]) -> str:
    """What the random start buys, and what the shift."""
    naive, drawn, striped = outcomes["naive"], outcomes["random start"], outcomes["striped"]
    topics = "With one topic" if count == 1 else f"Over {count:,} topics"
    apart = text.plural(naive.replica_spread, "replica")
    before, after = int(drawn.neighbours.max()), int(striped.neighbours.max())
    if drawn.replica_spread < naive.replica_spread:
        start = f"a random start brings brokers from {apart} apart to {drawn.replica_spread:,}"
    else:
        start = f"brokers are {apart} apart, and a random start cannot help yet"
    if after > before:
        shift = f"the shift gives each {after:,} neighbours instead of {before:,}"
    else:
        shift = f"each has {text.plural(after, 'neighbour')} at most, with and without the shift"
    return f"{topics}, {start}; {shift}."


def table(outcomes: tuple[Outcome, ...]) -> None:
    """The measures of each way."""
    values = pd.DataFrame(
        {
            "placement": [NAMES[outcome.way][0] for outcome in outcomes],
            "replicas apart": [outcome.replica_spread for outcome in outcomes],
            "leaders apart": [outcome.leader_spread for outcome in outcomes],
            "topics less even than they could be": [int((outcome.excess > 0).sum()) for outcome in outcomes],
            "partitions on too few racks": [outcome.lacking_racks for outcome in outcomes],
            "fewest neighbours": [int(outcome.neighbours.min()) for outcome in outcomes],
            "closest neighbour's part": [text.share(outcome.closest, 1) for outcome in outcomes],
        }
    )
    tables.table(values, "compare-table")


seat = frame.lesson(navigation.COMPARE)
answer = st.container()
topics = draw_form(seat)
addresses.publish(seat, to_query(topics))
try:
    brokers = brokers_in(topics.brokers)
    with st.spinner("Placing …"):
        outcomes = caching.comparison_of(brokers, topics.count, topics.factor, topics.seed)
    with answer:
        frame.answer(sentence(topics.count, {outcome.way: outcome for outcome in outcomes}))
    draw_multiples(outcomes, brokers)
    frame.how_to_read(
        "Five ways to place the same topics of 1 to 48 partitions, all on the same scales. Top: what each broker holds "
        "and, in blue, leads; the dashed line is the mean. Middle: how much further apart a topic's fullest and "
        "emptiest broker are than they must be. Bottom: how many partitions two brokers share. When a broker fails, "
        "those that share partitions with it take its load: many pale cells are better than a few bright ones."
    )
    table(outcomes)
except PlacementRefused as error:
    with answer:
        frame.answer("Kafka refuses this placement." if error.kafka_error else "This cannot be placed.")
    frame.refused(error)
navigation.link(navigation.PLACEMENT, "See one topic placed step by step")
