"""The limit that each cluster of a fleet meets first: what is told, when it is made anew, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import pytest

from reseat.forecast import first_limits
from reseat.forecast.first_limits import COLUMNS, FirstLimit, behind, bring_up, default_file, kept
from reseat.forecast.outlook import outlooks
from reseat.forecast.settings import Limits, Settings
from reseat.history.read import History
from tests.forecast.grown import grow

SETTINGS = Settings(Limits(replicas_per_broker=230), {"free": Limits(replicas_per_broker=10**6)})


@pytest.fixture
def fleet(tmp_path: Path) -> History:
    """One cluster that grows, one that does not, one that is too young."""
    grow(tmp_path / "tables", [100 + 2 * day for day in range(60)], cluster="grows")
    grow(tmp_path / "tables", [100] * 60, cluster="calm")
    return History.open(str(grow(tmp_path / "tables", [100] * 10, cluster="young")))


@pytest.fixture
def calm(tmp_path: Path) -> History:
    """One cluster that does not grow."""
    return History.open(str(grow(tmp_path / "tables", [100] * 60, cluster="calm")))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The clusters of which a forecast is made."""
    of: list[str] = []

    def counting(history: History, cluster: str, limits: Limits, *, tested: bool) -> object:
        of.append(cluster)
        return outlooks(history, cluster, limits, tested=tested)

    monkeypatch.setattr(first_limits, "outlooks", counting)
    return of


def brought(fleet: History, file: Path | None, settings: Settings = SETTINGS) -> dict[str, FirstLimit]:
    """The lines of all clusters."""
    return bring_up(fleet, settings, fleet.latest(columns=COLUMNS), file)


def lands(fleet: History, cluster: str, day: int, replicas: int, hour: int = 0) -> None:
    """One more snapshot of a cluster."""
    grow(Path(fleet.where), [None] * day + [replicas], cluster=cluster, hour=hour)


def words(lines: Mapping[str, FirstLimit]) -> dict[str, str]:
    """What is told of each."""
    return {cluster: one.words for cluster, one in sorted(lines.items())}


def test_each_cluster_has_a_line_that_says_what_its_outlook_says(fleet: History, tmp_path: Path) -> None:
    """A day and what of, none within so many days, or why nothing is known; sorted as text, the soonest first."""
    lines = brought(fleet, tmp_path / "kept.json")

    assert words(lines) == {
        "calm": "none in 60 days",
        "grows": "2026-05-05: replicas of broker 1",
        "young": "unknown: 10 of the 28 days that a forecast needs are there.",
    }
    for cluster, one in lines.items():
        told = outlooks(fleet, cluster, SETTINGS.limits(cluster))
        assert one.sentence == told.sentence
        assert one.likely == (None if told.first is None or told.first.met is None else told.first.met.likely)
    assert sorted(lines, key=lambda name: lines[name].soonest) == ["grows", "calm", "young"]
    assert not behind(lines, SETTINGS, fleet.latest(columns=COLUMNS))


def test_a_calm_cluster_is_foretold_once_a_day_and_one_near_its_limit_with_each_snapshot(
    fleet: History, tmp_path: Path, made: list[str]
) -> None:
    """The same snapshots cost nothing; the next day is looked at."""
    file = tmp_path / "kept.json"
    brought(fleet, file)
    brought(fleet, file)
    assert sorted(made) == ["calm", "grows", "young"]

    for cluster, replicas in (("calm", 101), ("grows", 219)):
        lands(fleet, cluster, 59, replicas, hour=1)
    latest = fleet.latest(columns=COLUMNS)
    assert behind(kept(file, SETTINGS), SETTINGS, latest) == ("calm", "grows")
    made.clear()
    brought(fleet, file)
    assert made == ["grows"]
    assert behind(kept(file, SETTINGS), SETTINGS, latest) == ()

    lands(fleet, "calm", 60, 101)
    made.clear()
    brought(fleet, file)
    assert made == ["calm"]


@pytest.mark.parametrize(
    "limits",
    [
        Limits(replicas_per_broker=230),
        Limits(bytes_per_broker=230 * 10**9),
        Limits(disk=23.0),
        Limits(partitions_per_cluster=230),
    ],
)
def test_a_limit_that_is_met_within_the_day_is_told_at_once(calm: History, tmp_path: Path, limits: Limits) -> None:
    """Of a cluster that was calm an hour before."""
    file, settings = tmp_path / "kept.json", Settings(limits)
    assert brought(calm, file, settings)["calm"].words == "none in 60 days"
    lands(calm, "calm", 59, 229, hour=1)
    assert brought(calm, file, settings)["calm"].words == "none in 60 days"
    lands(calm, "calm", 59, 230, hour=2)

    assert brought(calm, file, settings)["calm"].words.startswith("2026-04-29 (met): ")


def test_other_limits_are_other_lines(fleet: History, tmp_path: Path, made: list[str]) -> None:
    """Those of before are not taken for theirs; a cluster without limits has none."""
    file = tmp_path / "kept.json"
    brought(fleet, file)
    other = Settings(of_cluster={"grows": Limits(replicas_per_broker=300)})

    assert kept(file, other) == {}
    assert words(brought(fleet, file, other)) == {"grows": "2026-06-09: replicas of broker 1"}
    assert made.count("grows") == 2


def test_what_is_stopped_goes_on_where_it_was(
    fleet: History, tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines are kept while others are made."""
    file = tmp_path / "kept.json"
    monkeypatch.setattr(first_limits, "WRITES_EVERY", 0.0)

    def stops(done: int, _of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring_up(fleet, SETTINGS, fleet.latest(columns=COLUMNS), file, stops)
    assert len(kept(file, SETTINGS)) == 2
    brought(fleet, file)
    assert sorted(made) == ["calm", "grows", "young"]


def test_a_file_that_is_damaged_is_as_none(fleet: History, tmp_path: Path) -> None:
    """It is made anew; and where none can be written, the answer is the same."""
    file = tmp_path / "kept.json"
    lines = brought(fleet, None)

    for damage in (b"", b"[1]", b'{"grows": {"name": 1}}'):
        file.write_bytes(damage)

        assert brought(fleet, file) == lines, damage
        assert set(kept(file, SETTINGS)) == {"calm", "grows", "young"}, damage
    assert brought(fleet, file / "below-a-file") == lines


def test_the_unknown_comes_last_and_what_may_be_met_after_what_likely_is() -> None:
    """Also as text, as a click on the heading sorts it."""
    day = date(2026, 5, 1)

    def line(likely: int | None, early: int | None, why: str = "") -> FirstLimit:
        later = [None if days is None else day + timedelta(days=days) for days in (early, likely)]
        return FirstLimit("0" * 32, day, "{}", "partitions" if early is not None else "", *later, 60, "", why)

    lines = [line(0, 0), line(9, 3), line(None, 3), line(None, None), line(None, None, "No forecast.")]
    assert sorted(lines, key=lambda one: one.words) == lines
    assert sorted(lines[:4], key=lambda one: one.soonest) == lines[:4]


def test_each_folder_of_tables_and_each_limits_file_has_a_file_of_its_own(tmp_path: Path) -> None:
    """In the cache of whoever looks; a relative one is none."""
    env = {"XDG_CACHE_HOME": str(tmp_path), "HOME": "/home/somebody"}
    a, b = History.open("a"), History.open("b")
    mine = default_file(a, SETTINGS, env)

    assert mine.parent == tmp_path / "reseat"
    assert len({mine, default_file(b, SETTINGS, env), default_file(a, Settings(source="other.toml"), env)}) == 3
    assert str(default_file(a, SETTINGS, env | {"XDG_CACHE_HOME": "here"})).startswith("/home/somebody/.cache/reseat/")
