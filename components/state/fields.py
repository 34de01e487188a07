"""Fields whose choice stands in the page's address: each begins with what the address says, and tells it what it holds.

One name of the address per field, nothing where it holds what comes up by itself. What is told is written once, when
the page is drawn (``addresses.publish``): a choice is one step of the browser's Back. A link to the page says it too.
Never for a credential, or anything that names a server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from components.canvas.figure_state import FigureState
from components.look import text
from components.state import addresses, linked, shared, slots, widgets
from reseat.model.naming import natural
from reseat.model.wording import listed

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
    from streamlit.elements.lib.mutable_tab_container import TabContainer

__all__ = [
    "figure",
    "fill",
    "find",
    "fold",
    "leave_out",
    "lines",
    "number",
    "offered",
    "optional",
    "pills",
    "price",
    "search",
    "segments",
    "select",
    "several",
    "shelved",
    "tabs",
    "throttle",
    "whole",
    "yes",
]

_T = TypeVar("_T")
#: How an address calls a choice.
Says = Callable[[_T], str] | Mapping[_T, str]
#: Characters that a field puts into the address; of longer lines it says their digest, by which this server has them.
_MOST = 500
#: What an address says where none is chosen of several, and some come up by themselves.
_NONE = "none"
_YES = "yes"


def segments(
    label: str, options: Sequence[_T], *, name: str, key: str, says: Says[_T] = str, default: _T | None = None,
    place: DeltaGenerator | None = None, **how: Any,
) -> _T:  # fmt: skip
    """One of a few beside each other; further words are those of ``st.segmented_control``.

    Args:
        label: the field's.
        options: what there is to choose; some.
        name: the address's for it.
        key: the field's.
        says: how the address calls each.
        default: what comes up by itself; None: the first.
        place: where it stands.
        how: further words of the field.
    """
    usual = options[0] if default is None else default
    begun = _begun(name, options, usual, says, place)
    draw = st.segmented_control if place is None else place.segmented_control
    chosen: _T = draw(label, options, default=begun, required=True, key=slots.field(key), **how)
    addresses.tell(name, "" if chosen == usual else _said(says, chosen))
    return chosen


def optional(
    label: str, options: Sequence[_T], *, name: str, key: str, says: Says[_T] = str, **how: Any
) -> _T | None:  # fmt: skip
    """One of a few beside each other, or none, which is what comes up by itself; as ``segments``."""
    known = {_said(says, one): one for one in options}
    begun = known.get(offered(name, known))
    chosen: _T | None = st.segmented_control(label, options, default=begun, key=slots.field(key), **how)
    addresses.tell(name, "" if chosen is None else _said(says, chosen))
    return chosen


def select(
    label: str, options: Sequence[_T], *, name: str | None, key: str, says: Says[_T] = str, default: _T | None = None,
    place: DeltaGenerator | None = None, **how: Any,
) -> _T:  # fmt: skip
    """One of a list, in no address where that has no name for it; as ``segments``."""
    usual = options[0] if default is None else default
    begun = usual if name is None else _begun(name, options, usual, says, place)
    draw = st.selectbox if place is None else place.selectbox
    chosen: _T = draw(label, options, list(options).index(begun), key=slots.field(key), **how)
    if name is not None:
        addresses.tell(name, "" if chosen == usual else _said(says, chosen))
    return chosen


def several(
    label: str, options: Sequence[_T], *, name: str, key: str, says: Says[_T] = str, default: Sequence[_T] = (),
    place: DeltaGenerator | None = None, **how: Any,
) -> list[_T]:  # fmt: skip
    """Some of a list; further words are those of ``st.multiselect``. What an address names beside them is said."""
    draw = st.multiselect if place is None else place.multiselect
    begun = _begun_some(name, options, default, says, place)
    chosen: list[_T] = draw(label, options, begun, key=slots.field(key), **how)
    _tell_some(name, chosen, default, says)
    return chosen


def pills(
    label: str, options: Sequence[_T], *, name: str, key: str, says: Says[_T] = str, default: Sequence[_T] = (),
    place: DeltaGenerator | None = None, **how: Any,
) -> list[_T]:  # fmt: skip
    """Some of a few beside each other; further words are those of ``st.pills``."""
    draw = st.pills if place is None else place.pills
    begun = _begun_some(name, options, default, says, place)
    # A row that scrolls hides the last ones.
    chosen: list[_T] = draw(
        label, options, selection_mode="multi", default=begun, key=slots.field(key), wrap=True, **how
    )
    _tell_some(name, chosen, default, says)
    return chosen


def yes(
    label: str, *, name: str | None, key: str, default: bool = False, toggle: bool = False,
    place: DeltaGenerator | None = None, **how: Any,
) -> bool:  # fmt: skip
    """A box to tick, or a switch, in no address where that has no name for it; further words as of ``st.checkbox``."""
    words = {True: _YES, False: "no"}
    begun = default if name is None else _begun(name, (True, False), default, words, place)
    where: Any = st if place is None else place
    chosen = bool((where.toggle if toggle else where.checkbox)(label, begun, key=slots.field(key), **how))
    if name is not None:
        addresses.tell(name, "" if chosen == default else words[chosen])
    return chosen


def search(
    label: str, default: str = "", *, name: str | None, key: str, place: DeltaGenerator | None = None, **how: Any
) -> str:
    """A line of text, in no address where that has no name for it; further words are those of ``st.text_input``."""
    draw = st.text_input if place is None else place.text_input
    told = "" if name is None else _told(name)[:_MOST]
    chosen: str = draw(label, told or default, key=slots.field(key), **how)
    if name is not None:
        addresses.tell(name, "" if chosen == default or len(chosen) > _MOST else chosen)
    return chosen


def lines(label: str, *, name: str, key: str, place: DeltaGenerator | None = None, **how: Any) -> str:
    """Lines of text; further words are those of ``st.text_area``."""
    draw = st.text_area if place is None else place.text_area
    told = _told(name)
    begun = shared.linked_texts().find(told) if linked.TEXT.fullmatch(told) else told[:_MOST]
    offered(name, () if begun is None else [told], place)
    chosen: str = draw(label, begun or "", key=slots.field(key), **how)
    addresses.tell(name, shelved(chosen) if len(chosen) > _MOST else chosen)
    return chosen


def shelved(chosen: str) -> str:
    """What the address says of a text that is too long for it; nothing of one too long for the server's shelf."""
    return shared.linked_texts().put(chosen)


def find(key: str, words: str = "a topic, topic-partition, or a broker id") -> str:
    """The line above a table in which one types what to look for."""
    return search(
        "Search",
        name=f"find_{key}",
        key=f"{key}-search",
        placeholder=words,
        label_visibility="collapsed",
        icon=":material/search:",
    )


def number(
    label: str, lowest: int, highest: int, default: int, *, name: str | None, key: str, step: int = 1,
    place: DeltaGenerator | None = None, **how: Any,
) -> int:  # fmt: skip
    """A whole number, in no address where that has no name for it; further words are those of ``st.number_input``."""
    told = "" if name is None else _told(name)
    known = re.fullmatch("-?[0-9]{1,16}", told) is not None and lowest <= int(told) <= highest
    offered(name or "", [told] if known else (), place)
    draw = st.number_input if place is None else place.number_input
    chosen = int(draw(label, lowest, highest, int(told) if known else default, step, key=slots.field(key), **how))
    if name is not None:
        addresses.tell(name, "" if chosen == default else str(chosen))
    return chosen


def whole(
    label: str, highest: int, *, name: str, key: str, place: DeltaGenerator | None = None, **how: Any
) -> int | None:
    """A whole number above 0 that need not be there, None where it is not; as ``number``."""
    told = _told(name)
    known = re.fullmatch("[0-9]{1,16}", told) is not None and 0 < int(told) <= highest
    offered(name, [told] if known else ())
    begins = int(told) if known else None
    chosen = widgets.number_or_none(
        label, begins, min_value=1, max_value=highest, key=slots.field(key), place=place, **how
    )
    addresses.tell(name, "" if chosen is None else str(int(chosen)))
    return None if chosen is None else int(chosen)


def throttle(place: DeltaGenerator | None = None, **how: Any) -> int | None:
    """The replication throttle in bytes a second, None where there is none; as ``whole``, in megabytes."""
    words = "Replication throttle per broker (MB/s)"
    rate = whole(words, 999_999_999, name="throttle", key="throttle", place=place, step=10, placeholder="none", **how)
    return None if rate is None else rate * 1_000_000


def price() -> float | None:
    """The price of a GB of traffic between racks, None where there is none; as ``number``."""
    told = _told("price")
    known = re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,15})?(e-[0-9]{2})?", told) is not None
    offered("price", [told] if known else ())
    chosen = widgets.number_or_none(
        "Price of traffic between racks, per GB",
        float(told) if known else None,
        min_value=0.0,
        max_value=999_999_999.0,
        step=0.01,
        format="%.3f",
        placeholder="no price set",
        key=slots.field("price"),
        width=280,
    )
    addresses.tell("price", "" if chosen is None else f"{chosen:.15g}")
    return chosen


def tabs(names: Sequence[str], *, name: str, key: str, says: Says[str] = str) -> Sequence[TabContainer]:
    """Tabs, all of them drawn; further words are those of ``st.tabs``."""
    begun = _begun(name, names, names[0], says)
    drawn: Sequence[TabContainer] = st.tabs(list(names), default=begun, key=slots.field(key), on_change="rerun")
    opened = next((one for one, tab in zip(names, drawn, strict=True) if tab.open), names[0])
    addresses.tell(name, "" if opened == names[0] else _said(says, opened))
    return drawn


def fold(label: str, *, name: str, key: str, **how: Any) -> ExpanderContainer:
    """What is folded away until it is opened; further words are those of ``st.expander``."""
    opened: ExpanderContainer = st.expander(label, _told(name) == _YES, key=slots.field(key), on_change="rerun", **how)
    addresses.tell(name, _YES if opened.open else "")
    return opened


def figure(key: str, event: Callable[[Mapping[str, object]], None], **names: str) -> FigureState:
    """What a person does in a figure, and sets in it, such as what is typed there to find a broker.

    Args:
        key: the figure's, by which the session keeps it.
        event: called with what a person did, before the page is drawn anew; a browser can tell anything.
        names: the address's name for each thing that is set.
    """
    slot: slots.Slot[str] = slots.Slot(key, addressed=True)
    begins = {}
    for one, name in names.items():
        begins[one] = slot.of(one).get(_told(name))
        addresses.tell(name, begins[one])

    def hear(component: str, one: str) -> None:
        slot.of(one).set(widgets.set_in(component, one))

    def heard(component: str) -> None:
        said = widgets.event_in(component)
        if said is not None:
            event(said)

    return FigureState(begins, slots.Anew(key).turn, hear, heard)


def fill(name: str, chosen: Sequence[object]) -> None:
    """Let a field of ``several`` begin anew with these, from a callback: what was clicked is a choice in it too."""
    there = {known: said for known, said in st.query_params.to_dict().items() if known != name}
    st.query_params.from_dict(there | ({name: "\n".join(map(str, chosen))} if chosen else {}))


def offered(name: str, known: Collection[str], place: DeltaGenerator | None = None) -> str:
    """What the address says of a choice, where it is among these; what is not is said, as one comes by the address."""
    told = _told(name)
    if told in known:
        return told
    if told and addresses.comes():
        leave_out([f"{name}={told}"], place)
    return ""


def leave_out(strange: Collection[str], place: DeltaGenerator | None = None) -> None:
    """Say what the address names and nobody offers, where there is such."""
    if strange:
        names: list[str] = sorted(strange, key=natural)
        named = text.plain(listed(names, 5), 200)
        (st if place is None else place).caption(f"Left out, because it is not offered here: {named}.")


def _begun_some(
    name: str, options: Sequence[_T], usual: Sequence[_T], says: Says[_T], place: DeltaGenerator | None
) -> list[_T]:
    told = _told(name)
    if not told:
        return list(usual)
    wanted, known = set(told.split("\n")), {_said(says, one): one for one in options}
    leave_out(wanted - known.keys() - {"", _NONE}, place)
    return [one for said, one in known.items() if said in wanted]


def _tell_some(name: str, chosen: Sequence[_T], usual: Sequence[_T], says: Says[_T]) -> None:
    said = "\n".join(_said(says, one) for one in chosen) or _NONE
    addresses.tell(name, "" if set(chosen) == set(usual) or len(said) > _MOST else said)


def _told(name: str) -> str:
    return str(st.query_params.get(name, ""))


def _said(says: Says[_T], option: _T) -> str:
    return says(option) if callable(says) else says[option]


def _begun(
    name: str, options: Sequence[_T], usual: _T, says: Says[_T], place: DeltaGenerator | None = None
) -> _T:  # fmt: skip
    known = {_said(says, one): one for one in options} if _told(name) else {}
    return known.get(offered(name, known, place), usual)
