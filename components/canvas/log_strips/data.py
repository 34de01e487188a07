"""A story as the log strips draw it: one plain value a state, names made visible, what went wrong marked. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from components.look import text, theme
from reseat.replication import (
    Consume,
    DropResponse,
    Elect,
    Event,
    Fault,
    Fetch,
    FetchResponse,
    Partition,
    Produce,
    Replica,
    Step,
    faults,
)
from reseat.replication.events import written
from reseat.replication.request import Lane

__all__ = ["log_strips_data", "step_said"]

#: A value is at most so long in a cell; the core allows no longer one.
_LONGEST = 12


def log_strips_data(lanes: Sequence[tuple[str, Lane]], step: int, seek: int) -> dict[str, Any]:
    """Everything that the browser needs to play a story.

    Args:
        lanes: one or two, each with its name; the first says how many steps there are.
        step: the step to begin with.
        seek: a number that grows whenever the page wants the player to go to ``step``.

    Returns:
        JSON values. ``lanes[i].states[k]`` is the state after k events; a lane that ends early repeats nothing, its
        last state stays. ``token`` names the story, so that a late message about another one is not heeded.
    """
    drawn = [_lane(name, lane) for name, lane in lanes]
    last = max(len(lane["states"]) for lane in drawn) - 1
    body: dict[str, Any] = {"lanes": drawn, "last": last, "epochs": list(theme.EPOCHS)}
    token = hashlib.blake2b(json.dumps(body, sort_keys=True).encode(), digest_size=6).hexdigest()
    return body | {"token": token, "step": max(0, min(step, last)), "seek": seek}


def _lane(name: str, lane: Lane) -> dict[str, Any]:
    states = [_state(None, lane.first, ())]
    known: set[Fault] = set()
    for step in lane.steps:
        wrong = faults(step.after)
        states.append(_state(step, step.after, tuple(fault for fault in wrong if fault not in known), wrong))
        known = set(wrong)
    return {"name": name, "states": states, "error": _shown(lane.error) if lane.error else ""}


def _state(step: Step | None, now: Partition, new: tuple[Fault, ...], wrong: tuple[Fault, ...] = ()) -> dict[str, Any]:
    gone = {(fault.value, fault.offset) for fault in wrong if fault.kind == "lost"}
    unread = {fault.offset for fault in wrong if fault.kind == "unread"}
    return {
        "event": "" if step is None else _shown(written(step.event)),
        "sentence": _first(now) if step is None else _shown(step.sentence),
        "changed": [] if step is None else list(step.changed),
        "move": None if step is None else _move(step.event, step.before, now),
        "leader": now.leader,
        "epoch": now.epoch,
        "isr": list(now.isr),
        "elr": list(now.elr),
        "keepsElr": now.rules.elr,
        "clock": now.now_ms,
        "replicas": [
            _replica(broker, replica, None if step is None else step.before.replicas[broker], wrong)
            for broker, replica in now.replicas.items()
        ],
        "answers": [
            {
                "to": broker,
                "offset": answer.offset,
                "hw": answer.hw,
                "records": [_value(r.value) for r in answer.records],
            }
            for broker, answer in now.answers.items()
        ],
        "waiting": [_value(pending.value) for pending in now.pending],
        "acknowledged": [
            {"value": _value(a.value), "offset": a.offset, "acks": a.acks.value, "gone": (a.value, a.offset) in gone}
            for a in now.acknowledged
        ],
        "refused": [{"value": _value(value), "why": why} for value, why in now.refused],
        "consumed": [{"value": _value(value), "gone": offset in unread} for offset, value in enumerate(now.consumed)],
        "faults": [_shown(fault.sentence) for fault in wrong],
        "struck": [_shown(fault.sentence) for fault in new],
    }


def _replica(broker: int, replica: Replica, before: Replica | None, wrong: tuple[Fault, ...]) -> dict[str, Any]:
    """One replica; ``cut`` are the records that this step took away, ``missing`` what should be there and is not."""
    same = 0
    old = replica.log if before is None else before.log
    while same < min(len(old), len(replica.log)) and old[same] == replica.log[same]:
        same += 1
    return {
        "id": broker,
        "alive": replica.alive,
        "unclean": replica.unclean,
        "mustCut": replica.must_cut,
        "log": [[_value(record.value), record.epoch] for record in replica.log],
        "cut": [[_value(record.value), record.epoch] for record in old[same:]],
        "cutAt": same,
        "hw": replica.hw,
        "leo": replica.leo,
        "flushed": replica.flushed,
        "checkpoint": replica.checkpoint,
        "cells": f"{replica.leo}/{replica.hw}" if replica.alive else "-",
        "missing": [
            [fault.offset, _value(fault.value or "")]
            for fault in wrong
            if fault.kind == "lost" and broker in fault.brokers
        ],
        "differs": sorted({fault.offset for fault in wrong if fault.kind == "diverged" and broker in fault.brokers}),
    }


def _move(event: Event, before: Partition, now: Partition) -> dict[str, Any] | None:
    """What travels in this step: between whom, and what it says; ``to`` None is a broker's own affair."""
    match event:
        case Fetch(follower) if follower in now.answers:
            offset = before.replicas[follower].leo
            return {"kind": "fetch", "from": follower, "to": now.leader, "says": f"fetch({offset})"}
        case Fetch(follower):
            replica = before.replicas[follower]
            says = "end offset of my epoch?" if replica.must_cut else f"fetch({replica.leo}): out of range"
            return {"kind": "ask", "from": follower, "to": now.leader, "says": says}
        case FetchResponse(follower) | DropResponse(follower):
            answer = before.answers[follower]
            says = f"{_records(answer.records)}, HW {answer.hw}"
            kind = "catch" if isinstance(event, FetchResponse) else "lose"
            return {"kind": kind, "from": before.leader, "to": follower, "says": says}
        case Produce(value, acks):
            refused = len(now.refused) > len(before.refused)
            says = f"{_value(value)} acks={acks.value}"
            return {"kind": "produce", "to": before.leader, "says": says, "refused": refused}
        case Consume():
            read = now.consumed[len(before.consumed) :]
            return {"kind": "consume", "to": now.leader, "says": ", ".join(map(_value, read)) or "nothing"}
        case Elect():
            return {"kind": "elect", "to": now.leader, "says": "leads"}
        case _:
            return None


def _records(records: Sequence[Any]) -> str:
    return ", ".join(_value(record.value) for record in records) or "nothing new"


def _first(now: Partition) -> str:
    return f"Empty logs; broker {now.leader} leads in epoch {now.epoch}, and all replicas are in sync."


def _value(value: str) -> str:
    return text.visible(value, _LONGEST)


def _shown(sentence: str) -> str:
    return text.visible(sentence, 1_000)


def step_said(said: object, token: str, last: int) -> int | None:
    """The step, or None where this is about another story, or is no step of it.

    Args:
        said: what came from the browser: ``{"step": 3, "token": "..."}``.
        token: which story is drawn.
        last: its last step.
    """
    if not isinstance(said, Mapping) or said.get("token") != token:
        return None
    step = said.get("step")
    if not isinstance(step, int) or isinstance(step, bool) or not 0 <= step <= last:
        return None
    return step
