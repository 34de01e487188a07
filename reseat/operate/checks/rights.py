"""The check of rights: a run that may begin and not set a throttle, or not remove it, would stand half way."""

from __future__ import annotations

from reseat.model.wording import counted, listed
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.targets.rights import Rights

__all__ = ["rights_suffice"]


def rights_suffice(diff: PlanDiff, rights: Rights | None) -> Check:
    """29. The user that Reseat signs in as may do all that this run takes.

    Args:
        diff: the plan beside the reading.
        rights: what the cluster tells of that user; None: it does not.
    """
    name, request = "rights_suffice", diff.request
    if rights is None:
        return unknown(name, "What this user may do is unknown until the cluster is asked to do it.")
    throttled = request.options.throttle is not None
    needed = ["Alter", *(["AlterConfigs"] if throttled or request.cordon else [])]
    # Who may not even describe the cluster is told nothing of the rest; Alter is what is missing then.
    asked = needed if rights.cluster else needed[:1]
    missing = [f"{right} on the cluster" for right in asked if right not in rights.cluster]
    unseen = sorted(topic for topic, may in rights.topics.items() if "Describe" not in may)
    closed = sorted(topic for topic, may in rights.topics.items() if "AlterConfigs" not in may and "Describe" in may)
    if unseen:
        missing.append(f"Describe on {counted(len(unseen), 'topic')} of the plan ({listed(unseen)})")
    if throttled and closed:
        missing.append(f"AlterConfigs on {counted(len(closed), 'topic')} of the plan, for throttles ({listed(closed)})")
    if not missing:
        return passed(name, f"This user may do what it takes: {' and '.join(needed)} on the cluster.")
    return failed(name, f"This user lacks {'; '.join(missing)}. docs/serving.md has the commands that grant it.")
