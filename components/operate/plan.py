"""The plan that may be carried out: of the what-if, of a file, or the rollback of a run; its figures and its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.look import text
from components.look.downloads import download
from components.look.notices import refused
from components.shell import frame, navigation
from components.shell.frame import Figure
from components.state import fields
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from components.what_if import moves
from components.what_if.directories import directories_named
from components.what_if.outcome import headline
from components.what_if.refusal import draw_refusal
from components.what_if.what_if import plan_of
from reseat.errors import ReseatError, WishRefused
from reseat.formats.documents.directory_moves import Named
from reseat.model import Plan, Snapshot
from reseat.model.glossary import define
from reseat.model.wording import capital, doing
from reseat.operate.journal.records import MoveProgress, Run
from reseat.operate.request import Kind

if TYPE_CHECKING:
    from reseat.formats.documents.sealed import SealedPlan
    from reseat.schedule.batches import Preview

__all__ = ["Proposal", "choose", "draw_detail", "figures_of", "of_plan", "of_text", "rollback_of"]

_WHAT_IF, _FILE = "The what-if's plan", "A plan file"
_PROPOSAL: Slot[tuple[tuple[str, str, bool], Proposal] | tuple[()]] = Slot("operate-proposal")
_ROLLBACK: Slot[tuple[tuple[int, datetime], tuple[Proposal, tuple[str, ...]]] | tuple[()]] = Slot("operate-rollback")
#: A text longer than this is downloaded instead of shown.
_SHOWN_CHARACTERS = 20_000


@dataclass(frozen=True, eq=False)
class Proposal:
    """A plan as it would be carried out.

    Attributes:
        title: what it does, as the start of a sentence ("Draining broker 7").
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


def of_plan(plan: Plan, title: str, named: Named | None = None) -> Proposal:
    """What Reseat itself planned, with the log directories that it is to name."""
    from reseat.formats.documents.writers import write_reassignment

    return of_text(write_reassignment(plan, chosen=named), title)


def of_text(content: str, title: str, *, source: str = "the plan") -> Proposal:
    """A plan's text.

    Raises:
        InputRefused: Kafka's tool would refuse it, or its key does not fit.
    """
    from reseat.formats.documents.sealed import read_sealed

    return Proposal(title, content, read_sealed(content, source=source))


def rollback_of(run: Run, moves: Sequence[MoveProgress], now: Snapshot) -> tuple[Proposal, tuple[str, ...]]:
    """The plan that takes a run back, and the partitions that it leaves since somebody else changed them.

    Raises:
        WriteRefused: there is nothing to take back.
    """
    from reseat.formats.documents.sealed import read_sealed
    from reseat.operate import approving

    kept = _ROLLBACK.get(())
    if kept and kept[0] == (run.id, now.taken_at):
        return kept[1]
    back = approving.rollback_of(run, moves, now)
    sealed = read_sealed(back.text, source=f"the rollback of run {run.id}")
    made = Proposal(f"Rolling back run {run.id}", back.text, sealed, "rollback", run.id), back.left
    _ROLLBACK.set(((run.id, now.taken_at), made))
    return made


def choose(open_layout: OpenLayout, head: DeltaGenerator, cluster: str) -> Proposal | None:
    """Let the person choose between the what-if's plan and a file.

    Args:
        open_layout: the layout and the what-if.
        head: where the sentence goes if there is nothing to carry out.
        cluster: by what the person knows the cluster.

    Returns:
        What may be carried out, or None where there is nothing; why stands in the head then.
    """
    says = {_WHAT_IF: "what-if", _FILE: "file"}
    source = fields.segments(
        "Plan", list(says), name="plan", key="operate-source", says=says, label_visibility="collapsed"
    )
    name = text.visible(cluster, 60)
    try:
        proposal = _of_what_if(open_layout, head) if source == _WHAT_IF else _of_file()
    except WishRefused as error:
        with head:
            draw_refusal(open_layout, error)
        return None
    except ReseatError as error:
        with head:
            frame.answer(f"This plan cannot be executed on {name}.")
        refused(error)
        return None
    if proposal is None and (source == _FILE or open_layout.wish.is_empty):
        with head:
            frame.answer(f"No plan selected to execute on {name}.")
    return proposal


def _of_what_if(open_layout: OpenLayout, head: DeltaGenerator) -> Proposal | None:
    if open_layout.wish.is_empty:
        st.markdown("No change selected. Drain a broker, or choose a change on the Plan page.")
        with st.container(horizontal=True):
            navigation.link(navigation.BOARD, "Drain a broker on the Board")
            navigation.link(navigation.PLAN, "Choose a change")
        return None
    plan = plan_of(open_layout)
    # What is under way on screen must not become another plan while one types: the same plan is written once.
    named = directories_named(open_layout, plan)
    if not plan.changed.any() and named is None:  # as once it was executed, here or by somebody else
        with head:
            frame.answer(headline(plan))
        return None
    key = (plan.current.digest, plan.proposed.digest, named is not None)
    kept = _PROPOSAL.get(())
    if kept and kept[0] == key:
        return kept[1]
    proposal = of_plan(plan, capital(doing(open_layout.wish)), named)
    _PROPOSAL.set((key, proposal))
    return proposal


def _of_file() -> Proposal | None:
    given = st.file_uploader(
        "Reassignment JSON from Reseat, Kafka's own tool, or any other tool",
        key="operate-file",
        help="A plan made by Reseat names the layout it was made for, and is rejected if the cluster has changed "
        "since. Any other plan is validated against the current reading.",
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
    without = int(schedule.unknown.sum())
    told = bool(schedule.busiest) or not without
    unknown = f"{text.counted(without, 'copy', 'copies')} unknown" if told and without else None
    if not told:
        least = text.count(None)
    elif not rate and schedule.busiest:
        least = "no throttle"
    else:
        least = text.duration(schedule.lowest / rate) if rate else "no data"
    made = proposal.sealed.told_hash is not None
    return [
        Figure("Replicas move", text.count(plan.certificate.moves), None, define("Replica moves")),
        Figure("Partitions changed", text.count(plan.certificate.changed_partitions), None, None),
        Figure(
            "Data to copy",
            text.amount(float(schedule.bytes.sum()), without, plan.certificate.moves),
            unknown,
            "Counted from the sizes just read.",
        ),
        Figure("Minimum duration", least, None, None),
        Figure(
            "Batches", text.count(len(schedule)), None, "Each has at most that many moves per broker; batches overlap."
        ),
        Figure(
            "Plan's hash",
            proposal.sealed.hash[:12],
            "made by Reseat" if made else "from another tool",
            f"In full: {proposal.sealed.hash}.",
        ),
    ]


def draw_detail(plan: Plan, proposal: Proposal, schedule: Callable[[], None]) -> None:
    """The schedule, the moves and the text, one at a time."""
    says = {"Schedule": "schedule", "Moves": "moves", "The plan's text": "text"}
    chosen = fields.optional(
        "Detail", list(says), name="detail", key="operate-detail", says=says, label_visibility="collapsed"
    )
    if chosen == "Schedule":
        schedule()
    elif chosen == "Moves":
        moves.draw_moves(plan, "operate-moves")
    elif chosen is not None:
        name = "rollback.json" if proposal.kind == "rollback" else "plan.json"
        if len(proposal.text) <= _SHOWN_CHARACTERS:
            st.code(proposal.text, language="json", wrap_lines=True, height=260)
        else:
            st.caption(f"{text.size(len(proposal.text))}: too large to show here.")
        download(f"Download ({name})", name, lambda: proposal.text, key="operate-text")
