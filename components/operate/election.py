"""An election held on the live cluster: what was previewed beside what happened, partition by partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from components.look import tables, text
from components.operate import reading, states
from components.operate.confirm import attempt
from components.operate.operated_cluster import OperatedCluster
from components.operate.reading import Fresh, last_reading, log_ends, read_now
from components.operate.short import draw_write, outcomes, write
from components.state import fields
from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.model import ClusterLayout
from reseat.operate.checks.guard import check_election
from reseat.operate.elections import ElectionOutcome, PartitionElection, asked_for, hold, preview
from reseat.operate.losses import RecordLoss, losses
from reseat.operate.request import ElectionRequest
from reseat.operate.targets.target import Election, Partition

if TYPE_CHECKING:
    import pandas as pd

    from reseat.election import Mode

__all__ = ["draw_election", "outcome_frame"]

_KINDS = {"Preferred leaders": Election.PREFERRED, "Unclean, where there is no leader": Election.UNCLEAN}
#: Partitions that can be named one by one; more are told to narrow the topics.
_MOST_NAMED = 2_000


def draw_election(operated: OperatedCluster, layout: ClusterLayout, mode: Mode) -> None:
    """Choose, check, confirm and hold an election; then what happened.

    Args:
        operated: the cluster and the person.
        layout: whose preview the page shows.
        mode: which controller decides, as the page previews it.
    """
    election = _KINDS[
        fields.segments(
            "Election",
            list(_KINDS),
            name="election",
            key="election-kind",
            says=dict(zip(_KINDS, ("preferred", "unclean"), strict=True)),
            label_visibility="collapsed",
        )
    ]
    wanted, named = _partitions(layout, election, mode)
    _draw_outcome(operated, election)
    if not wanted:
        attempt(_name(operated, election), None)  # one that was not answered may be why
        st.markdown(
            "Nothing to elect: the preview shows no partition that this election would change."
            if named
            else "Select the partitions yourself: records may be lost."
        )
        return
    try:
        fresh = last_reading(operated)
        ends = log_ends(operated, fresh, wanted) if election is Election.UNCLEAN else {}
    except (ClusterUnreachable, WriteRefused) as error:
        states.draw_unread(error)
        return
    accepted = election is Election.UNCLEAN and _accepts_loss(losses(layout, wanted, mode, ends))
    request = ElectionRequest(
        election=election,
        partitions=wanted,
        shown=layout,
        accepts_loss=accepted,
        **operated.requested_by(operated.cluster_id),
    )
    checks = check_election(request, fresh.snapshot, ends, migrating=fresh.facts.migrating)
    what = "preferred leaders" if election is Election.PREFERRED else "out-of-sync leaders"
    draw_write(
        operated,
        fresh,
        checks,
        name=_name(operated, election),
        key=f"election-{election.name}",
        label=f"Elect {what} of {text.counted(len(wanted), 'partition')} on {text.visible(operated.name, 60)}",
        doing="Running the election …",
        work=partial(_hold, operated, request, mode),
    )


def _partitions(layout: ClusterLayout, election: Election, mode: Mode) -> tuple[tuple[Partition, ...], bool]:
    """The partitions that it is held for, and whether they follow from the preview without being named."""
    able = asked_for(layout, election, mode)
    if election is Election.PREFERRED:
        topics = fields.several(
            "Only these topics",
            sorted({topic for topic, _ in able}),
            name="elect_topics",
            key="election-topics",
            placeholder=f"All {text.counted(len(able), 'partition')} that the preview changes",
            format_func=lambda topic: text.visible(topic, 80),
            disabled=not able,
        )
        return tuple(one for one in able if not topics or one[0] in topics), True
    if not able:
        return (), True
    foreseen = preview(layout, election, mode).sentences
    st.markdown(f":red[:material/warning:] **Records may be lost.** {text.plain(' '.join(foreseen))}")
    chosen = st.multiselect(
        "Partitions to elect",
        able[:_MOST_NAMED],
        placeholder="Select partitions",
        format_func=lambda one: text.visible(f"{one[0]}-{one[1]}", 120),
        key="election-named",
    )
    return tuple(chosen), False


def _accepts_loss(found: Sequence[RecordLoss]) -> bool:
    """Show what each partition may lose; returns whether the person accepts that very loss."""
    st.markdown(
        "\n".join(f"- {':red[:material/warning:] ' if one.may_lose else ''}{text.plain(one.sentence)}" for one in found)
    )
    losing = [one.sentence for one in found if one.may_lose]
    if not losing:
        return False
    # The label of a box is cut where the column ends, so what is lost stands above it.
    st.markdown(":red[Lost records stay lost,] even when the old leaders come back.")
    # The box belongs to the loss that it stands under: another loss is to be accepted anew.
    return st.checkbox(
        f"I accept the loss in {text.counted(len(losing), 'partition')}", key=f"election-loss-{hash(tuple(losing))}"
    )


def _name(operated: OperatedCluster, election: Election) -> str:
    return f"election {election.name} {operated.cluster_id}"


def _hold(
    operated: OperatedCluster, asked: ElectionRequest, mode: Mode, typed: str, overrides: frozenset[str]
) -> ElectionOutcome:
    """Read once more, check once more, and hold it."""
    now: Fresh = read_now(operated)
    layout = now.snapshot.layout
    request = replace(asked, confirmed=typed, overrides=overrides)

    def work() -> tuple[ElectionOutcome, dict[str, object]]:
        with reading.target_of(operated) as target:
            outcome = hold(target, layout, asked.election, asked.partitions, mode=mode)
        return outcome, {"answers": outcome.answers, "differing": len(outcome.differing)}

    content = {"election": asked.election.name.lower(), "partitions": [list(one) for one in asked.partitions or ()]}
    return write(
        operated, "election", content, check_election(request, now.snapshot, migrating=now.facts.migrating), work
    )


def _draw_outcome(operated: OperatedCluster, election: Election) -> None:
    """What happened beside what was previewed."""
    found = outcomes().by_name.get(_name(operated, election))
    if not isinstance(found, ElectionOutcome):
        return
    with st.container(border=True, key="election-outcome"):
        icon, colour = (":material/warning:", "orange") if found.differing else (":material/check_circle:", "green")
        st.markdown(f":{colour}[{icon} **Done.**] {text.plain(' '.join(found.sentences))}")
        rows = sorted(found.partitions, key=lambda one: not one.differed)
        shown = rows[: tables.MOST_ROWS]
        right = dict.fromkeys(("leader before", "previewed", "leader now"), tables.RIGHT)
        tables.table(outcome_frame(shown), "election-outcome-table", right, height=220)
        said = tables.shown_of(len(shown), len(rows), "partition")
        tables.foot("election-outcome", said, "election.csv", lambda: tables.as_csv(outcome_frame(rows)))


def outcome_frame(held: Sequence[PartitionElection]) -> pd.DataFrame:
    """Preview and outcome side by side, a row a partition."""
    import pandas as pd

    def leader(broker: int | None, untold: str) -> str:
        return untold if broker is None else {-1: "nobody", -2: "unknown"}.get(broker, str(broker))

    return pd.DataFrame(
        {
            "topic": [text.visible(one.topic, 260) for one in held],
            "partition": [one.partition for one in held],
            "leader before": [leader(one.leader_before, "unknown") for one in held],
            "previewed": [leader(one.expected_leader, "not previewed") for one in held],
            "Kafka's answer": [one.answer for one in held],
            "leader now": [leader(one.leader_after, "gone") for one in held],
            "compared with the preview": [
                f"▲ {text.visible(one.sentence, 400)}" if one.differed else "✔ as previewed" for one in held
            ],
        }
    )
