"""The ledger: an answer is what the whole of it says, whatever clocks were wrong, and old months stay shut."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import InputRefused
from reseat.history.folder import FileFact, Folder
from reseat.pipeline.commit import Batch
from reseat.pipeline.ledger import AGAIN, LEDGER, month_of, name_of, taken_among, token_of, unread_among
from reseat.pipeline.turns import take_turn
from tests.pipeline import plain

_MONTHS = ("1970-01", "2026-04", "2026-05", "2026-06", "2031-01")


def changed(path: str, month: str, size: int = 1) -> FileFact:
    """A file that was last written in the middle of a month."""
    moment = datetime.fromisoformat(f"{month}-15T12:00:00+00:00")
    return FileFact(path, size, 0 if month == "1970-01" else int(moment.timestamp()) * 10**9)


def rows(files: list[tuple[FileFact, str, str | None, str]]) -> pa.Table:
    """Of (file, outcome, id, month) the ledger's rows."""
    told = [
        {"path": name_of(file), "token": token_of(file), "outcome": outcome, "snapshot_id": id_, "month": month}
        for file, outcome, id_, month in files
    ]
    return pa.Table.from_pylist(told)


def recorded(tables: Folder, *files: tuple[FileFact, str, str | None, str]) -> None:
    """One batch that handled these files."""
    batch = Batch.begin(take_turn(tables))
    batch.record(rows(list(files)))
    batch.commit()


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "b/c", "d"]),
            st.integers(1, 2),
            st.sampled_from(_MONTHS),
            st.sampled_from(["taken", "duplicate", "rejected"]),
            st.sampled_from("xyz"),
            st.sampled_from(_MONTHS),
        ),
        max_size=6,
    ),
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "b/c", "e"]), st.integers(1, 2), st.sampled_from(_MONTHS)), max_size=4
    ),
    st.sampled_from(_MONTHS),
)
def test_what_is_asked_for_is_what_the_whole_ledger_says(
    tmp_path_factory: pytest.TempPathFactory,
    handled: list[tuple[str, int, str, str, str, str]],
    listed: list[tuple[str, int, str]],
    written: str,
) -> None:
    """Files of any time, snapshots of any time, taken in at any time: nothing known is overlooked."""
    tables = Folder.open(tmp_path_factory.mktemp("ledger"))
    taken_in: dict[str, str] = {}
    known = set()
    for path, size, month, outcome, id_, taken in handled:
        file = changed(path, month, size)
        known.add((path, token_of(file)))
        month_taken = taken_in.setdefault(id_, taken)  # a snapshot says itself when it was taken
        latest = max(written, month_of(file), month_taken)
        recorded(tables, (file, outcome, None if outcome == "rejected" else id_, latest))
    files = [changed(path, month, size) for path, size, month in listed]

    assert unread_among(tables, files) == [file for file in files if (file.path, token_of(file)) not in known]
    ids = {id_ for _, _, _, outcome, id_, _ in handled if outcome == "taken"}
    for id_, month in {"x": "2026-04", **taken_in}.items():
        found = taken_among(tables, pa.array([id_, None, "nobody"]), month)
        assert set(found.to_pylist()) == ({id_} & ids)


def test_months_before_those_asked_for_are_not_opened(tmp_path: Path) -> None:
    """What cannot be read in them is no trouble until they are asked for; then it is named."""
    tables = Folder.open(tmp_path)
    new, old = changed("new", "2026-06"), changed("old", "2026-04")
    recorded(tables, (new, "taken", "x", "2026-06"))
    tables.write(f"{LEDGER}/month=2026-05/damaged.parquet", b"damaged")

    assert unread_among(tables, [new]) == []
    assert taken_among(tables, pa.array(["x"]), "2026-06").to_pylist() == ["x"]
    with pytest.raises(InputRefused, match=r"The ledger cannot be read: .*[^.]\.$"):
        unread_among(tables, [new, old])
    with pytest.raises(InputRefused, match="The ledger cannot be read"):
        taken_among(tables, pa.array(["x"]), "2026-05")


def test_early_files_that_lie_in_no_month_are_always_read(tmp_path: Path) -> None:
    """A ledger from before there were months goes on to be known."""
    tables = Folder.open(tmp_path)
    file = changed("a", "2026-06")
    recorded(tables, (file, "taken", "x", "2026-06"))
    (written,) = tables.files(LEDGER)
    tables.move(written.path, f"{LEDGER}/early.parquet")

    assert unread_among(tables, [file]) == []
    assert taken_among(tables, pa.array(["x"]), "2031-01").to_pylist() == ["x"]


def test_what_is_to_be_tried_again_is_never_read(tmp_path: Path) -> None:
    """Its token is none that a file has; nor is a file read whose time nobody tells and whose size is another."""
    tables = Folder.open(tmp_path)
    file, untimed = changed("a", "2026-06"), FileFact("b", 5, 0)
    batch = Batch.begin(take_turn(tables))
    again = rows([(file, "rejected", None, "2026-06"), (untimed, "taken", "x", "2026-06")]).to_pylist()
    again[0]["token"] = AGAIN
    batch.record(pa.Table.from_pylist(again))
    batch.commit()

    assert unread_among(tables, [file, untimed, FileFact("b", 6, 0)]) == [file, FileFact("b", 6, 0)]
    assert unread_among(tables, []) == []
    assert unread_among(Folder.open(tmp_path / "nothing"), [file]) == [file]


def test_the_month_of_a_file_is_in_universal_time_and_bounded() -> None:
    """Times that no calendar has are those at its ends."""
    june = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp()) * 10**9
    assert [month_of(FileFact("a", 1, ns)) for ns in (june, june - 1, -1, 0, 10**30)] == [
        "2026-06",
        "2026-05",
        "1970-01",
        "1970-01",
        "9999-12",
    ]


def test_what_is_no_row_of_the_ledger_is_refused(tmp_path: Path) -> None:
    """Its columns, outcomes and months; nothing is written."""
    batch = Batch.begin(take_turn(Folder.open(tmp_path)))
    row = rows([(changed("a", "2026-06"), "taken", "x", "2026-06")]).to_pylist()[0]
    with pytest.raises(InputRefused, match="lack token, outcome, snapshot_id, month"):
        batch.record(pa.table({"path": ["x"]}))
    with pytest.raises(InputRefused, match="'lost' is not an outcome"):
        batch.record(pa.Table.from_pylist([row | {"outcome": "lost"}]))
    with pytest.raises(InputRefused, match="'June' is not a month"):
        batch.record(pa.Table.from_pylist([row | {"month": "June"}]))

    assert plain.ledger(Folder.open(tmp_path)) == []


def test_a_file_is_known_by_its_size_and_its_time(tmp_path: Path) -> None:
    """One that was replaced is new, be it as long as before, or as old."""
    tables = Folder.open(tmp_path)
    file = FileFact("a.json", 10, 1_777_000_000_000_000_000)
    recorded(tables, (file, "taken", "x", "2026-05"))
    longer, later = replace(file, size=11), replace(file, modified_ns=file.modified_ns + 1)

    assert unread_among(tables, [file, longer, later]) == [longer, later]
