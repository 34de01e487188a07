"""Beside Reseat's plan: what Kafka's own ``--generate`` would have moved, over its random draws, and row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import plots
from components.charts.dots import HEIGHT, DotPanel, strips
from components.look import tables, text
from components.look.notices import refused
from components.shell import frame
from components.state import caching, fields
from reseat.errors import WishRefused
from reseat.model import Longs, Plan
from reseat.placement import RackMode, Tool

if TYPE_CHECKING:
    import pandas as pd

    from reseat.planning.against_generate import AgainstGenerate, Beside

__all__ = ["draw_against_generate"]

_TOOLS = {Tool.STRIPED: "Tools up to 4.0", Tool.KRAFT: "Tools from 4.1"}
#: A tool whose one draw takes longer than these seconds is asked only when a person wants it.
_PATIENCE = 4.0
#: Draws have numbers up to here, which a browser counts exactly.
_LAST_DRAW = 2**53 - 1


def draw_against_generate(plan: Plan) -> None:
    """The view of the Plan page.

    Args:
        plan: Reseat's plan for the what-if.
    """
    mode = RackMode.ENFORCED
    if plan.current.racks and fields.yes(
        "with --disable-rack-aware",
        name="generate_racks",
        key="generate-racks",
        help="The tool then spreads replicas without regard to racks.",
    ):
        mode = RackMode.DISABLED
    try:
        found = {tool: result for tool in _TOOLS if (result := _asked(plan, tool, mode)) is not None}
    except WishRefused as error:
        refused(error)
        return
    if not found:
        return
    st.markdown(f"**{text.plain(_sentence(plan, found))}**")
    measures = _measures(plan, found)
    names = [f"{_TOOLS[tool]} ({result.draws})" for tool, result in found.items()]
    plots.draw(strips(measures, names), "generate-strips", "What --generate would do, draw by draw", height=HEIGHT)
    first = next(iter(found.values()))
    st.caption(
        f"Each dot is one random draw of the tool; in brackets how many were made, and beside them their median. "
        f"The tool is given {text.counted(len(first.topics), 'topic')}"
        f"{' with a replica on a drained broker' if plan.wish.remove else ''} and "
        f"{text.counted(len(first.brokers), 'broker')}; partitions, spread and racks are counted over the whole "
        "cluster."
    )
    frame.how_to_read(
        "One strip per measure; a dot further left is a draw that moves, spreads or copies less.",
        [measure.name for measure in measures],
        key="how-too",
    )
    if fields.yes("Partition by partition, for one draw", name="generate_rows", key="generate-rows", toggle=True):
        _row_by_row(plan, list(found), mode)


def _asked(plan: Plan, tool: Tool, mode: RackMode) -> AgainstGenerate | None:
    """What the tool would do, or None where that takes long and nobody has asked for it."""
    from reseat.planning.against_generate import expected_seconds

    needed = expected_seconds(plan, tool)
    if needed > _PATIENCE and not st.toggle(
        f"{_TOOLS[tool]}: make one draw (about {text.duration(needed)})", key=f"generate-long-{tool.value}"
    ):
        return None
    with st.spinner(f"{_TOOLS[tool]}: drawing proposals …"):
        return caching.against_generate_of(plan, tool, mode)


def _sentence(plan: Plan, found: dict[Tool, AgainstGenerate]) -> str:
    """What every draw has in common, with the number that matters."""
    moves = np.concatenate([result.spread.moves for result in found.values()])
    least, most, own = int(moves.min()), int(moves.max()), plan.certificate.moves
    would = (
        f"--generate would move {text.counted(most, 'replica') if least == most else f'{least:,} to {most:,} replicas'}"
    )
    if not own:
        return f"Nothing must move, and Reseat moves nothing. {would}."
    if least == own == most:
        return f"{would}, whatever it draws: here no more than Reseat."
    if least >= 2 * own:
        return f"{would}: at least {least // own:,} times as many as the {own:,} of Reseat's plan."
    return f"{would}. Reseat moves {own:,}."


def _measures(plan: Plan, found: dict[Tool, AgainstGenerate]) -> list[DotPanel]:
    certificate, results = plan.certificate, list(found.values())
    measures = [
        DotPanel("Replicas move", certificate.moves, tuple(r.spread.moves for r in results)),
        DotPanel("Replica spread after", certificate.replica_spread, tuple(r.spread.replica_spread for r in results)),
        DotPanel(
            "Preferred leader spread after", certificate.leader_spread, tuple(r.spread.leader_spread for r in results)
        ),
    ]
    if plan.current.racks:
        after = certificate.rack_violations_after
        measures.append(
            DotPanel("Partitions without rack diversity", after, tuple(r.spread.rack_violations for r in results))
        )
    if plan.current.size_bytes is not None:
        amount = certificate.bytes_to_move
        measures.append(DotPanel("Data to copy", amount, tuple(r.spread.bytes_to_move for r in results), is_bytes=True))
    return measures


def _row_by_row(plan: Plan, tools: list[Tool], mode: RackMode) -> None:
    """One draw of one tool beside Reseat's plan."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="generate-draw"):
        tool = fields.segments(
            "Tools",
            tools,
            name="generate_tool",
            key="generate-tool",
            says=lambda tool: tool.value,
            format_func=_TOOLS.__getitem__,
        )
        seed = fields.number("Draw", 0, _LAST_DRAW, 0, name="generate_draw", key="generate-seed", width=140)
        typed = fields.search(
            "Search",
            name="generate_find",
            key="generate-search",
            placeholder="a topic, topic-partition, or a broker id",
            width="stretch",
        )
    with st.spinner("Drawing a proposal …"):
        beside = caching.beside_one_draw_of(plan, tool, int(seed), mode)
    for note in beside.proposal.notes:
        st.markdown(f":orange[:material/warning:] {text.plain(note)}")
    rows = beside.rows
    layout = plan.current
    chosen = tables.matching(
        layout, rows, typed, layout.replica_ids[rows], plan.proposed.replica_ids[rows], beside.generated
    )
    first = chosen[: tables.MOST_ROWS]
    tables.table(_frame(plan, beside, first), "generate-table", height=330, of=len(rows))
    said = (
        f"{tables.shown_of(len(first), len(chosen), 'partition')} In this draw the tool copies "
        f"{text.counted(int(beside.generated_copies.sum()), 'replica')}, Reseat {int(beside.copies.sum()):,}."
    )
    tables.foot("generate", said, "generate.csv", lambda: tables.as_csv(_frame(plan, beside, chosen)))


def _frame(plan: Plan, beside: Beside, chosen: Longs) -> pd.DataFrame:
    """Some rows of one draw beside Reseat's plan."""
    import pandas as pd

    layout, rows = plan.current, beside.rows[chosen]
    return pd.DataFrame(
        {
            "topic": [layout.topics[code] for code in layout.topic_of[rows].tolist()],
            "partition": layout.partition[rows],
            "now": tables.lists(layout.replica_ids[rows]),
            "Reseat's plan": tables.lists(plan.proposed.replica_ids[rows]),
            "copies": beside.copies[chosen],
            "--generate": [words or "no such partition" for words in tables.lists(beside.generated[chosen])],
            "its copies": beside.generated_copies[chosen],
        }
    )
