"""What Fleet says of clusters: who is at risk, who is worst, what is old; and its table and figure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from components.clusters.fleet_figure import weakest_figure
from components.clusters.fleet_view import as_csv, matching, table_frame
from components.clusters.fleet_words import answer, figures, harms, old, worst_first
from components.look import tables, theme

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)


def clusters(*rows: dict[str, object]) -> pd.DataFrame:
    """Clusters of 100 partitions whose losses do nothing, unless a row says otherwise."""
    usual: dict[str, object] = {
        "cluster": "a", "taken_at": NOW - timedelta(minutes=5), "every_seconds": 600.0, "brokers": 6,
        "partitions": 100, "replicas": 300, "size_bytes": 5_000_000_000, "replica_spread": 3,
        "replica_spread_least": 1, "swept": True, "weakest_broker": 1, "broker_offline": 0, "broker_below": 0,
        "offline": 0, "below_min_isr": 0, "under_replicated": 0, "brokers_down": 0,
        "weakest_rack": "r1", "rack_offline": 0, "rack_below": 0, "findings_broken": 0, "worst_finding": None,
        "worst_severity": None, "size_curve": [1.0, 2.0], "spread_curve": [3.0, 3.0],
    }  # fmt: skip
    made = pd.DataFrame([usual | row for row in rows])
    whole = ["weakest_broker", "broker_offline", "broker_below", "rack_offline", "rack_below", "size_bytes"]
    whole += ["offline", "below_min_isr", "under_replicated", "brokers_down"]
    return made.astype({**dict.fromkeys(whole, "Int64"), "every_seconds": "Float64", "swept": bool})


UNSWEPT: dict[str, object] = {
    "swept": False, "weakest_broker": None, "broker_offline": None, "broker_below": None, "weakest_rack": None,
    "rack_offline": None, "rack_below": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [{"broker_offline": 2}, {"broker_below": 9}, {}],
            "2 of 3 clusters would lose data or availability if one broker fails: partitions go offline in 1, "
            "acks=all writes are rejected in 1 more.",
        ),
        (
            [{"broker_below": 9}, {}],
            "1 of 2 clusters would lose data or availability if one broker fails: acks=all writes are rejected in 1.",
        ),
        (
            [{}, {"rack_offline": 1}, UNSWEPT],
            "None of 3 clusters would lose data or availability if one broker fails; 1 would if one rack fails. "
            "1 is not analysed yet.",
        ),
        (
            [{"broker_offline": 2}],
            "The only cluster would lose data or availability if one broker fails: partitions go offline.",
        ),
        (
            [{"broker_below": 2}],
            "The only cluster would lose data or availability if one broker fails: acks=all writes are rejected.",
        ),
        ([{}], "The only cluster would not lose data or availability if one broker fails, nor if one rack fails."),
        (
            [{"offline": 100}, {"broker_below": 9}],
            "1 of 2 clusters would lose data or availability if one broker fails: acks=all writes are rejected in 1. "
            "1 has partitions offline already.",
        ),
        (
            [UNSWEPT | {"offline": 3}],
            "1 cluster saved, but failures are not analysed yet: run the pipeline. 1 has partitions offline already.",
        ),
        ([UNSWEPT], "1 cluster saved, but failures are not analysed yet: run the pipeline."),
    ],
)
def test_the_sentence_counts_who_is_at_risk(rows: list[dict[str, object]], said: str) -> None:
    """Offline before refused writes, brokers before racks; what was not swept is not called safe."""
    assert answer(clusters(*rows)) == said


def test_the_worst_finding_stands_within_a_laptops_screen() -> None:
    """Of what a person reads first nothing is behind the edge of 1,440 pixels; curves and exact times are."""
    shown = list(table_frame(clusters({}), NOW).columns)

    assert shown.index("worst finding") < min(map(shown.index, ("size curve", "last snapshot", "spread curve")))


def test_while_the_pipeline_runs_nobody_is_asked_to_run_it() -> None:
    """The fleet is seen while its failures are analysed."""
    said = answer(clusters(UNSWEPT), running=True)

    assert said == "1 cluster saved, but failures are not analysed yet: the pipeline is running."


def test_the_worst_come_first_and_the_unknown_last() -> None:
    """Partitions offline by a broker, then below min ISR, then by a rack; ties by name; not swept at the end."""
    listed = worst_first(
        clusters(
            {"cluster": "unknown"} | UNSWEPT,
            {"cluster": "b"},
            {"cluster": "a"},
            {"cluster": "rack", "rack_offline": 50},
            {"cluster": "below", "broker_below": 90},
            {"cluster": "offline", "broker_offline": 1},
            {"cluster": "down", "offline": 100},
        )
    )

    assert listed["cluster"].tolist() == ["down", "offline", "below", "rack", "a", "b", "unknown"]


def test_a_loss_is_told_by_what_it_does() -> None:
    """Numbers where it hurts, peace where it does not, and the reason where it is not known."""
    made = clusters(
        {"weakest_broker": 7, "broker_offline": 1200, "broker_below": 4},
        {},
        {"weakest_rack": "rack-b", "rack_below": 3},
        {"weakest_rack": None},
        UNSWEPT,
    )

    assert harms(made, "broker") == [
        "broker 7: 1,200 offline, 4 below min ISR",
        *["tolerates any broker loss"] * 3,
        "not analysed yet",
    ]
    assert harms(made, "rack")[2:] == ["rack-b: 3 below min ISR", "no rack known", "not analysed yet"]


def test_a_cluster_that_is_down_is_not_one_of_which_any_broker_can_go() -> None:
    """No loss takes more than everything: said as what is broken already, as is an ISR that is not told."""
    made = clusters({"offline": 24, "below_min_isr": 24}, {"below_min_isr": 3}, {"under_replicated": None})

    assert harms(made, "broker") == [
        "no broker failure adds to the 24 offline already",
        "no broker failure adds to the 3 below min ISR already",
        "tolerates any broker loss if all replicas are in sync, which is unknown",
    ]
    assert harms(made, "rack", short=True) == ["24 offline already", "3 below min ISR already", "ISR unknown"]


def test_old_is_an_hour_or_three_times_what_is_usual() -> None:
    """A cluster that lands once a day is not old after two hours; one that lands every ten minutes is."""
    ages = clusters(
        {"taken_at": NOW - timedelta(hours=2)},
        {"taken_at": NOW - timedelta(hours=2), "every_seconds": 86_400.0},
        {"taken_at": NOW - timedelta(hours=2), "every_seconds": None},
        {"taken_at": NOW - timedelta(minutes=50)},
    )

    assert old(ages, NOW).tolist() == [True, False, True, False]


def test_figures_do_not_call_unknown_none() -> None:
    """Where no cluster was swept, nobody is said to be safe."""
    known = figures(clusters({"broker_below": 1}, {"taken_at": NOW - timedelta(days=3)}), NOW)
    unknown = figures(clusters(UNSWEPT), NOW)

    assert [figure.value for figure in known] == [
        "2",
        "200",
        ":red[:material/error: 1]",
        "0",
        "0",
        ":orange[:material/warning: 1]",
    ]
    assert known[5].delta == "oldest 3 days ago"
    assert [figure.value for figure in unknown][2:4] == ["not analysed", "not analysed"]
    partly = [figures(clusters({}, of), NOW)[1].delta for of in ({}, {"size_bytes": None}, {"brokers_down": 1})]
    assert partly == ["10.0 GB", "at least 5.0 GB", "at least 10.0 GB"]


def test_the_table_marks_age_and_findings_with_words() -> None:
    """Never colour alone; a name from outside stays text, and the CSV is harmless."""
    made = clusters(
        {"cluster": "=cmd()", "worst_finding": "3 partitions have no leader.", "worst_severity": "broken"},
        {"cluster": "b", "taken_at": NOW - timedelta(days=1)},
    )
    shown = table_frame(made, NOW)

    assert shown["worst finding"].tolist() == ["✖ 3 partitions have no leader.", "✔ no findings"]
    assert shown["age"].tolist() == ["5 min", "▲ 1 day"]
    assert matching(made, "NO LEADER")["cluster"].tolist() == ["=cmd()"]
    assert matching(made, "r1")["cluster"].tolist() == ["=cmd()", "b"]
    assert as_csv(made).splitlines()[1].startswith("'=cmd(),")


def test_sizes_of_a_fleet_are_told_in_one_unit() -> None:
    """That of the middle cluster, small ones to their first digit, so that a column can be sorted and compared."""
    made = clusters({"size_bytes": 58_640_000_000_000}, {"size_bytes": 1_230_000_000_000}, {"size_bytes": 34_000_000})
    none = clusters({"size_bytes": None})

    assert tables.in_unit(made["size_bytes"])[0] == "TB"
    assert table_frame(made, NOW)["size"].tolist() == [58.6, 1.2, 0.00003]
    assert tables.in_unit(none["size_bytes"])[0] == "B"
    assert table_frame(none, NOW)["size"].isna().all()


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        ([4_428.0, 1_744.2, np.nan], "%,.1f"),  # "4,428" above "1,744.2" is read as the smaller one
        ([58.6, 0.00003], "localized"),  # a tenth would make nothing of what is small
        ([3.0, 0.0], "localized"),
        ([np.nan], "localized"),
    ],
)
def test_digits_of_a_column_stand_below_each_other(sizes: list[float], shown: str) -> None:
    """To a tenth all of them, where that says as much."""
    assert tables.digits(np.array(sizes)) == shown


def test_the_figure_names_what_its_colours_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kinds of harm stand over the bars in words, without a click."""
    monkeypatch.setattr(theme, "is_dark", lambda: False)
    drawn = weakest_figure(clusters({"broker_offline": 9}))
    words = " ".join(str(note.text) for note in drawn.layout.annotations)

    assert "partitions offline" in words
    assert "partitions below min ISR" in words
    assert "worst of" not in words
    assert weakest_figure(clusters({}, {}), 1_000).layout.annotations[-1].text == "the 2 worst of 1,000 clusters"


def test_the_figure_tells_none_from_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tick where any can go, a cross where more cannot break, a question mark where it is not known."""
    monkeypatch.setattr(theme, "is_dark", lambda: False)
    drawn = weakest_figure(clusters({"cluster": "<b>x", "broker_offline": 99}, {}, UNSWEPT, {"offline": 9}))
    brokers = [trace for trace in drawn.data if trace.yaxis == "y"]
    marks = {trace.text[0]: trace.x.tolist() for trace in brokers if trace.type == "scatter"}

    assert marks == {"✔": [1], "?": [2], "✖": [3]}
    assert brokers[1].y.tolist() == [2.0, 0.0, 0.0, 0.0]
    assert brokers[0].customdata[0] == "&lt;b&gt;x, broker 1: 99 offline"
