"""Carrying a plan out by hand: its files, how long it takes, the commands to run, and what the way back needs."""

from __future__ import annotations

import json
import shlex

import numpy as np
import streamlit as st

from components import caching, moves, text
from reseat.errors import WishRefused
from reseat.model import BrokerState, Plan

__all__ = ["draw_downloads", "draw_execution"]

_VERSIONS = ("4.1", "3.9", "3.0", "2.8", "2.5", "2.0", "1.0", "0.10.2")


def draw_downloads(plan: Plan) -> None:
    """The plan's files, made when they are clicked."""
    from reseat.formats.writers import write_reassignment, write_rollback

    with st.container(horizontal=True, key="downloads"):
        for label, name, make, mime in (
            ("Plan", "plan.json", lambda: write_reassignment(plan), "application/json"),
            ("Rollback", "rollback.json", lambda: write_rollback(plan), "application/json"),
            ("Moves", "moves.csv", lambda: moves.as_csv(plan), "text/csv"),
            (
                "Certificate",
                "certificate.json",
                lambda: json.dumps(plan.certificate.as_dict(), indent=2),
                "application/json",
            ),
        ):
            st.download_button(
                f"{label} ({name})",
                make,
                file_name=name,
                mime=mime,
                on_click="ignore",
                icon=":material/download:",
                disabled=not plan.changed.any() and name != "certificate.json",
                key=f"download-{name}",
            )


def draw_execution(plan: Plan, live: str | None = None) -> None:
    """Duration, commands and rollback.

    Args:
        plan: the plan.
        live: the name of the live cluster that it is for, or None.
    """
    from reseat.formats.commands import commands

    if live is not None:
        st.page_link("pages/operate.py", label=f"Carry it out on {text.plain(live, 60)}", icon=":material/play_circle:")
    left, middle, right = st.columns([1, 1, 2])
    version = left.selectbox("Kafka's version", _VERSIONS, key="version", persist_state="session")
    rate = middle.number_input(
        "Throttle, MB a second a broker", min_value=0, value=0, step=10, key="throttle", persist_state="session"
    )
    server = right.text_input("A broker, host and port", value="HOST:9092", key="bootstrap", persist_state="session")
    st.markdown(_time(plan, float(rate) * 1e6))
    st.markdown(_way_back(plan))
    try:
        shown = commands(
            version,
            throttle=int(rate) * 1_000_000 or None,
            bootstrap=server or "HOST:9092",
            zookeeper=_zookeeper(server),
        )
    except WishRefused as error:
        st.warning(text.plain(str(error)), icon=":material/warning:")
        return
    for command in shown:
        st.markdown(f"**{command.title}.** {text.plain(command.why)}")
        st.code(command.text, language="bash", wrap_lines=True)
    st.markdown(
        "**Or with Reseat.** Guarded, in batches, journaled; put the cluster's id for CLUSTER\\_ID, which confirms it."
    )
    st.code(_own_command(server, int(rate) * 1_000_000), language="bash", wrap_lines=True)


def _own_command(server: str, rate: int) -> str:
    """Reseat's own command line for the same plan."""
    throttle = f" --throttle {rate}" if rate else ""
    return (
        f"RESEAT_OPERATE=1 python -m reseat operate execute --bootstrap {shlex.quote(server or 'HOST:9092')} "
        f"--plan plan.json --confirm CLUSTER_ID{throttle} --wait"
    )


def _zookeeper(server: str) -> str:
    host = server.rpartition(":")[0]
    return f"{host or 'HOST'}:2181"


def _time(plan: Plan, rate: float) -> str:
    """How much is copied and how long it takes at the least."""
    sent = caching.transfer_of(plan)
    if sent is None:
        return "How long it takes cannot be told: this layout tells no sizes. `kafka-log-dirs --describe` adds them."
    slowest = sent.slowest()
    if slowest is None:
        return "No data is copied."
    broker, sends, amount = slowest
    what = f"**{text.size(sent.total)}** are copied; broker {broker} {'sends' if sends else 'receives'} the most, "
    what += f"{text.size(amount)}."
    unknown = f" The size of {text.plural(sent.unknown, 'copy', 'copies')} is not told." if sent.unknown else ""
    if not rate:
        return f"{what}{unknown} Give a throttle to see how long that takes at the least."
    return f"{what}{unknown} At this throttle it takes **at least {text.duration(sent.seconds(rate))}**."


def _way_back(plan: Plan) -> str:
    """What the rollback would need."""
    back = caching.transfer_back_of(plan)
    needed = np.unique(plan.moves.source[plan.moves.source >= 0])
    dead = [b.id for b in plan.current.brokers if b.state is BrokerState.DEAD and b.id in set(needed.tolist())]
    words = [
        "**The way back.** The rollback is a reassignment like the plan:",
        f"{text.plural(int((plan.moves.source >= 0).sum()), 'replica')} would have to be copied again",
    ]
    words.append("." if back is None else f", {text.size(back.total)}.")
    sentence = f"{words[0]} {words[1]}{words[2]}"
    if len(needed) == 1:
        sentence += f" Broker {needed[0]} must be alive with room for it: keep it until you are sure."
    elif needed.size:
        sentence += (
            f" Brokers {text.ids(needed.tolist())} must be alive with room for it: keep them until you are sure."
        )
    if dead:
        sentence += (
            f" While dead, {'broker' if len(dead) == 1 else 'brokers'} {text.ids(dead)} cannot take a place back."
        )
    return sentence
