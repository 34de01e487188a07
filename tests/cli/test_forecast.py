"""``forecast``: the table for a person, the JSON for a program, and what is refused."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunState
from tests.forecast.grown import grow
from tests.operate.test_journal import APPROVAL

DOCS = Path(__file__).parent.parent.parent / "docs" / "command-line.md"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """One cluster that grows for 60 days, and one that is ten days old."""
    grow(tmp_path / "tables", [100 + 2 * day for day in range(60)])
    return grow(tmp_path / "tables", [100] * 10, cluster="young")


def limits(tables: Path, text: str) -> str:
    """A limits file beside the tables."""
    file = tables.parent / "limits.toml"
    file.write_text(text)
    return str(file)


def test_a_person_reads_when_a_limit_is_met(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sentence, how it fared on the past, a row a count, and why there is none."""
    file = limits(tables, "[limits]\nreplicas_per_broker = 230\n\n[clusters.ordesr.limits]\ndisk = 1\n")

    assert main(["forecast", "--tables", str(tables), "--limits", file]) == 0
    said = capsys.readouterr()
    assert (
        "shop, 2026-03-01 to 2026-04-29: Replicas of broker 1: the limit of 230 is likely met on 2026-05-05" in said.out
    )
    assert re.search(r"Of [\d,]+ days held out of its own past, 100% lay inside", said.out)
    assert re.search(
        r"^  1 +replicas +218 +\+14 +274 \(274 to 274\) +230 +2026-05-05 +2026-05-05 +2026-05-05$", said.out, re.M
    )
    assert "young, 2026-03-01 to 2026-03-10: No forecast. 10 of the 28 days" in said.out
    assert "not in the history: ordesr." in said.err
    assert re.search(
        r"^  The last snapshot is \d+ days old: this is the forecast as of 2026-04-29, and its dates may have "
        r"passed\.$",
        said.out,
        re.M,
    )


def test_a_program_reads_the_same_and_every_key_is_documented(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By week, with the days of the limit."""
    file = limits(tables, "[limits]\nreplicas_per_broker = 230\n")

    assert main(["forecast", "--tables", str(tables), "--cluster", "shop", "--limits", file, "--json"]) == 0
    said = capsys.readouterr()
    (shop,) = json.loads(said.out)
    assert re.search(r"^shop: The last snapshot is \d+ days old: this is the forecast as of 2026-04-29", said.err, re.M)
    one = next(count for count in shop["counts"] if (count["measure"], count["broker"]) == ("replicas", 1))
    keys = {*shop, *one, *one["met"], *one["weeks"][0]}
    assert one["met"] == {"early": "2026-05-05", "likely": "2026-05-05", "late": "2026-05-05"}
    assert one["weeks"][0] == {"day": "2026-05-06", "likely": 232, "low": 232, "high": 232}
    assert len(one["weeks"]) == 60 // 7
    assert {key for key in keys if f"`{key}`" not in DOCS.read_text("utf-8")} == set()


def test_what_is_not_there_is_refused(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cluster that is not in the history, and tables that are none."""
    assert main(["forecast", "--tables", str(tables), "--cluster", "nosuch"]) == 2
    assert "Cluster nosuch is not in the history." in capsys.readouterr().err
    assert main(["forecast", "--tables", str(tables.parent / "none")]) == 2
    assert "There are no tables here" in capsys.readouterr().err


def test_a_plan_of_the_journal_is_told_with_what_became_of_the_balance(
    tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the cluster with the same id; a journal that cannot be read is said, and the forecast is there."""
    file = tables.parent / "journal.sqlite"
    monkeypatch.setenv("RESEAT_JOURNAL", str(file))
    grow(tables, [100] * 5, cluster="lab", cluster_id="C1")
    with closing(Journal(file)) as journal:
        run = journal.approve(APPROVAL)
        with journal.lease("C1", operator="ann", run_id=run.id) as lease:
            journal.set_state(lease, run.id, RunState.DONE, "")

    assert main(["forecast", "--tables", str(tables), "--json"]) == 0
    plans = {one["cluster"]: one["plans"] for one in json.loads(capsys.readouterr().out)}
    (plan,) = plans.pop("lab")
    assert plans == {"shop": [], "young": []}
    assert {key for key in plan if f"`{key}`" not in DOCS.read_text("utf-8")} == set()
    assert (plan["name"], plan["spread_before"], plan["spread_after"]) == ("run 1", None, [])
    assert main(["forecast", "--tables", str(tables), "--cluster", "lab"]) == 0
    assert f"  {plan['sentence']}\n" in capsys.readouterr().out

    file.write_text("no journal")
    assert main(["forecast", "--tables", str(tables), "--cluster", "lab"]) == 0
    said = capsys.readouterr()
    assert "Executed plans are not shown." in said.err
    assert "lab, 2026-03-01 to 2026-03-05: No forecast." in said.out


def test_how_many_brokers_are_needed_until_a_day(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row a case and the ways to add them; of the cluster that is too young, why not."""
    file = limits(tables, "[limits]\nreplicas_per_broker = 230\n")

    assert main(["forecast", "--tables", str(tables), "--limits", file, "--until", "2026-05-29"]) == 0
    said = capsys.readouterr().out

    assert "4 brokers are needed until 2026-05-29; 3 are there. Add the first by 2026-05-04." in said
    assert re.search(r"^  likely +834 +229 +replicas +4$", said, re.M)
    assert "Added all at once, " in said
    assert "No forecast of young's replicas. 10 of the 28 days" in said


def test_every_key_of_a_sizing_is_documented(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its steps have the change that ``plan --wish`` takes."""
    file = limits(tables, "[limits]\nreplicas_per_broker = 230\n")
    words = ["--tables", str(tables), "--limits", file, "--until", "2026-05-29", "--json"]

    assert main(["forecast", *words]) == 0
    shop, young = json.loads(capsys.readouterr().out)
    told = shop["sizing"]
    case = told["cases"][1]
    step = case["at_once"]["steps"][0]
    keys = {"sizing", *told, *case, *case["at_once"], *step, *step["add"][0]}

    assert {key for key in keys if f"`{key}`" not in DOCS.read_text()} == set()
    assert step["wish"]["add"] == [{"broker": 4, "rack": None}]
    assert "No forecast of young's replicas." in young["sizing"]["refused"]


def test_a_fleet_is_told_in_a_line_a_cluster_the_soonest_first(
    tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And why nothing is known of one; every key is documented, and what cannot go together is refused."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tables.parent / "cache"))
    file = limits(tables, "[limits]\ndisk = 30\n\n[clusters.ordesr.limits]\ndisk = 1\n")
    words = ["forecast", "--fleet", "--tables", str(tables), "--limits", file]

    assert main(words) == 0
    assert re.findall(r"^  (\w+) +(.+?) *$", capsys.readouterr().out, re.M)[-2:] == [
        ("shop", "2026-06-09: disk used of broker 1 (as of 2026-04-29)"),
        ("young", "unknown: 10 of the 28 days that a forecast needs are there."),
    ]
    assert main([*words, "--json"]) == 0
    shop, young = json.loads(capsys.readouterr().out)
    assert (shop["first"], shop["met"]["likely"], young["first"]) == ("disk used of broker 1", "2026-06-09", None)
    assert {key for key in {*shop, *shop["met"]} if f"`{key}`" not in DOCS.read_text()} == set()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tables.parent / "limits.toml"))
    assert main(words) == 1
    said = capsys.readouterr()
    assert "shop " in said.out
    assert "not in the history: ordesr." in said.err
    assert "could not be kept for Fleet and watch" in said.err
    assert main([*words, "--cluster", "shop"]) == 2
    assert "leave out --cluster and --until" in capsys.readouterr().err
    assert main([*words[:-1], limits(tables, "")]) == 2
    assert "There are no limits" in capsys.readouterr().err


@pytest.mark.parametrize(("until", "said"), [("soon", "is not a day such as"), ("2026-13-01", "is not a day such as")])
def test_a_day_that_is_none_is_refused(tables: Path, capsys: pytest.CaptureFixture[str], until: str, said: str) -> None:
    """With exit code 2."""
    with pytest.raises(SystemExit):
        main(["forecast", "--tables", str(tables), "--until", until])

    assert said in capsys.readouterr().err
