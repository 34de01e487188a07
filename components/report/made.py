"""The report of what one looks at, made once for each layout, what-if and choice; its files are made when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from components.look import text
from components.look.text import wish_in_words
from components.state import caching, session, shared
from components.state.open_layout import OpenLayout
from components.what_if.what_if import plan_of
from reseat.access import Door
from reseat.errors import ReseatError, WishRefused
from reseat.report import Matter, Report, ReportChoices, ReportPast, build
from reseat.report.gather import gather, past_of

__all__ = ["Made", "make"]


@dataclass(frozen=True, eq=False)
class Made:
    """One report and what is written of it.

    Attributes:
        report: its content.
        no_history: why the history could not be had, or None.
        names: (pseudonym, kind, name) of what was replaced; empty where names are told.
    """

    report: Report
    no_history: str | None = None
    names: tuple[tuple[str, str, str], ...] = ()

    @property
    def sentence(self) -> str:
        """What the report comes to."""
        return self.report.chapters[0].heading if self.report.chapters else "No chosen chapter has anything to show."

    @cached_property
    def page(self) -> str:
        """The report as one HTML document."""
        from reseat.report.writers.html import write_html

        return write_html(self.report)

    @cached_property
    def talk(self) -> str:
        """The report as an HTML document with a chapter a screen."""
        from reseat.report.writers.talk import write_talk

        return write_talk(self.report)


def make(open_layout: OpenLayout, choices: ReportChoices, key: bytes | None) -> Made:
    """The report of what one looks at.

    Args:
        open_layout: the layout and the what-if.
        choices: how it is told.
        key: by which names are replaced; None: names are told.
    """
    past, no_history = _past(open_layout)
    told, rates = _told(choices), shared.observed_rates(open_layout.cluster_id)
    with st.spinner(f"Making the report: {text.plain(wish_in_words(open_layout.wish)) or 'the layout as it is'} …"):
        request = (
            open_layout.digest,
            str(open_layout.wish),
            told,
            key,
            open_layout.name,
            open_layout.read_at,
            no_history,
            _stamp(past),
            rates,
        )
        return caching.report_of(request, lambda: _make(open_layout, choices, key, past, no_history))


def _told(choices: ReportChoices) -> tuple[object, ...]:
    """What a report's content depends on; the moment it is made at is not among them: the first one stays."""
    return tuple(getattr(choices, name) for name in choices.__dataclass_fields__ if name != "made_at")


def _stamp(past: ReportPast | None) -> tuple[int, str] | None:
    """By what a history differs from what it was: how many moments it has, and the last of them."""
    return None if past is None else (len(past.taken_at), str(past.taken_at[-1]))


def _make(
    open_layout: OpenLayout, choices: ReportChoices, key: bytes | None, past: ReportPast | None, no_history: str | None
) -> Made:
    matter = _matter(open_layout, past)
    if key is None:
        return Made(build(matter, choices), no_history)
    from reseat.report.masks.names import Masker, masked

    masker = Masker(key)
    report = build(masked(matter, masker), choices)
    return Made(report, no_history, tuple(masker.names()))


def _matter(open_layout: OpenLayout, past: ReportPast | None) -> Matter:
    from reseat.planning import whole_curve
    from reseat.planning.against_generate import against_generate

    plan = None
    if not open_layout.wish.is_empty:
        try:
            plan = plan_of(open_layout)
        except WishRefused:
            plan = None  # gathering says why
    snapshot = open_layout.snapshot
    return gather(
        open_layout.reading,
        open_layout.layout,
        open_layout.wish,
        plan=plan,
        cluster=open_layout.connection_name or (snapshot.cluster if snapshot is not None else None),
        version=None if snapshot is None else snapshot.version,
        past=past,
        rates=shared.observed_rates(open_layout.cluster_id),
        # Plan has the same curve, and each choice of the page asks for both anew.
        curve_of=caching.kept(whole_curve),
        draws_of=caching.kept(against_generate, 2 * caching.PLANS),
    )


def _past(open_layout: OpenLayout) -> tuple[ReportPast | None, str | None]:
    """The history of the cluster looked at, for who may see it; and why it could not be had."""
    cluster = open_layout.past.cluster if open_layout.past is not None else open_layout.connection_name
    if cluster is None or not session.may(Door.READ_HISTORY).may:
        return None, None
    from reseat.history.places import places

    try:
        history = session.history(places().tables)
        return (past_of(history, cluster) if cluster in history.clusters() else None), None
    except ReseatError as refusal:
        return None, str(refusal)
