"""Live clusters by name or address, tested, read and read again; what changed, and what a reading is worth."""

from __future__ import annotations

import streamlit as st

from components.clusters.cluster_card import draw_card
from components.clusters.connect_form import draw_form
from components.look import text
from components.look.notices import not_read
from components.over_time.changes_table import draw_changes
from components.shell import frame, sign_in
from components.state import connections, fields
from components.state.connections import Connectable
from reseat.balance.quorum import quorum_in_words
from reseat.model import Consistency, Snapshot
from reseat.model.wording import verb
from reseat.sources.followed import LiveCluster, LiveState

__all__ = ["draw"]


def draw() -> None:
    """The clusters that can be read, the one that is looked at closer, and what came of reading it."""
    frame.needs_extra("live")
    offered = connections.choices()
    live = connections.chosen(offered)
    state = LiveState() if live is None else live.state  # one moment for all that the page says
    frame.answer(_sentence(offered, live, state))
    if state.snapshot is not None:
        frame.figures(_snapshot_figures(state, state.snapshot))

    left, right = st.container(key="clusters-live").columns([2, 3], gap="large")
    with left:
        st.header("Clusters", anchor=False)
        if offered.all or offered.refused:
            connections.draw_list(offered, live)
        if not offered.reading.may:
            sign_in.draw_buttons("clusters")
        elif offered.typing.may:
            with st.expander("Another address", icon=":material/add_link:", expanded=not offered.all):
                draw_form(offered)
        else:
            st.caption(text.plain(offered.typing.sentence))
        _draw_naming()
    with right:
        if live is not None:
            draw_card(live, state)
        else:
            st.markdown(
                "Reseat reads brokers, racks, replica lists, leaders and ISRs from ZooKeeper or from the brokers "
                "themselves, and shows them on every page. Reading never writes."
            )

    if live is not None and state.snapshot is not None:
        draw_changes(state, f"changes-{live.name}")
        _draw_facts(state.snapshot)
    _draw_rights()


def _sentence(offered: Connectable, live: LiveCluster | None, state: LiveState) -> str:
    """The sentence that answers the page's question: is there a live cluster, and how fresh is what one sees?"""
    if not offered.reading.may:
        return offered.reading.sentence
    if live is None:
        return "No live cluster yet. Enter an address, or add a cluster to the configuration."
    if state.snapshot is None:
        if state.error is not None and not state.refreshing:
            return f"{live.name} cannot be read."
        stands = "is being read" if state.refreshing else "has not been read yet"
        return f"{live.name} {stands}. Reading changes nothing on it."
    brokers = state.snapshot.layout.brokers
    away = [broker.id for broker in brokers if broker.state.away]
    size = f"{text.counted(len(brokers), 'broker')} and " + text.counted(
        state.snapshot.layout.partition_count, "partition"
    )
    if away:
        named = f"broker {away[0]} is" if len(away) == 1 else f"{len(away):,} are"
        size += f"; {named} not alive"
    if state.error is not None:
        return (
            f"{live.name} cannot be read: {connections.trouble(state.error)}. "
            f"Shown: the state read {text.ago(state.snapshot.taken_at)}: {size}."
        )
    return f"{live.name} was read {text.ago(state.snapshot.taken_at)}: {size}."


_NAMED = 8
_EXAMPLE = """[clusters.production]
bootstrap = "broker1:9093,broker2:9093"
security_protocol = "SASL_SSL"
sasl_mechanism = "SCRAM-SHA-512"
username = "reseat"
password = "..."
ca_file = "/etc/kafka/ca.pem"

[clusters.older]
zookeeper = "zk1:2181,zk2:2181/kafka"
zookeeper_digest = "reader:..."
bootstrap = "broker1:9092"       # sizes and log directories, if you like"""


def _consistency_in_words(snapshot: Snapshot) -> str:
    """What the reading promises about one moment, in a sentence or two."""
    if snapshot.consistency is Consistency.CONSISTENT:
        return "Consistent: the state of the cluster right before the first request."
    if snapshot.consistency is Consistency.UNSETTLED:
        topics = list(snapshot.unsettled)
        names = ", ".join(topics[:_NAMED]) + (f" and {len(topics) - _NAMED:,} more" if len(topics) > _NAMED else "")
        about = f": {names}" if topics else ""
        return (
            f"{text.counted(len(topics), 'topic')} changed while the cluster was read, also on a second read{about}. "
            "These topics may mix two states; the rest is consistent."
        )
    return (
        "The Admin protocol gives no consistent snapshot: each answer is what one broker knew when asked, and a change "
        "between the first and the last answer may show in part. Read again if something looks wrong."
    )


def _snapshot_figures(state: LiveState, snapshot: Snapshot) -> list[frame.Figure]:
    """The figures under the sentence."""
    layout = snapshot.layout
    alive = sum(broker.state.up for broker in layout.brokers)
    return [
        frame.Figure("Brokers alive", f"{alive:,} of {len(layout.brokers):,}", None, None),
        frame.Figure("Topics", text.count(len(layout.topics))),
        frame.Figure("Partitions", text.count(layout.partition_count)),
        frame.Figure(
            "Reassigning", text.count(int(layout.under_way.sum()) if snapshot.under_way_told else None), None, None
        ),
        frame.Figure("Readings", text.count(state.generation), None, None),
        frame.Figure("Time to read", text.duration(max(1.0, state.took.total_seconds())), None, None),
    ]


def _draw_facts(snapshot: Snapshot) -> None:
    """The section: identity, what it promises, what is missing, and what was found while reading."""
    st.header("About this reading", anchor=False)
    kept = {"zookeeper": "ZooKeeper", "kraft": "KRaft"}.get(snapshot.metadata or "")
    facts = [
        f"cluster id {text.code(snapshot.cluster_id)}" if snapshot.cluster_id else "cluster id unknown",
        _controller(snapshot),
        f"Kafka {text.code(snapshot.version)}" if snapshot.version else "version unknown",
        f"metadata in {kept}" if kept else "",
        "" if snapshot.quorum is None else text.plain(quorum_in_words(snapshot.quorum)),
        f"started {text.plain(snapshot.taken_at.strftime('%Y-%m-%d %H:%M:%S'))} UTC",
    ]
    st.markdown(" · ".join(fact for fact in facts if fact))
    settled = snapshot.consistency is Consistency.CONSISTENT
    mark = ":green[:material/check_circle:]" if settled else ":orange[:material/warning:]"
    if snapshot.consistency is Consistency.NOT_PROMISED:
        mark = ":material/info:"
    st.markdown(f"{mark} {text.plain(_consistency_in_words(snapshot))}")
    not_read(snapshot)
    frame.findings(snapshot.findings)
    if not snapshot.findings and not snapshot.not_read:
        away = [broker.id for broker in snapshot.layout.brokers if broker.state.away]
        if away:
            st.caption(
                f"No contradictions. {verb(len(away), 'Broker', 'Brokers')} {text.ids(away)} "
                f"{verb(len(away), 'is', 'are')} not alive, so sizes and settings there are unknown."
            )
        else:
            st.caption("Everything was read, without contradictions.")


def _controller(snapshot: Snapshot) -> str:
    """Who it is; nothing where the quorum says it, and that it is no broker where it is none."""
    if snapshot.controller is None:
        return "controller unknown"
    if snapshot.controller in snapshot.layout.broker_ids:
        return f"controller {text.code(str(snapshot.controller))}"
    return f"controller {text.code(str(snapshot.controller))}, which is not a broker"


def _draw_rights() -> None:
    """Folded: the rights that suffice to read, for either way."""
    from reseat.sources.zookeeper.permissions import PERMISSIONS_NEEDED

    with fields.fold("Required ACLs", name="acls", key="live-acls", icon=":material/lock_open:"):
        st.markdown(
            "**Brokers (Admin protocol).** ACLs: `DESCRIBE` on the `Cluster` (reassignments, log directories), "
            "`DESCRIBE` and `DESCRIBE_CONFIGS` on all `Topic`s, and `DESCRIBE_CONFIGS` on the `Cluster` for the "
            "brokers' settings. Without `DESCRIBE` on a topic Kafka does not list it. No right to alter, create or "
            "read records is needed."
        )
        st.markdown(f"**ZooKeeper.** {text.plain(PERMISSIONS_NEEDED)}")


def _draw_naming() -> None:
    """Folded: how a cluster gets a name in the configuration."""
    with fields.fold("How to name a cluster", name="naming", key="live-naming", icon=":material/edit_document:"):
        st.markdown(
            "In `.streamlit/secrets.toml` (or a file that `RESEAT_CLUSTERS_FILE` names), a table for each cluster. It "
            "is read again whenever this page is drawn."
        )
        st.code(_EXAMPLE, language="toml")
        st.markdown(
            "Or in the environment, which overrides the file: `RESEAT_CLUSTER_PRODUCTION_BOOTSTRAP`, "
            "`RESEAT_CLUSTER_PRODUCTION_PASSWORD` and so on, each key in capitals. Further keys: `cert_file`, "
            "`key_file`, `key_password`, `token`, `token_command`, `check_hostname`, `zookeeper_tls`, "
            "`zookeeper_sasl_username`, `zookeeper_sasl_password`, `kerberos_service`, `kerberos_keytab`, "
            "`kerberos_principal`, `timeout_seconds`."
        )
