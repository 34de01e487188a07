"""A KRaft quorum in words: who votes, what is unsafe about it, and what becomes of it when brokers or a rack are lost.

Needs: the quorum as its leader tells it, and the brokers of the layout. Kafka does not tell the rack of a controller: a
node that is a broker too is in that broker's rack, another one in the rack of the brokers on its host, if that is one;
of all others nothing is said but that it is unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from reseat.model import Broker, Finding, Quorum, Severity
from reseat.model.units import duration
from reseat.model.wording import counted, listed, named, verb

__all__ = ["quorum_findings", "quorum_in_words", "quorum_without", "racks_of_voters", "still_voting"]


def quorum_in_words(quorum: Quorum) -> str:
    """Who votes, who leads and how far the others are, as a part of a sentence."""
    kind = {True: "dynamic ", False: "static ", None: ""}[quorum.dynamic]
    leads = "none leads" if quorum.leader is None else f"{quorum.leader} leads"
    lag = max((voter.behind for voter in quorum.voters if voter.behind is not None), default=0)
    told = f", the slowest {counted(lag, 'record')} behind" if lag else ""
    followers = f"; {counted(len(quorum.observers), 'observer')}" if quorum.observers else ""
    voters = f"{counted(len(quorum.voters), 'voter')} ({listed(quorum.voter_ids, 7)})"
    return f"{kind}quorum of {voters}: {leads}{told}{followers}"


def quorum_findings(quorum: Quorum | None, brokers: Sequence[Broker]) -> tuple[Finding, ...]:
    """What is unsafe in a quorum; empty for one of which nothing is."""
    return () if quorum is None or not quorum.voters else tuple(_found(quorum, brokers))


def racks_of_voters(quorum: Quorum, brokers: Sequence[Broker]) -> dict[int, str | None]:
    """The rack of each voter, or None where it is not told."""
    own = {broker.id: broker.rack for broker in brokers}
    by_host = defaultdict[str, set[str | None]](set)
    for broker in brokers:
        if broker.host is not None:
            by_host[broker.host].add(broker.rack)
    found: dict[int, str | None] = {}
    for voter in quorum.voters:
        beside = by_host.get(voter.host or "", set())
        found[voter.id] = own[voter.id] if voter.id in own else next(iter(beside)) if len(beside) == 1 else None
    return found


def quorum_without(
    quorum: Quorum, brokers: Sequence[Broker], lost: Collection[int], *, rack_too: bool = False
) -> tuple[bool, str] | None:
    """What the loss of some brokers does to the quorum.

    Args:
        quorum: the quorum.
        brokers: all of the layout.
        lost: ids of those that are lost.
        rack_too: whether their rack is lost with all that is in it, such as controllers that are no brokers.

    Returns:
        Whether it goes on, and a sentence; None where it has nothing to do with them.
    """
    racks = racks_of_voters(quorum, brokers)
    rack = {broker.rack for broker in brokers if broker.id in lost} - {None} if rack_too else set()
    gone = [voter for voter, at in racks.items() if voter in lost or at in rack]
    down = quorum.down([broker.id for broker in brokers if broker.state.away])
    unplaced = [voter for voter, at in racks.items() if rack_too and at is None and voter not in (*lost, *down)]
    spare = quorum.spare([*gone, *down])
    if gone and spare < 0:
        return False, (
            f"{_of(quorum, gone)}{_beside(down, gone)}: it is lost. Until {quorum.majority} are up again no leader is "
            "elected, so partitions that lose theirs stay offline, and nothing can be changed."
        )
    words = []
    if gone:
        rest = f"{counted(spare, 'more may fail', 'more may fail')}" if spare else "no other may fail"
        words.append(f"{_of(quorum, gone)}{_beside(down, gone)}: it goes on, and {rest}.")
    doubtful = len(unplaced) > spare >= 0
    if doubtful:
        words.append(
            f"Kafka does not tell in which rack {verb(len(unplaced), 'voter', 'voters')} {listed(unplaced)} of the "
            f"controller quorum {verb(len(unplaced), 'is', 'are')}: with {spare + 1} in this one it would be lost."
        )
    return (not doubtful, " ".join(words)) if words else None


def still_voting(quorum: Quorum | None, leaving: Collection[int]) -> str:
    """That brokers which are to leave vote in the quorum, and what it is without them; "" where none does."""
    if quorum is None or not (gone := [voter for voter in quorum.voter_ids if voter in leaving]):
        return ""
    spare = quorum.spare([*gone, *quorum.down()])
    then = "the quorum is lost" if spare < 0 else f"{f'{spare:,} more' if spare else 'no other'} may fail"
    return (
        f"{named('Broker', gone, 'votes', 'vote')} in the controller quorum{_beside(quorum.down(), gone)}: without "
        f"{verb(len(gone), 'it', 'them')} {then}. Let other nodes vote before you stop {verb(len(gone), 'it', 'them')}."
    )


def _of(quorum: Quorum, some: Sequence[int]) -> str:
    """``1 of 3 voters of the controller quorum (2)``."""
    return f"{len(some)} of {counted(len(quorum.voters), 'voter')} of the controller quorum ({listed(some)})"


def _beside(down: Sequence[int], gone: Sequence[int]) -> str:
    """``, and voter 3 is down or cut off``; "" where all others vote."""
    others = [voter for voter in down if voter not in gone]
    return f", and {named('voter', others, 'is', 'are')} down or cut off" if others else ""


def _found(quorum: Quorum, brokers: Sequence[Broker]) -> Iterator[Finding]:
    yield from _silent(quorum)
    racks = racks_of_voters(quorum, brokers)
    if len({broker.rack for broker in brokers} - {None}) > 1:
        for rack in sorted({rack for rack in racks.values() if rack is not None}):
            voters = [voter for voter, at in racks.items() if at == rack]
            if len(quorum.voters) > 1 and quorum.spare(voters) < 0:
                yield Finding(
                    "quorum_in_one_rack",
                    Severity.ATTENTION,
                    f"{_of(quorum, voters)} {verb(len(voters), 'is', 'are')} in rack {rack}: losing that rack stops "
                    "elections and every change.",
                    brokers=tuple(voters),
                )
    if len(quorum.voters) == 1:
        yield Finding(
            "quorum_of_one",
            Severity.NOTE,
            f"Controller {quorum.voters[0].id} is the only voter of the quorum: while it is down no leader is elected "
            "and nothing can be changed.",
            brokers=quorum.voter_ids,
        )
    elif len(quorum.voters) % 2 == 0:
        yield Finding(
            "quorum_even",
            Severity.NOTE,
            f"The controller quorum has {len(quorum.voters)} voters: it survives as many failures as one of "
            f"{len(quorum.voters) - 1}.",
            brokers=quorum.voter_ids,
        )


def _silent(quorum: Quorum) -> Iterator[Finding]:
    """Voters that do not follow the leader."""
    if not (since := {voter.id: voter.behind_seconds for voter in quorum.silent}):
        return
    never = None in since.values()
    longest = max((seconds for seconds in since.values() if seconds is not None), default=0.0)
    how = f"has fetched nothing since {quorum.leader} leads" if never else f"has not caught up for {duration(longest)}"
    spare = quorum.spare(tuple(since))
    then = f"{counted(spare, 'more may fail', 'more may fail')}" if spare > 0 else "one more failure stops it"
    then = "without them it has no majority" if spare < 0 else then
    yield Finding(
        "quorum_voter_behind",
        Severity.ATTENTION,
        f"{verb(len(since), 'Voter', 'Voters')} {listed(list(since))} of the controller quorum "
        f"{how if len(since) == 1 else how.replace('has', 'have', 1)}: down or cut off; {then}.",
        brokers=tuple(since),
    )
