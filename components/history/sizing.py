"""How many brokers the weeks to come take: a row a case, and the steps of the likely one as what-ifs on Plan."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from components.look import tables, text
from components.shell import frame, navigation
from components.state import addresses, caching, fields
from components.state.past import Past
from reseat.errors import WishRefused
from reseat.forecast.outlook import Outlooks
from reseat.forecast.sizing import Schedule, Sizing, sizing
from reseat.history.read import History

__all__ = ["draw_sizing"]

#: Weeks that come up by themselves, where so many are foretold.
_USUAL = 12
_HOW = (
    "Each row is the fewest brokers, by rack, with which every broker can stay under its limit until that day, in the "
    "lower end of the 80% interval, its line, and its upper end. Partitions grow in today's mix of replication "
    "factors, and new replicas come evenly onto racks and brokers, as Kafka places them. Of the ways to add brokers, "
    "all at once moves the fewest replicas; each when it is needed buys the latest. A step opens as a what-if on the "
    "last snapshot together with all steps before it, as if nothing grew until then: its plan says exactly which "
    "replicas move, at most as many as those steps have in all."
)


def draw_sizing(history: History, told: Outlooks) -> None:
    """Draw it, folded away until it is opened.

    Raises:
        InputRefused: the tables cannot be read.
    """
    if not told.ahead or told.until is None:
        return
    with fields.fold("Brokers needed", name="sizing", key="history-sizing", icon=":material/dns:") as fold:
        if not fold.open:
            return
        weeks = max(1, told.ahead // 7)
        ahead = fields.number(
            "Weeks ahead", 1, weeks, min(_USUAL, weeks), name="weeks", key=f"sizing-weeks-{told.cluster}", width=160
        )
        until = told.until + timedelta(weeks=ahead)
        try:
            name = f"sizing {told.cluster} {told.limits} {until}"
            made = caching.from_tables(history, name, lambda: sizing(history, told, until))
        except WishRefused as refusal:
            st.markdown(f":orange[:material/info:] {text.plain(str(refusal))}")
            return
        _draw(made)


def _draw(made: Sizing) -> None:
    import pandas as pd

    st.markdown(f"**{text.plain(made.sentence)}**")
    for note in made.notes:
        st.markdown(f":orange[:material/warning:] {text.plain(note)}")
    rows = []
    for case in made.cases:
        row: dict[str, object] = {
            "forecast": case.name,
            "replicas": case.replicas,
            "at most per broker": case.most,
            "because of": case.bound,
            "brokers": case.brokers,
        }
        if case.needed is not None and made.there[0][0] is not None:
            row |= {f"in {text.visible(str(rack), 40)}": number for rack, number in case.needed}
        rows.append(row)
    table = pd.DataFrame(rows)
    tables.table(table.astype({"brokers": "Int64"}), "history-sizing-table", height=160)
    likely = made.cases[1]
    if likely.at_once.steps:
        _draw_steps(made, "All at once", likely.at_once)
    if likely.when_needed.steps and likely.when_needed != likely.at_once:
        _draw_steps(made, "Each when it is needed", likely.when_needed)
    frame.how_to_read(_HOW, key="how-sizing")


def _draw_steps(made: Sizing, name: str, way: Schedule) -> None:
    """The steps, and one of them, with those before it, as a link: there may be hundreds."""
    import pandas as pd

    st.markdown(f"**{name}**: {text.counted(way.moves, 'move')}")
    chosen = 0
    if len(way.steps) > 1:
        rows = [
            (number, f"{step.day}", text.visible(step.words, 249) or "none", step.moves)
            for number, step in enumerate(way.steps, 1)
        ]
        columns = ["step", "day", "brokers added", "moves"]
        tables.table(pd.DataFrame(rows, columns=columns), f"history-sizing-{name}", height=220)
        last = len(way.steps)
        key = f"sizing-step-{made.cluster}-{made.until}-{last}"
        chosen = fields.number("Steps in the what-if", 1, last, 1, name="steps", key=key, width=160) - 1
    step, wish = way.steps[chosen], made.wish(way, chosen)
    does = f"{step.day}: add {text.plain(step.words)}, " if step.add else f"{step.day}: "
    if chosen:
        does = f"Steps 1 to {chosen + 1}, until {step.day}: add {text.counted(len(wish.add), 'broker')}, at most "
    said = f"{does}{text.counted(wish.options.max_moves or 0, 'move')}: open as a what-if"
    navigation.link(navigation.PLAN, said, opens=addresses.moment(Past(made.cluster, made.snapshot), wish))
