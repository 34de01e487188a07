"""Placement: why did Kafka put that replica there? Step by step, with the numbers; no layout is needed."""

import numpy as np
import streamlit as st

from components.charts.replica_matrix import column_order, draw_matrix
from components.look import text
from components.placement.form import current, draw_examples, draw_form, draw_steps, go
from components.placement.panel import draw_panel, sentence
from components.shell import frame, navigation
from components.state import addresses
from components.state.slots import Slot
from reseat.errors import PlacementRefused
from reseat.placement import Placement
from reseat.placement.examples import FAULTY_ANSWER, FAULTY_TABLE, FAULTY_WHY
from reseat.placement.request import PlacementRequest, place, requested_brokers, to_query
from reseat.placement.steps import striped_steps_of

_CLICKED: Slot[int] = Slot("placement-clicked")


def matrix(request: PlacementRequest, placement: Placement, columns: list[int], passed: list[int]) -> None:
    """The matrix; a click on a replica steps to it."""
    racks = {broker.id: broker.rack for broker in requested_brokers(request)}
    said = draw_matrix(
        placement.replicas,
        columns,
        racks,
        step=request.step,
        first_id=placement.first_id,
        order=() if request.algorithm == "kraft" else placement.order,
        passed=passed,
        alt=f"{text.counted(len(placement.replicas), 'partition')} over {text.counted(len(columns), 'broker')}",
        key="placement-matrix",
    )
    points = said["selection"]["points"]
    clicked = int(points[0]["customdata"][0]) if points else -1
    if clicked != _CLICKED.get(-1):
        _CLICKED.set(clicked)
        if clicked >= 0:
            go(clicked)
            st.rerun()


def published(request: PlacementRequest, placement: Placement, columns: list[int]) -> None:
    """The published table beside what the code gives, what differs framed."""
    table = np.array(FAULTY_TABLE)
    racks = dict.fromkeys(columns)
    draw_matrix(
        table,
        columns,
        racks,
        order=columns,
        step=table.size - 1,
        marked=table != placement.replicas,
        alt="The published table; framed: replicas that the code places elsewhere",
        key="placement-published",
    )


def explained(request: PlacementRequest, placement: Placement, *, grouped: bool) -> None:
    """The matrix, the words beside it, and for a faulty table the published one."""
    row, replica = divmod(request.step, request.factor)
    steps = striped_steps_of(request, placement, row)
    passed = [one.broker for one in steps.replicas[replica].candidates[:-1] if one.broker is not None]
    with answer:
        frame.answer(FAULTY_ANSWER if request.documented else sentence(steps, replica))
    racks = {broker.id: broker.rack for broker in requested_brokers(request)}
    columns = column_order(placement.order, racks, grouped=grouped)
    wide = 1.9 if len(columns) > 12 else 1.35
    places = st.columns([1, 1, 1] if request.documented else [wide, 1])
    with places[0]:
        if request.documented:
            st.markdown("**What the code gives for 4**")
        matrix(request, placement, columns, passed)
    if request.documented:
        with places[1]:
            st.markdown("**What was published**, differences framed")
            published(request, placement, columns)
    with places[-1]:
        draw_steps(request)
        draw_panel(steps, replica, below=150 if request.documented else 0)
        if request.documented:
            st.markdown(f":orange[:material/warning:] {text.plain(FAULTY_WHY)}")


open_layout = frame.lesson(navigation.PLACEMENT)
answer = st.container()
draw_examples(open_layout)
grouped, error = draw_form()
request = current()
addresses.publish(to_query(request))
if error:
    st.markdown(f":orange[:material/link_off:] {text.plain(error)}")
try:
    explained(request, place(request), grouped=grouped)
except PlacementRefused as error:
    with answer:
        frame.answer("Kafka rejects this assignment." if error.kafka_error else "No assignment is possible.")
    frame.refused(error)
frame.how_to_read(
    "Each row is a partition, each column a broker, in the order Kafka uses. L is the preferred "
    "leader, 2 and 3 are the other replicas; pale cells are placed later, × was skipped for the framed replica. Below "
    "the columns stands what each broker leads and holds so far. Click a replica, or use the arrow keys, to step."
)
