"""What is below the board, and what hears of a person's drops. May import: what_if's others, shell, state, canvas.

Not in the page's own file: what its callbacks hold as long as they are drawn would be all that the page had, in a ring.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import streamlit as st

from components.canvas.rack_board import apply_event
from components.look import tables, text, theme
from components.shell import frame, navigation
from components.state import addresses, caching, session
from components.what_if.bars import choose_bars, draw_bars
from reseat.balance.finding_changes import finding_changes
from reseat.election import layout_after
from reseat.model import Plan
from reseat.model.naming import natural

__all__ = ["detail", "hear"]


@st.fragment
def detail(plan: Plan) -> None:
    """What is below the board: the proof in words, the way to the moves, before and after, racks and findings."""
    # What to know before, then the rest of the certificate: its first sentence is the page's answer.
    frame.findings(plan.findings)
    st.markdown("\n".join(f"- {text.plain(sentence)}" for sentence in plan.certificate.sentences[1:]))
    moves = plan.certificate.moves
    navigation.link(navigation.PLAN, f"See the {text.counted(moves, 'move')} and download the files")
    counted = choose_bars(plan, "racks-bars")
    draw_bars(plan, counted, "racks-chart")
    with st.container(key="racks-and-findings"):
        racks, findings = st.columns([3, 2])
    with racks:
        st.header("Racks", anchor=False)
        _draw_racks(plan)
    with findings:
        st.header("Findings that change", anchor=False)
        _draw_finding_changes(plan)
    addresses.publish()


def hear(event: Mapping[str, object]) -> None:
    """Drop a broker, several or a rack, or take one back: the what-if afterwards, and what was not carried out."""
    open_layout = session.open_layout()
    if open_layout is None:
        return
    heard = apply_event(open_layout.wish, event, open_layout.layout)
    for sentence in heard.ignored:
        st.toast(text.plain(sentence), icon=":material/info:")
    if heard.wish != open_layout.wish or (heard.understood and not open_layout.after):
        session.set_wish(heard.wish)


def _draw_finding_changes(plan: Plan) -> None:
    """Findings that the plan makes appear, go away or change, in sentences."""
    after = caching.kept(layout_after, caching.AFTER)(plan)
    changes = finding_changes(caching.findings_of(plan.current), caching.findings_of(after))
    if not changes:
        st.caption("No finding about replica placement is new, changed or resolved.")
        return
    icons = {"new": ":orange[:material/add_alert:]", "resolved": ":green[:material/check_circle:]"}
    for change in changes:
        icon = icons.get(change.status, ":material/change_circle:")
        finding = change.after or change.before
        word = f" ({theme.severity_word(finding.severity)})" if finding is not None and change.after else ""
        st.markdown(f"{icon} **{change.status.capitalize()}**{word}: {text.plain(change.sentence)}")


def _draw_racks(plan: Plan) -> None:
    """What each rack carries before and after: brokers, replicas and preferred leaders."""
    import pandas as pd

    current, proposed = caching.balance_of(plan.current).by_rack, caching.balance_of(plan.proposed).by_rack
    out = frozenset(plan.wish.remove)
    added = frozenset(broker for broker, _ in plan.wish.add)
    racks = [broker.rack for broker in plan.current.brokers if broker.id not in added]
    stays = [broker.rack for broker in plan.current.brokers if broker.id not in out]
    names: list[str | None] = [None if name is None else str(name) for name in current.names]
    order = sorted(range(len(names)), key=lambda at: (names[at] is None, natural(names[at] or "")))
    columns: dict[str, object] = {
        "rack": ["no rack" if name is None else text.visible(name, 60) for name in names],
        "brokers": [f"{racks.count(name)} → {stays.count(name)}" for name in names],
        "replicas": _before_after(current.replicas, proposed.replicas),
        "change": [text.signed(int(change)) for change in (proposed.replicas - current.replicas)],
    }
    if current.preferred_leaders is not None and proposed.preferred_leaders is not None:
        columns["preferred leaders"] = _before_after(current.preferred_leaders, proposed.preferred_leaders)
    listed = st.column_config.TextColumn(alignment="right", help="First in the replica list")
    shown = dict.fromkeys(("brokers", "replicas", "change"), tables.RIGHT) | {"preferred leaders": listed}
    tables.table(pd.DataFrame(columns).iloc[order], "rack-loads", shown)


def _before_after(before: npt.NDArray[np.integer], after: npt.NDArray[np.integer]) -> list[str]:
    """Counts before and after, a row each, as the page's figures write them."""
    return [f"{one:,} → {two:,}" for one, two in zip(before.tolist(), after.tolist(), strict=True)]
