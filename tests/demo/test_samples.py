"""The bundled samples, and uploads of several files."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from reseat.demo import load_sample, samples
from reseat.errors import InputRefused, LimitMet
from reseat.formats import LIMITS, Limits
from reseat.sources import read_files, read_proposed, read_racks_file

PLAN = b'{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'


def test_every_bundled_sample_can_be_read():
    """Each sample of the index is a layout with partitions; none has a line that was not understood."""
    for sample in samples():
        if sample.generated is None:
            reading = load_sample(sample)

            assert reading.layout.partition_count > 0, sample.title
            assert reading.source == sample.title


def test_without_an_index_the_generated_ones_are_left(tmp_path):
    """A folder without an index is no fault."""
    assert all(sample.generated for sample in samples(tmp_path))


def test_a_sample_has_its_racks(tmp_path):
    """A racks file of the index tells the racks of the sample."""
    (tmp_path / "INDEX.json").write_text(
        json.dumps([{"file": "a.json", "title": "A", "what": "One.", "racks": "racks.csv"}])
    )
    (tmp_path / "a.json").write_bytes(PLAN)
    (tmp_path / "racks.csv").write_text("broker,rack\n1,a\n2,b\n")
    sample = samples(tmp_path)[0]

    assert load_sample(sample, tmp_path).layout.racks == ("a", "b")


@pytest.mark.parametrize("index", ["{", "[1]", '[{"title": "A"}]'])
def test_a_broken_index_is_refused_by_name(tmp_path, index):
    """The message names the index."""
    (tmp_path / "INDEX.json").write_text(index)

    with pytest.raises(InputRefused, match=r"INDEX\.json"):
        samples(tmp_path)


@pytest.mark.parametrize("name", ["missing.txt", "../secret.txt"])
def test_a_sample_never_leaves_its_folder(tmp_path, name):
    """A name that is not there, or that points elsewhere, is refused."""
    (tmp_path / "secret.txt").write_bytes(PLAN)
    folder = tmp_path / "samples"
    folder.mkdir()
    (folder / "INDEX.json").write_text(json.dumps([{"file": name, "title": "A", "what": "One."}]))

    with pytest.raises(InputRefused):
        load_sample(samples(folder)[0], folder)


def test_nothing_is_refused_with_a_sentence():
    """No file at all is not an empty layout."""
    with pytest.raises(InputRefused, match="Nothing was given"):
        read_files([])


def test_files_together_are_bound_by_one_limit():
    """Two files of half the limit and a byte more are refused."""
    half = b" " * 500_001

    with pytest.raises(LimitMet, match="1 MB"):
        read_files([("a", half), ("b", half)], limits=Limits(megabytes=1))


def test_racks_are_read_from_csv_and_json():
    """Both forms say the same."""
    assert read_racks_file(b"broker,rack\n1,a\n2,b\n") == read_racks_file(b'{"1": "a", "2": "b"}') == {1: "a", 2: "b"}


def test_a_plan_is_taken_alone_or_beside_the_current_assignment():
    """Of what --generate prints, the proposed assignment is the plan."""
    generated = (
        b"Current partition replica assignment\n"
        + PLAN.replace(b"[1,2]", b"[1,3]")
        + b"\n\nProposed partition reassignment configuration\n"
        + PLAN
        + b"\n"
    )

    assert read_proposed(PLAN).assignments() == {("orders", 0): [1, 2]}
    assert read_proposed(generated).assignments() == {("orders", 0): [1, 2]}


def test_the_server_accepts_uploads_as_large_as_the_formats_do():
    """The limit stands in the formats; the server's settings say the same."""
    settings = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())

    assert settings["server"]["maxUploadSize"] == LIMITS.megabytes
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["browser"]["gatherUsageStats"] is False
