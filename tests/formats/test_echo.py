"""A name of twenty thousand characters is nowhere echoed whole: every door says what is wrong in a few lines."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from reseat.consumers.text import read_group
from reseat.errors import ReseatError
from reseat.formats import Reading, read
from reseat.formats.documents.certificate import read_wish
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.text.racks import read_racks
from reseat.placement.command_line import read_topic_command

_X = "x" * 20_000
_ENTRY = {"topic": "a", "partition": 0, "replicas": [1]}
_MEMBER = {"id": "m", "topics": ["a"]}
_TOPIC = "kafka-topics --create --bootstrap-server h:1 --topic t"


def _plan(**more: object) -> str:
    return json.dumps({"version": 1, "partitions": [_ENTRY], **more})


def _group(**more: object) -> str:
    return json.dumps({"topics": {"a": 1}, "members": [_MEMBER], **more})


@pytest.mark.parametrize(
    ("door", "text"),
    [
        (read_racks, f"broker,rack\n1,a{_X}\n1,b{_X}\n"),
        (read_racks, f"broker,rack\n{_X},a\n"),
        (read_racks, json.dumps({_X: "a"})),
        (read_racks, json.dumps({"1": {_X: 1}})),
        (read_wish, json.dumps({"wish": {_X: 1}})),
        (read_wish, json.dumps({"wish": {"remove": [_X]}})),
        (read, json.dumps({"version": 1, _X: 1})),
        (read, json.dumps({"version": 1, "partitions": [{**_ENTRY, "topic": _X}]})),
        (read_sealed, _plan(reseat={_X: 1, "version": 1})),
        (read_sealed, _plan(reseat={"version": _X})),
        (read, json.dumps({"version": 1, "partitions": [{**_ENTRY, _X: 1}]})),
        (read_snapshot, json.dumps({"reseat_snapshot": _X})),
        (read_snapshot, json.dumps({"reseat_snapshot": 1, _X: 1})),
        (read, f"Topic: {_X}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"),
        (read, f"topic,partition,replicas\na,{_X},1\n{_X},0,1\na,0,{_X}\n"),
        (read, f'get /brokers/topics/{_X}\n{{"partitions":{{"{_X}":[1]}}}}'),
        (read_group, json.dumps({_X: 1})),
        (read_group, _group(members=[{**_MEMBER, _X: 1}])),
        (read_group, _group(members=[{**_MEMBER, "id": _X}])),
        (read_group, _group(story=[{_X: 1}])),
        (read_topic_command, f"{_X} {_X}"),
        (read_topic_command, f"kafka-topics --{_X}"),
        (read_topic_command, f"{_TOPIC} --partitions {_X}"),
        (read_topic_command, f"{_TOPIC} --replica-assignment {_X}"),
    ],
)
def test_no_door_echoes_an_endless_name(door: Callable[[str], object], text: str) -> None:
    """Whether read or refused, no sentence has more than a thousand characters."""
    try:
        answer = door(text)
    except ReseatError as refusal:
        said = [str(refusal), *getattr(refusal, "details", ())]
    else:
        assert isinstance(answer, Reading)
        said = [*(one.sentence for one in answer.findings), *(piece.why for piece in answer.skipped)]

    assert said
    assert max(map(len, said)) < 1_000
