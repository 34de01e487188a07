"""The choices of the Report page, drawn: audience, chapters, title, author, logo, price, throttle, masking."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from components.look import text
from components.report.choices import LONGEST_CURRENCY, MEGABYTE, ReportRequest, from_query, unknown_chapters
from components.state import addresses, fields, slots, widgets
from components.state.slots import Slot
from reseat.errors import InputRefused
from reseat.report import ChapterKind
from reseat.report.content import Audience
from reseat.report.logo import LARGEST_LOGO, logo_kind
from reseat.report.masks.files import key_in
from reseat.report.masks.names import KEY_BYTES
from reseat.report.matter import ALL, chapters_for
from reseat.report.slides.master import LARGEST_TEMPLATE, of_company

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["NAMES", "draw_form", "key", "logo", "request", "template"]

_KEPT: Slot[ReportRequest] = Slot("report-asked", addressed=True)
_LOGO: Slot[bytes] = Slot("report-logo")
_KEY: Slot[bytes] = Slot("report-key")
_TEMPLATE: Slot[bytes] = Slot("report-template")
#: Chapters as they are called in the choice.
NAMES = {
    ChapterKind.SUMMARY: "Summary",
    ChapterKind.TODAY: "Today",
    ChapterKind.FINDINGS: "Findings",
    ChapterKind.CHANGE: "The change",
    ChapterKind.WHY: "Why this plan",
    ChapterKind.COST: "Cost",
    ChapterKind.RISK: "Risk",
    ChapterKind.LEADERS: "Leaders",
    ChapterKind.TIME: "Over time",
    ChapterKind.STEPS: "Steps",
    ChapterKind.GLOSSARY: "Glossary",
    ChapterKind.APPENDIX: "Every move",
}
_AUDIENCES: dict[Audience, str] = {"management": "Management", "operators": "Operators"}


def request() -> ReportRequest:
    """What was chosen so far; at first what the address says."""
    return _KEPT.get(from_query(st.query_params.to_dict()))


def logo() -> bytes | None:
    """The logo that was uploaded."""
    return _LOGO.get(b"") or None


def template() -> bytes | None:
    """The slides that were uploaded, whose master is taken."""
    return _TEMPLATE.get(b"") or None


def key() -> bytes:
    """The key of this session's pseudonyms: the one that was given, else one drawn once."""
    known = _KEY.get(b"")
    if not known:
        known = secrets.token_bytes(KEY_BYTES)
        _KEY.set(known)
    return known


def draw_form(place: DeltaGenerator) -> ReportRequest:
    """Draw the choices; what was changed is kept, and counts at once."""
    now = request()
    fields.offered("audience", _AUDIENCES, place)
    fields.offered("mask", ("yes",), place)
    for name, read in (("price", now.price), ("throttle", now.throttle)):
        fields.offered(name, () if read is None else [st.query_params.get(name, "")], place)
    if addresses.comes():
        fields.leave_out({f"chapters={word}" for word in unknown_chapters(st.query_params.to_dict())}, place)
    with place, st.container(horizontal=True, key="report-row"):
        audience = st.segmented_control(
            "For",
            tuple(_AUDIENCES),
            default=now.audience,
            required=True,
            format_func=_AUDIENCES.__getitem__,
            key=slots.field("report-audience"),
            help="Management gets plain words and no list of moves; operators get Kafka's terms and every move.",
        )
        chapters = st.pills(
            "Chapters",
            ALL,
            selection_mode="multi",
            default=list(now.shown if audience == now.audience else chapters_for(audience)),
            format_func=NAMES.__getitem__,
            key=slots.field(f"report-chapters-{audience}"),
            width="stretch",
            wrap=True,  # a row that scrolls hides the last chapters
        )
        with st.popover(
            "More", icon=":material/tune:", help="Title, author, logo, price, throttle, pseudonyms, slides"
        ):
            now = _details(now)
    ordered = tuple(sorted(chapters, key=ALL.index))
    chosen = replace(now, audience=audience, chapters=None if ordered == chapters_for(audience) else ordered)
    _KEPT.set(chosen)
    return chosen


def _details(now: ReportRequest) -> ReportRequest:
    left, right = st.columns(2)
    title = left.text_input(
        "Title",
        now.title,
        max_chars=200,
        key=slots.field("report-title"),
        placeholder="from the cluster and the what-if",
    )
    author = right.text_input(
        "Author", now.author, max_chars=200, key=slots.field("report-author"), placeholder="e.g. Platform team"
    )
    price = widgets.number_or_none(
        "Price of traffic between racks, per GB",
        now.price,
        place=left,
        min_value=0.0,
        step=0.01,
        format="%.3f",
        key=slots.field("report-price"),
        placeholder="no price set",
        help="The cloud's price for traffic between availability zones: 0.02 if each side pays 0.01",
    )
    currency = right.text_input(
        "Currency",
        now.currency,
        max_chars=LONGEST_CURRENCY,
        key=slots.field("report-currency"),
        help="Shown before the price: $, €, CHF",
    )
    throttle = widgets.number_or_none(
        "Replication throttle per broker (MB/s)",
        now.throttle,
        place=right,
        min_value=0.1,
        step=10.0,
        key=slots.field("report-throttle"),
        placeholder="not decided",
        help="The minimum copy time depends on it",
    )
    with left:
        _upload("Logo (PNG or SVG)", ["png", "svg"], _LOGO, logo_kind, LARGEST_LOGO)
        slides = "Your own slides, for their master"
        _upload(slides, ["pptx", "potx"], _TEMPLATE, of_company, LARGEST_TEMPLATE)
    mask = right.toggle(
        "Replace names by pseudonyms",
        value=now.mask,
        key=slots.field("report-mask"),
        help="Topics, hosts, racks and the cluster get neutral names, the same in every file of this session",
    )
    if mask:
        with right:
            _upload_key()
    return replace(now, title=title, author=author, price=price, currency=currency, throttle=throttle, mask=mask)


def _upload(label: str, kinds: list[str], slot: Slot[bytes], check: Callable[[bytes], object], most: int) -> None:
    """A file of at most so many bytes that goes into the report; none where ``check`` refuses it, and why."""
    sent = st.file_uploader(label, type=kinds, key=f"{slot.name}-file", max_upload_size=most // MEGABYTE)
    data = b"" if sent is None else sent.getvalue()
    try:
        if sent is not None and not (data and data == slot.get(b"")):  # what is kept was looked at: slides take a while
            check(data)
    except InputRefused as refusal:
        st.markdown(f":orange[:material/warning:] {text.plain(str(refusal))}")
        data = b""
    slot.set(data)


def _upload_key() -> None:
    sent = st.file_uploader(
        "Key of earlier pseudonyms",
        key="report-key-file",
        help="With the same key, the same names get the same pseudonyms; without one, this session creates its own",
    )
    if sent is None:
        return
    try:
        _KEY.set(key_in(sent.getvalue(), sent.name))
    except InputRefused as refusal:
        st.markdown(f":orange[:material/warning:] {text.plain(str(refusal))}")
