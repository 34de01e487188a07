"""What a person uploads or pastes -> model: one text, or several that together tell one cluster."""

from __future__ import annotations

from collections.abc import Sequence

from reseat import formats
from reseat.errors import InputRefused, LimitMet
from reseat.formats.documents.plan_text import plan_faults
from reseat.formats.input.reading import LIMITS, Limits, Reading
from reseat.formats.text.topic_configs import refuse_settings_alone
from reseat.model import ClusterLayout

__all__ = ["read_files", "read_proposed", "read_racks_file"]


def read_files(files: Sequence[tuple[str, bytes]], *, limits: Limits = LIMITS) -> Reading:
    """Read files that together tell one cluster (assignments, sizes, brokers), each recognised by itself.

    Args:
        files: (name, content) of each, in any order.
        limits: what is accepted; all files together are bound by ``limits.megabytes``.

    Raises:
        InputRefused: nothing was given, or a file is not a layout; names the file.
        LimitMet: the files are larger than the limit.
    """
    if not files:
        raise InputRefused("Nothing was given; a file or pasted text was expected.")
    total = sum(len(data) for _, data in files)
    if total > limits.bytes:
        raise LimitMet(
            f"These are {total / 1e6:,.0f} MB; Reseat reads up to {limits.megabytes:,} MB at once. "
            "Leave topics out, or split the file by topics.",
            source=files[0][0] if len(files) == 1 else None,
        )
    reading = formats.combine([formats.read(data, source=name, limits=limits) for name, data in files])
    refuse_settings_alone(reading)
    return reading


def read_racks_file(data: bytes, *, source: str = "racks") -> dict[int, str | None]:
    """Racks by broker id from CSV ``broker,rack`` or JSON ``{"1": "rack-a"}``.

    Raises:
        InputRefused: the text is neither.
    """
    return formats.read_racks(data, source=source)


def read_proposed(data: bytes, *, source: str = "pasted plan") -> ClusterLayout:
    """The proposed assignment of a plan: of a text that holds a current and a proposed one, the proposed.

    Raises:
        InputRefused: the text holds no assignment, or not all of it is understood, or Kafka's tool would refuse it.
    """
    reading = formats.read(data, source=source)
    faults = plan_faults(reading)
    if faults:
        raise InputRefused(faults[0], source=source, details=faults[1:])
    return reading.layout if reading.proposed is None else reading.proposed
