"""Rows of a layout as JSON text, joined by Arrow: no Python object a partition. What every JSON writer builds on.

Complexity: O(bytes written).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import orjson

from reseat.formats.text.reassignment_entries import ANY_LOG_DIR
from reseat.model import NONE, BoolArray, ClusterLayout, IntArray, Longs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["document", "entries", "heads", "id_lists", "joined", "json_lists", "list_lengths"]


def id_lists(ids: IntArray, mask: BoolArray, separator: str = ",") -> pa.Array:
    """Rows of ids as text, in order, ids outside the mask left out: ``1,2,3``.

    Args:
        ids: (P, R) ids.
        mask: (P, R) which of them to name.
        separator: what stands between two.

    Returns:
        A string array of P texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets = np.zeros(len(ids) + 1, np.int32)
    np.cumsum(mask.sum(axis=1), out=offsets[1:])
    texts = pa.array(ids[mask]).cast(pa.string())
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), separator)


def heads(layout: ClusterLayout) -> list[pa.Array | str]:
    """``{"topic":"a","partition":0`` of each row, in pieces."""
    import pyarrow as pa

    names = [orjson.dumps(name).decode() for name in layout.topics]
    topic = pa.DictionaryArray.from_arrays(pa.array(layout.topic_of), pa.array(names, pa.string())).cast(pa.string())
    return ['{"topic":', topic, ',"partition":', pa.array(layout.partition).cast(pa.string())]


def entries(layout: ClusterLayout, *, log_dirs: bool = False) -> pa.Array:
    """One JSON object a partition, with its log directories as told, or without."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not layout.partition_count:
        return pa.array([], pa.string())
    ids = layout.replica_ids
    held = ids != NONE
    pieces = [*heads(layout), ',"replicas":[', id_lists(ids, held), "]"]
    if log_dirs:
        names = [orjson.dumps(name).decode() for name in (*layout.log_dirs, ANY_LOG_DIR)]
        told = np.full_like(ids, NONE) if layout.log_dir is None else layout.log_dir
        codes = np.where(told == NONE, len(names) - 1, told)[held].astype(np.int32)
        texts = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string())).cast(pa.string())
        offsets = np.zeros(len(ids) + 1, np.int32)
        np.cumsum(held.sum(axis=1), out=offsets[1:])
        pieces += [',"log_dirs":[', pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), ","), "]"]
    return pc.binary_join_element_wise(*pieces, "}", "")


def document(rows: pa.Array, key: str = "") -> str:
    """A reassignment JSON document of these entries.

    Args:
        rows: one JSON object a partition.
        key: the content of the key ``reseat``, which Kafka's tools ignore; empty: without the key.
    """
    tail = f',"reseat":{key}' if key else ""
    return '{"version":1,"partitions":[' + joined(rows, ",") + f"]{tail}}}"


def json_lists(ids: IntArray) -> str:
    """Rows of -1 padded ids as one JSON list of lists: ``[[1,2],[3]]``."""
    import pyarrow.compute as pc

    if not len(ids):
        return "[]"
    return "[" + joined(pc.binary_join_element_wise("[", id_lists(ids, ids != NONE), "]", ""), ",") + "]"


def list_lengths(ids: IntArray) -> Longs:
    """Bytes that each row takes in ``json_lists``, brackets included."""
    import pyarrow.compute as pc

    texts = id_lists(ids, ids != NONE)
    lengths: Longs = pc.binary_length(texts).to_numpy(zero_copy_only=False).astype(np.int64) + 2
    return lengths


def joined(texts: pa.Array, separator: str) -> str:
    """All texts in one: they stand one after the other in Arrow's buffer already, so no Python string each is made."""
    import pyarrow.compute as pc

    if not len(texts):
        return ""
    ended = pc.binary_join_element_wise(texts, "", separator) if separator else texts
    _, offsets, data = ended.buffers()
    first, last = np.frombuffer(offsets, np.int32)[[ended.offset, ended.offset + len(ended)]].tolist()
    return bytes(memoryview(data)[first : last - len(separator)]).decode()
