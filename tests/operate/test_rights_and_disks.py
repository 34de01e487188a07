"""Whether a run could be carried through: by the rights of who signs in, and beside a disk that has failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reseat.model import LogDirectory
from reseat.operate.checks.check import CheckResult
from reseat.operate.journal.records import RunOptions
from reseat.operate.targets.rights import Rights
from tests.operate.guarding import judged, request, snapshot

ALL = frozenset({"Alter", "AlterConfigs", "Create", "Describe"})
THROTTLED = RunOptions(throttle=1_000)


@pytest.mark.parametrize(
    ("cluster", "orders", "throttled", "lacking"),
    [
        (ALL, ALL, True, ""),
        (ALL - {"AlterConfigs"}, ALL - {"AlterConfigs"}, False, ""),
        (ALL - {"AlterConfigs"}, ALL, True, "AlterConfigs on the cluster"),
        (ALL - {"Alter"}, ALL, False, "Alter on the cluster"),
        (frozenset(), ALL, True, "Alter on the cluster"),
        (ALL, frozenset(), False, "Describe on 1 topic of the plan (orders)"),
        (ALL, frozenset({"Describe"}), True, "AlterConfigs on 1 topic of the plan, for throttles (orders)"),
        (ALL, frozenset({"Describe"}), False, ""),
        (
            ALL - {"AlterConfigs"},
            frozenset({"Describe"}),
            True,
            "AlterConfigs on the cluster; AlterConfigs on 1 topic of the plan, for throttles (orders)",
        ),
    ],
)
def test_a_right_that_a_run_takes_is_named_before_anything_is_sent(cluster, orders, throttled, lacking):
    """Of the cluster and of each topic; who may describe nothing is told nothing of the rest."""
    asked = request(options=THROTTLED) if throttled else request()
    found = judged("rights_suffice", asked, rights=Rights(cluster, {"orders": orders, "pay": ALL}))

    assert found.result is (CheckResult.FAILED if lacking else CheckResult.PASSED)
    assert not found.overridable
    said = "and AlterConfigs on the cluster." if throttled else "Alter on the cluster."
    assert found.sentence.startswith(f"This user lacks {lacking}. " if lacking else "This user may do what it takes: ")
    assert lacking or found.sentence.endswith(said)


def test_a_cordon_takes_the_right_to_configure():
    """It is a setting of brokers."""
    found = judged("rights_suffice", request(cordon=True), rights=Rights(ALL - {"AlterConfigs"}))

    assert found.sentence.startswith("This user lacks AlterConfigs on the cluster. ")


def test_rights_that_nobody_tells_are_unknown():
    """As through ZooKeeper."""
    assert judged("rights_suffice").result is CheckResult.NOT_TOLD


@pytest.mark.parametrize("broker", [2, 4])
def test_nothing_is_copied_to_a_broker_whose_disk_has_failed(broker):
    """Broker 4 gets both replicas; what fails on 2, which only gives up none, is no matter. It can be overridden."""
    dirs = (LogDirectory(broker, "/a", error="KAFKA_STORAGE_ERROR"), LogDirectory(broker, "/b"), LogDirectory(1, "/a"))
    found = judged("directories_online", now=snapshot(log_dirs=dirs))
    anyway = judged("directories_online", request(overrides=frozenset({"directories_online"})), snapshot(log_dirs=dirs))

    if broker == 2:
        assert found.result is anyway.result is CheckResult.PASSED
        return
    assert (found.result, found.overridable) == (CheckResult.FAILED, True)
    assert found.sentence == (
        "Log directory /a of broker 4 is offline, and 2 partitions would get a replica on that broker: orders-2 and "
        "pay-7."
    )
    assert anyway.result is CheckResult.OVERRIDDEN
    healthy = snapshot(log_dirs=tuple(replace(one, error=None) for one in dirs))
    assert judged("directories_online", now=healthy).result is CheckResult.PASSED
