"""Brokers needed, on History: beside the weeks to come, and its steps open as what-ifs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.forecast.grown import grow
from tests.pages.test_forecast import page

from .conftest import link, tables, texts


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six brokers in three racks that grow for 60 days."""
    home = tmp_path_factory.mktemp("sizing") / "tables"
    return grow(home, [100 + 2 * day for day in range(60)], brokers=6, racks=list("aabbcc"))


def test_it_says_how_many_brokers_and_a_step_opens_as_a_what_if(grown, monkeypatch):
    """On the last snapshot, with brokers in their racks."""
    query = {"cluster": "shop", "forecast": "yes", "sizing": "yes", "weeks": "4"}
    at = page(grown, monkeypatch, "[limits]\nreplicas_per_broker = 230\n", **query)
    (table,) = [one.value for one in tables(at) if "because of" in one.value]
    step = next(one.proto.label for one in at.get("page_link") if "2026-04-29" in one.proto.label)
    opens = link(at, step.replace("\\", ""))

    assert not at.exception
    assert "9 brokers are needed until 2026-05-27; 6 are there. Add the first by 2026-05-04." in texts(at)
    assert table.iloc[1].tolist() == ["likely", 1644, 229, "replicas", 9, 3, 3, 3]
    assert opens["add"] == "7:a\n8:b\n9:c"
    assert opens["options"] == "moves:162,rebalance"  # 218 + 336 / 3 / 3 - 229 of each of six, rounded up


def test_each_step_opens_with_those_before_it(grown, monkeypatch):
    """A limit far below what is there takes a step a day: a row each, and the one that the address names is a link."""
    query = {"cluster": "shop", "forecast": "yes", "sizing": "yes", "weeks": "4"}
    limits = "[limits]\nreplicas_per_broker = 3\n"
    first, third = (page(grown, monkeypatch, limits, **query | also) for also in ({}, {"steps": "3"}))
    (rows,) = [one.value for one in tables(third) if "brokers added" in one.value]
    (said,) = [one.proto.label for one in third.get("page_link") if "Steps 1 to 3" in one.proto.label]
    opens = link(third, said.replace("\\", ""))["add"].splitlines()
    _at_once, before = [one.proto.label for one in first.get("page_link") if "open as a what-if" in one.proto.label]

    assert not third.exception
    assert len(rows) > 20
    assert rows["day"].is_monotonic_increasing
    assert rows["brokers added"].iloc[1].endswith("in c")
    assert f"until {rows['day'].iloc[2]}: add {len(opens)} brokers" in said.replace("\\", "")
    assert len(opens) > len(link(first, before.replace("\\", ""))["add"].splitlines())
    assert (
        len(opens) == len(set(opens)) == sum(map(int, re.findall(r"(\d+) broker", " ".join(rows["brokers added"][:3]))))
    )


def test_it_is_folded_away_and_without_limits_says_what_is_missing(grown, monkeypatch):
    """Nothing is looked for before it is opened."""
    folded = page(grown, monkeypatch, cluster="shop", forecast="yes")
    monkeypatch.delenv("RESEAT_LIMITS", raising=False)
    free = page(grown, monkeypatch, cluster="shop", forecast="yes", sizing="yes")

    assert "are needed until" not in texts(folded)
    assert "No limit on a broker of shop can be looked at" in texts(free)
