"""What a text was recognised as, in one line; and what to add to it for a better plan, with the command.

Nothing is claimed that the text does not show: a release is named where it prints what no earlier one knows, and a
newer one may have printed it all the same. What a text holds in part is not asked for again: a broker that is down
is in no tool's output.

Example: ``kafka-topics --describe of Kafka 2.8 or later: 4 brokers, 335 partitions, no racks, no sizes``
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.formats.input.reading import Reading
from reseat.model import NONE, NOT_TOLD, ClusterLayout
from reseat.model.wording import counted

__all__ = ["Missing", "form", "lacks", "missing", "recognised"]

_SERVER = "--bootstrap-server HOST:9092"
#: All three serve every release since 2.2; log directories since 1.0.
_DESCRIBE = f"kafka-topics.sh {_SERVER} --describe"
_LOG_DIRS = f"kafka-log-dirs.sh {_SERVER} --describe"
#: Each broker says ``HOST:9092 (id: 1 rack: a ...) -> (``; what comes of it is a text that Reseat reads as racks.
_RACKS = (
    f"(echo broker,rack; kafka-broker-api-versions.sh {_SERVER} | "
    r"sed -nE 's/^.*\(id: ([0-9]+) rack: ([^ )]+).*$/\1,\2/p')"
)


@dataclass(frozen=True, slots=True)
class Missing:
    """What a layout does not hold, and how to get it.

    Attributes:
        what: the thing, in one or two words.
        why: what it is needed for, one sentence.
        command: the command that prints it, for a POSIX shell.
    """

    what: str
    why: str
    command: str


def form(reading: Reading) -> str:
    """The form that was recognised, and the first release of Kafka that prints it so, where the text shows that."""
    if reading.since is None:
        return reading.kind
    return f"{reading.kind} of Kafka {'.'.join(map(str, reading.since))} or later"


def recognised(reading: Reading, layout: ClusterLayout | None = None) -> str:
    """The form, how large the layout is, and which of leaders, ISR, order, racks and sizes it lacks.

    Args:
        reading: what came of reading.
        layout: the layout as it is looked at, where racks were added or topics left out; else the reading's own.
    """
    layout = reading.layout if layout is None else layout
    told = [counted(len(layout.brokers), "broker"), counted(layout.partition_count, "partition")]
    if not layout.unknown_racks:
        told.append(counted(len(layout.racks), "rack") if layout.racks else "no rack configured")
    told += [f"{'not all' if part else 'no'} {what}" for what, (lacking, part) in lacks(layout).items() if lacking]
    return f"{form(reading)}: {', '.join(told)}"


def missing(layout: ClusterLayout) -> tuple[Missing, ...]:
    """What to add for a better plan, what a plan needs most first; empty where all is there."""
    unknown = lacks(layout)
    absent = {what for what, (lacking, part) in unknown.items() if lacking and not part}
    found = []
    if "replica order" in unknown and unknown["replica order"][0]:
        found.append(
            Missing(
                "replica order",
                "Without it these topics cannot be planned: the first replica is the preferred leader.",
                _DESCRIBE,
            )
        )
    elif absent & {"leaders", "ISR"}:
        found.append(
            Missing("leaders and ISR", "Without them a plan cannot see which replicas are out of sync.", _DESCRIBE)
        )
    if "racks" in absent:
        found.append(Missing("racks", "Without them a plan cannot spread replicas over racks.", _RACKS))
    if "sizes" in absent:
        found.append(Missing("sizes", "Without them the bytes to copy and the duration are unknown.", _LOG_DIRS))
    return tuple(found)


def lacks(layout: ClusterLayout) -> dict[str, tuple[bool, bool]]:
    """By thing: whether it is unknown for any partition or broker, and whether it is known for others."""
    sizes = layout.replica_bytes
    rackless = set(layout.unknown_racks)
    racks = np.array([broker.id not in rackless for broker in layout.brokers], np.bool_)
    if not layout.partition_count:
        return {"racks": (not racks.all(), bool(racks.any()))}
    known = {
        "leaders": layout.leader != NOT_TOLD,
        "ISR": layout.in_sync_known,
        "replica order": layout.order_told[layout.topic_of],
        "racks": racks,
        "sizes": np.zeros(1, np.bool_) if sizes is None else ~np.isnan(sizes[layout.replicas != NONE]),
    }
    return {what: (not each.all(), bool(each.any())) for what, each in known.items()}
