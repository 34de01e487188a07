"""Wishes as Hypothesis strategies, with every option that there is: no round trip forgets one that is added later."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import strategies as st

from reseat.model import Options, Wish
from reseat.model.rules import Capacity, Onto

__all__ = ["IDS", "options", "wishes"]

IDS = st.integers(0, 2**31 - 1)
#: By the type that an option has; another type is to be decided on here.
_VALUES: dict[str, st.SearchStrategy[object]] = {
    "bool": st.booleans(),
    "int | None": st.none() | st.integers(1, 10**6),
    "tuple[int, ...]": st.sets(IDS, max_size=3).map(lambda ids: tuple(sorted(ids))),
    "tuple[str, ...]": st.lists(st.from_regex(r"[a-z][a-z0-9-]{0,5}", fullmatch=True), max_size=3, unique=True).map(
        tuple
    ),
    "tuple[tuple[str, int | None], ...]": st.sets(
        st.tuples(st.from_regex(r"[a-c*][a-c._*-]{0,5}", fullmatch=True), st.none() | st.integers(0, 2**31 - 1)),
        max_size=3,
    ).map(lambda pins: tuple(sorted(pins, key=repr))),
}


_NAME = st.from_regex(r"[a-c*][a-c._*-]{0,5}", fullmatch=True)
_NAMED = st.lists(_NAME, min_size=1, max_size=3, unique=True).map(tuple)
_PLACES = st.sets(IDS, max_size=2).map(lambda ids: tuple(sorted(ids)))
_VALUES |= {
    "tuple[Onto, ...]": st.lists(
        st.builds(Onto, _NAMED, _PLACES, st.lists(_NAME, min_size=1, max_size=2, unique=True).map(tuple)),
        max_size=2,
        unique=True,
    ).map(tuple),
    "tuple[tuple[str, ...], ...]": st.lists(
        st.lists(_NAME, min_size=2, max_size=3, unique=True).map(tuple), max_size=2, unique=True
    ).map(tuple),
    "tuple[Capacity, ...]": st.lists(
        st.builds(Capacity, IDS, replicas=st.integers(0, 10**6))
        | st.builds(Capacity, IDS, bytes=st.integers(0, 2**53 - 1)),
        max_size=3,
        unique=True,
    ).map(tuple),
}


def options() -> st.SearchStrategy[Options]:
    """Any options."""
    split = st.sets(st.sampled_from("/:|-_,."), max_size=2).map(lambda signs: tuple(sorted(signs)))
    values = {one.name: _VALUES[str(one.type)] for one in fields(Options)} | {"rack_levels": split}
    return st.builds(Options, **values)


def wishes(names: st.SearchStrategy[str], topics: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[Wish]:
    """Any wish, also one that cannot be.

    Args:
        names: of racks.
        topics: names of topics; None: as ``names``.
    """
    return st.builds(
        Wish,
        remove=st.sets(IDS, max_size=5).map(lambda ids: tuple(sorted(ids))),
        add=st.dictionaries(IDS, st.none() | names, max_size=4).map(lambda pairs: tuple(sorted(pairs.items()))),
        replication_factor=st.none() | st.integers(1, 100),
        topics=st.sets(names if topics is None else topics, max_size=4).map(lambda found: tuple(sorted(found))),
        options=options(),
        point=st.none() | st.integers(0, 10**9),
        replace=st.dictionaries(IDS, IDS, max_size=2).map(lambda pairs: tuple(sorted(pairs.items()))),
        rebalance=st.booleans(),
        mend_racks=st.booleans(),
        leaders_only=st.booleans(),
        mend=st.booleans(),
    )
