"""Requests to the controller and to brokers, asked again while what is in their way passes by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.error_names import NONE, NOT_CONTROLLER
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Partition
from reseat.sources.in_parts import in_parts

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient

__all__ = [
    "AT_ONCE",
    "GONE",
    "NOT_ALLOWED",
    "PASSING",
    "PASSING_REASONS",
    "PASSING_WHOLE",
    "AdminRequests",
    "accept",
    "not_allowed",
]

#: Partitions a request to the controller: a 2.8 controller takes about 3 s for them, well below a request's time.
AT_ONCE = 200
#: Brokers asked for their settings at once.
_BROKERS_AT_ONCE = 100
#: Answers that pass by themselves: another broker is the controller, or will be.
PASSING = frozenset({NOT_CONTROLLER, "BROKER_NOT_AVAILABLE", "NETWORK_EXCEPTION", "THROTTLING_QUOTA_EXCEEDED"})
#: The same of a whole request: a broker that passes it on to the controller gave up waiting.
PASSING_WHOLE = PASSING | {"REQUEST_TIMED_OUT"}
#: Troubles of a connection that pass when a broker comes back or another one answers.
PASSING_REASONS = frozenset({"refused", "route", "timeout", "lost"})
#: Kafka's errors that say that this user may not, and that there is no such topic or partition.
NOT_ALLOWED = frozenset({"CLUSTER_AUTHORIZATION_FAILED", "TOPIC_AUTHORIZATION_FAILED"})
GONE = frozenset({"UNKNOWN_TOPIC_OR_PARTITION", "INVALID_TOPIC_EXCEPTION"})


class AdminRequests:
    """Sends requests of one client.

    Args:
        admin: the client.
        patience: how long a controller is waited for.
        reading: how long one question to any broker is asked again.
        controller_seconds: how long one answer of a controller may take.
    """

    def __init__(self, admin: AdminClient, patience: Patience, reading: Patience, controller_seconds: float) -> None:
        self._admin = admin
        self._patience = patience
        self._reading = reading
        self._controller_seconds = controller_seconds

    def by_partition(
        self, partitions: Sequence[Partition], ask: Callable[[Sequence[Partition]], dict[Partition, str]]
    ) -> dict[Partition, str]:
        """Kafka's answer by partition: asked in chunks, and again where the controller was not to be had."""
        answers: dict[Partition, str] = {}
        for chunk in in_parts(dict.fromkeys(partitions), AT_ONCE):
            waiting: list[Partition] = chunk
            failure: ClusterUnreachable | None = None
            for _ in self._patience.attempts():
                try:
                    said, failure = ask(waiting), None
                except ClusterUnreachable as error:
                    if error.reason not in PASSING_REASONS:
                        raise
                    failure = error
                    continue
                refused = NOT_ALLOWED.intersection(said.values())
                if "CLUSTER_AUTHORIZATION_FAILED" in refused:
                    raise not_allowed("Alter on the cluster")
                answers |= {one: said.get(one, "UNKNOWN_SERVER_ERROR") for one in waiting}
                waiting = [one for one in waiting if answers[one] in PASSING]
                if not waiting:
                    break
            if failure is not None:
                raise failure
            if waiting:
                raise self.no_controller()
        return answers

    def to_controller(self, request: Any) -> Any:
        """The controller's answer, asked for once."""
        return self._admin.send(request, broker="controller", timeout=self._controller_seconds)

    def settled(self, request: Any, error_of: Callable[[Any], str], broker: int | str | None) -> Any:
        """The answer to a question that may be asked again."""
        failure: ClusterUnreachable | None = None
        for _ in (self._patience if broker == "controller" else self._reading).attempts():
            try:
                to_controller = broker == "controller"
                response = self.to_controller(request) if to_controller else self._admin.send(request, broker=broker)
                failure = None
            except ClusterUnreachable as error:
                if error.reason not in PASSING_REASONS:
                    raise
                failure = error
                continue
            name = error_of(response)
            if name in NOT_ALLOWED:
                raise not_allowed("Describe on the cluster")
            if name not in PASSING_WHOLE:
                return response
        if failure is not None:
            raise failure
        raise self.no_controller()

    def by_broker(self, requests: Mapping[int, Any]) -> Iterator[tuple[int, Any]]:
        """Each broker's answer to its own request, or the ``ClusterUnreachable`` of one that does not answer.

        Many are asked at once and each only once: a dead one keeps nobody waiting.
        """
        from reseat.sources.kafka_admin.client import told_by_brokers

        for chunk in in_parts(requests, _BROKERS_AT_ONCE):
            for broker, told in told_by_brokers(self._admin, ((broker, requests[broker]) for broker in chunk)):
                if isinstance(told, ClusterUnreachable) and told.reason not in PASSING_REASONS:
                    raise told
                yield broker, told

    def no_controller(self) -> ClusterUnreachable:
        """That no controller was to be had."""
        return ClusterUnreachable(
            f"No broker answered as the controller within {self._patience.seconds:.0f} s. Whether the last request was "
            "executed is known once the cluster has a controller again.",
            "lost",
        )


def not_allowed(right: str) -> ClusterUnreachable:
    """That the cluster refused for want of a right, such as ``Alter on the cluster``."""
    return ClusterUnreachable(
        f"The cluster does not let this user do that: {right} is missing. docs/serving.md has the commands that grant "
        "it.",
        "authorization",
    )


def accept(name: str, message: str | None, resource: str, right: str) -> None:
    """Go on where the settings of a broker or a topic were told or taken; ``right`` is what that takes.

    Raises:
        ClusterUnreachable: they were not; in the cluster's words.
    """
    if name in NOT_ALLOWED:
        raise not_allowed(right)
    if name != NONE:
        raise ClusterUnreachable(
            f"The cluster refused the settings of {resource!r}: {message or name} ({name}).", "configuration"
        )
