"""``watch``: tell a webhook what began and what is over since the last time."""

from __future__ import annotations

import argparse
import os
from datetime import UTC, datetime
from pathlib import Path

from reseat.alerts.outbox import Outbox, default_state, opened
from reseat.alerts.raised import alert_states
from reseat.alerts.webhook import NAMED_BY, send
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import complain, say
from reseat.errors import InputRefused
from reseat.forecast.first_limits import default_file, unlimited
from reseat.forecast.settings import Settings, configured, read_settings
from reseat.history.places import default_tables
from reseat.history.read import History
from reseat.model.wording import counted, listed
from reseat.sources.keeping import SKEW

__all__ = ["watch"]


def watch(chosen: argparse.Namespace) -> int:
    """Look once and tell; see the command's ``--help``."""
    settings = configured() if chosen.limits is None else read_settings(Path(chosen.limits))
    if not settings.alerts:
        raise InputRefused("There is no alert; [[alerts]] in the limits file were expected.", source=settings.source)
    address = os.environ.get(NAMED_BY, "")
    if not address:
        raise InputRefused(f"{NAMED_BY} is not set: the address of the webhook.")
    history = History.open(default_tables(os.environ) if chosen.tables is None else chosen.tables)
    clusters = history.clusters()
    if not clusters:
        raise InputRefused("There are no snapshots in these tables.", source=history.where)
    if strange := settings.strange(clusters):
        complain(f"reseat watch: {settings.source}: not in the history: {listed(name[:100] for name in strange)}.")
    for alert in settings.alerts:
        if alert.limit_within_days is not None and all(unlimited(settings, one) for one in alert.clusters or clusters):
            complain(f"reseat watch: {settings.source}: Alert {alert.name} tells of limits, and none are set.")
    state = default_state(os.environ) if chosen.state is None else Path(chosen.state)
    with opened(state, str(Path(settings.source or "").absolute())) as outbox:
        now = datetime.now(UTC)
        found = tuple(alert_states(history, settings, now, default_file(history, settings, os.environ)))
        for name, moment in sorted({(one.cluster, one.taken_at) for one in found if one.taken_at > now + SKEW}):
            until = f"{moment:%Y-%m-%d %H:%M} UTC, which is yet to come: no snapshot before it is looked at."
            complain(f"reseat watch: The last snapshot of {name} says that it is of {until}")
        outbox.note(found, [alert.name for alert in settings.alerts], now)
        for old in outbox.give_up(now):
            complain(f"reseat watch: given up after a week: {old.cluster}, {old.alert} {old.event}: {old.sentence}")
        return _tell(outbox, settings, address)


def _tell(outbox: Outbox, settings: Settings, address: str) -> int:
    """In the order of what happened: nothing is told to be over that nobody heard began."""
    for message in outbox.waiting:
        why = send(address, settings.form, message)
        if why is not None:
            left = counted(len(outbox.waiting), "message")
            complain(f"reseat watch: The webhook did not accept a message: {why}. Waiting for the next time: {left}.")
            return ExitCode.UNFINISHED
        outbox.told(message)
        say(f"Told: {message.cluster}, {message.alert} {message.event}: {message.sentence}")
    return ExitCode.DONE
