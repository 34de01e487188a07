"""What a certificate says: a table of what was reached, the minimum, and whether that is proven."""

from __future__ import annotations

import streamlit as st

from components.look import on_paper, tables, text
from reseat.model import Certificate

__all__ = ["draw_proof", "rows_of"]

#: (words, what was reached, the least, the proof) by field of the certificate, in the order of a drain's objectives.
_ROWS = (
    ("Replica moves", "moves", "least_moves", "moves_proven"),
    (
        "Rack balance (sum of squares of replicas per partition and rack)",
        "rack_sum_of_squares",
        "least_rack_sum_of_squares",
        "rack_balance_proven",
    ),
    (
        "Replica balance (sum of squares by broker)",
        "replica_sum_of_squares",
        "least_replica_sum_of_squares",
        "replica_balance_proven",
    ),
    (
        "Leader balance (sum of squares of preferred leaders by broker)",
        "leader_sum_of_squares",
        "least_leader_sum_of_squares",
        "leader_balance_proven",
    ),
    (
        "Changed preferred leaders",
        "changed_preferred_leaders",
        "least_changed_preferred_leaders",
        "changed_leaders_proven",
    ),
)


def rows_of(certificate: Certificate) -> list[tuple[str, int | None, int | None, bool]]:
    """The objectives in their order: words, reached, least, proven. What mends racks on its way has them first.

    No least is above what was reached: it is that of plans that do all that is asked for, and this one then does not.
    """
    wish = certificate.wish

    def row(words: str, *fields: str) -> tuple[str, int | None, int | None, bool]:
        reached, least, proven = (getattr(certificate, field) for field in fields)
        return words, reached, None if None not in (reached, least) and reached < least else least, proven

    moves, racks, replicas, *leaders = (row(*names) for names in _ROWS)
    evenest = _evenest(certificate)
    reached = certificate.replica_spread
    spread = ("Replica spread (max–min replicas by broker)", reached, reached if evenest else None, evenest)
    first = [racks, moves] if (wish.rebalance or wish.mend_racks or wish.mend) and not wish.keeps_racks else None
    if wish.rebalance and first:
        first.insert(1, spread)
        return [*first, replicas, *leaders]
    return [*(first or [moves, racks]), replicas, spread, *leaders]


def _evenest(certificate: Certificate) -> bool:
    """Whether the spread is proven to be the least: the aim of a rebalance before moves, else a matter of balance."""
    options = certificate.wish.options
    if not certificate.wish.rebalance:
        return certificate.replica_balance_proven
    limited = certificate.wish.chooses_moves
    return certificate.moves_proven and not (limited or options.by_bytes or options.even_topics)


def draw_proof(certificate: Certificate, beside: Certificate | None = None) -> None:
    """The objectives of one plan, or of a plan beside Reseat's own.

    Args:
        certificate: of the plan.
        beside: of Reseat's own plan, where another plan is judged.
    """
    import pandas as pd

    rows = rows_of(certificate)
    columns: dict[str, object] = {
        "objective (most important first)": [words for words, *_ in rows],
        "this plan": pd.array([reached for _, reached, _, _ in rows], dtype="Int64"),
    }
    if beside is not None:
        columns["Reseat's plan"] = pd.array([reached for _, reached, _, _ in rows_of(beside)], dtype="Int64")
    columns["minimum"] = pd.array([least for _, _, least, _ in rows], dtype="Int64")
    columns["verdict"] = [
        _verdict(reached, least, proven, faulty=bool(certificate.faults)) for _, reached, least, proven in rows
    ]
    frame = pd.DataFrame(columns)
    st.dataframe(
        frame,
        hide_index=True,
        row_height=30,
        height="content",
        placeholder="unknown",
        column_config=tables.explained(
            frame,
            {
                name: st.column_config.NumberColumn(format="localized")
                for name in ("this plan", "Reseat's plan", "minimum")
            },
        ),
    )
    on_paper.rows(frame)
    st.markdown("\n".join(f"- {text.plain(sentence)}" for sentence in certificate.sentences))


def _verdict(reached: int | None, least: int | None, proven: bool, *, faulty: bool = False) -> str:
    if reached is None:
        return "unknown"
    if faulty:
        return "✖ invalid plan, not comparable"
    if proven:
        return "✔ proven"
    if least is not None and reached > least:
        return f"▲ {reached - least:,} above the minimum"
    return "○ not proven"
