"""Places that ``mutate`` may break without anything that a person, a cluster or a file could see of it, and why."""

from __future__ import annotations

__all__ = ["UNSEEN"]

_FOLDER = "reseat/history/folder.py"
_CORDONING = "reseat/operate/run/cordoning.py"
_REPLICAS = "reseat/operate/checks/replicas.py"
_SIZE = "reseat/operate/checks/size.py"

#: (file, line as it is typed, what stands in it) and the reason.
UNSEEN: dict[tuple[str, str, str], str] = {
    (_FOLDER, "if self._infos(path, recursive=False):", "False"): (
        "is it empty: what lies deeper lies in a folder that lies there itself"
    ),
    (
        _CORDONING,
        "gone = {broker for end in ends if end.id > steps[0].id "
        'for broker in _ids(end, "lifted") + _ids(end, "theirs")}',
        "end.id > steps[0].id",
    ): "a step that sets a cordon is none that lifts one",
    (_REPLICAS, "told = now.in_sync_known[rows] & (least >= 0)", "least >= 0"): (
        "Kafka takes no min.insync.replicas of 0, so that it is told as one of 1, or not"
    ),
    (_REPLICAS, "told = now.in_sync_known[rows] & (least >= 0)", "0"): "as before",
    (
        _REPLICAS,
        "if ours is not None and theirs is not None:",
        "ours is not None and theirs is not None",
    ): "both layouts have the same brokers, so that both have racks or neither",
    (_SIZE, "grown = np.flatnonzero((most > _NODE_BYTES) & (before <= _NODE_BYTES))", "most > _NODE_BYTES"): (
        "thousands of bytes are left below ZooKeeper's own limit"
    ),
    (_SIZE, "grown = np.flatnonzero((most > _NODE_BYTES) & (before <= _NODE_BYTES))", "before <= _NODE_BYTES"): (
        "as before"
    ),
    (
        _SIZE,
        "rows = diff.moving[(np.bincount(layout.topic_of) >= _FEWEST)[in_topic[diff.moving]]]",
        "np.bincount(layout.topic_of) >= _FEWEST",
    ): "a topic of so few partitions is far from the limit",
}
