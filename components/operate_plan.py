"""The plan that may be carried out: of the what-if, of a file, or the way back of a run; its figures and its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components import caching, frame, moves, navigation, session, text
from components.frame import Figure
from components.notices import refused
from components.refusal import draw_refusal
from components.session import Seat
from components.text import wish_in_words
from components.what_if import plan_of
from reseat.errors import ReseatError, WishRefused
from reseat.model import Plan, Snapshot
from reseat.operate.records import MoveProgress, Run
from reseat.operate.request import Kind

if TYPE_CHECKING:
    from reseat.formats.sealed import SealedPlan
    from reseat.planning.schedule import Preview

__all__ = ["Proposal", "choose", "draw_detail", "figures_of", "of_plan", "of_text", "way_back"]

_WHAT_IF, _FILE = "The what-if's plan", "A plan file"
_PROPOSAL, _WAY_BACK = "operate-proposal", "operate-way-back"
#: A text longer than this is downloaded instead of shown.
_SHOWN_CHARACTERS = 20_000


@dataclass(frozen=True, eq=False)
class Proposal:
    """A plan as it would be carried out.

    Attributes:
        title: what it does, as the start of a sentence ("Broker 7 leaves").
        text: reassignment JSON.
        sealed: the same as read.
        kind: ``plan`` or ``rollback``.
        takes_back: the run that it takes back, or None.
    """

    title: str
    text: str
    sealed: SealedPlan
    kind: Kind = "plan"
    takes_back: int | None = None


def of_plan(plan: Plan, title: str) -> Proposal:
    """What Reseat itself planned."""
    from reseat.formats.writers import write_reassignment

    return of_text(write_reassignment(plan), title)


def of_text(content: str, title: str, *, source: str = "the plan") -> Proposal:
    """A plan's text.

    Raises:
        InputRefused: Kafka's tool would refuse it, or its key does not fit.
    """
    from reseat.formats.sealed import read_sealed

    return Proposal(title, content, read_sealed(content, source=source))


def way_back(run: Run, moves: Sequence[MoveProgress], now: Snapshot) -> tuple[Proposal, tuple[str, ...]]:
    """The plan that takes a run back, and the partitions that it leaves since somebody else changed them.

    Raises:
        WriteRefused: there is nothing to take back.
    """
    from reseat.formats.sealed import read_sealed
    from reseat.operate import approving

    kept = session.kept(_WAY_BACK, ())
    if kept and kept[0] == (run.id, now.taken_at):
        return kept[1]
    back = approving.way_back(run, moves, now)
    sealed = read_sealed(back.text, source=f"the rollback of run {run.id}")
    made = Proposal(f"Run {run.id} is rolled back", back.text, sealed, "rollback", run.id), back.left
    session.keep(_WAY_BACK, ((run.id, now.taken_at), made))
    return made


def choose(seat: Seat, head: DeltaGenerator, cluster: str) -> Proposal | None:
    """Let the person choose between the what-if's plan and a file.

    Args:
        seat: the layout and the what-if.
        head: where the sentence goes if there is nothing to carry out.
        cluster: by what the person knows the cluster.

    Returns:
        What may be carried out, or None where there is nothing; why stands in the head then.
    """
    source = st.segmented_control(
        "Plan",
        [_WHAT_IF, _FILE],
        default=_WHAT_IF,
        required=True,
        key="operate-source",
        label_visibility="collapsed",
        persist_state="session",
    )
    name = text.visible(cluster, 60)
    try:
        proposal = _of_what_if(seat) if source == _WHAT_IF else _of_file()
    except WishRefused as error:
        with head:
            draw_refusal(seat, error)
        return None
    except ReseatError as error:
        with head:
            frame.answer(f"This plan cannot be executed on {name}.")
        refused(error)
        return None
    if proposal is None:
        with head:
            frame.answer(f"No plan selected to execute on {name}.")
    return proposal


def _of_what_if(seat: Seat) -> Proposal | None:
    if seat.wish.is_empty:
        st.markdown("No change selected. Drain a broker, or choose a change on the Plan page.")
        with st.container(horizontal=True):
            navigation.link(navigation.BOARD, "Drag on the Board page")
            navigation.link(navigation.PLAN, "Choose a change")
        return None
    words = wish_in_words(seat.wish)
    plan = plan_of(seat)
    # What is under way on screen must not become another plan while one types: the same plan is written once.
    digests = (plan.current.digest, plan.proposed.digest)
    kept = session.kept(_PROPOSAL, ())
    if kept and kept[0] == digests and isinstance(kept[1], Proposal):
        return kept[1]
    proposal = of_plan(plan, f"{words[:1].upper()}{words[1:]}")
    session.keep(_PROPOSAL, (digests, proposal))
    return proposal


def _of_file() -> Proposal | None:
    given = st.file_uploader(
        "Reassignment JSON: of Reseat, of Kafka's own tool, or of any other",
        key="operate-file",
        help="A plan that Reseat made says what it was made for, and is refused where the cluster has changed since. "
        "Any other plan is validated against the reading shown here.",
    )
    if given is None:
        return None
    content = given.getvalue().decode("utf-8", "surrogateescape")
    return of_text(content, f"The plan of {given.name}", source=given.name)


def figures_of(plan: Plan, proposal: Proposal, schedule: Preview, rate: float) -> list[Figure]:
    """What the plan does on the cluster as it was just read.

    Args:
        plan: laid over that reading.
        proposal: where it comes from.
        schedule: its batches.
        rate: the throttle in bytes a second a broker; 0: none.
    """
    sent = caching.transfer_of(plan)
    unknown = f"{text.plural(sent.unknown, 'copy', 'copies')} unknown" if sent is not None and sent.unknown else None
    if sent is None:
        least = text.count(None)
    elif not rate and sent.slowest() is not None:
        least = "no throttle"
    else:
        least = text.duration(sent.seconds(rate)) if rate else "no data"
    made = proposal.sealed.told_hash is not None
    return [
        Figure("Replicas move", text.count(plan.certificate.moves), None, "Replicas that are copied to another broker"),
        Figure("Partitions changed", text.count(plan.certificate.changed_partitions), None, "In members or in order"),
        Figure("Data to copy", text.size(None if sent is None else sent.total), unknown, "As the sizes just read tell"),
        Figure("At least so long", least, None, "What the busiest broker sends or receives, at the throttle below"),
        Figure(
            "Batches",
            text.count(len(schedule)),
            None,
            "At most this many moves per broker. Batches overlap, so it is faster than one after the other",
        ),
        Figure(
            "Plan's hash",
            proposal.sealed.hash[:12],
            "says what it is for" if made else "of another tool",
            f"{proposal.sealed.hash}: names the plan that you confirm; another text has another hash",
        ),
    ]


def draw_detail(plan: Plan, proposal: Proposal) -> None:
    """The moves and the text, one at a time."""
    chosen = st.segmented_control(
        "Detail", ["Moves", "The plan's text"], default=None, key="operate-detail", label_visibility="collapsed"
    )
    if chosen == "Moves":
        moves.draw_moves(plan, "operate-moves")
    elif chosen is not None:
        name = "rollback.json" if proposal.kind == "rollback" else "plan.json"
        if len(proposal.text) <= _SHOWN_CHARACTERS:
            st.code(proposal.text, language="json", wrap_lines=True, height=260)
        else:
            st.caption(f"It takes {text.size(len(proposal.text))}: too much to show here.")
        st.download_button(
            f"Download ({name})", proposal.text, file_name=name, mime="application/json", on_click="ignore",
            icon=":material/download:", key="operate-text",
        )  # fmt: skip
