"""Who sends to whom, as a Sankey diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from components.charts.bars import Numbers
from components.look import text, theme
from reseat.model import Longs

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["flows"]


def flows(sources: Sequence[str], targets: Sequence[str], link: Longs, values: Numbers, unit: str) -> go.Figure:
    """Who sends to whom, as a Sankey diagram: givers left, receivers right.

    Args:
        sources: names on the left.
        targets: names on the right.
        link: (n, 2) positions in ``sources`` and ``targets``.
        values: (n,) how much goes along each.
        unit: what is counted, in the plural.
    """
    import plotly.graph_objects as go

    look = theme.look()
    hover = {"bgcolor": look.background, "bordercolor": look.line, "font": {"color": look.text, "size": 13}}
    figure = go.Figure(
        go.Sankey(
            arrangement="snap",
            valueformat=",.0f",
            valuesuffix=f" {unit}",
            node={
                "label": [text.label(name) for name in (*sources, *targets)],
                "color": [theme.MOVED_OUT] * len(sources) + [theme.MOVED_IN] * len(targets),
                "line": {"width": 0},
                "pad": 15,
                "thickness": 14,
                "hovertemplate": "%{label}: %{value}<extra></extra>",
                "hoverlabel": hover,
            },
            link={
                "source": link[:, 0],
                "target": link[:, 1] + len(sources),
                "value": values,
                "color": "rgba(125,135,150,0.28)",
                "hovertemplate": "%{source.label} sends %{value} to %{target.label}<extra></extra>",
                "hoverlabel": hover,
            },
            # Names lie over the bands: a rim in the background's colour keeps them readable.
            textfont={"color": look.text, "size": 12, "shadow": ", ".join([f"0 0 2px {look.background}"] * 4)},
        )
    )
    # Below the last name is room for the menu that saves the figure.
    figure.update_layout(template=theme.template(), margin={"l": 8, "r": 8, "t": 8, "b": 34})
    return figure
