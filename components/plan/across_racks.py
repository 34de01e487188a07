"""Bytes that a plan copies from rack to rack, what replication sends there every day, and what both cost at a price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from components.look import tables, text
from components.look.notices import refused
from components.state import caching, fields, session
from reseat.balance.standing import standing, standing_sentences
from reseat.election import layout_after
from reseat.errors import InputRefused
from reseat.formats.text.rates import read_rates
from reseat.model import Plan
from reseat.model.naming import natural
from reseat.model.tiering import Tiering
from reseat.model.units import money
from reseat.model.wording import listed, verb
from reseat.report.copying import Copying, copying_of, leave_their_rack

__all__ = ["draw_across_racks", "draw_within_racks"]


def draw_within_racks(plan: Plan) -> None:
    """How many replicas of a drain leave their rack, and the same drain in which none does, a click away."""
    wish = plan.wish
    if not (wish.drains and plan.current.racks and plan.certificate.moves):
        return
    leave = leave_their_rack(plan)
    if not leave:
        st.caption("Every replica stays in its rack.")
        return
    st.caption(f"{text.counted(leave, 'replica')} {verb(leave, 'leaves its rack', 'leave their rack')}.")
    st.button(
        "Keep replicas in their rack",
        key="plan-same-rack",
        icon=":material/dns:",
        help="Each replica goes to another broker in its rack. The proof states what that costs in balance.",
        on_click=session.set_wish,
        args=(replace(wish.at(None), options=replace(wish.options, same_rack=True)),),
    )


def draw_across_racks(plan: Plan, tiering: Tiering) -> None:
    """What the plan copies from rack to rack, and what replication sends there all day; nothing without racks."""
    copying: Copying = caching.kept(copying_of)(plan, tiering)
    if not plan.current.racks:
        return
    st.header("From rack to rack", anchor=False)
    price = fields.price()
    for sentence in copying.rack_sentences(price):
        st.markdown(text.plain(sentence))
    _draw_copies(plan.current.racks, copying)
    _draw_standing(plan, price)


def _draw_copies(racks: Sequence[str], copying: Copying) -> None:
    """A row a rack that sends, a column a rack that receives; nothing where no bytes are known to cross."""
    import pandas as pd

    send, receive, cells = copying.between_racks(len(racks))
    if not cells.size:
        return
    rows, places = (
        sorted(range(len(side)), key=[natural(racks[one]) for one in side].__getitem__) for side in (send, receive)
    )
    send, receive, cells = send[rows], receive[places], cells[rows][:, places]
    names = _told_apart(racks)
    columns = {
        f"to {names[rack]}": [text.size(cell) if cell else "" for cell in column]
        for rack, column in zip(receive.tolist(), cells.T, strict=True)
    }
    values = pd.DataFrame({"from": [names[rack] for rack in send.tolist()], **columns})
    tables.table(values, "plan-racks", dict.fromkeys(columns, tables.RIGHT))


def _told_apart(racks: Sequence[str]) -> list[str]:
    """Names short enough for a column, with a number behind those that are alike once they are cut."""
    shown: dict[str, None] = {}
    for rack in racks:
        name, alike = text.visible(rack, 60), 1
        while (told := name if alike == 1 else f"{name} ({alike})") in shown:
            alike += 1
        shown[told] = None
    return list(shown)


def _draw_standing(plan: Plan, price: float | None) -> None:
    """What replication sends across racks all day, now and with the plan, by topic, where rates are given."""
    import pandas as pd

    given = fields.lines(
        "Produced rates, for the traffic of every day",
        name="rates",
        key="plan-rates",
        height=100,
        placeholder="topic,bytes_per_second\norders,3000000",
        help="One topic a line, bytes a second. Each follower copies what its leader is sent.",
    )
    if not given.strip():
        return
    try:
        rates = read_rates(given.encode(), source="produced rates")
    except InputRefused as error:
        refused(error)
        return
    now, then = plan.current, layout_after(plan)
    told, later = standing(now, rates), {one.topic: one.across for one in standing(then, rates)}
    strange = sorted(rates.keys() - set(now.topics))
    if strange:
        st.warning(text.plain(f"Not a topic here, or excluded: {listed(strange, 5)}."), icon=":material/warning:")
    for sentence in standing_sentences(told, len(now.topics) - len(told), price):
        st.markdown(text.plain(sentence))
    if not told:
        return
    change = sum(later.values())
    paid = "" if price is None else f", {money(change / 1e9 * price)}"
    st.markdown(text.plain(f"With the plan it is {text.size(change)} a day{paid}."))
    columns = {
        "topic": [text.visible(one.topic, 60) for one in told],
        "produced a day": [text.size(one.produced) for one in told],
        "rack to rack": [text.size(one.across) for one in told],
        "with the plan": [text.size(later.get(one.topic, 0.0)) for one in told],
    }
    if price is not None:
        columns["price a day"] = [money(one.across / 1e9 * price) for one in told]
        columns["with the plan, price"] = [money(later.get(one.topic, 0.0) / 1e9 * price) for one in told]
    numbers = [name for name in columns if name != "topic"]
    tables.table(pd.DataFrame(columns), "plan-standing", dict.fromkeys(numbers, tables.RIGHT))
