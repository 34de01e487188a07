"""One loss in detail, beside what was clicked: what goes, who takes over, what healing it takes, and the what-if."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

from components.look import text
from components.look.notices import of_quorum
from components.resilience.figure import HEIGHT
from components.resilience.view import Chosen
from components.shell import navigation
from reseat.resilience import Healing, Loss
from reseat.resilience.losses import AMOUNTS, Losses
from reseat.resilience.words import MEASURES, LossMeasure, who

__all__ = ["detail_lines", "draw_detail", "loss_of_row"]

#: Brokers that take over, named before the rest is counted.
_HEIRS = 3
#: Words, colour and icon of what is broken.
_BROKEN: dict[LossMeasure, tuple[str, str, str]] = {
    "offline_partitions": ("offline", "red", "error"),
    "below_min_isr": ("below min ISR", "orange", "warning"),
}
#: Pixels of the title and the button, of two lines each, which stay in sight.
_AROUND = 152
#: A longer name does not fit on the button.
_LONG = 24


def loss_of_row(losses: Losses, chosen: Chosen) -> Loss | None:
    """The loss of a single broker or rack, from its row; None where there is none, as for pairs."""
    rows = losses.of_kind(chosen.kind)
    rows = rows[rows["lost"] == chosen.lost]
    if rows.empty:
        return None
    row = rows.iloc[0]
    offline, below, moved = (None if row[name] is pd.NA else int(row[name]) for name in MEASURES)
    moves, size, spread = (None if row[name] is pd.NA else int(row[name]) for name in AMOUNTS)
    kept = None if row["racks_kept"] is pd.NA else bool(row["racks_kept"])
    healing = Healing(moves, size, spread, kept)
    return Loss(chosen.lost, row["rack"], offline or 0, below, moved, row["leaders_to"], healing)


def draw_detail(
    losses: Losses,
    chosen: Chosen,
    find: Callable[[Chosen], Loss | None],
    opens: Callable[[tuple[int, ...]], Mapping[str, str]],
    quorum: tuple[bool, str] | None = None,
) -> None:
    """The detail and the link that opens the what-if.

    Args:
        losses: what the page draws.
        chosen: the loss.
        find: gives all that is known of it; it may take a moment.
        opens: what a link says that opens the what-if, by the ids of the lost brokers.
        quorum: whether the controllers go on, and how, in a sentence; None where the loss is none of theirs.
    """
    with st.container(border=True, key="resilience-detail", height=HEIGHT):
        with st.spinner("Counting …"):
            found = find(chosen)
        name = who(chosen.kind, chosen.lost, None if found is None else found.rack)
        st.markdown(f"**{text.plain(name)} lost**{_where(losses, chosen)}")
        with st.container(key="resilience-lines", height=HEIGHT - _AROUND, border=False):
            lines = detail_lines(losses, chosen, found)
            if quorum is not None:
                lines.append(of_quorum(quorum))
            st.markdown("\n".join(f"- {line}" for line in lines))
        short = name if len(name) < _LONG else text.counted(len(chosen.lost), "broker")
        with st.container(key="resilience-open"):
            navigation.link(
                navigation.BOARD,
                f"Open as what-if: {text.plain(short)} removed",
                opens=opens(chosen.lost),
            )


def detail_lines(losses: Losses, chosen: Chosen, found: Loss | None) -> list[str]:
    """All that is known of one loss, as Markdown lines.

    Args:
        losses: what the page draws, for what is so already.
        chosen: the loss.
        found: its numbers; None where the layout that they would be counted on is gone.
    """
    if found is None:
        return ["No details: retention has removed both the results and the snapshot's file."]
    lines = [_broken("offline_partitions", found.offline_partitions, losses)]
    if found.below_min_isr is not None:
        lines.append(_broken("below_min_isr", found.below_min_isr, losses))
    if found.leaders_moved is not None:
        moved = text.counted(found.leaders_moved, "leader moves", "leaders move")
        lines.append(f":material/star: **{moved}**{_heirs(found)}")
    return [*lines, *_healing(found)]


def _broken(measure: LossMeasure, count: int, losses: Losses) -> str:
    words, colour, icon = _BROKEN[measure]
    mark = f":{colour}[:material/{icon}:]" if count else ":green[:material/check:]"
    already = losses.already.get(measure, 0)
    before = f", {already:,} of them already" if already else ""
    return f"{mark} **{text.counted(count, 'partition')}** {words}{before}"


def _heirs(found: Loss) -> str:
    """Who takes over how many, the one that gets most first."""
    heirs = sorted(found.leaders_to, key=lambda pair: (-pair[1], pair[0]))
    if not heirs:
        return ""
    first = len(heirs) if len(heirs) == _HEIRS + 1 else _HEIRS  # "one other" is no shorter than its name
    named = [f"{leaders:,} to broker {broker}" for broker, leaders in heirs[:first]]
    rest = heirs[first:]
    if rest:
        named.append(f"{sum(leaders for _, leaders in rest):,} to {text.counted(len(rest), 'other')}")
    return ": " + ", ".join(named)


def _healing(found: Loss) -> list[str]:
    healing = found.healing
    if healing is None:
        return []
    if healing.moves is None:
        return [
            ":red[:material/block:] The remaining brokers cannot hold these replicas: full replication needs more "
            "brokers"
        ]
    copied = f"copy **{text.counted(healing.moves, 'replica')}**"
    if healing.bytes_to_move is not None:
        copied += f", {text.size(healing.bytes_to_move)}"
    lines = [f":material/healing: To restore full replication: {copied}"]
    if healing.least_spread is not None:
        lines.append(f":material/balance: Best spread afterwards: **{text.counted(healing.least_spread, 'replica')}**")
    if healing.racks_kept is not None:
        lines.append(
            ":green[:material/check:] Every partition can be on as many racks as before"
            if healing.racks_kept
            else ":orange[:material/warning:] Some partitions end up on fewer racks"
        )
    return lines


def _where(losses: Losses, chosen: Chosen) -> str:
    """The racks of the brokers lost, or how many brokers a rack has."""
    if chosen.kind == "rack":
        return f" · {text.counted(len(chosen.lost), 'broker')}"
    at = {int(broker): rack for broker, rack in zip(losses.brokers, losses.racks, strict=True)}
    racks = list(dict.fromkeys(rack for rack in (at.get(one) for one in chosen.lost) if rack is not None))
    return f" · in {' and '.join(text.plain(rack, 12) for rack in racks)}" if racks else ""
