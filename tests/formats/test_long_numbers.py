"""Numbers that are longer than any id: each door says what it left out; none wraps them round or falls over them."""

from __future__ import annotations

import json

import pytest

from reseat.errors import InputRefused
from reseat.formats import read
from reseat.formats.input.reading import Reading

#: One that wraps round to 1, one that is 1 by its first ten digits and 20 more, one that Python does not turn into a
#: number, and one whose digits are of another script.
LONG = ("4294967297", "000000000004294967297", "1" + "0" * 22, "9" * 5_000, "\uff11\uff12")

_LOG = {"partition": "t-0", "size": 5, "offsetLag": 0, "isFuture": False}
_LOG_DIRS = {
    "version": 1,
    "brokers": [{"broker": 1, "logDirs": [{"logDir": "/d", "error": None, "partitions": [_LOG]}]}],
}


def _log_dirs(number: str) -> str:
    told = json.loads(json.dumps(_LOG_DIRS))
    told["brokers"][0]["logDirs"][0]["partitions"].append({**_LOG, "partition": f"t-{number}"})
    return json.dumps(told, ensure_ascii=False)


TEXTS = {
    "describe": "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
    "Topic: t\tPartition: {0}\tLeader: 1\tReplicas: 1\tIsr: 1",
    "describe, replicas": "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
    "Topic: t\tPartition: 1\tLeader: 1\tReplicas: 1,{0}\tIsr: 1",
    "kcat": ' topic "t" with 2 partitions:\n    partition 0, leader 1, replicas: 1,2, isrs: 1\n'
    "    partition {0}, leader 1, replicas: 1, isrs: 1",
    "topicmappr": "t p0: [1 2] -> [1]\nt p1: [1 {0}] -> [1]",
    "topicmappr, partition": "t p0: [1 2] -> [1]\nt p{0}: [1] -> [1]",
    "rpk": "PARTITION  LEADER  EPOCH  REPLICAS\n0          1       1      [1 2]\n{0}  1       1      [1]",
    "rpk, leader": "PARTITION  LEADER  EPOCH  REPLICAS\n0          1       1      [1 2]\n1  {0}       1      [1]",
    "rpk, replicas": "PARTITION  LEADER  EPOCH  REPLICAS\n0          1       1      [1 2]\n1  1       1      [{0}]",
    "CSV": "topic,partition,replicas\nt,0,1;2\nt,{0},1",
    "CSV, replicas": "topic,partition,replicas\nt,0,1;2\nt,1,{0}",
    "CSV, brokers": "topic,partition,broker\nt,0,1\nt,0,2\nt,1,{0}",
    "topic node": "get /brokers/topics/t\n" + '{{"version":1,"partitions":{{"0":[1,2],"{0}":[1]}}}}',
}


def _kept(reading: Reading) -> dict[tuple[str, int], list[int]]:
    return {
        (topic.replace("unnamed-topic", "t"), partition): sorted(ids)
        for (topic, partition), ids in reading.layout.assignments().items()
    }


@pytest.mark.parametrize("number", LONG, ids=lambda number: number[:24])
@pytest.mark.parametrize("form", [*TEXTS, "kafka-log-dirs"])
def test_a_number_that_is_no_id_is_listed_and_never_wraps_round(form: str, number: str) -> None:
    """The row beside it is read; the row with it is skipped, and a finding says that something is missing."""
    reading = read(_log_dirs(number) if form == "kafka-log-dirs" else TEXTS[form].format(number))

    assert _kept(reading) == {("t", 0): [1] if form == "kafka-log-dirs" else [1, 2]}
    assert reading.skipped
    assert {found.kind for found in reading.findings} & {"not_understood", "replicas_missing"}


@pytest.mark.parametrize("size", ["1" * 400, str(2**63), "-1", "1e300", "true"])
def test_a_size_that_no_log_has_is_listed_and_not_told(size: str) -> None:
    """Kafka's sizes are Java longs."""
    reading = read(json.dumps(_LOG_DIRS).replace('"size": 5', f'"size": {size}'))

    assert reading.layout.replica_bytes is None or not (reading.layout.replica_bytes >= 0).any()
    assert [piece.why for piece in reading.skipped] == [
        "The size of t-0 on broker 1: a number of bytes was expected; it was treated as unknown."
    ]


def test_a_size_that_is_no_number_at_all_is_refused_as_json_is() -> None:
    """JSON readers give up at such a number; the sentence says so."""
    with pytest.raises(InputRefused, match="out of range"):
        read(json.dumps(_LOG_DIRS).replace('"size": 5', '"size": 1e999'))
