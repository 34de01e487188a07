"""``watch`` against a real webhook: each change once, in order, over restarts, kills and outages; tries are bounded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pandas as pd
import pytest

from reseat.alerts import raised, webhook
from reseat.alerts.outbox import Message, opened
from reseat.alerts.raised import AlertState
from reseat.balance.directories import directory_findings, directory_loads
from reseat.cli import main
from reseat.errors import InputRefused
from reseat.forecast.first_limits import FirstLimit
from reseat.forecast.settings import Alert, Settings
from reseat.history.read import History
from reseat.model import ClusterLayout, LogDirectory
from tests.alerts.hook import Hook, hook
from tests.history import made
from tests.history.made import history as snapshots

_ALERTS = """
[limits]
partitions_per_cluster = 8

[[alerts]]
name = "offline partitions"
measure = "offline"
above = 0

[[alerts]]
name = "no leader"
finding = "offline"
clusters = ["shop"]

[[alerts]]
name = "full"
limit_within_days = 14
"""


@pytest.fixture
def hooked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """A webhook that is configured, alerts, and no waiting between tries."""
    (tmp_path / "limits.toml").write_text(_ALERTS)
    monkeypatch.setattr(webhook, "PAUSES", (0.0, 0.0))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with hook() as listening:
        monkeypatch.setenv("RESEAT_WEBHOOK", listening.address)
        yield listening


def tables(home: Path, moments: int) -> Path:
    """The small history up to one of its moments: at the second, broker 4 is gone and a partition offline."""
    told = {"shop": snapshots()["shop"][:moments]}
    return made.write(home / f"until-{moments}", told, swept=False).tables


def words(home: Path, moments: int) -> list[str]:
    """What one types."""
    where = home / f"until-{moments}" / "tables"
    found = where if where.exists() else tables(home, moments)
    return ["watch", "--tables", str(found), "--limits", str(home / "limits.toml"), "--state", str(home / "state.json")]


def heard(of: Hook) -> list[tuple[str, str]]:
    """What the webhook was told: alert and event."""
    return [(body["alert"], body["event"]) for _, body in of.came]


def test_each_change_is_told_once_when_it_begins_and_once_when_it_is_over(hooked: Hook, tmp_path: Path) -> None:
    """Looked at twice at each moment; the limit is met from the start, and stays so."""
    for moments in (1, 1, 2, 2, 3, 3, 4, 4):
        assert main(words(tmp_path, moments)) == 0

    assert heard(hooked) == [
        ("full", "began"),
        ("offline partitions", "began"),
        ("no leader", "began"),
        ("offline partitions", "over"),
        ("no leader", "over"),
    ]
    assert len(set(hooked.ids)) == 5
    body = hooked.came[1][1]
    assert (body["cluster"], body["sentence"], body["id"]) == ("shop", "offline is 1 (limit 0)", hooked.ids[1])
    assert "secret" not in json.dumps(hooked.came) + (tmp_path / "state.json").read_text()


def test_a_finding_is_told_of_the_cluster_whose_latest_snapshot_has_it(hooked: Hook, tmp_path: Path) -> None:
    """Another cluster had it in the very same snapshot, and has mended it since."""
    every = snapshots()["shop"]
    found = made.write(tmp_path / "two", {"shop": every[:2], "mended": every[:4]}, swept=False).tables
    limits = tmp_path / "limits.toml"
    limits.write_text('[[alerts]]\nname = "no leader"\nfinding = "offline"\n')
    state = str(tmp_path / "state.json")

    assert main(["watch", "--tables", str(found), "--limits", str(limits), "--state", state]) == 0
    assert [(body["cluster"], body["event"]) for _, body in hooked.came] == [("shop", "began")]


def test_a_snapshot_of_the_future_hides_what_is_and_that_is_said(
    hooked: Hook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a machine whose clock was wrong: until that time alerts are of it, and nothing said so."""
    last = snapshots()["shop"][0]
    later = replace(last, taken_at=datetime.now(UTC) + timedelta(days=900))
    made.write(tmp_path / "until-1", {"shop": (last, later)}, swept=False)

    assert main(words(tmp_path, 1)) == 0
    assert f"last snapshot of shop says that it is of {later.taken_at:%Y-%m-%d %H:%M} UTC" in capsys.readouterr().err


def test_a_cluster_of_which_no_snapshots_come_any_more_is_told_of(hooked: Hook, tmp_path: Path) -> None:
    """Whoever relies on alerts took it for well; once a snapshot comes it is over."""
    old, now = snapshots()["shop"][0], datetime.now(UTC)
    told = [replace(old, taken_at=now - timedelta(hours=hours)) for hours in (9, 7, 1)]
    (tmp_path / "limits.toml").write_text('[[alerts]]\nname = "silent"\nsilent_for_hours = 6\n')
    for moments in (1, 2, 3):
        made.write(tmp_path / f"until-{moments}", {"shop": tuple(told[:moments])}, swept=False)
        assert main(words(tmp_path, moments)) == 0

    assert heard(hooked) == [("silent", "began"), ("silent", "over")]
    last = [f"{one.taken_at:%Y-%m-%d %H:%M} UTC (limit 6 h)" for one in (told[0], told[2])]
    assert [body["sentence"].removeprefix("the latest snapshot is of ") for _, body in hooked.came] == last


def test_what_the_latest_snapshot_could_not_read_is_not_over(hooked: Hook, tmp_path: Path) -> None:
    """A disk fails, its broker goes down (nobody asks it for its directories), does not answer, and is whole again.

    The second and the third were told to be over.
    """
    sound, down = snapshots()["shop"][0], snapshots()["shop"][1]
    failed = directory_findings(
        directory_loads(sound.layout, [LogDirectory(4, "/data/a", error="KAFKA_STORAGE_ERROR")])
    )
    silent = "Sizes and log directories of broker 4 are unknown: It does not answer."
    unknown = replace(sound, not_read=(silent, "min.insync.replicas of 2 topics is unknown: It does not answer."))
    large = made.layout(sound.layout.assignments(), racks={b.id: b.rack for b in sound.layout.brokers}, gigabytes=9)
    told = [replace(sound, layout=large, findings=failed), down, unknown, sound]
    told = [replace(one, taken_at=sound.taken_at + timedelta(hours=hour)) for hour, one in enumerate(told)]
    (tmp_path / "limits.toml").write_text(
        '[[alerts]]\nname = "disk"\nfinding = "log_dir_error"\n\n'
        '[[alerts]]\nname = "large"\nmeasure = "size_bytes"\nabove = 50e9\n\n'
        '[[alerts]]\nname = "few"\nmeasure = "below_min_isr"\nabove = 0\n'
    )
    events = []
    for moments in (1, 2, 3, 4):
        made.write(tmp_path / f"until-{moments}", {"shop": tuple(told[:moments])}, swept=False)
        assert main(words(tmp_path, moments)) == 0
        events.append(len(hooked.came))

    assert heard(hooked) == [
        *((name, "began") for name in ("disk", "large", "few")),
        *((name, "over") for name in ("disk", "large", "few")),
    ]
    assert events == [2, 3, 3, 6]


@pytest.mark.parametrize(
    ("likely", "said", "holds"),
    [
        (14, (30, ""), True),
        (15, (30, ""), False),
        (14, (30, "Nothing can be said of the disks."), True),
        (15, (30, "Nothing can be said of the disks."), None),
        (None, (30, ""), False),
        (None, (0, "The past is too short."), None),
        (None, (13, ""), None),
    ],
)
def test_a_limit_is_told_of_so_many_days_before(
    likely: int | None, said: tuple[int, str], holds: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No day sooner; where something is unknown it is not over. Clusters that it is not about are not foretold."""
    day = date(2026, 5, 1)
    ahead, why = said
    on = None if likely is None else day + timedelta(days=likely)
    asked = []

    def foretold(
        history: History, settings: Settings, latest: pd.DataFrame, file: Path | None
    ) -> dict[str, FirstLimit]:
        asked.extend(latest["cluster"])
        return {"shop": FirstLimit("x", day, "{}", "partitions", on, on, ahead, "It fills.", why)}

    monkeypatch.setattr(raised, "bring_up", foretold)
    found = made.write(tmp_path / "two", {"shop": snapshots()["shop"][:1], "007": snapshots()["007"]}, swept=False)
    full = Alert("full", limit_within_days=14, clusters=("shop",))
    (state,) = raised.alert_states(History.open(found.tables), Settings(alerts=(full,)), datetime.now(UTC))

    assert (asked, state.holds, state.sentence) == (["shop"], holds, "It fills.")


def test_what_a_text_does_not_tell_is_not_over(tmp_path: Path) -> None:
    """Assignments alone: neither states nor leaders, disks, hosts nor settings. Replica lists are told by any text."""
    text = replace(snapshots()["shop"][0], layout=ClusterLayout.from_assignments({("a", 0): [1, 2]}), protocol="text")
    found = made.write(tmp_path / "texts", {"shop": (text,)}, swept=False)
    untold = ("log_dir_error", "offline", "not_preferred_leader", "same_host")
    asked = (
        Alert("down", measure="brokers_down"),
        *(Alert(kind, finding=kind) for kind in (*untold, "duplicate_replicas")),
    )
    states = raised.alert_states(History.open(found.tables), Settings(alerts=asked), datetime.now(UTC))

    assert [state.holds for state in states] == [None, None, None, None, None, False]


def test_without_limits_none_is_near(tmp_path: Path) -> None:
    """An alert on limits where none are set neither rings nor waits."""
    found = made.write(tmp_path / "one", {"shop": snapshots()["shop"][:1]}, swept=False)
    full = Alert("full", limit_within_days=14)
    (state,) = raised.alert_states(History.open(found.tables), Settings(alerts=(full,)), datetime.now(UTC))

    assert (state.holds, state.sentence) == (False, "No limits are set.")


def test_what_an_alert_can_never_tell_of_is_said(
    hooked: Hook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cluster that is spelt wrong, and limits that are not set: both were silence for ever."""
    (tmp_path / "limits.toml").write_text(
        "[clusters.shpo.limits]\ndisk = 1\n\n"
        '[[alerts]]\nname = "down"\nmeasure = "brokers_down"\nclusters = ["hsop"]\n\n'
        '[[alerts]]\nname = "full"\nlimit_within_days = 14\n'
    )

    assert main(words(tmp_path, 1)) == 0
    said = capsys.readouterr().err
    assert "not in the history: hsop and shpo." in said
    assert "Alert full tells of limits, and none are set." in said


def test_an_outage_loses_nothing_and_is_not_hammered(
    hooked: Hook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three tries, then it waits for the next time; what began is told before what is over."""
    hooked.answers = [500, 0, 503, 404]

    assert main(words(tmp_path, 2)) == 1
    assert len(hooked.came) == 3
    assert (
        "did not accept a message: it answered 503. Waiting for the next time: 3 messages." in capsys.readouterr().err
    )
    assert main(words(tmp_path, 4)) == 1  # 404 is tried once alone
    assert len(hooked.came) == 4
    assert main(words(tmp_path, 4)) == 0
    assert set(hooked.ids[:5]) == {hooked.ids[0]}
    told = heard(hooked)[4:]
    assert told.index(("no leader", "began")) < told.index(("no leader", "over"))
    assert len(told) == len(set(told)) == 5


def test_a_webhook_that_answers_by_the_byte_is_given_up(hooked: Hook) -> None:
    """Each read is quick, and the answer never whole: the bound is one of the try."""
    hooked.answers = [1, 200]
    now = datetime(2026, 5, 1, tzinfo=UTC)
    message = Message("key", "began", "a", "shop", "so", "1", now, now)

    assert webhook.send(hooked.address, "json", message, seconds=0.2) is None
    assert hooked.ids == ["key", "key"]
    hooked.answers = [1] * webhook.TRIES
    assert webhook.send(hooked.address, "json", message, seconds=0.2) == "no answer within 0.2 s"


@pytest.mark.parametrize("spoiled", ["", '{"x":' + "[" * 50_000, "\0"])
def test_a_file_of_alerts_that_is_none_is_refused(spoiled: str, tmp_path: Path) -> None:
    """However it was spoiled."""
    (tmp_path / "state.json").write_text(spoiled)

    with pytest.raises(InputRefused, match="This is no file of alerts"), opened(tmp_path / "state.json", "limits.toml"):
        pass


def test_a_file_of_alerts_is_not_shared_by_two_limits_files(
    hooked: Hook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two teams, and the default file: each forgot what the other's alerts are, and told what waited for the other."""
    hooked.answers = [404]
    assert main(words(tmp_path, 2)) == 1
    (tmp_path / "other.toml").write_text('[[alerts]]\nname = "theirs"\nmeasure = "offline"\n')
    theirs = [str(tmp_path / "other.toml") if word.endswith("limits.toml") else word for word in words(tmp_path, 2)]

    assert main(theirs) == 2
    assert f"It is of the alerts in {tmp_path / 'limits.toml'}; name another with --state." in capsys.readouterr().err
    assert len(hooked.came) == 1
    assert main(words(tmp_path, 2)) == 0
    assert len(hooked.came) == 4


def test_killed_while_it_tells_it_tells_again_with_the_same_key(hooked: Hook, tmp_path: Path) -> None:
    """The webhook heard it and had not answered: it may come twice, and says that it is the same."""
    hooked.go_on.clear()
    command = [sys.executable, "-m", "reseat", *words(tmp_path, 2)]
    process = subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.DEVNULL)
    assert hooked.heard.wait(60)
    with (
        pytest.raises(InputRefused, match="Another reseat watch is at work"),
        opened(tmp_path / "state.json", "limits.toml"),
    ):
        pass
    process.kill()
    process.wait()
    hooked.go_on.set()

    assert main(words(tmp_path, 2)) == 0
    assert len(hooked.came) == 4
    assert hooked.ids[0] == hooked.ids[1]
    assert len(set(hooked.ids)) == 3


def test_what_was_told_is_told_with_the_same_key_once_its_file_is_lost(hooked: Hook, tmp_path: Path) -> None:
    """The key is made of the change and its snapshot, not of when it was found."""
    assert main(words(tmp_path, 2)) == 0
    (tmp_path / "state.json").unlink()
    assert main(words(tmp_path, 2)) == 0

    assert len(hooked.ids) == 6
    assert hooked.ids[:3] == hooked.ids[3:]


def test_a_limit_that_is_changed_twice_in_one_snapshot_begins_an_alert_of_its_own(tmp_path: Path) -> None:
    """Lowered, raised and lowered again between two snapshots: who drops keys that repeat heard of the first alone."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with opened(tmp_path / "state.json", "limits.toml") as outbox:
        for holds, limit in ((True, 3), (False, 9), (True, 2)):
            outbox.note([AlertState("shop", "a", holds, f"5 (limit {limit})", "1", now)], ["a"], now)

        assert len({one.id for one in outbox.waiting}) == 3


def test_slack_is_told_in_its_own_form(hooked: Hook, tmp_path: Path) -> None:
    """A text in which no name makes a link or calls somebody."""
    text = _ALERTS.replace("no leader", "<!channel> & co")
    (tmp_path / "limits.toml").write_text(text + '\n[webhook]\nform = "slack"\n')

    assert main(words(tmp_path, 2)) == 0
    (said,) = [body["text"] for _, body in hooked.came if "channel" in body["text"]]
    assert said.startswith(":red_circle: shop, &lt;!channel&gt; &amp; co began: ")
    assert said.endswith("(snapshot of 2026-05-01 15:10 UTC)")


def test_what_is_unknown_is_not_over_and_what_waits_is_given_up_after_a_week(tmp_path: Path) -> None:
    """An alert that is not in the file any more is forgotten without a word."""
    now = datetime(2026, 5, 1, tzinfo=UTC)

    def found(holds: bool | None, snapshot: str) -> list[AlertState]:
        return [AlertState("shop", "a", holds, "so", snapshot, now)]

    with opened(tmp_path / "state.json", "limits.toml") as outbox:
        outbox.note(found(True, "1"), ["a"], now)
        outbox.note(found(None, "2"), ["a"], now)
        assert [one.event for one in outbox.waiting] == ["began"]
    with opened(tmp_path / "state.json", "limits.toml") as outbox:
        assert outbox.give_up(now + timedelta(days=7)) == ()
        assert [one.alert for one in outbox.give_up(now + timedelta(days=7, seconds=1))] == ["a"]
        outbox.note([], [], now)
        outbox.note(found(False, "3"), ["a"], now)
        assert outbox.waiting == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[alerts]]\nname = "a"\n', "needs one of measure, finding, limit_within_days, silent_for_hours"),
        ('[[alerts]]\nname = "a"\nmeasure = "offlines"\n', "'offlines' is none of"),
        (
            '[[alerts]]\nname = "a"\nfinding = "offline"\n[[alerts]]\nname = "a"\nfinding = "same_host"\n',
            "the same name",
        ),
        ('[[alerts]]\nname = "a"\nfinding = "offlin"\n', "'offlin' is no kind of finding"),
        ('[[alerts]]\nname = "a"\nfinding = "offline"\nabove = 3\n', "above belongs to a measure, not to finding"),
        ('[[alerts]]\nname = "a"\nmeasure = "offline"\nabove = nan\n', "above is nan; a number was expected"),
        ("[limits]\ndisk = 5\n", "There is no alert"),
    ],
)
def test_alerts_that_would_never_be_told_are_refused(
    hooked: Hook, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    """With exit code 2, before anything is told."""
    (tmp_path / "limits.toml").write_text(text)

    assert main(words(tmp_path, 1)) == 2
    assert said in capsys.readouterr().err
    assert hooked.came == []


def test_without_a_webhook_nothing_is_noted(
    hooked: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Or what began would be lost; an address that is none is refused without being told on."""
    monkeypatch.delenv("RESEAT_WEBHOOK")
    assert main(words(tmp_path, 1)) == 2
    assert not (tmp_path / "state.json").exists()
    monkeypatch.setenv("RESEAT_WEBHOOK", "ftp://secret")

    assert main(words(tmp_path, 1)) == 2
    said = capsys.readouterr().err
    assert "RESEAT_WEBHOOK: An address that begins with https://" in said
    assert "secret" not in said
