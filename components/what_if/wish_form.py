"""Forms that change the what-if without dragging: remove and add brokers, replication factor, balance, options."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.look import text
from components.look.notices import refused
from components.shell import navigation
from components.state import session, widgets
from components.state.open_layout import OpenLayout
from components.what_if.rule_fields import balance_rules, broker_rules, read_rules, rule_tabs, topic_rules
from reseat.errors import ReseatError
from reseat.formats.documents.wish_file import read_wish_file
from reseat.model import ClusterLayout, Wish
from reseat.model.naming import LARGEST_ID, named_by, natural, next_id
from reseat.model.units import bytes_in

__all__ = ["topics_named", "wish_form"]

#: Topics that a field lists.
_LISTED = 50


def wish_form(open_layout: OpenLayout) -> None:
    """One row of buttons, each with its form, and the way to the board where brokers are dragged."""
    with st.container(horizontal=True, gap="small", key="wish-form", vertical_alignment="center", width="content"):
        with st.popover("Remove brokers", icon=":material/logout:"):
            _out(open_layout)
        with st.popover("Add brokers", icon=":material/login:"):
            _in(open_layout)
        with st.popover("Replication factor", icon=":material/layers:"):
            _factor(open_layout)
        # Another one of these once a change was chosen: it is closed.
        rebalance = st.popover(
            "Rebalance", icon=":material/balance:", key=f"balance-{open_layout.digest}-{open_layout.wish}"
        )
        with rebalance, st.container(width=420):  # its words alone would make it cover the names of the pages
            _balance(open_layout)
        with st.popover("Plan options", icon=":material/tune:", key=f"options-{open_layout.digest}-{open_layout.wish}"):
            _options(open_layout)
            st.divider()
            _file(open_layout)
        navigation.link(navigation.BOARD, "Drag on the Board")
        navigation.link(navigation.NEW_TOPIC, "New topic")


def topics_named(layout: ClusterLayout, lines: str) -> tuple[str, ...]:
    """The topics that names or patterns, one a line, stand for, in the layout's order."""
    return named_by(layout.topics, [line.strip() for line in lines.splitlines() if line.strip()])


def _ask(wish: Wish) -> None:
    session.set_wish(wish)
    st.rerun()


def _out(open_layout: OpenLayout) -> None:
    layout, wish = open_layout.layout, open_layout.wish
    facts = {b.id: " · ".join(filter(None, (str(b.id), b.rack, b.host))) for b in layout.brokers}
    with st.form(f"out-{open_layout.digest}-{wish.remove}", border=False):
        brokers = st.multiselect(
            "Brokers to drain",
            list(facts),
            default=[broker for broker in wish.remove if broker in facts],
            format_func=lambda broker: text.visible(facts[broker], 80),
        )
        racks = st.multiselect("Racks to drain", sorted(layout.racks, key=natural)) if layout.racks else []
        by = widgets.number_or_none(
            "Replaced by broker ID",
            wish.places[0][1] if len(wish.places) == 1 else None,
            key=f"by-{open_layout.digest}-{wish.places}",
            min_value=0,
            max_value=LARGEST_ID,
            step=1,
            placeholder="none: any brokers take over",
            help="It takes the place of the broker in every list. A new broker joins in the same rack.",
        )
        if st.form_submit_button("Preview", type="primary"):
            gone = {*brokers, *(b.id for b in layout.brokers if b.rack in racks)}
            if by is not None and len(gone) != 1:
                st.warning("Choose one broker to replace.", icon=":material/swap_horiz:")
                return
            # Who only joined to take a place that another one takes now, or nobody, does not join.
            joins = tuple(pair for pair in wish.add if pair[0] not in {new for _, new in wish.replace})
            changed = replace(wish.of_brokers().at(None), topics=(), replication_factor=None, replace=(), add=joins)
            changed = replace(changed, remove=tuple(sorted(gone)))
            _ask(changed if by is None else _replaced(layout, changed, int(by)))


def _replaced(layout: ClusterLayout, wish: Wish, new: int) -> Wish:
    """The change in which a broker takes the place of the one that leaves; a new one joins in its rack."""
    (old,) = wish.remove
    at = layout.position(old)
    rack = None if at is None else layout.brokers[at].rack
    joins = dict(wish.add) if layout.position(new) is not None else {new: rack, **dict(wish.add)}
    return replace(wish, replace=((old, new),), add=tuple(sorted(joins.items(), key=lambda pair: pair[0])))


def _in(open_layout: OpenLayout) -> None:
    wish = open_layout.wish
    known = {b.id for b in open_layout.layout.brokers} | {broker for broker, _ in wish.add}
    quorum = open_layout.reading.quorum
    free = next_id(known, () if quorum is None else quorum.voter_ids)
    with st.form(f"in-{open_layout.digest}-{wish.add}", border=False):
        broker = st.number_input("Broker ID", 0, LARGEST_ID, value=free, step=1)
        rack = st.selectbox(
            "Rack",
            sorted(open_layout.layout.racks, key=natural),
            index=None,
            accept_new_options=True,
            placeholder="no rack",
        )
        if st.form_submit_button("Add and preview", type="primary"):
            joined = {broker_id: where for broker_id, where in wish.add if broker_id != broker} | {int(broker): rack}
            changed = replace(wish.of_brokers().at(None), topics=(), replication_factor=None)
            _ask(replace(changed, add=tuple(sorted(joined.items()))))


def _factor(open_layout: OpenLayout) -> None:
    layout, wish = open_layout.layout, open_layout.wish
    many = len(wish.topics) > _LISTED
    with st.form(f"rf-{open_layout.digest}-{len(wish.topics)}-{wish.replication_factor}", border=False):
        factor = st.number_input("New replication factor", 1, LARGEST_ID, value=wish.replication_factor or 3, step=1)
        lines = st.text_area(
            "Topics: names or patterns, one per line",
            value="" if many else "\n".join(wish.topics),
            height=110,
            placeholder=f"the {len(wish.topics):,} topics of the what-if" if many else "orders\npayments-*",
        )
        if st.form_submit_button("Preview", type="primary"):
            topics = wish.topics if many and not lines.strip() else topics_named(layout, lines)
            if not topics:
                st.warning("No topic matches.", icon=":material/search_off:")
                return
            _ask(Wish(replication_factor=int(factor), topics=topics, options=wish.options))


def _balance(open_layout: OpenLayout) -> None:
    options = open_layout.wish.options
    brokers = replace(open_layout.wish.at(None).of_brokers(), replication_factor=None, topics=(), replace=())
    for key, words, icon, wish, what in (
        (
            "rebalance",
            "Replicas and leaders",
            ":material/balance:",
            replace(brokers, rebalance=True, options=replace(options, by_bytes=False)),
            "Replicas are balanced over all brokers with the fewest moves, and then preferred leaders. Partitions "
            "without the best rack diversity get it. Brokers removed or added are part of it.",
        ),
        *(
            [
                (
                    "rebalance-bytes",
                    "Size and leaders",
                    ":material/hard_drive:",
                    replace(brokers, rebalance=True, options=replace(options, by_bytes=True)),
                    "The same for the size of replicas: every broker ends near the mean, and little is copied for it.",
                )
            ]
            if open_layout.layout.replica_bytes is not None
            else []
        ),
        *(
            [
                (
                    "rebalance-racks",
                    "Rack diversity only",
                    ":material/dns:",
                    Wish(mend_racks=True, options=options),
                    "Every partition gets the best rack diversity with the fewest moves; nothing else moves.",
                )
            ]
            if open_layout.layout.racks
            else []
        ),
        (
            "rebalance-mend",
            "Mend partitions",
            ":material/healing:",
            Wish(mend=True, options=options),
            "Brokers named twice, other replication factors than the topic's, replicas on dead brokers and rack "
            "diversity, with the fewest copies; nothing else moves.",
        ),
        (
            "rebalance-leaders",
            "Leaders only",
            ":material/star:",
            Wish(leaders_only=True, options=options),
            "Preferred leaders are balanced by the order of replica lists. No data moves.",
        ),
    ):
        st.button(words, key=key, icon=icon, type="primary", on_click=session.set_wish, args=(wish,))
        st.caption(what)


def _file(open_layout: OpenLayout) -> None:
    with st.form(f"wish-file-{open_layout.digest}", border=False):
        given = st.file_uploader(
            "Change file (TOML or JSON), or a plan's certificate", key=f"change-{open_layout.digest}"
        )
        why = st.container()
        if st.form_submit_button("Preview", type="primary") and given is not None:
            try:
                wish = read_wish_file(given.getvalue(), open_layout.layout, source=given.name)
            except ReseatError as error:
                with why:
                    refused(error)
                return
            _ask(wish)
    st.caption(
        "It replaces the what-if, with all its options. Every plan's certificate.json is such a file: the same layout "
        "makes the same plan of it."
    )


def _options(open_layout: OpenLayout) -> None:
    options = open_layout.wish.options
    with st.form(f"options-{open_layout.digest}-{options}", border=False):
        balance, brokers, topics = rule_tabs(options)
        with balance:
            reorder = st.checkbox(
                "Reorder replica lists of all partitions",
                value=options.reorder_all,
                help="Partitions that do not move may also get a new preferred leader. No data moves for that.",
            )
            sizes = open_layout.layout.size_bytes is not None
            by_bytes = st.checkbox(
                "Balance by size instead of replica count",
                value=options.by_bytes,
                disabled=not sizes,
                help="The result has a bound and a gap instead of a proof."
                if sizes
                else "The input has no replica sizes.",
            )
            told = balance_rules(options)
            received, moved, copied_at_most = st.columns(3, vertical_alignment="bottom")
            cap = widgets.number_or_none(
                "Max received per broker",
                options.receive_cap,
                key=f"cap-{open_layout.digest}-{options}",
                place=received,
                min_value=0,
                max_value=LARGEST_ID,
                step=1,
                placeholder="no limit",
                help="Replicas that a broker may receive. The proof states what this costs in balance. "
                "Not with a rebalance, a mend or a replacement.",
            )
            most = widgets.number_or_none(
                "Max moves",
                options.max_moves,
                key=f"most-{open_layout.digest}-{options}",
                place=moved,
                min_value=0,
                max_value=LARGEST_ID,
                step=1,
                placeholder="no limit",
                help="Moves beyond those that the change needs are for balance. Not for leaders alone.",
            )
            data = copied_at_most.text_input(
                "Max data to copy",
                value=_amount(options.max_bytes),
                placeholder="no limit; 500 GB",
                disabled=not sizes,
                help="Less data, less balance. Not with balance by size."
                if sizes
                else "The input has no replica sizes.",
            )
        with brokers:
            told |= broker_rules(open_layout)
        with topics:
            told |= topic_rules(options)
        why = st.container()  # below the button it is out of sight: a popover is as high as there is room
        if st.form_submit_button("Preview", type="primary"):
            try:
                rules = read_rules(told)
                copied = bytes_in(data) if sizes and data.strip() else None
            except ValueError as error:
                why.warning(str(error), icon=":material/rule:")
                return
            chosen = replace(
                options,
                **rules,
                reorder_all=reorder,
                by_bytes=by_bytes and sizes,
                receive_cap=None if cap is None else int(cap),
                max_moves=None if most is None else int(most),
                max_bytes=copied,
            )
            _ask(replace(open_layout.wish.at(None), options=chosen))


def _amount(value: int | None) -> str:
    """Bytes as they can be typed: short where that says the same."""
    if value is None:
        return ""
    short = text.size(value).replace(",", "")
    return short if bytes_in(short) == value else f"{value} B"
