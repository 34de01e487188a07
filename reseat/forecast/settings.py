"""The limits file: how much a broker and a cluster may hold, for all clusters and for one, and what is told when.

Example::

    [limits]
    disk = 85                        # percent of a broker's file systems
    replicas_per_broker = 4000
    bytes_per_broker = "2TB"
    partitions_per_cluster = 200000

    [clusters.orders.limits]         # what is not named here is as above
    replicas_per_broker = 2000

    [[alerts]]
    name = "offline partitions"
    measure = "offline"              # a count of the table snapshots
    above = 0

    [[alerts]]
    name = "disk full soon"
    limit_within_days = 14
    clusters = ["orders"]

    [[alerts]]
    name = "no snapshots"
    silent_for_hours = 6
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from reseat.errors import InputRefused
from reseat.model.units import bytes_in

__all__ = ["MEASURES", "NAMED_BY", "Alert", "Form", "Limits", "Settings", "configured", "read_settings"]

#: The environment's name for the file.
NAMED_BY = "RESEAT_LIMITS"
_MOST_BYTES = 1_000_000
_Count = Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much may be held; None: no limit.

    Attributes:
        disk: percent of a broker's file systems.
        replicas_per_broker: replicas on one broker.
        bytes_per_broker: what the replicas of one broker take, in bytes or with a unit.
        partitions_per_cluster: partitions of all topics together.
    """

    disk: Annotated[float, msgspec.Meta(gt=0, le=100)] | None = None
    replicas_per_broker: _Count | None = None
    bytes_per_broker: _Count | str | None = None
    partitions_per_cluster: _Count | None = None

    def over(self, general: Limits) -> Limits:
        """These, and the general ones where these name none."""
        pairs = [(name, getattr(self, name)) for name in self.__struct_fields__]
        return Limits(**{name: getattr(general, name) if mine is None else mine for name, mine in pairs})


#: What an alert may be about, as the table ``snapshots`` calls it.
MEASURES = (
    "brokers_down", "partitions", "replicas", "size_bytes", "offline", "under_replicated", "below_min_isr",
    "not_preferred", "reassigning", "rack_violations", "replica_spread", "leader_spread", "byte_spread",
    "findings_broken", "findings_attention",
)  # fmt: skip
Form = Literal["json", "slack"]


class Alert(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be told of, once when it begins and once when it is over: one of four kinds.

    Attributes:
        name: what it is called; no two have the same.
        measure: one of ``MEASURES``, more than ``above``.
        above: see there.
        finding: a kind of finding (the table ``findings``), found at all.
        limit_within_days: a limit is likely met within so many days, or is met already.
        silent_for_hours: the latest snapshot is older than that: of what came since no other alert can tell.
        clusters: only of these; empty: of all.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    measure: str | None = None
    above: float = 0
    finding: str | None = None
    limit_within_days: Annotated[int, msgspec.Meta(ge=0, le=365)] | None = None
    silent_for_hours: Annotated[float, msgspec.Meta(gt=0, le=8760)] | None = None
    clusters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what would never be told.

        Raises:
            ValueError: it is of no kind or of several, or what it names is not known.
        """
        kinds = ("measure", "finding", "limit_within_days", "silent_for_hours")
        told = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(told) != 1:
            raise ValueError(f"alert {self.name!r} needs one of {', '.join(kinds)}")
        if self.above and self.measure is None:
            raise ValueError(f"alert {self.name!r}: above belongs to a measure, not to {told[0]}")
        if not math.isfinite(self.above):
            raise ValueError(f"alert {self.name!r}: above is {self.above}; a number was expected")
        if self.measure is not None and self.measure not in MEASURES:
            raise ValueError(f"alert {self.name!r}: {self.measure!r} is none of {', '.join(MEASURES)}")
        if self.finding is not None:
            from reseat.balance.mends import KINDS

            if self.finding not in KINDS:
                raise ValueError(f"alert {self.name!r}: {self.finding!r} is no kind of finding")


class _Webhook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    form: Form = "json"


class _OfCluster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    limits: Limits = Limits()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    limits: Limits = Limits()
    clusters: dict[str, _OfCluster] = {}
    alerts: tuple[Alert, ...] = ()
    webhook: _Webhook = _Webhook()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the limits file says; nothing where there is none.

    Attributes:
        general: the limits of every cluster.
        of_cluster: those of some clusters, which go before.
        source: the file, or None.
        alerts: what is told to a webhook.
        form: how it is told.
    """

    general: Limits = field(default_factory=Limits)
    of_cluster: Mapping[str, Limits] = field(default_factory=dict)
    source: str | None = None
    alerts: tuple[Alert, ...] = ()
    form: Form = "json"

    def limits(self, cluster: str) -> Limits:
        """The limits of a cluster."""
        return self.of_cluster.get(cluster, Limits()).over(self.general)

    def strange(self, clusters: Iterable[str]) -> list[str]:
        """The clusters that limits and alerts name beside these."""
        return sorted({*self.of_cluster, *(name for alert in self.alerts for name in alert.clusters)} - {*clusters})


def configured(env: Mapping[str, str] = os.environ) -> Settings:
    """What the file says that ``RESEAT_LIMITS`` names; no limits where it names none.

    Raises:
        InputRefused: as ``read_settings``.
    """
    named = env.get(NAMED_BY)
    return read_settings(Path(named)) if named else Settings()


def read_settings(file: Path) -> Settings:
    """What a limits file says.

    Raises:
        InputRefused: it cannot be read, is not TOML, or has a key or a value that is not known.
    """
    source = str(file)
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InputRefused(f"The limits file cannot be read: {error.strerror or error}.", source=source) from error
    if len(data) > _MOST_BYTES:
        raise InputRefused("The limits file is larger than 1 MB; a few lines of TOML were expected.", source=source)
    try:
        told = msgspec.convert(tomllib.loads(data.decode("utf-8-sig")), _File)
        of_cluster = {name: _in_bytes(one.limits) for name, one in told.clusters.items()}
        if len({alert.name for alert in told.alerts}) < len(told.alerts):
            raise ValueError("two alerts have the same name")
        return Settings(_in_bytes(told.limits), of_cluster, source, told.alerts, told.webhook.form)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputRefused(f"The limits file is not TOML: {error}.", source=source) from error
    except (msgspec.ValidationError, ValueError) as error:
        raise InputRefused(
            f"The limits file says how much is too much; {str(error).rstrip('.')}.", source=source
        ) from error


def _in_bytes(limits: Limits) -> Limits:
    given: Any = limits.bytes_per_broker
    return msgspec.structs.replace(limits, bytes_per_broker=bytes_in(given)) if isinstance(given, str) else limits
