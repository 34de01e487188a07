"""What keeps a cluster from being written to, or wants to be put right first: one sentence each, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.look import text
from components.shell import frame, navigation
from components.state import session, shared
from components.state.past import Past
from reseat.access import Door
from reseat.errors import ClusterUnreachable, InputRefused, ReseatError, WriteRefused
from reseat.model.wording import some_of

__all__ = [
    "draw_blocked",
    "draw_failed",
    "draw_leftover_throttles",
    "draw_lost",
    "draw_not_enabled",
    "draw_not_live",
    "draw_open_runs",
    "draw_past",
]


def draw_not_live(what: str) -> None:
    """The layout was read from text, so there is no cluster to write to.

    Args:
        what: what needs a cluster, as the start of a sentence ("Carrying a plan out").
    """
    frame.answer(f"{what} needs a live cluster; this layout was read from a file or pasted text.")
    st.markdown("The plan's files and commands are on the Plan page; to work on the cluster itself, connect to it.")
    with st.container(horizontal=True, key="not-live"):
        navigation.link(navigation.CLUSTERS, "Connect to a cluster", also=navigation.ClustersView.LIVE.query)
        navigation.link(navigation.PLAN, "The plan's files and commands")


def draw_open_runs() -> None:
    """The journal's runs that are not over, on a page that shows no live cluster: what was begun is not forgotten.

    A server that starts anew has read nothing, and just then somebody may look for the run that was under way.
    """
    if not session.may(Door.READ_CLUSTERS).may:
        return
    try:
        journal = shared.journal(make=False)
    except InputRefused:
        return  # the page says so once a cluster is read; without one nothing can be done about it here
    runs = () if journal is None else journal.open_runs()
    if journal is None or not runs:
        return
    with st.container(border=True, key="runs-open"):
        for run in runs:
            progress = journal.progress(run.id, moves=False)
            alone = "" if progress.alive else ", and **no executor is running**"
            st.markdown(
                f":orange[:material/front_hand:] Run {run.id} on {text.plain(run.cluster, 60)} is not over: "
                f"{some_of(progress.done, progress.partitions, 'partition', 'is', 'are')} complete{alone}. "
                f"Connect to the cluster with the id {text.code(run.cluster_id)} to watch, continue or cancel it."
            )
        navigation.link(navigation.CLUSTERS, "Connect to the cluster", also=navigation.ClustersView.LIVE.query)


def draw_past(past: Past) -> None:
    """One looks at a snapshot of the past: nothing is written to a cluster by how it once was.

    Args:
        past: which moment.
    """
    frame.answer(f"This is a snapshot, {past.words()}: nothing can be executed on it.")
    st.markdown(
        "A plan made for a past layout may name replicas that have moved since, so it is not offered here. "
        "Its files are on the Plan page; execution re-checks every replica list against the live cluster. To work on "
        "the cluster, go back to the current state and plan there."
    )
    with st.container(horizontal=True, vertical_alignment="center", key="not-live"):
        st.button(
            "Back to the current state", key="operate-present", icon=":material/undo:", on_click=session.back_to_present
        )
        navigation.link(navigation.PLAN, "View the plan's files")


def draw_not_enabled(sentence: str) -> None:
    """One only reads here: how writing is enabled, and who would be allowed then."""
    with st.container(border=True, key="not-enabled"):
        st.markdown(f":gray[:material/lock:] **Read-only.** {text.plain(sentence)}")


def draw_blocked(sentence: str) -> None:
    """Somebody else is at work on the cluster."""
    with st.container(border=True, key="blocked"):
        st.markdown(f":orange[:material/front_hand:] {text.plain(sentence)}")


def draw_lost(sentence: str) -> None:
    """The cluster does not answer; what one sees is the last that was read."""
    with st.container(border=True, key="lost"):
        st.markdown(
            f":red[:material/link_off:] **The cluster does not answer.** {text.plain(sentence)} Shown is the "
            "last reading; nothing is sent until the cluster answers again."
        )


def draw_leftover_throttles(sentences: Sequence[str], put_back: Callable[[], None], read_only: str) -> None:
    """A run ended without putting its throttles back: what is still set, and a button that puts it right.

    Args:
        sentences: what is still set, a sentence each.
        put_back: does it.
        read_only: why this person cannot write here; empty where they may.
    """
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="throttles-left"):
        st.markdown(
            ":orange[:material/warning:] " + " ".join(text.plain(sentence) for sentence in sentences), width="stretch"
        )
        st.button(
            "Restore the earlier throttles",
            key="throttles-back",
            icon=":material/settings_backup_restore:",
            disabled=bool(read_only),
            help=text.plain(read_only) or None,
            on_click=put_back,
        )


def draw_unread(error: ClusterUnreachable | WriteRefused) -> None:
    """The cluster cannot be read for the checks: it does not answer, or the audit log cannot be written."""
    if isinstance(error, ClusterUnreachable):
        draw_lost(str(error))
    else:
        draw_failed(error)


def draw_failed(error: ReseatError) -> None:
    """What a person asked for did not come off: why. Unreachable is a cluster that nothing was sent to."""
    if isinstance(error, ClusterUnreachable):
        # As it was then: by the time it is read the cluster may answer again.
        with st.container(border=True, key="unanswered"):
            st.markdown(
                f":red[:material/link_off:] **The cluster did not answer.** {text.plain(str(error))} Nothing was sent."
            )
    elif isinstance(error, WriteRefused):
        _draw_write_refused(error)
    else:
        frame.refused(error)


def _draw_write_refused(error: WriteRefused) -> None:
    """Nothing was sent: each check that said no."""
    with st.container(border=True, key="write-refused"):
        # The names in the guard's own sentence are those of the command line; here each stands before its reason.
        against = len(error.failed)
        said = f"Nothing was sent: {text.counted(against, 'check')} failed."
        st.markdown(f":red[:material/block:] **{text.plain(said if against else error.sentence)}**")
        st.markdown(
            "\n".join(f"- {text.plain(name.replace('_', ' '))}: {text.plain(said)}" for name, said in error.failed)
        )
