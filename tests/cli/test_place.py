"""``place`` and ``infer``: replicas placed as Kafka does, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reseat.cli import main


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """What was written to standard output, as JSON."""
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_striped_placement_with_given_draws(capsys: pytest.CaptureFixture[str]) -> None:
    """The documented six partitions: brokers 0 to 2, start 2, shift 2."""
    words = "place --brokers 0,1,2 --partitions 6 --replication-factor 3 --start 2 --shift 2 --json"

    assert main(words.split()) == 0
    answer = told(capsys)
    assert answer["assignment"] == {
        "0": [2, 0, 1],
        "1": [0, 1, 2],
        "2": [1, 2, 0],
        "3": [2, 1, 0],
        "4": [0, 2, 1],
        "5": [1, 0, 2],
    }
    assert (answer["start"], answer["shift"], answer["seed"], answer["rack_aware"]) == (2, 2, None, False)


def test_racks_alternate(capsys: pytest.CaptureFixture[str]) -> None:
    """Brokers are walked one of each rack in turn, and the text says so."""
    words = "place --brokers 0:rack1,1:rack1,3:rack2 --partitions 2 --replication-factor 2 --start 0 --shift 0"

    assert main([*words.split(), "--explain", "1"]) == 0
    out = capsys.readouterr().out
    assert "rack-aware, start 0, shift 0." in out
    assert "brokers in the order 0, 3, 1" in out
    assert "(partition 1 + start 0) mod 3 = 1" in out


def test_a_seed_gives_the_same_placement_and_is_told_where_it_was_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """Without draws or a seed a seed is drawn; with it the placement comes again."""
    words = ["place", "--brokers", "1,2,3,4,5", "--partitions", "9", "--replication-factor", "3", "--json"]
    for algorithm in ("striped", "kraft"):
        main([*words, "--algorithm", algorithm])
        first = told(capsys)
        main([*words, "--algorithm", algorithm, "--seed", str(first["seed"])])

        assert told(capsys) == first


def test_naive_and_fenced(capsys: pytest.CaptureFixture[str]) -> None:
    """Naive begins on the first broker; a fenced broker never leads in KRaft."""
    assert (
        main(
            [
                "place",
                "--brokers",
                "4,5",
                "--partitions",
                "2",
                "--replication-factor",
                "2",
                "--algorithm",
                "naive",
                "--json",
            ]
        )
        == 0
    )
    assert told(capsys)["assignment"] == {"0": [4, 5], "1": [5, 4]}

    words = "place --brokers 4,5 --partitions 4 --replication-factor 2 --algorithm kraft --fenced 4 --seed 1 --json"
    assert main(words.split()) == 0
    assert set(map(tuple, told(capsys)["assignment"].values())) == {(5, 4)}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--brokers 0,1,2 --partitions 1 --replication-factor 4", "Replication factor: 4 larger than available"),
        ("--brokers 0,1 --partitions 0 --replication-factor 1", "Number of partitions must be larger than 0."),
        ("--brokers 0:a,1 --partitions 1 --replication-factor 1", "Not all brokers have rack information. Add --"),
        ("--brokers 0,0 --partitions 1 --replication-factor 1", "Broker 0 is given twice."),
        ("--brokers 0,1 --partitions 1 --replication-factor 1 --fenced 1", "--fenced is only for kraft"),
        ("--brokers 0,1 --partitions 1 --replication-factor 1 --algorithm naive --start 1", "--start is for striped"),
        ("--brokers 0 --partitions 9 --replication-factor 1 --start 2147483647 --shift 0", "is beyond 32 bits"),
        ("--brokers 0,1 --partitions 1 --replication-factor 1 --algorithm naive --seed 4", "--seed has no effect"),
        ("--brokers 0,1 --partitions 1 --replication-factor 1 --start 0 --shift 0 --seed 4", "--seed has no effect"),
        ("--brokers 0,1 --partitions 1 --replication-factor 1 --fixed-start-index 0 --seed 4", "--seed has no effect"),
        ("--brokers 0,1 --partitions 1 --replication-factor 1 --explain 0 --json", "--explain and --json exclude"),
        ("--brokers 0,1 --partitions 3 --replication-factor 1 --explain 3", "is not one of those placed, 0 to 2."),
        ("--brokers 0,1 --partitions 3 --replication-factor 1 --first-partition 5 --explain 4", "placed, 5 to 7."),
        ("--brokers 0 --partitions 2 --replication-factor 1 --algorithm naive --first-partition 2147483647", "32 bits"),
        ("--brokers 0 --partitions 2 --replication-factor 1 --algorithm kraft --first-partition 2147483647", "32 bits"),
        (
            "--brokers 0,1 --partitions 1 --replication-factor 1 --algorithm kraft --cordoned 1 --kafka-version 3.9",
            "Kafka 3.9 knows no cordons; 4.3 and later do.",
        ),
        (
            "--brokers 0 --partitions 0 --replication-factor 1 --algorithm kraft",
            "Number of partitions was set to an invalid non-positive value.",
        ),
        ("--brokers 0 --partitions 99999999 --replication-factor 1 --start 0 --shift 0", "are placed at once"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(words: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Kafka's words where Kafka refuses, a sentence of our own where it would not; exit code 2, nothing on stdout."""
    assert main(["place", *words.split()]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_lists_lead_back_to_their_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A striped topic, and one of its partitions moved."""
    lists = {0: [2, 0, 1], 1: [0, 1, 2], 2: [1, 2, 0], 3: [2, 1, 0], 4: [0, 2, 1], 5: [1, 0, 2], 6: [2, 0, 1]}
    entries = [{"topic": "placed", "partition": p, "replicas": r} for p, r in lists.items()]
    entries += [{"topic": "moved", "partition": p, "replicas": r if p != 4 else [1, 2, 0]} for p, r in lists.items()]
    path = tmp_path / "layout.json"
    path.write_text(json.dumps({"version": 1, "partitions": entries}))

    assert main(["infer", str(path), "--json"]) == 0
    moved, placed = json.loads(capsys.readouterr().out)
    assert (placed["topic"], placed["striped"], placed["rack_aware"]) == ("placed", True, False)
    assert placed["pairs"] == [[2, 0], [2, 2]]
    assert placed["moved"] == []
    assert (moved["topic"], moved["striped"], moved["moved"]) == ("moved", False, [4])
    assert moved["pairs"] == [[2, 0], [2, 2]]

    assert main(["infer", str(path), "--topic", "pla*"]) == 0
    assert "striped over [0, 1, 2], rack-unaware, start 2, shift 0 or 2" in capsys.readouterr().out


def test_racks_come_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With racks, the ring takes a broker of each rack in turn."""
    layout, racks = tmp_path / "layout.json", tmp_path / "racks.csv"
    made = "place --brokers 1:a,2:a,3:b,4:b --partitions 9 --replication-factor 2 --start 1 --shift 3 --json"
    main(made.split())
    lists = told(capsys)["assignment"]
    entries = [{"topic": "t", "partition": int(p), "replicas": r} for p, r in lists.items()]  # type: ignore[attr-defined]
    layout.write_text(json.dumps({"version": 1, "partitions": entries}))
    racks.write_text("1,a\n2,a\n3,b\n4,b\n")

    assert main(["infer", str(layout), "--racks", str(racks), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["striped"] is True
    assert found["rack_aware"] is True
    assert [1, 3] in found["pairs"]
    assert found["fits"][0]["brokers"] == [1, 3, 2, 4]


def test_an_unknown_topic_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A topic that the layout does not have ends in a sentence."""
    path = tmp_path / "layout.json"
    path.write_text('{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]}]}')

    assert main(["infer", str(path), "--topic", "b"]) == 2
    assert "No topic matches b." in capsys.readouterr().err
