"""Single rules, each where it matters: who may lead, who stays eligible, when a high watermark falls, what is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reseat.replication import Partition, Rules, Step, Truncation, play, start
from reseat.replication.events import read

SAFE = Rules(min_in_sync=2)
ELR = replace(SAFE, elr=True)


def told(story: str, rules: Rules | None = None, brokers: tuple[int, ...] = (1, 2)) -> list[Step]:
    """The steps of a story, events with semicolons between them."""
    return play(start(brokers, rules=rules), [read(line) for line in story.split(";")])


def end(story: str, rules: Rules | None = None, brokers: tuple[int, ...] = (1, 2)) -> Partition:
    """The state after a story."""
    return told(story, rules, brokers)[-1].after


def test_nobody_is_elected_uncleanly_while_somebody_leads() -> None:
    """Broker 2 has left the ISR; an unclean election of it is not available as long as broker 1 leads."""
    step = told("produce m1;tick 30001;elect 2 unclean")[-1]

    assert step.after.leader == 1
    assert step.sentence == "Broker 2 cannot lead: it is not alive and in sync (PREFERRED_LEADER_NOT_AVAILABLE)."


def test_an_unclean_election_takes_one_in_sync_where_there_is_one() -> None:
    """Nobody leads, broker 2 is alive and in sync: an unclean election of broker 3 does not pass it by."""
    before = "produce m1;fetch 2;catch 2;fetch 2;tick 30001;crash 1"

    assert end(f"{before};elect 3 unclean", brokers=(1, 2, 3)).leader is None
    assert end(f"{before};elect unclean", brokers=(1, 2, 3)).leader == 2


def test_a_broker_in_sync_takes_over_when_asked_for() -> None:
    """As in a preferred election: clean, with a new epoch, the old leader still in sync."""
    step = told("produce m1;fetch 2;catch 2;fetch 2;catch 2;elect 2")[-1]

    assert (step.after.leader, step.after.epoch, step.after.isr) == (2, 1, (1, 2))
    assert step.sentence == "Broker 2 leads, in epoch 1: it was requested, and is alive and in sync."


def test_an_unclean_shutdown_is_noticed_when_the_broker_is_back() -> None:
    """KIP-966: down, broker 2 stays eligible; back from an unclean shutdown it is not, until it has caught up."""
    story = "produce m1;fetch 2;catch 2;fetch 2;crash 2 lose"

    assert end(story, ELR).elr == (2,)
    assert end(f"{story};return 2", ELR).elr == ()
    assert end(f"{story};return 2;fetch 2;catch 2;fetch 2", ELR).isr == (1, 2)


def test_eligible_leaders_are_kept_only_below_min_isr() -> None:
    """Three in sync, two needed: the first that leaves is not eligible, the second is."""
    assert end("crash 3", ELR, (1, 2, 3)).elr == ()
    assert end("crash 3;crash 2", ELR, (1, 2, 3)).elr == (2,)


def test_all_gone_the_last_known_leader_leads() -> None:
    """ISR and ELR are empty after unclean shutdowns of both: who led last may lead again, nobody else."""
    story = "produce m1;crash 2 lose;crash 1 lose;return 2;elect"

    assert end(story, ELR).leader is None
    assert end(f"{story};return 1;elect", ELR).leader == 1


def test_below_min_isr_the_high_watermark_stands_still_from_3_7() -> None:
    """acks=1 writes, but nothing is committed by one of two; without that rule it is."""
    story = "crash 2;produce m1 1"

    assert end(story, ELR).led.hw == 0
    assert end(story, SAFE).led.hw == 1


def test_min_isr_is_capped_by_the_number_of_replicas_from_3_7() -> None:
    """Two replicas and min ISR 3: refused for ever before, written since."""
    rules = Rules(min_in_sync=3)

    assert end("produce m1", rules).refused == (("m1", "NOT_ENOUGH_REPLICAS"),)
    assert end("produce m1", replace(rules, elr=True)).refused == ()


def test_a_followers_high_watermark_follows_its_new_leaders_down() -> None:
    """Broker 1 knew of 1, the new leader does not yet: min(own end, leader's) is 0 for a fetch, then 1 again."""
    story = "produce m1;fetch 2;catch 2;fetch 3;catch 3;fetch 2;fetch 3;catch 3;elect 2;fetch 3;fetch 3;catch 3"
    steps = told(story, brokers=(1, 2, 3))

    assert steps[7].after.cells == {1: "1/1", 2: "1/0", 3: "1/1"}
    assert steps[-1].after.cells == {1: "1/1", 2: "1/0", 3: "1/0"}


def test_a_follower_joins_at_the_high_watermark_and_not_before_the_leaders_epoch_began() -> None:
    """Broker 1 leads alone with m1 and m2 uncommitted by others: broker 2 joins once it has both."""
    story = "produce m1;fetch 2;catch 2;fetch 2;catch 2;crash 2;produce m2;return 2;fetch 2"

    assert end(story).isr == (1,)
    assert end(f"{story};catch 2;fetch 2").isr == (1, 2)


def test_caught_up_counts_from_the_fetch_before() -> None:
    """Broker 2 reaches at 8 s what was the end at 4 s: last caught up then, out after 14 s and not after 10 s."""
    rules = Rules(lag_max_ms=10_000)
    story = "produce m1;tick 4000;fetch 2;catch 2;produce m2;tick 4000;fetch 2;tick 6000"

    assert end(story, rules).isr == (1, 2)
    assert end(f"{story};tick 1", rules).isr == (1,)


def test_two_that_leave_are_said_in_the_plural() -> None:
    """One sentence for both."""
    assert told("produce m1;tick 30001", brokers=(1, 2, 3))[-1].sentence == (
        "30,001 ms pass. Brokers 2 and 3 have not caught up for more than 30,000 ms (replica.lag.time.max.ms): they "
        "leave the ISR. All in-sync replicas have everything below 1: the high watermark rises to it."
    )


def test_an_election_says_what_it_takes_away_and_whom_it_leaves_in_doubt() -> None:
    """By high watermark the other follower cuts at once; the producer that waited is told."""
    rules = Rules(truncation=Truncation.HIGH_WATERMARK)
    step = told("produce m1;fetch 2;catch 2;fetch 3;catch 3;crash 1;elect", rules, (1, 2, 3))[-1]

    assert step.sentence == (
        "Broker 2 leads, in epoch 1: it is the first in assignment order that is alive and in sync. Broker 3 "
        "truncates to its high watermark 0: 1 record is truncated. The producer of m1 gets NOT_LEADER_OR_FOLLOWER, "
        "which does not say whether the record is kept."
    )
    assert step.after.refused == (("m1", "NOT_LEADER_OR_FOLLOWER"),)


@pytest.mark.parametrize("story", ["crash 1", "crash 1;elect;crash 2"])
def test_time_passes_without_a_leader(story: str) -> None:
    """Nobody looks at followers."""
    assert told(f"{story};tick 0")[-1].sentence == "No leader."


def test_where_the_leader_does_not_know_an_epoch_the_follower_asks_again() -> None:
    """KIP-279: broker 1 has m3 of epoch 2, the leader m2 of epoch 1: one question would keep m3 where m2 is."""
    story = (
        "produce m1;fetch 2;catch 2;fetch 2;catch 2;crash 1;elect 2;produce m2;crash 2;"
        "return 1;elect 1 unclean;produce m3;crash 1;return 2;elect 2 unclean;return 1"
    )
    last = told(story)[-1]

    assert last.sentence.endswith(
        "it asks where its epochs ended: epoch 2 -> epoch 1 ended at 2, epoch 0 -> 1; 1 record is truncated."
    )
    assert [(record.value, record.epoch) for record in last.after.replicas[1].log] == [("m1", 0)]
    assert [(record.value, record.epoch) for record in last.after.replicas[2].log] == [("m1", 0), ("m2", 1)]


def test_every_change_of_a_high_watermark_is_said() -> None:
    """Alone in sync, a record with acks=1 is committed at once, and the sentence says so."""
    assert told("crash 2;produce m1 1")[-1].sentence == (
        "Broker 1 writes m1 at offset 0, in epoch 0. Its producer is answered at once. Broker 1 is the only in-sync "
        "replica: the high watermark rises to 1."
    )


def test_a_leader_that_lost_all_says_where_its_first_epoch_began() -> None:
    """The last replica standing: broker 2 asks about epoch 0, is told 0 and cuts everything."""
    story = "produce m1;fetch 2;catch 2;fetch 2;crash 2;crash 1 lose;return 1;elect;return 2"

    assert told(story)[-1].sentence == (
        "Broker 2 is back. It follows broker 1: it asks where its epochs ended: epoch 0 -> 0; 1 record is truncated."
    )


def test_a_leader_that_goes_down_leaves_the_isr_and_the_partition_without_a_leader() -> None:
    """In this order, so that "it" is the broker."""
    assert told("crash 1")[-1].sentence == (
        "Broker 1 goes down. It leaves the ISR. The partition has no leader until the controller elects one."
    )


def test_a_fetch_says_who_joins_the_isr_and_what_it_acknowledges() -> None:
    """Who is in sync already joins nothing; one record is acknowledged, two are."""
    first = told("produce m1;fetch 2;catch 2;fetch 2")[-1]
    both = told("produce m1;produce m2;fetch 2;catch 2;fetch 2")[-1]
    back = told("produce m1 1;tick 30001;fetch 2;catch 2;fetch 2")[-1]

    assert "joins the ISR" not in first.sentence + both.sentence
    assert " m1 is acknowledged." in first.sentence
    assert " m1 and m2 are acknowledged." in both.sentence
    assert back.after.isr == (1, 2)
    assert " It has caught up and joins the ISR." in back.sentence
