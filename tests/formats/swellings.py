"""Texts and files that are small and would swell: in each form, megabytes of what takes most memory to read."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import numpy as np

#: What an item of JSON is repeated as: the smallest ones take most memory for their length.
_ITEMS = {"lists": b"[]", "objects": b"{}", "numbers": b"1", "pairs": b'{"":0}', "texts": b'"a"'}
_JSON = {
    "reassignment": b'{"version":1,"partitions":[%s]}',
    "reassignment, replicas": b'{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[%s]}]}',
    "reassignment, unknown": b'{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]}],"more":[%s]}',
    "topic node": b'{"version":2,"partitions":{"0":[%s]}}',
    "topic node, adding": b'{"version":2,"partitions":{"0":[1]},"adding_replicas":{"0":[%s]}}',
    "state node": b'{"leader":1,"isr":[%s]}',
    "broker node": b'{"host":"a","port":1,"endpoints":[%s]}',
    "kafka-log-dirs": b'{"version":1,"brokers":[{"broker":1,"logDirs":[%s]}]}',
    "kafka-log-dirs, brokers": b'{"version":1,"brokers":[%s]}',
    "kafka-log-dirs, logs": b'{"version":1,"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","partitions":[%s]}]}]}',
    "kcat, topics": b'{"controllerid":1,"topics":[%s],"brokers":[]}',
    "kcat, brokers": b'{"controllerid":1,"topics":[],"brokers":[%s]}',
    "kcat, partitions": b'{"controllerid":1,"topics":[{"topic":"t","partitions":[%s]}],"brokers":[]}',
    "Cruise Control": b'{"KafkaPartitionState":{"other":[%s]},"KafkaBrokerState":{}}',
    "REST": b'{"name":"t","partitions":[{"partition":0,"leader":1,"replicas":[%s],"in_sync":1}]}',
    "REST, a list": b'[{"partition":0,"replicas":[%s]}]',
    "racks": b'{"1":[%s]}',
    "election": b'{"partitions":[{"topic":"a","partition":[%s]}]}',
    "topics to move": b'{"topics":[%s]}',
    "unknown": b'{"a":[%s]}',
    "a list": b"[%s]",
    "seal": b'{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]}],"reseat":{"version":1,"hash":"",'
    b'"leaving":[],"racks":{},"shown":{"a":[%s]},"before":[[1]]}}',
    "seal, before": b'{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]}],"reseat":{"version":1,'
    b'"hash":"","leaving":[],"racks":{},"shown":{},"before":[%s]}}',
    "snapshot, facts": b'{"reseat_snapshot":1,"taken_at":"2026-01-01T00:00:00Z","facts":[%s]}',
    "snapshot, findings": b'{"reseat_snapshot":1,"findings":[%s]}',
}
_LINES: dict[str, Callable[[int], str]] = {
    "describe, headers": lambda i: f"Topic: t{i}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n",
    "describe, topics": lambda i: f"Topic: t{i}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n",
    "describe, tails": lambda i: f"Topic: t\tPartition: {i}\tLeader: 1\tReplicas: 1\tIsr: 1\tMore{i}: 1\n",
    "describe, damaged": lambda i: f"Topic: t\tPartition: x{i}\tLeader: 1\tReplicas: 1\n",
    "kcat, topics": lambda i: f' topic "t{i}" with 1 partitions:\n',
    "kcat, partitions": lambda i: (
        (' topic "t" with 1 partitions:\n' if not i else "")
        + f"    partition {i}, leader 1, replicas: 1, isrs: 1, e{i}\n"
    ),
    "kcat, brokers": lambda i: f"  broker {i % 9} at h{i}:9092\n",
    "topicmappr": lambda i: f"t{i} p0: [1] -> [2]\n",
    "rpk": lambda i: f"{i}  1  1  [1]\n" if i else "PARTITION  LEADER  EPOCH  REPLICAS\n",
    "verify": lambda i: f"Reassignment of partition t-{i} is completed.\n",
    "zookeeper": lambda i: f"get /brokers/topics/t{i}\n",
    "zookeeper, nodes": lambda i: f'get /brokers/topics/t{i}\n{{"version":1,"partitions":{{}}}}\n',
    "documents": lambda i: f'{{"a":{i}}}\n',
    "garbage": lambda i: f"{i} x\n",
    "empty lines": lambda i: "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n" if not i else "\n\n\n\n",
    "racks": lambda i: f"{i},r{i}\n" if i else "broker,rack\n",
    "keys": lambda i: f'{"," if i else "{"}"k{i}":1\n',
    "CSV, topics": lambda i: f"t{i},0,1\n" if i else "topic,partition,broker\n",
    "CSV, bad cells": lambda i: f"t,{i},x\n" if i else "topic,partition,broker\n",
    "CSV, short rows": lambda i: "t\n" if i else "topic,partition,broker\n",
    "CSV, quotes": lambda i: '"y""\n' if i else "topic,partition,broker\n",
    "CSV, quoted rows": lambda i: f'"t",{i},1\n' if i else "topic,partition,broker\n",
    "CSV, brokers": lambda i: f",,{i},r{i}\n" if i else "topic,partition,broker,rack\n",
    "CSV, racks that differ": lambda i: f"t,{i},1,r{i}\n" if i else "topic,partition,broker,rack\n",
    "CSV, one replica": lambda i: f"t,{i},1,\n" if i else "topic,partition,replicas,isr\n",
    "CSV, bad lists": lambda i: f"t,{i},1,x\n" if i else "topic,partition,replicas,isr\n",
    "CSV, empty topics": lambda i: f",{i},1\n" if i else "topic,partition,broker\n",
}


def texts(size: int, only: frozenset[str] = frozenset()) -> Iterator[tuple[str, bytes]]:
    """(name, text) of about so many bytes each; of those named alone, where any is."""
    for form, frame in _JSON.items():
        for kind, item in _ITEMS.items():
            if only and f"{form}: {kind}" not in only:
                continue
            count = size // (len(item) + 1)
            yield f"{form}: {kind}", frame.replace(b"%s", b",".join([item] * count))
    for form, line in _LINES.items():
        if only and form not in only:
            continue
        step = len(line(10_000))
        yield form, "".join(map(line, range(size // step))).encode() + (b"}" if form == "keys" else b"")
    if only:
        return
    for name, cells in (("CSV, long cells", "r" * 900_000), ("CSV, long list", "1;" * 400_000)):
        columns = "replicas" if "list" in name else "broker,rack"
        row = f"t,0,{cells}\n" if "list" in name else f"t,0,1,{cells}\n"
        yield name, (f"topic,partition,{columns}\n" + row * (size // len(row))).encode()
    yield "CSV, a cell over lines", b'topic,partition,replicas,remark\na,0,1,"' + b"x\n" * (size // 2) + b'"\n'
    yield "nested", b'{"a":' + b"[" * (size // 2) + b"]" * (size // 2) + b"}"


def parquets() -> Iterator[tuple[str, bytes]]:
    """(name, file): each is small, and would unpack to gigabytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def file(columns: dict[str, object], **options: object) -> bytes:
        out = io.BytesIO()
        pq.write_table(pa.table(columns), out, **{"compression": "zstd", "store_schema": False, **options})
        return out.getvalue()

    def told(word: str, count: int) -> object:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array([word]))

    many = np.arange(300_000, dtype=np.int32)
    ones = np.ones(300_000, np.int32)
    for name in ("topic", "rack", "log_dir"):
        columns: dict[str, object] = {"topic": told("t", 300_000), "partition": many, "broker": ones}
        columns[name] = told("x" * 200_000, 300_000)
        yield f"{name} of 200 kB, 300,000 times", file(columns)
    columns = {"topic": told("t", 300_000), "partition": many, "replicas": told("1;" * 4_000, 300_000)}
    yield "lists of 8 kB, 300,000 times", file(columns)
    columns["replicas"], columns["isr"] = told("1", 300_000), told("1;" * 100_000, 300_000)
    yield "lists of 200 kB, 300,000 times", file(columns)
    few = np.arange(300, dtype=np.int32)
    names = pa.array([f"{i}" + "x" * 1_000_000 for i in range(300)])
    for coding in ({"use_dictionary": False}, {"dictionary_pagesize_limit": 2_000_000_000}):
        yield f"300 names of 1 MB, {coding}", file({"topic": names, "partition": few, "broker": few}, **coding)
    prefix = "x" * 200_000
    near = pa.array([f"{prefix}{i}" for i in range(2_000)])
    yield (
        "names that begin alike, as differences",
        file(
            {"topic": near, "partition": many[:2_000], "broker": ones[:2_000]},
            use_dictionary=False,
            column_encoding={"topic": "DELTA_BYTE_ARRAY"},
        ),
    )
    dirs = pa.ListArray.from_arrays(pa.array(np.arange(300_001, dtype=np.int32)), told("/d" * 100_000, 300_000))
    yield (
        "directories of 200 kB, 300,000 times",
        file({"topic": told("t", 300_000), "partition": many, "replicas": told("1", 300_000), "log_dirs": dirs}),
    )
    wide = pa.ListArray.from_arrays(pa.array([0, 60_000_000], pa.int32()), pa.array(np.zeros(60_000_000, np.int8)))
    yield "a list of 60,000,000 ids", file({"topic": ["t"], "partition": [0], "replicas": wide})
