"""A migration drawn: figures, the target's brokers before and after, topics, waves, and what to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import before_after
from components.look import tables, text
from components.look.downloads import download
from components.shell import frame
from components.state import fields
from reseat.migration import Migration
from reseat.model.search import Search

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_table", "draw_bars", "draw_before", "draw_commands", "draw_figures", "draw_topics", "draw_waves"]

#: Commands that are shown; the file has all.
_COMMANDS = 40


def draw_figures(made: Migration) -> None:
    """What moves, and what it does to the target."""
    then = [load.after for load in made.after.loads]
    new = [move for move in made.topics if not move.there]
    written = sum(wave.written for wave in made.waves)
    unknown = made.bytes is None
    frame.figures(
        [
            ("Topics", text.count(len(made.topics)), f"{text.count(len(new))} created", "Topics to move"),
            ("Partitions", text.count(sum(move.partitions for move in made.topics)), None, "Of all topics that move"),
            ("Copied over", text.size(made.bytes), None, "The largest replica of each partition, today"),
            (
                "Written in the target",
                "unknown" if unknown else text.size(written),
                None,
                "What is copied, on all replicas of the target",
            ),
            (
                "Fullest broker",
                text.count(max(then, default=0)),
                f"{text.count(made.target.fullest)} before",
                "Replicas on the broker of the target that has most",
            ),
            ("Waves", text.count(len(made.waves)), None, "Topics that move together, the smallest first"),
        ]
    )


def draw_bars(made: Migration) -> None:
    """The main figure: replicas on each broker of the target, before and after."""
    loads = made.after.loads
    before, after = (np.array([getattr(load, name) for load in loads], np.int64) for name in ("before", "after"))
    before_after.draw(
        made.after.layout,
        before,
        after,
        "replicas",
        key="migrate-bars",
        says="Replicas by broker of the target, before and with the topics",
        leaving=~made.after.layout.receiving & (after == before),
        height=240,
    )
    frame.how_to_read(
        "Brokers of the target, by rack, then by id. Grey: what they hold, which stays; sky blue: added by the topics. "
        "The dashed line is the mean afterwards of the brokers that may receive.",
        ["Replicas"],
    )
    if made.after.proofs:
        st.caption(text.plain(" ".join(made.after.proofs)))


def as_table(made: Migration) -> pd.DataFrame:
    """The topics, a row each, by wave."""
    import pandas as pd

    wave = {name: number for number, one in enumerate(made.waves, 1) for name in one.topics}
    after = made.after
    rows = [
        {
            "topic": move.name,
            "in the target": move.remote,
            "wave": wave[move.name],
            "partitions": move.partitions,
            "partitions there": move.there or None,
            "replicas": move.factor,
            "replicas there": after.factors.get(move.remote, move.there_factor),
            "racks": move.racks,
            "racks there": None if after.racks is None else after.racks.get(move.remote),
            "bytes": move.bytes,
        }
        for move in sorted(made.topics, key=lambda move: (wave[move.name], move.name))
    ]
    numbers = ["partitions there", "racks", "racks there"]
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, "Int64"))


def draw_topics(made: Migration) -> None:
    """Each topic on both sides."""
    whole = as_table(made)
    found = whole[Search.of(fields.find("migrate-find", "a topic")).within(whole["topic"])]
    shown = found.head(tables.MOST_ROWS)
    unit, sizes = tables.in_unit(shown["bytes"])
    column = {f"copied, {unit}": st.column_config.NumberColumn(format=tables.digits(sizes))}
    frame = shown.drop(columns=["bytes"]).assign(**dict.fromkeys(column, sizes))
    tables.table(frame, "migrate-topics-table", column, height=360)
    said = tables.shown_of(len(shown), len(found), "topic")
    tables.foot(
        "migrate-topics-table", said, "migration.csv", lambda: tables.as_csv(as_table(made), ("topic", "in the target"))
    )


def draw_waves(made: Migration) -> None:
    """Each wave with its bytes, and how long it takes at a rate."""
    import pandas as pd

    megabytes = fields.whole(
        "MB copied a second, in all", 10**6, name="rate", key="migrate-rate", width=230, placeholder="unknown",
        help="MirrorMaker has no throttle of its own: use quotas",
    )  # fmt: skip
    rows = []
    for number, wave in enumerate(made.waves[: tables.MOST_ROWS], 1):
        row: dict[str, object] = {
            "wave": number,
            "topics": len(wave.topics),
            "partitions": wave.partitions,
            "copied": "unknown" if wave.unknown else text.size(wave.bytes),
            "written in the target": "unknown" if wave.unknown else text.size(wave.written),
        }
        if megabytes:
            row["at least"] = text.duration(wave.seconds(megabytes * 1e6))
        rows.append(row | {"which": ", ".join(text.visible(name, 40) for name in wave.topics[:8])})
    frame_of = pd.DataFrame(rows)
    right = dict.fromkeys(("copied", "written in the target", "at least"), tables.RIGHT)
    tables.table(frame_of, "migrate-waves-table", {k: v for k, v in right.items() if k in frame_of}, height=300)
    st.caption("What is produced meanwhile comes on top. A consumer cuts over with all topics that it reads.")


def draw_commands(made: Migration) -> None:
    """What creates the topics, MirrorMaker 2's property file, and how to see how far it is."""
    commands = made.commands
    if made.after.faults:
        st.markdown(":red[:material/block:] The topics do not fit as asked, so there are no commands.")
    elif commands:
        st.markdown("**Create the topics**, with brokers in the place of `TARGET:9092`")
        st.code("\n".join(commands[:_COMMANDS]), language="bash")
        more = len(commands) - _COMMANDS
        if more > 0:
            st.caption(f"And {text.count(more)} more in the file.")
        download("All commands", "topics.sh", lambda: _script(commands), key="migrate-script")
    waves = list(range(1, len(made.waves) + 1))
    wave = fields.select(
        "Property file for the waves up to", waves, name="wave", key="migrate-waves-up-to", default=waves[-1], width=260
    )
    properties = made.properties(wave - 1)
    st.code(properties, language="properties", wrap_lines=True)
    download("Property file", "mm2.properties", lambda: properties, key="migrate-properties")
    st.markdown("**Copy, and see how far it is**")
    st.code("\n".join(made.follow), language="bash", wrap_lines=True)


def _script(commands: tuple[str, ...]) -> str:
    return "#!/bin/sh\nset -e\n" + "".join(f"{command}\n" for command in commands)


def draw_before(made: Migration) -> None:
    """What MirrorMaker 2 does not do."""
    st.markdown("\n".join(f"- {text.plain(caveat)}" for caveat in made.caveats))
