"""Losses as pages draw them: the same from the core and from the tables; their words, tables and clicks."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from components.resilience.detail import detail_lines, loss_of_row
from components.resilience.source import joined, offline_rows
from components.resilience.table import pairs_found, pairs_frame, single_frame, singles_found
from components.resilience.view import Chosen, ResilienceView, apply_event, chosen_of, measure_of, ranked
from components.resilience.words import answer, figures
from reseat.demo import generate
from reseat.history.schema import arrow_schema
from reseat.model import ClusterLayout, Wish
from reseat.resilience import loss
from reseat.resilience.losses import (
    MEASURES,
    Losses,
    corner,
    from_layout,
    from_tables,
    place,
    triangle,
    worst_brokers,
)
from reseat.resilience.words import chance
from tests.history.made import layout as made_layout

RACKS = {1: "a", 2: "b", 3: "c", 4: "a"}
LAYOUT = made_layout(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("orders", 2): [3, 1], ("logs", 0): [4]}, racks=RACKS
)


def losses_of(layout: ClusterLayout) -> Losses:
    """All losses of a layout, by a ZooKeeper controller's rules."""
    return from_layout(layout, "zookeeper")


def test_every_pair_has_the_numbers_of_its_own_loss() -> None:
    """The triangle holds, by rack and then id, what ``loss`` says of the two brokers; its diagonal the one alone."""
    found = losses_of(LAYOUT)
    ids = found.brokers.tolist()

    assert ids == [1, 4, 2, 3]
    assert found.racks == ("a", "a", "b", "c")
    for row, column in [*combinations(range(4), 2), *((i, i) for i in range(4))]:
        one = loss(LAYOUT, {ids[row], ids[column]})
        at = int(triangle(np.array([row]), np.array([column]), 4)[0])
        assert [int(found.pairs[measure][at]) for measure in MEASURES] == [getattr(one, name) for name in MEASURES]
        assert place(at, 4) == (row, column)
        assert found.pair_at(at) == (min(ids[row], ids[column]), max(ids[row], ids[column]))


def as_tables(found: Losses) -> pa.Table:
    """The rows of the table ``resilience`` that the sweep would write for these losses, in an order of its own."""
    names = ["kind", "lost", *MEASURES, "moves", "bytes_to_move", "least_spread", "racks_kept"]
    rows = [{name: getattr(row, name) for name in names} for row in found.single.itertuples()]
    for row, one in zip(rows, found.single.itertuples(), strict=True):
        row |= {"lost": list(one.lost), "rack": one.rack if one.kind == "rack" else None}
        row["leaders_to"] = [{"broker": broker, "leaders": leaders} for broker, leaders in one.leaders_to]
    count = len(found.brokers)
    for row_at, column in combinations(range(count), 2):
        at = int(triangle(np.array([row_at]), np.array([column]), count)[0])
        rows.append({"kind": "pair", "lost": list(found.pair_at(at))})
        rows[-1] |= {measure: int(found.pairs[measure][at]) for measure in MEASURES}
    schema = arrow_schema("resilience")
    told = [{name: None if row.get(name) is pd.NA else row.get(name) for name in schema.names} for row in rows[::-1]]
    return pa.Table.from_pylist(told, schema)


def test_the_tables_of_a_sweep_are_drawn_as_the_layout_itself_is() -> None:
    """Rows, order, racks and pairs are the same whether they come from the core or from Parquet."""
    core = losses_of(LAYOUT)
    copysets = pa.Table.from_pylist([{"copysets": 4, "chance_two": 0.5, "chance_three": 1.0}])
    read = from_tables(as_tables(core), copysets, {"offline": 0, "below_min_isr": 0, "under_replicated": 0})

    assert read.single.to_dict("records") == core.single.to_dict("records")
    assert read.brokers.tolist() == core.brokers.tolist()
    assert read.racks == core.racks
    assert {name: cells.tolist() for name, cells in read.pairs.items()} == {
        name: cells.tolist() for name, cells in core.pairs.items()
    }
    assert answer(read) == answer(core)
    assert read.notes == ()


def test_one_broker_of_a_sweep_has_no_pairs() -> None:
    """Tables without a row of a pair, and without copysets, are drawn too."""
    core = losses_of(made_layout({("orders", 0): [1]}, racks={1: None}))
    read = from_tables(as_tables(core), arrow_schema("copysets").empty_table(), {})

    assert read.pairs == {}
    assert read.scatter is None
    assert answer(read) == answer(core)


def test_a_matrix_too_large_to_draw_shows_the_worst_brokers() -> None:
    """Of 40 brokers, the 5 that stand in the worst pairs; their cells are those of the whole."""
    found = losses_of(generate(40, 300))
    cells = found.pairs["leaders_moved"]
    square = np.zeros((40, 40), np.int64)
    square[np.triu_indices(40)] = cells
    worst = np.maximum(square, square.T).max(axis=1)
    shown = worst_brokers(cells, 40, 5)
    part = corner(cells, 40, shown)

    assert shown.tolist() == sorted(np.argsort(-worst, kind="stable")[:5].tolist())
    assert part.tolist() == [int(square[a, b]) for i, a in enumerate(shown) for b in shown[i:]]
    assert worst_brokers(cells, 40, 40).tolist() == list(range(40))
    assert corner(cells, 40, np.arange(40)) is cells


def test_the_sentence_names_the_loss_that_hurts_most() -> None:
    """Broker 4 holds logs-0 alone; so does its rack, which takes no more."""
    assert answer(losses_of(LAYOUT)) == (
        "Losing broker 4 alone takes 1 partition offline; no other single broker takes any offline."
    )


def test_a_rack_that_takes_more_than_any_broker_comes_first() -> None:
    """Brokers 1 and 4 share a rack and two partitions; nobody else is hurt by one loss."""
    found = losses_of(made_layout({("orders", 0): [1, 4], ("orders", 1): [4, 1], ("x", 0): [2, 3]}, racks=RACKS))

    assert answer(found) == "Losing rack a takes 2 partitions offline; no single broker takes any offline."


def test_where_no_single_loss_hurts_the_worst_pair_is_named() -> None:
    """Each partition lies in two racks: only pairs take one offline."""
    found = losses_of(made_layout({("orders", 0): [1, 2], ("orders", 1): [2, 3]}, racks=RACKS))

    assert answer(found) == (
        "No single broker and no rack takes a partition offline; 2 of 6 pairs do, "
        "brokers 1 and 2 the most: 1 partition."
    )


def test_where_no_pair_takes_anything_offline_what_falls_below_min_isr_is_named() -> None:
    """Three replicas and a minimum of 2: one loss leaves enough, two leave one replica in sync, and it leads."""
    found = losses_of(made_layout({("orders", 0): [1, 2, 3]}, racks=RACKS))

    assert answer(found) == (
        "No single broker and no rack takes a partition offline, nor does any pair; "
        "losing brokers 1 and 2 puts 1 partition below min ISR."
    )


def test_what_is_offline_already_is_not_laid_to_a_loss() -> None:
    """Broker 4 is down: logs-0 is offline whatever is lost, and no loss takes a further one."""
    down = made_layout(LAYOUT.assignments(), racks=RACKS, down=[4])
    found = losses_of(down)

    assert found.already["offline_partitions"] == 1
    assert answer(found).startswith("No single broker and no rack takes a further partition offline; 3 of 6 pairs do")
    assert answer(found).endswith("1 partition offline already.")


def test_one_broker_is_everything() -> None:
    """Of a single broker there is no pair, and the sentence says what it means."""
    found = losses_of(made_layout({("orders", 0): [1]}, racks={1: None}))

    assert answer(found) == "Broker 1 is the only one: losing it takes 1 partition offline."
    assert found.worst_pair("offline_partitions") is None
    assert figures(found)[2].value == "none"


def test_no_broker_at_all_is_said() -> None:
    """An empty layout has nothing to lose, and nothing fails."""
    found = losses_of(ClusterLayout.from_assignments({}))

    assert answer(found) == "There are no brokers."
    assert chosen_of(ResilienceView(), found) is None


def test_what_is_inferred_is_said_and_what_is_not_told_is_not_counted() -> None:
    """A bare assignment tells no ISR, no minimum, no leader and no rack."""
    found = losses_of(ClusterLayout.from_assignments({("orders", 0): [1, 2]}))

    assert [note.partition(":")[0] for note in found.notes] == [
        "The ISR is unknown",
        "min.insync.replicas is unknown",
        "Leaders are unknown",
        "Racks are unknown",
    ]
    assert [found.told(measure) for measure in MEASURES] == [True, False, False]
    assert list(found.pairs) == ["offline_partitions"]


def test_the_measure_is_the_worst_by_which_anything_happens() -> None:
    """Where nothing goes offline, below min ISR is counted; a measure that is not told is never chosen."""
    calm = losses_of(made_layout({("orders", 0): [1, 2, 3]}, racks=RACKS))
    bare = losses_of(ClusterLayout.from_assignments({("orders", 0): [1, 2]}))

    assert measure_of(ResilienceView(), losses_of(LAYOUT)) == "offline_partitions"
    assert measure_of(ResilienceView(), calm) == "below_min_isr"
    assert measure_of(ResilienceView(measure="below_min_isr"), bare) == "offline_partitions"


@pytest.mark.parametrize(
    ("event", "chosen"),
    [
        ({"kind": "bar", "at": 1}, Chosen("broker", (4,))),
        ({"kind": "row", "at": 0}, Chosen("rack", (1, 4))),
        ({"kind": "open", "row": 0, "column": 2}, Chosen("pair", (1, 2))),
        ({"kind": "open", "row": 3, "column": 3}, Chosen("broker", (3,))),
        ({"kind": "pair", "lost": (2, 3)}, Chosen("pair", (2, 3))),
        ({"kind": "pair", "lost": (3, 2)}, None),
        ({"kind": "pair", "lost": (2, 9)}, None),
        ({"kind": "bar", "at": 99}, None),
        ({"kind": "bar", "at": True}, None),
        ({"kind": "bar"}, None),
        ({"kind": "open", "row": 9, "column": 0}, None),
        ({"kind": "else"}, None),
    ],
)
def test_a_click_opens_what_it_points_at_and_nothing_else(event: dict, chosen: Chosen | None) -> None:
    """Bars, rows and cells name a loss by their place; what fits no place leaves the view as it is."""
    assert apply_event(ResilienceView(), event, losses_of(LAYOUT)) == ResilienceView(chosen=chosen)


def test_a_loss_that_this_layout_does_not_have_is_not_kept_open() -> None:
    """On another layout the worst loss is open again, also where the ids exist but are no rack of it."""
    found = losses_of(LAYOUT)

    assert chosen_of(ResilienceView(chosen=Chosen("pair", (1, 9))), found) == Chosen("rack", (1, 4))
    assert chosen_of(ResilienceView(chosen=Chosen("rack", (1, 2))), found) == Chosen("rack", (1, 4))
    assert chosen_of(ResilienceView(which="brokers"), found) == Chosen("broker", (4,))


def test_where_only_pairs_hurt_the_worst_pair_is_open() -> None:
    """Brokers 1 and 2 hold orders-0 between them: that pair's detail comes up, and is marked in the matrix."""
    found = losses_of(made_layout({("orders", 0): [1, 2], ("orders", 1): [2, 3]}, racks=RACKS))

    assert chosen_of(ResilienceView(), found) == Chosen("pair", (1, 2))
    assert chosen_of(ResilienceView(measure="below_min_isr"), found) == Chosen("rack", (2,))
    assert figures(found)[2].delta == ":red[:material/error: 1 offline]"


def test_the_detail_of_a_row_is_the_loss_itself() -> None:
    """Who takes over, what must be copied and whether racks are kept come from the row as from ``loss``."""
    found = losses_of(LAYOUT)
    one = loss_of_row(found, Chosen("broker", (2,)))
    lines = "\n".join(detail_lines(found, Chosen("broker", (2,)), one))

    assert one == replace(loss(LAYOUT, (2,)), rack="b")
    assert "**1 leader moves**: 1 to broker 3" in lines
    assert "copy **2 replicas**" in lines
    assert loss_of_row(found, Chosen("pair", (1, 2))) is None


@pytest.mark.parametrize(("heirs", "said"), [(4, "1 to broker 4, 1 to broker 5"), (5, "1 to broker 4, 2 to 2 others")])
def test_who_takes_over_is_named_where_that_is_no_longer_than_a_count(heirs: int, said: str) -> None:
    """Of four brokers that take over all are named, of five the first three."""
    spread = {("orders", p): [1, 2 + p] for p in range(heirs)}
    found = losses_of(made_layout(spread, racks=dict.fromkeys(range(1, 2 + heirs))))
    lines = "\n".join(detail_lines(found, Chosen("broker", (1,)), loss_of_row(found, Chosen("broker", (1,)))))

    assert said in lines


def test_a_loss_that_cannot_be_healed_says_so() -> None:
    """With two brokers and two replicas each there is nowhere to heal to."""
    two = made_layout({("orders", 0): [1, 2]}, racks={1: "a", 2: "b"})
    found = losses_of(two)
    lines = detail_lines(found, Chosen("broker", (1,)), loss_of_row(found, Chosen("broker", (1,))))

    assert any("cannot hold these replicas" in line for line in lines)


def test_tables_find_brokers_and_racks_and_sort_the_worst_first() -> None:
    """A number is a broker's id, words a part of a rack's name; a pair is in a rack if both are."""
    found = losses_of(LAYOUT)

    assert single_frame(found, ResilienceView(), singles_found(found, ResilienceView(), "4"))["lost"].tolist() == [
        "rack a",
        "broker 4",
    ]
    assert single_frame(found, ResilienceView(), singles_found(found, ResilienceView(), "A"))["lost"].tolist() == [
        "rack a",
        "broker 4",
        "broker 1",
    ]
    pairs = pairs_frame(found, pairs_found(found, ResilienceView(), ""))
    assert pairs["offline"].tolist() == sorted(pairs["offline"], reverse=True)
    assert len(pairs) == 6
    assert pairs_frame(found, pairs_found(found, ResilienceView(), "a"))[
        ["broker", "other broker"]
    ].to_numpy().tolist() == [[1, 4]]
    assert len(pairs_found(found, ResilienceView(), "no such rack")) == 0


def test_the_partitions_that_go_offline_are_as_many_as_counted() -> None:
    """For every single loss the rows listed are the number that the bar shows."""
    found = losses_of(LAYOUT)

    assert [LAYOUT.name_of(int(row)) for row in offline_rows(LAYOUT, (4,), "zookeeper")] == ["logs-0"]
    for row in found.single.itertuples():
        assert len(offline_rows(LAYOUT, row.lost, "zookeeper")) == row.offline_partitions


def test_ranked_rows_are_of_the_kinds_asked_for() -> None:
    """Racks alone, brokers alone, or both in one ranking."""
    found = losses_of(LAYOUT)

    assert set(ranked(ResilienceView(which="racks"), found)["kind"]) == {"rack"}
    assert set(ranked(ResilienceView(which="brokers"), found)["kind"]) == {"broker"}
    assert len(ranked(ResilienceView(), found)) == 7


def test_a_loss_joins_the_what_if_it_is_tried_on() -> None:
    """Brokers lost leave besides those that leave already; one that was to join does not join."""
    wish = Wish(remove=(2,), add=((9, "a"), (10, "b")))

    assert joined(wish, (1, 9)) == Wish(remove=(1, 2), add=((10, "b"),))


def test_a_chance_is_never_rounded_to_certainty() -> None:
    """Only 0 is 0% and only 1 is 100%."""
    assert [chance(value) for value in (None, 0.0, 1e-6, 0.0034, 0.5, 0.9999, 1.0)] == [
        "unknown",
        "0%",
        "under 0.01%",
        "0.34%",
        "50%",
        "over 99%",
        "100%",
    ]


def test_a_rack_named_like_markup_is_said_as_it_is() -> None:
    """The sentence holds the name itself, cut where it is endless; the frame makes it harmless for Markdown."""
    racks: dict[int, str | None] = {1: "<b>[x](y)</b>", 2: "<b>[x](y)</b>", 3: "b"}
    found = losses_of(made_layout({("orders", 0): [1, 2]}, racks=racks))

    assert answer(found) == "Losing rack <b>[x](y)</b> takes 1 partition offline; no single broker takes any offline."
