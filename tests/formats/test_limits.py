"""Limits of every form of text: what just meets one is read, one more is refused with a sentence that names it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from reseat.errors import LimitMet
from reseat.formats import LIMITS, read
from reseat.formats.input.reading import Reading
from reseat.formats.tables.table import read_csv, read_parquet, write_csv, write_parquet
from reseat.formats.text.reassignment import read_document
from reseat.model import ClusterLayout

#: Two topics, three partitions of two replicas each, on two brokers.
LISTS = {("a", 0): [1, 2], ("a", 1): [2, 1], ("bb", 0): [1, 2]}
LAYOUT = ClusterLayout.from_assignments(LISTS)
EXACTLY = {"partitions": 3, "replicas": 2, "cells": 6, "brokers": 2, "topics": 2, "topic_name": 2}


def lines(row: str, **joined: str) -> str:
    """A row a partition; its replicas are joined by each of these."""
    return "".join(
        row.format(
            topic=topic, partition=partition, first=ids[0], **{n: s.join(map(str, ids)) for n, s in joined.items()}
        )
        for (topic, partition), ids in LISTS.items()
    )


def entries(**more: object) -> list[dict[str, object]]:
    """An object a partition."""
    return [{"topic": topic, "partition": one, "replicas": ids} | more for (topic, one), ids in LISTS.items()]


def by_topic(make: Callable[[int, list[int]], object]) -> dict[str, list[object]]:
    """What is made of each partition, by topic."""
    out: dict[str, list[object]] = {}
    for (topic, partition), ids in LISTS.items():
        out.setdefault(topic, []).append(make(partition, ids))
    return out


KCAT_ROWS = by_topic(lambda one, ids: f"    partition {one}, leader {ids[0]}, replicas: {ids[0]},{ids[1]}, isrs: 1,2\n")
KCAT_JSON = by_topic(
    lambda one, ids: {"partition": one, "leader": 1, "replicas": [{"id": i} for i in ids], "isrs": [{"id": 1}]}
)
LOGS = [
    {"broker": broker, "logDirs": [{"logDir": "/d", "error": None, "partitions": [
        {"partition": f"{topic}-{one}", "size": 5, "offsetLag": 0, "isFuture": False} for topic, one in LISTS
    ]}]}
    for broker in (1, 2)
]  # fmt: skip
NODES = by_topic(lambda one, ids: (str(one), ids))
FORMS: dict[str, str | bytes] = {
    "describe": lines(
        "Topic: {topic}\tPartition: {partition}\tLeader: {first}\tReplicas: {ids}\tIsr: {ids}\n", ids=","
    ),
    "describe, odd": lines(
        "Topic: {topic}\tPartition: {partition}\tLeader: {first}\tReplicas: {ids}\tIsr: \n", ids=", "
    ),
    "kcat": "Metadata for all topics (from broker 1: h:1/1):\n 2 topics:\n"
    + "".join(f'  topic "{topic}" with {len(rows)} partitions:\n{"".join(rows)}' for topic, rows in KCAT_ROWS.items()),
    "kcat -J": json.dumps(
        {"brokers": [{"id": 1, "name": "h:1"}], "topics": [{"topic": t, "partitions": p} for t, p in KCAT_JSON.items()]}
    ),
    "log dirs": json.dumps({"version": 1, "brokers": LOGS}),
    "nodes": "".join(
        f"get /brokers/topics/{topic}\n{json.dumps({'version': 1, 'partitions': dict(rows)})}\n"
        for topic, rows in NODES.items()
    ),
    "reassignment": json.dumps({"version": 1, "partitions": entries()}),
    "reassignment, odd": json.dumps({"version": 1, "partitions": entries(why="odd")}),
    "topicmappr": lines("  {topic} p{partition}: [{ids}] -> [{ids}] no-op\n", ids=" "),
    "CSV": write_csv(LAYOUT),
    "CSV of partitions": write_csv(LAYOUT, per="partition"),
    "Parquet": write_parquet(LAYOUT),
    "Parquet of partitions": write_parquet(LAYOUT, per="partition"),
}


def read_as(form: str, **limits: int) -> Reading:
    """A text of this form, read with these limits."""
    text, narrow = FORMS[form], replace(LIMITS, **limits)
    if isinstance(text, bytes):
        return (read_csv if form.startswith("CSV") else read_parquet)(text, limits=narrow)
    return read(text, limits=narrow)


@pytest.mark.parametrize("limit", EXACTLY)
@pytest.mark.parametrize("form", FORMS)
def test_what_meets_a_limit_is_read_and_one_more_is_not(form: str, limit: str) -> None:
    """Partitions, replicas of one, cells, brokers, topics and the length of a topic's name, in every form."""
    assert set(read_as(form, **{limit: EXACTLY[limit]}).layout.assignments()) == set(LISTS)
    with pytest.raises(LimitMet):
        read_as(form, **{limit: EXACTLY[limit] - 1})


def test_brokers_that_hold_nothing_count_among_those_that_are_allowed() -> None:
    """The second one of two has no replica."""
    text = (
        ' 2 brokers:\n  broker 1 at a:9092\n  broker 2 at b:9092\n 1 topics:\n  topic "t" with 1 partitions:\n'
        "    partition 0, leader 1, replicas: 1, isrs: 1\n"
    )

    assert len(read(text, limits=replace(LIMITS, brokers=2)).layout.brokers) == 2
    with pytest.raises(LimitMet, match="names 2 brokers"):
        read(text, limits=replace(LIMITS, brokers=1))


def test_broker_0_counts_among_those_that_are_allowed() -> None:
    """Brokers 0, 1 and 2 are three."""
    row = "Topic: t\tPartition: 0\tLeader: 0\tReplicas: 0,1,2\tIsr: 0\n"

    assert read(row, limits=replace(LIMITS, brokers=3)).layout.assignments() == {("t", 0): [0, 1, 2]}
    with pytest.raises(LimitMet, match="names 3 brokers"):
        read(row, limits=replace(LIMITS, brokers=2))


@pytest.mark.parametrize("form", ["describe", "kcat"])
def test_as_many_lines_of_something_else_are_read_as_are_allowed(form: str) -> None:
    """One more is refused, with its line."""
    text = str(FORMS[form])
    odd = "nothing that is known\n" * 2

    assert len(read(text + odd, limits=replace(LIMITS, lines=2)).skipped) == 1
    with pytest.raises(LimitMet, match="holds more than 1 lines that are not rows"):
        read(text + odd, limits=replace(LIMITS, lines=1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (str(FORMS["describe"]) + "Topic: c\tPartition: x\tLeader: 1\tReplicas: 1\tIsr: 1\n" * 2, "pieces of the text"),
        (json.dumps({"partitions": [*entries(), {"topic": "c"}, {"topic": "d"}]}), "entries of 'partitions'"),
    ],
)
def test_as_many_pieces_that_are_not_understood_are_listed_as_are_allowed(text: str, words: str) -> None:
    """One more is refused."""
    assert read(text, limits=replace(LIMITS, lines=2)).layout.gaps.unread_rows == 2
    with pytest.raises(LimitMet, match=f"More than 1 {words}"):
        read(text, limits=replace(LIMITS, lines=1))


@pytest.mark.parametrize("form", ["reassignment", "CSV", "Parquet"])
def test_a_text_may_have_as_many_bytes_as_are_allowed(form: str) -> None:
    """A million, and one more."""
    text = FORMS[form]
    data = text if isinstance(text, bytes) else text.encode()
    filled = data + b" " * (1_000_000 - len(data)) if form == "reassignment" else data + b"\n" * (1_000_000 - len(data))
    reads = {"reassignment": read_document, "CSV": read_csv, "Parquet": read_parquet}[form]
    if form != "Parquet":
        assert set(reads(filled, limits=replace(LIMITS, megabytes=1)).layout.assignments()) == set(LISTS)
    with pytest.raises(LimitMet, match="The text has 1 MB; 1 MB is the limit"):
        reads(filled + b" ", limits=replace(LIMITS, megabytes=1))


@pytest.mark.parametrize(("more", "read_whole"), [(0, True), (1, False)])
def test_one_entry_of_a_reassignment_may_have_eight_million_bytes(more: int, read_whole: bool) -> None:
    """One that holds more than its directories could is refused before it becomes an object."""
    entry = '{"topic":"t","partition":0,"replicas":[1],"x":"%s"}'
    text = '{"partitions":[' + entry % ("y" * (8_000_000 + more - len(entry) + 2)) + "]}"
    if read_whole:
        assert read(text).layout.assignments() == {("t", 0): [1]}
        return
    with pytest.raises(LimitMet, match="Entry 1 of 'partitions' has 8,000,001 bytes; 8,000,000 is the limit"):
        read(text)


def test_what_is_not_known_may_be_nested_as_deep_as_is_allowed() -> None:
    """In an entry and beside the list, each by itself."""
    for more in ({"partitions": entries(), "x": [[[]]]}, {"partitions": entries(x=[[[]]])}):
        text = json.dumps(more).encode()

        assert set(read_document(text, limits=replace(LIMITS, depth=3)).layout.assignments()) == set(LISTS)
        with pytest.raises(LimitMet, match="JSON nested 3 deep; 2 is the limit"):
            read_document(text, limits=replace(LIMITS, depth=2))


@pytest.mark.parametrize("name", ["rack", "log_dir"])
def test_a_name_in_parquet_may_be_as_long_as_is_allowed(name: str) -> None:
    """In bytes: an umlaut has two."""
    text = f"topic,partition,position,broker,{name}\nt,0,0,1,ü234\n".encode()
    file = write_parquet(read_csv(text).layout)

    assert read_parquet(file, limits=replace(LIMITS, name=5)).layout.partition_count == 1
    with pytest.raises(LimitMet, match=f"Column '{name}' holds a text of 5 bytes; 4 is the limit"):
        read_parquet(file, limits=replace(LIMITS, name=4))
