"""``consumers``: who reads what in a group, through its story, by one assignor or by all of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from reseat.cli.inputs import text_of
from reseat.cli.output.writer import more, say, table, write_json
from reseat.consumers import ASSIGNORS, BROKER_ASSIGNORS, Partition, assignor_named
from reseat.consumers.compare import AssignorResult, compare, surplus_of
from reseat.consumers.rebalancing import Call, GroupState, Message, Transition
from reseat.consumers.text import read_group
from reseat.model.naming import by_topic

__all__ = ["consumers"]

#: Members and partitions of a topic listed for a person; --json lists all.
LISTED_MEMBERS = 200
LISTED_PARTITIONS = 20


def consumers(chosen: argparse.Namespace) -> int:
    """Tell a group's story; see the command's ``--help``."""
    data, source = text_of(chosen.group)
    told = read_group(data, source)
    names = [*ASSIGNORS, *BROKER_ASSIGNORS] if chosen.compare else [chosen.assignor]
    if chosen.assignor not in names:
        names.append(chosen.assignor)
    measured = compare(told.state, told.events, [assignor_named(name) for name in names])
    if chosen.json:
        write_json(
            [_as_json(one, told.state) for one in measured] if chosen.compare else _as_json(measured[0], told.state)
        )
    elif chosen.compare:
        say(*_side_by_side(measured))
    else:
        say(*_story(measured[0], told.state))
    return 0


def _end(measures: AssignorResult, start: GroupState) -> GroupState:
    return measures.transitions[-1].after if measures.transitions else start


def _as_json(measures: AssignorResult, start: GroupState) -> dict[str, Any]:
    end = _end(measures, start)
    beyond = surplus_of(end)
    return {
        "assignor": measures.assignor,
        "generation": end.generation,
        "members": [
            {
                "id": member.id,
                "count": len(member.owned),
                "surplus": beyond[member.id],
                "partitions": by_topic(member.owned),
            }
            for member in end.members.values()
        ],
        "spread": measures.spread,
        "rebalances": measures.rebalances,
        "moves": measures.moves,
        "needless": measures.needless,
        "paused": measures.paused,
        "surplus": measures.surplus,
        "steps": [_step_json(transition) for transition in measures.transitions],
    }


def _step_json(transition: Transition) -> dict[str, Any]:
    return {
        "sentence": transition.sentence,
        "moved": by_topic(transition.moved),
        "needless": transition.needless,
        "calls": [_call_json(call) for call in transition.calls],
        "rounds": [
            {
                "generation": one.generation,
                "leader": one.leader,
                "assignment": {member: by_topic(partitions) for member, partitions in one.assignment.items()},
                "paused": by_topic(sorted(one.paused)),
                "calls": [_call_json(call) for call in one.calls],
                "messages": [_message_json(message) for message in one.messages],
            }
            for one in transition.rounds
        ],
    }


def _call_json(call: Call) -> dict[str, Any]:
    return {"member": call.member, "method": call.method, "partitions": by_topic(call.partitions)}


def _message_json(message: Message) -> dict[str, str]:
    return {"sender": message.sender, "receiver": message.receiver, "name": message.name, "content": message.content}


def _story(measures: AssignorResult, start: GroupState) -> list[str]:
    end = _end(measures, start)
    beyond = surplus_of(end)
    rows = [
        (_shown(member.id), _listed(member.owned), f"{len(member.owned):,}", f"{beyond[member.id]:+,.1f}")
        for member in list(end.members.values())[:LISTED_MEMBERS]
    ]
    lines = [_shown(transition.sentence) for transition in measures.transitions]
    lines += ["", *table(("Member", "owns", "partitions", "surplus"), rows, left=2)]
    lines += [
        *more(len(end.members), LISTED_MEMBERS),
        "",
        f"Assignment spread: {measures.spread:,}; {measures.moves:,} moved, {measures.needless:,} of them "
        f"unnecessarily; {measures.paused:,} paused.",
    ]
    return lines


def _side_by_side(measured: Iterable[AssignorResult]) -> list[str]:
    head = ("Assignor", "spread", "rebalances", "moves", "needless", "paused", "surplus")
    rows = [
        (
            one.assignor,
            *(f"{n:,}" for n in (one.spread, one.rebalances, one.moves, one.needless, one.paused)),
            f"{one.surplus:+.1f}",
        )
        for one in measured
    ]
    return table(head, rows)


def _listed(partitions: Iterable[Partition]) -> str:
    parts = [
        f"{_shown(topic)}: {', '.join(map(str, ids[:LISTED_PARTITIONS]))}{' …' if len(ids) > LISTED_PARTITIONS else ''}"
        for topic, ids in by_topic(partitions).items()
    ]
    return "; ".join(parts) or "nothing"


def _shown(text: str) -> str:
    """A name without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
