"""Texts that are kept: what they say as a snapshot, and they themselves inside, byte for byte."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.demo.samples import SAMPLES, Sample, samples
from reseat.errors import InputRefused
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.input.reading import Reading
from reseat.formats.text.racks import read_racks
from reseat.model import ClusterLayout, Original, Snapshot
from reseat.sources.keeping import (
    check_moment,
    moment_of,
    original_of,
    snapshot_of_files,
    snapshot_of_reading,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LAYOUT = ClusterLayout.from_assignments({("orders", 0): [1, 2]})
CAPTURED = [one for one in samples() if one.files]


def parts_of(original: Original, parts: Sequence[dict[str, object]]) -> list[bytes]:
    """The files that went in, by what the snapshot tells of them."""
    out, at = [], 0
    for part in parts:
        end = at + int(str(part["characters"]))
        text, encoding = original.text[at:end], str(part["encoding"])
        out.append(base64.b64decode(text) if encoding == "base64" else text.encode(encoding))
        at = end
    assert at == len(original.text)
    return out


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.text(max_size=30).map(str.encode),
            st.text(max_size=30).map(lambda text: b"\xff\xfe" + text.encode("utf-16-le")),
            st.text(max_size=30).map(lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
            st.binary(max_size=30).map(lambda data: b"PAR1" + data + b"PAR1"),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_goes_in_comes_out(files: list[bytes]) -> None:
    """Also through the file in which it is kept."""
    original, facts = original_of([(f"/home/me/file-{i}", data) for i, data in enumerate(files)])
    assert original is not None
    again = read_snapshot(write_snapshot(Snapshot(LAYOUT, NOON, "text", facts=facts, original=original)))
    assert again.original is not None

    assert parts_of(again.original, again.facts["original_parts"]) == files  # type: ignore[arg-type]
    assert "/home" not in again.original.name


@pytest.mark.parametrize("sample", CAPTURED, ids=lambda sample: sample.title)
def test_every_captured_sample_can_be_kept(sample: Sample) -> None:
    """With the layout that every page shows, and its texts inside."""
    files = [(name, (SAMPLES / name).read_bytes()) for name in sample.files]
    racks = None if sample.racks is None else (sample.racks, (SAMPLES / sample.racks).read_bytes())
    kept = snapshot_of_files(files, taken_at=NOON, racks=racks)
    again = read_snapshot(write_snapshot(replace(kept.snapshot, cluster="shop")))
    expected = kept.reading.layout

    assert again.layout == expected
    assert again.original is not None
    given = [data for _, data in files] + ([racks[1]] if racks is not None else [])
    assert parts_of(again.original, again.facts["original_parts"]) == given  # type: ignore[arg-type]
    if racks is not None:
        told = read_racks(racks[1], source=racks[0])
        assert {broker.id: broker.rack for broker in again.layout.brokers if broker.id in told} == told


def test_what_was_read_already_is_not_read_again() -> None:
    """The text only goes inside."""
    reading = Reading(LAYOUT, kind="a literal", facts={"controller": 2, "cluster_id": "abc", "declared_topics": 1})
    snapshot = snapshot_of_files([("a.txt", b"no layout at all")], taken_at=NOON, reading=reading).snapshot

    assert snapshot.layout is LAYOUT
    assert (snapshot.controller, snapshot.cluster_id) == (2, "abc")
    assert snapshot.original == Original("a.txt", "no layout at all")
    assert snapshot.facts["declared_topics"] == 1
    assert "controller" not in snapshot.facts


def test_facts_of_another_kind_are_no_fields() -> None:
    """A hostile text may tell anything."""
    odd = Reading(LAYOUT, kind="a literal", facts={"controller": "me", "cluster_id": 7, "cluster": ["x"]})
    snapshot = snapshot_of_reading(odd, taken_at=NOON)

    assert (snapshot.controller, snapshot.cluster_id, snapshot.cluster) == (None, None, None)
    assert json.loads(write_snapshot(snapshot))["controller"] is None


def test_without_its_text_a_reading_is_kept_all_the_same() -> None:
    """A sample that was generated has none; nothing is said to be missing."""
    snapshot = snapshot_of_reading(Reading(LAYOUT, kind="generated"), taken_at=NOON)

    assert snapshot.original is None
    assert snapshot.not_read == ()
    assert snapshot.facts == {"read_as": "generated"}


def test_a_moment_is_utc_whatever_its_offset() -> None:
    """Blanks around it do no harm."""
    assert moment_of(" 2026-05-01T14:00:00+02:00\n") == NOON
    assert moment_of("20260501T120000Z") == NOON
    assert moment_of("2026-05-01T12:00:00Z").tzinfo is UTC


def test_a_moment_is_checked_against_the_clock_given() -> None:
    """Five minutes of difference between clocks are let through, more are not."""
    check_moment(NOON + timedelta(minutes=5), now=NOON)
    with pytest.raises(InputRefused, match="it is 2026-05-01 12:00:00 UTC by this machine's clock"):
        check_moment(NOON + timedelta(minutes=6), now=NOON.astimezone(timezone(timedelta(hours=9))))
