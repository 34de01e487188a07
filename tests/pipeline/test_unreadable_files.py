"""Files that Spark is not given or could not open: each is refused with a reason, or the whole run is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reseat.errors import SparkFailed
from reseat.history.folder import FileFact, Folder
from reseat.pipeline.unreadable_files import not_for_spark, refuse_unreadable, rows_of


def fact(landing: Folder, path: str, size: int | None = None) -> FileFact:
    """What a listing says of a file, or of a size that is only said."""
    return next((one for one in landing.files() if one.path == path and size is None), FileFact(path, size or 0, 1))


def test_what_spark_is_not_given(tmp_path: Path) -> None:
    """Empty, larger than any snapshot, or of a name that is no text; all others it is given."""
    landing = Folder.open(tmp_path)
    for name in ("empty.json", "whole.json", "ünd.json"):
        landing.write(name, b"" if name == "empty.json" else b"{}")
    strange = os.fsdecode(b"\xff.json")
    (tmp_path / strange).write_bytes(b"{}")

    assert not_for_spark(landing, fact(landing, "whole.json")) is None
    assert not_for_spark(landing, fact(landing, "ünd.json")) is None
    found = [
        not_for_spark(landing, one)
        for one in (fact(landing, "empty.json"), fact(landing, "whole.json", 10**10), fact(landing, strange))
    ]
    rows = rows_of(one for one in found if one is not None).to_pylist()
    assert [row["path"] for row in rows] == ["empty.json", "whole.json", "\\xff.json"]
    assert [row["bytes"] for row in rows] == [b"", b"{}", b"{}"]
    assert rows[0]["reason"] == "The file is empty."
    assert rows[1]["reason"].startswith("The file has 10,000 MB; ")
    assert rows[2]["reason"].startswith("Its name is not UTF-8")


def test_what_nobody_can_read_is_rejected_and_tried_again(tmp_path: Path) -> None:
    """With the system's reason; what is gone meanwhile is not told of."""
    landing = Folder.open(tmp_path)
    (tmp_path / "cluster=a" / "folder.json").mkdir(parents=True)
    (found,) = refuse_unreadable(landing, [fact(landing, "cluster=a/folder.json", 5), fact(landing, "gone.json", 5)])

    assert found.again
    assert found.reason == "The file cannot be read: Is a directory."
    (row,) = rows_of([found]).to_pylist()
    assert (row["cluster"], row["size_bytes"], row["bytes"]) == ("a", 5, None)


def test_what_only_spark_cannot_read_is_trouble_of_the_run(tmp_path: Path) -> None:
    """Workers that do not see the landing zone reject nothing: the run fails, with a file's name and the place."""
    landing = Folder.open(tmp_path)
    landing.write("cluster=a/one.json", b"{}")

    with pytest.raises(SparkFailed, match=r"could not read 1 file .* such as cluster=a/one\.json\. Do all its workers"):
        refuse_unreadable(landing, [fact(landing, "cluster=a/one.json")])
