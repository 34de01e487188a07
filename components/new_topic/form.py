"""The form of a new topic, and Kafka's checks of it: first the tool's, in its order and words, then the cluster's."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from components.state import fields
from components.state.open_layout import OpenLayout
from components.what_if.command_target import VERSIONS
from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.model.naming import version_of
from reseat.model.wording import named, verb
from reseat.placement.command_line import read_topic_command
from reseat.placement.creation import CreationMethod, creation_method, creation_methods
from reseat.placement.topic_spec import ClusterDefaults, TopicSpec, topic_faults, topic_warnings

__all__ = ["NewTopic", "check", "draw_form"]

_PLACED, _GIVEN, _DEFAULT = "Automatic assignment", "Manual assignment", "Cluster's defaults"
#: What the tool's words leave in the dark.
_IN_OTHER_WORDS: dict[str | None, tuple[str, ...]] = {
    "NumberFormatException": (
        "Expected broker ids as whole numbers, such as 1:2,2:3 for two partitions of two replicas.",
    )
}
#: More partitions are not previewed.
_MOST = 200_000
#: Draws have numbers up to here, which a browser counts exactly.
_LAST_DRAW = 2**53 - 1


@dataclass(frozen=True)
class NewTopic:
    """What the form says, before any check.

    Attributes:
        name: the topic's name.
        partitions: how many, or None.
        replication_factor: replicas of each, or None.
        assignment: the text of ``--replica-assignment``; empty where Kafka places.
        configs: ``--config`` texts.
        if_not_exists: ``--if-not-exists``.
        disable_rack_aware: ``--disable-rack-aware``.
        version: the cluster's.
        method: how the topic is made there.
        seed: of the random draws that are previewed.
        defaults: of the cluster.
    """

    name: str
    partitions: int | None
    replication_factor: int | None
    assignment: str
    configs: tuple[str, ...]
    if_not_exists: bool
    disable_rack_aware: bool
    version: str
    method: CreationMethod
    seed: int
    defaults: ClusterDefaults

    @property
    def waits(self) -> str:
        """What the person has not come to yet, as a sentence; empty where nothing is missing."""
        if self.assignment and not self.assignment.strip():
            return "Enter the replicas: commas between partitions, colons between replicas, the preferred leader first."
        return (
            ""
            if self.name
            else "Enter a topic name to see whether Kafka would accept it and where its replicas would go."
        )

    def words(self) -> list[str]:
        """The words after ``kafka-topics``; the server is only a place holder."""
        server = "zookeeper" if self.method is CreationMethod.ZOOKEEPER_TOOL else "bootstrap-server"
        words = [f"--{server}=HOST", "--create", f"--topic={self.name}"]
        if self.assignment:
            words.append(f"--replica-assignment={self.assignment}")
        words += [] if self.partitions is None else [f"--partitions={self.partitions}"]
        words += [] if self.replication_factor is None else [f"--replication-factor={self.replication_factor}"]
        words += [f"--config={config}" for config in self.configs]
        words += ["--if-not-exists"] if self.if_not_exists else []
        return [*words, *(["--disable-rack-aware"] if self.disable_rack_aware else [])]


def check(
    new_topic: NewTopic, layout: ClusterLayout, existing: tuple[str, ...]
) -> tuple[TopicSpec | None, tuple[str, ...], tuple[str, ...]]:
    """The topic, what Kafka would refuse it for (the first thing first), and what it would warn of.

    What is still empty is not told as a fault: the person has not come to it yet.

    Args:
        new_topic: what the form says.
        layout: the layout looked at.
        existing: all topics that there are, also those that the layout leaves out.

    Returns:
        The specification, None where the tool itself refuses; faults; warnings.
    """
    if new_topic.assignment and not new_topic.assignment.strip():
        return None, (), ()
    try:
        spec = read_topic_command(new_topic.words()).spec
    except PlacementRefused as refusal:
        return None, (refusal.sentence, *_IN_OTHER_WORDS.get(refusal.kafka_error, ())), ()
    if spec is None:
        return None, (), ()
    up = [broker for broker in layout.brokers if broker.state is not BrokerState.DEAD]
    # How many brokers there must be is KRaft's own check, in its words; it comes with the placement.
    counted: list[Broker] = [] if new_topic.method is CreationMethod.ADMIN_KRAFT and not spec.assignment else up
    faults = topic_faults(spec, existing=existing, brokers=counted)
    short = [broker.id for broker in layout.brokers if broker.offline_dirs]
    warnings = topic_warnings(spec)
    if spec.configs:
        warnings = (*warnings, "Not checked here: Kafka refuses a --config key that it does not know, or a bad value.")
    if short and not spec.assignment:
        disks = (
            f"{named('Broker', short, 'has', 'have')} an offline log directory, and Kafka places replicas there all "
        )
        warnings = (*warnings, f"{disks}the same: give the replicas to leave {verb(len(short), 'it', 'them')} out.")
    return spec, faults if spec.name else faults[1:], warnings


def draw_form(open_layout: OpenLayout) -> NewTopic:
    """Draw the fields and say what they hold; nothing is checked here."""
    detected = open_layout.version if version_of(open_layout.version) is not None else None
    keeps = open_layout.metadata
    versions = list(dict.fromkeys(version for version in (detected, *VERSIONS) if version))
    first, second, third, fourth = st.columns([2, 3.6, 1.1, 1.5], vertical_alignment="bottom")
    name = fields.search("Topic", name="topic", key="topic-name", place=first, placeholder="its name").strip()
    hows = {_PLACED: "placed", _GIVEN: "given", _DEFAULT: "default"}
    how = fields.segments("Replicas", list(hows), name="how", key="topic-how", says=hows, place=second)
    version = fields.select(
        "Kafka version",
        versions,
        name="version",
        key=f"topic-version-{detected}" if detected else "topic-version",  # of another cluster another
        place=third,
        format_func=lambda one: f"{one} (detected)" if one == detected else one,
    )
    kraft = True
    if len(creation_methods(version)) > 1 and CreationMethod.ADMIN_KRAFT in creation_methods(version):
        chosen = fields.segments(
            "Controller",
            ["KRaft", "ZooKeeper"],
            name="controller",
            key=f"topic-controller-{keeps}" if keeps else "topic-controller",
            says=str.lower,
            default="ZooKeeper" if keeps == "zookeeper" else "KRaft",
            place=fourth,
        )
        kraft = chosen == "KRaft"
    numbers, options = st.columns([1, 1.25] if how != _GIVEN else [1.25, 1], vertical_alignment="bottom")
    options = options.container(horizontal=True, vertical_alignment="center")
    with numbers:
        partitions, factor, assignment, seed = _replicas(how, len(open_layout.layout.brokers))
    with options:
        if_not_exists = fields.yes("--if-not-exists", name="if_not_exists", key="topic-if-not-exists")
        aside = fields.yes("--disable-rack-aware", name="disable_racks", key="topic-disable-racks")
        configs = _configs()
        defaults = _defaults()
    method = creation_method(version, disable_rack_aware=aside, kraft=kraft)
    return NewTopic(
        name,
        partitions,
        factor,
        assignment,
        configs,
        if_not_exists,
        aside,
        version,
        method,
        seed,
        defaults,
    )


def _replicas(how: str, brokers: int) -> tuple[int | None, int | None, str, int]:
    """Partitions, replication factor, the replicas given, and the seed of the draw."""
    if how == _GIVEN:
        typed = fields.search(
            "--replica-assignment",
            name="assignment",
            placeholder="0:1,1:0,0:1",
            help="Commas between partitions, colons between replicas; the first replica is the preferred leader.",
            key="topic-assignment",
        )
        return None, None, typed.strip() or " ", 0  # a blank: given, though nothing stands there yet
    first, second, third = st.columns(3, vertical_alignment="bottom")
    partitions = factor = None
    if how == _PLACED:
        partitions = fields.number(
            "Partitions", -_MOST, _MOST, 6, name="partitions", key="topic-partitions", place=first
        )
        factor = fields.number(
            "Replication factor",
            -_MOST,
            _MOST,
            min(3, max(1, brokers)),
            name="factor",
            key="topic-factor",
            place=second,
        )
    seed = fields.number(
        "Draw",
        0,
        _LAST_DRAW,
        0,
        name="draw",
        key="topic-seed",
        place=third,
        help="Kafka assigns at random. Each number shows another random assignment, the same one each time.",
    )
    return partitions, factor, "", int(seed)


def _configs() -> tuple[str, ...]:
    """The topic's own settings, as typed."""
    with st.popover("--config", icon=":material/tune:"):
        lines = fields.lines(
            "One key=value per line",
            name="configs",
            placeholder="retention.ms=604800000\nmin.insync.replicas=2",
            height=110,
            key="topic-configs",
        )
    return tuple(line.strip() for line in lines.splitlines() if line.strip())


def _defaults() -> ClusterDefaults:
    """What the brokers are configured to do for topics that say nothing, as the person tells it."""
    with st.popover("Defaults", icon=":material/settings:"):
        partitions = fields.number("num.partitions", 1, 10_000, 1, name="num_partitions", key="default-partitions")
        factor = fields.number("default.replication.factor", 1, 32_767, 1, name="default_factor", key="default-factor")
        auto = fields.yes("auto.create.topics.enable", name="auto", key="default-auto", default=True)
    return ClusterDefaults(int(partitions), int(factor), auto)
