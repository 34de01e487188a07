"""Consumer groups: large groups by each assignor, what follows when a member leaves, differing subscriptions, a story.

Times are the best of three where three are taken; nothing is asserted.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from reseat.consumers import ASSIGNORS, Assignment, Group, Member, assignor_named
from reseat.consumers.compare import compare
from reseat.consumers.events import Leave, Together
from reseat.consumers.rebalancing import empty_group

_ROUNDS = 3
_TOPICS = {f"t{number:03}": 1_000 for number in range(100)}


def run() -> list[tuple[str, str, str]]:
    """What, budget and measured; at most some 40 seconds."""
    sticky = assignor_named("sticky")
    equal = _group(1_000, _TOPICS)
    first = sticky.assign(equal)
    left = _after(equal, first, leaving=1)
    rows = [
        ("sticky, 1,000 members, 100,000 partitions, equal subscriptions", "2 s", _best(lambda: sticky.assign(equal))),
        ("the same when a member leaves", "2 s", _best(lambda: sticky.assign(left))),
        ("the same when 100 members leave", "2 s", _best(lambda: sticky.assign(_after(equal, first, leaving=100)))),
        ("memory of it", "-", _memory(lambda: sticky.assign(left))),
    ]
    rows += [
        (f"{name}, the same group", "2 s", _best(partial(assignor_named(name).assign, left)))
        for name in ("range", "roundrobin", "cooperative-sticky")
    ]
    racked = _with_racks(equal)
    rows.append(("sticky where racks count, 1,000 members", "-", _best(lambda: sticky.assign(racked), 1)))
    for members, topics, partitions in ((100, 100, 20), (1_000, 200, 100)):
        whole = _group(members, {f"t{n:03}": partitions for n in range(topics)}, part=0.2)
        what = f"sticky, {members:,} members, {topics * partitions:,} partitions, each a fifth of the topics"
        rows.append((what, "10 s", _best(lambda group=whole: sticky.assign(group), 1)))
        then = _after(whole, sticky.assign(whole), leaving=members // 10)
        rows.append(("the same when a tenth leaves", "10 s", _best(lambda group=then: sticky.assign(group), 1)))
    lopsided = _lopsided(1_000, 20_000)
    rows.append(("half the members read one topic of 20,000", "10 s", _best(lambda: sticky.assign(lopsided), 1)))
    events = [Together(equal.members), Leave("m0007")]
    telling = lambda: compare(empty_group(_TOPICS), events, [assignor_named(name) for name in ASSIGNORS])  # noqa: E731
    rows.append(("a story of two steps by all four, 1,000 members, 100,000 partitions", "-", _best(telling, 1)))
    return rows


def _best(call: Callable[[], object], rounds: int = _ROUNDS) -> str:
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return f"{best:.3f} s"


def _memory(call: Callable[[], object]) -> str:
    tracemalloc.start()
    call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return f"{most / 1e6:.0f} MB"


def _group(members: int, partitions: dict[str, int], *, part: float = 1.0) -> Group:
    """Members that read all topics, or a part of them drawn for each."""
    rng, names = random.Random(1), sorted(partitions)
    reads = [tuple(names) if part == 1 else tuple(rng.sample(names, int(part * len(names)))) for _ in range(members)]
    return Group(tuple(Member(f"m{number:04}", topics) for number, topics in enumerate(reads)), partitions)


def _lopsided(members: int, partitions: int) -> Group:
    """One large topic that every second member reads, and one small one that all read."""
    both = ("large", "small")
    some = tuple(Member(f"m{number:04}", both if number % 2 else ("small",)) for number in range(members))
    return Group(some, {"large": partitions, "small": members})


def _after(group: Group, given: Assignment, *, leaving: int) -> Group:
    """The next rebalance: some left, the others own what they were given."""
    stay = group.members[leaving:]
    return replace(
        group, members=tuple(replace(member, owned=tuple(given[member.id]), generation=1) for member in stay)
    )


def _with_racks(group: Group) -> Group:
    """Three racks, partitions on two of them, 10,000 partitions."""
    partitions = dict.fromkeys(list(group.partitions)[:10], 1_000)
    racks = {
        (topic, p): frozenset({f"rack-{p % 3}", f"rack-{(p + 1) % 3}"})
        for topic, count in partitions.items()
        for p in range(count)
    }
    members = tuple(
        replace(member, topics=tuple(partitions), rack=f"rack-{number % 3}")
        for number, member in enumerate(group.members)
    )
    return Group(members, partitions, racks)
