"""The bundled samples: captured from real clusters, listed in ``samples/INDEX.json``, and generated large ones.

The index is a list of objects: ``file`` (or ``files``, where several texts tell one cluster), ``title``, ``what`` (one
sentence) and, where the racks are told apart, ``racks``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from reseat.demo.generate import generate
from reseat.errors import InputRefused
from reseat.formats.input.reading import Reading
from reseat.installed import DASHBOARD
from reseat.sources.upload import read_files, read_racks_file

__all__ = ["SAMPLES", "Sample", "load_sample", "samples"]

#: Where the captured samples are.
SAMPLES = DASHBOARD / "samples"


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample.

    Attributes:
        title: what it is called in the list.
        what: one sentence that says what can be seen in it.
        files: names of its texts inside the folder of samples; empty for a generated one.
        racks: name of its racks file, or None.
        generated: (brokers, partitions, racks) of a generated one, or None.
    """

    title: str
    what: str
    files: tuple[str, ...] = ()
    racks: str | None = None
    generated: tuple[int, int, int] | None = None


_GENERATED = (
    Sample(
        "60 brokers (generated)",
        "20,000 partitions on 60 brokers in 6 racks, unequally filled; a few leaders have drifted.",
        generated=(60, 20_000, 6),
    ),
    Sample(
        "300 brokers (generated)",
        "100,000 partitions on 300 brokers in 12 racks.",
        generated=(300, 100_000, 12),
    ),
    Sample(
        "1,000 brokers (generated)",
        "1,000,000 partitions on 1,000 brokers in 20 racks: how Reseat behaves when it is large.",
        generated=(1000, 1_000_000, 20),
    ),
)


def samples(folder: Path = SAMPLES) -> tuple[Sample, ...]:
    """The captured samples in the order of their index, then the generated ones.

    Raises:
        InputRefused: the index is there and cannot be read.
    """
    index = folder / "INDEX.json"
    if not index.is_file():
        return _GENERATED
    try:
        entries = json.loads(index.read_text(encoding="utf-8"))
        captured = tuple(
            Sample(
                title=str(entry["title"]),
                what=str(entry["what"]),
                files=tuple(str(name) for name in entry.get("files", [entry["file"]] if "file" in entry else [])),
                racks=entry.get("racks"),
            )
            for entry in entries
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputRefused(
            "The index of samples was not understood; a list of objects with file, title and what was expected.",
            source=index.name,
        ) from error
    return captured + _GENERATED


def load_sample(sample: Sample, folder: Path = SAMPLES) -> Reading:
    """Read or generate a sample.

    Raises:
        InputRefused: a text of the sample is missing or is not a layout.
    """
    if sample.generated is not None:
        brokers, partitions, racks = sample.generated
        layout = generate(brokers, partitions, racks=racks, lagging=0.002)
        return Reading(layout, kind="generated layout, not a real cluster", source=sample.title)
    reading = read_files([(name, _bytes(folder, name)) for name in sample.files])
    if sample.racks is not None:
        racks_told = read_racks_file(_bytes(folder, sample.racks))
        reading = replace(reading, layout=reading.layout.with_racks(racks_told))
    return replace(reading, source=sample.title)


def _bytes(folder: Path, name: str) -> bytes:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise InputRefused("This sample is missing; the file named in the index was expected.", source=name)
    return path.read_bytes()
