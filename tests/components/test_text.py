"""Numbers and names as words, and names made harmless."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.look import text
from reseat.model import Options, Wish


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (3.2e9, "3.2 GB"), (157e9, "157 GB"), (None, "unknown")],
)
def test_bytes_have_units_of_a_thousand(value, words):
    """Three figures at most, and what is not told is said to be so."""
    assert text.size(value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.2, "1 min"), (60, "1 min"), (3661, "1 h 1 min"), (90_000, "1 d 1 h"), (float("inf"), "never")],
)
def test_durations_have_two_units(seconds, words):
    """Rounded up: a plan never takes less than is said."""
    assert text.duration(seconds) == words


def test_what_is_not_quite_all_is_not_called_all():
    """999 of 1,000 are not 100 percent, and 1 of 1,000 is not 0."""
    assert text.share(999, 1000) == "over 99%"
    assert text.share(1, 1000) == "under 1%"
    assert text.share(0, 0) == "0%"


def test_ages_are_told_in_one_unit():
    """As a person would say it."""
    now = datetime(2024, 5, 1, tzinfo=UTC)

    assert text.ago(now - timedelta(seconds=5), now) == "just now"
    assert text.ago(now - timedelta(minutes=3), now) == "3 min ago"
    assert text.ago(now - timedelta(days=1), now) == "1 day ago"
    assert text.ago(now + timedelta(seconds=5), now) == "just now"
    assert text.ago(now + timedelta(days=400), now) == "400 days ahead of this clock"


def test_lists_of_brokers_are_cut_with_their_number():
    """A hundred brokers do not fill the screen."""
    assert text.ids([1]) == "1"
    assert text.ids([1, 2, 3]) == "1, 2 and 3"
    assert text.ids(range(10), most=3) == "0, 1, 2 and 7 more"


def test_a_wish_is_said_in_words():
    """One and many, out and in."""
    assert text.wish_in_words(Wish(remove=(7,), add=((8, None), (9, "a")))) == "broker 7 removed, brokers 8 and 9 added"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(), "cluster rebalanced"),
        (Options(by_bytes=True), "cluster rebalanced by size"),
        (Options(even_topics=True), "cluster rebalanced by topic"),
        (Options(even_topics=True, by_bytes=True), "cluster rebalanced by topic"),
    ],
)
def test_a_rebalance_says_what_it_balances_by(options, words):
    """By topic before by size, as the plan does."""
    assert text.wish_in_words(Wish(rebalance=True, options=options)) == words


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Mend partitions first (--mend).", "Mend partitions first."),
        ("Let replicas leave their rack (without --same-rack).", "Let replicas leave their rack."),
        ("Add racks (--racks; the dashboard: Data quality).", "Add racks (Data quality)."),
        ("Drain it (--remove 4,5).", "Drain it."),
        ("Add the output of kafka-log-dirs --describe.", "Add the output of kafka-log-dirs --describe."),
        ("3 partitions (1 concerned).", "3 partitions (1 concerned)."),
    ],
)
def test_a_page_prints_no_flag_of_the_command_line(sentence, shown):
    """What Kafka's own tools are given stays."""
    assert text.plain(sentence).replace("\\", "") == shown


@given(st.text(max_size=60))
def test_inline_code_cannot_be_left(name):
    """Whatever a name holds, the fence around it is longer than any run of backticks inside, on one line."""
    shown = text.code(name)
    fence = shown[: len(shown) - len(shown.lstrip("`"))]

    if fence:
        assert fence not in shown[len(fence) : -len(fence)]
    assert "\n" not in shown
    assert "\r" not in shown


@given(st.text(max_size=60))
def test_markup_in_a_sentence_is_escaped(sentence):
    """Each character that Markdown gives a meaning to has a backslash before it; no control character is left."""
    shown = text.plain(sentence)

    for at, character in enumerate(shown):
        if character in "*_[]<>`$!#|~":
            assert shown[at - 1] == "\\"
    assert not any(ord(character) < 32 for character in shown)


def test_an_endless_word_does_not_fill_the_page():
    """A rack of a million characters is cut in the middle of the sentence that names it; a topic's name never is."""
    shown = text.plain(f"9,670 ({'x' * 1_000_000}) to 16: 6 apart.")

    assert len(shown) < 200
    assert "6 apart" in shown
    assert "t" * 249 in text.plain(f"Topic {'t' * 249} is there.")


def test_a_plotly_text_reads_no_tag():
    """Plotly would make a link of it."""
    assert "<" not in text.label("<a href='http://evil.example'>x</a>")


def test_names_that_differ_at_their_ends_are_cut_at_their_beginnings():
    """Eighteen workers were "checkout…orker-07"; names that begin differently keep both ends, as does a single one."""
    workers = [f"checkout-service-worker-{number:02}" for number in (7, 11)]

    assert text.labels(workers, 12) == ["…e-worker-07", "…e-worker-11"]
    assert text.labels([*workers, "<b>"], 12) == ["checko…ker-07", "checko…ker-11", "&lt;b&gt;"]
    assert text.labels(workers[:1], 12) == ["checko…ker-07"]
    assert text.labels(["checkout-1-of-many", "checkout-2-of-many"], 9) == ["chec…-many", "chec…-many"]


def test_a_moment_can_be_copied_from_a_sentence() -> None:
    """What a refusal proposes is typed, or copied, into the field that was refused: nothing invisible is in it."""
    moment = "2026-05-01T14:00:00+02:00"

    assert text.plain(f"Write {moment}.").replace("\\", "") == f"Write {moment}."
    assert "\u2060" in text.plain("a topic named :100: or x:12:smile:")
