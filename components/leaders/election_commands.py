"""The command that holds the previewed election with Kafka's own tool, and the file that names its partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components.look import text
from components.look.downloads import download
from components.what_if.command_target import draw_code, draw_target

if TYPE_CHECKING:
    from reseat.election import ElectionPreview
    from reseat.model import ClusterLayout

__all__ = ["draw_election_command"]


def draw_election_command(layout: ClusterLayout, preview: ElectionPreview, version: str | None) -> None:
    """The file and the command, of the partitions that the election would change; a sentence where there are none.

    Args:
        layout: the layout as it is.
        preview: the preferred-leader election of it.
        version: Kafka's version where the layout told it, or None.
    """
    from reseat.election import Reason
    from reseat.formats.documents.writers import write_preferred_election
    from reseat.formats.text.commands import election_command

    elected = preview.reason == Reason.ELECTED.value
    count = int(elected.sum())
    if not count:
        st.markdown("No partition would get another leader: there is nothing to elect.")
        return
    left, right = st.columns([1, 2])
    target = draw_target(version, left, right)
    download(
        f"Election (election.json), {text.counted(count, 'partition')}",
        "election.json",
        lambda: write_preferred_election(layout, elected),
        key="download-election-now",
    )
    draw_code(
        "Elect preferred leaders",
        "Moves leadership to the first replica of each list in the file if it is alive and in sync. No data moves.",
        election_command(target.version, "election.json", bootstrap=target.bootstrap, zookeeper=target.zookeeper),
    )
