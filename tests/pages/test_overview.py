"""The Overview page: what was read, its health, and the states before anything is read."""

from __future__ import annotations

from reseat.formats import read
from reseat.formats.recognised import missing
from reseat.model import Broker, ClusterLayout, Finding, LogDirectory, Severity, Wish
from tests.planning.test_directories import disks

from .conftest import tables, texts, through

HOSTILE = "<img src=x onerror=alert(1)>**bold**[link](http://evil.example)"


def test_an_empty_page_offers_samples(app):
    """Before anything is read the page says what to do, and a sample is one click away."""
    app.run()

    assert not app.exception
    assert "No cluster is loaded" in texts(app)
    assert any(str(button.key).startswith("sample-main-") for button in app.button)


def test_a_pasted_layout_is_shown_at_once(app):
    """Text pasted on the empty page becomes the layout that all pages look at."""
    app.run()
    app.text_area(key="paste-main").set_value(
        "Topic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
        "Topic: orders\tPartition: 1\tLeader: none\tReplicas: 2,1\tIsr: \n"
    )
    next(button for button in app.button if button.form_id == "open-paste-main").click().run()

    assert not app.exception
    assert "2 brokers · 2 partitions · 4 replicas" in texts(app)
    assert app.metric[0].label == "Offline"
    assert app.metric[0].value == ":red[:material/error: 1]"


def test_a_pasted_text_is_answered_with_what_it_is_until_it_is_dismissed(app):
    """One line, the commands for what is missing beside it; gone by a press, and on the next page; not for a sample."""
    said = "kafka-topics --describe: 2 brokers, 1 partition, no racks, no sizes."
    row = "Topic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    app.run()
    app.text_area(key="paste-main").set_value(row)
    next(button for button in app.button if button.form_id == "open-paste-main").click().run()

    assert not app.exception
    assert said in texts(app)
    assert [code.value for code in app.code if "sh --bootstrap-server" in code.value] == [
        one.command for one in missing(read(row).layout)
    ]

    app.run()

    assert said in texts(app)

    app.button(key="recognised-dismiss").click().run()

    assert said not in texts(app)


def test_what_a_text_is_is_said_on_one_page(app):
    """Whoever goes on has seen it; a sample was described before it was opened."""
    app.run()
    app.text_area(key="paste-main").set_value("Topic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n")
    next(button for button in app.button if button.form_id == "open-paste-main").click().run()
    app.switch_page("pages/leaders.py").run()

    assert "Add racks" not in texts(app)

    app.switch_page("pages/overview.py").run()

    assert not app.exception
    assert "Add racks" not in texts(app)


def test_text_that_is_no_layout_is_refused_with_a_sentence(app):
    """What cannot be read is said on the page, and nothing is opened."""
    app.run()
    app.text_area(key="paste-main").set_value("to be or not to be")
    next(button for button in app.button if button.form_id == "open-paste-main").click().run()

    assert not app.exception
    assert "No cluster is loaded" in texts(app)
    assert ":material/block:" in texts(app)


def test_the_overview_answers_with_health_and_figures(opened):
    """The answer is one sentence; figures that are told are numbers."""
    at = opened("overview")

    assert not at.exception
    assert "4 brokers · 4 partitions · 8 replicas" in texts(at)
    assert [metric.value for metric in at.metric][:4] == ["0", "0", "unknown", "1"]


def test_the_first_sentence_says_how_many_are_under_replicated(opened):
    """It and the figure below it are one number, and nothing is called fine beside it."""
    at = opened(
        "overview",
        ClusterLayout.from_assignments(
            {("orders", p): [1, 2, 3] for p in range(3)},
            leaders={("orders", p): 1 for p in range(3)},
            in_sync={("orders", 0): [1, 2, 3], ("orders", 1): [1, 2], ("orders", 2): [1, 3]},
        ),
    )

    assert not at.exception
    assert "2 partitions are under-replicated, none offline" in texts(at)
    assert at.metric[1].value == ":orange[:material/warning: 2]"
    assert "No critical issues" not in texts(at)
    assert "no critical issues" not in texts(at)


def test_the_first_sentence_does_not_call_the_unknown_fine(opened):
    """A bare assignment tells neither leaders nor ISR: whether anything is wrong cannot be said."""
    at = opened("overview", ClusterLayout.from_assignments({("orders", 0): [1, 2]}))

    assert "Unknown whether partitions are offline or under-replicated" in texts(at)
    assert "and no warnings" not in texts(at)


def test_counts_that_are_not_told_are_not_zero(opened):
    """A bare assignment tells no leader and no ISR: the page says so instead of counting none."""
    at = opened("overview", ClusterLayout.from_assignments({("orders", 0): [1, 2]}))

    assert not at.exception
    assert [metric.value for metric in at.metric][:2] == ["unknown", "unknown"]
    assert "Not included: leaders, in-sync replicas, sizes, racks." in texts(at)


def test_a_hostile_name_stays_text(opened):
    """A file's name and a topic's name with markup are shown as they are, never as HTML or a link."""
    at = opened("overview", ClusterLayout.from_assignments({(HOSTILE, 0): [1, 2]}), name=HOSTILE)

    assert not at.exception
    shown = [str(element.value) for element in at.markdown if "onerror" in str(element.value)]
    assert shown
    assert all("\\<img" in value or value.count("`") >= 2 for value in shown)
    assert all("](http" not in value.replace("\\", "~") or "`" in value for value in shown)


def test_a_layout_of_nothing_is_drawn(opened):
    """An empty layout has no imbalance and no traceback."""
    at = opened("overview", ClusterLayout.from_assignments({}))

    assert not at.exception
    assert "0 brokers · 0 partitions · 0 replicas" in texts(at)


def test_a_what_if_is_named_and_can_be_taken_back(opened):
    """The strip says the what-if as a chip; clicking it removes it."""
    at = opened("overview", wish=Wish(remove=(2,)))

    assert "what-if" in texts(at)

    at.button(key="chip-out-2").click().run()

    assert "current state" in texts(at)
    assert "remove" not in at.query_params


def test_internal_topics_are_left_out_by_one_switch(opened):
    """The switch takes topics that start with an underscore out of everything that is counted."""
    at = opened("overview")
    at.toggle[0].set_value(True).run()

    assert not at.exception
    assert "3 partitions · 6 replicas" in texts(at)
    assert "1 topic with 1 partition excluded" in texts(at)
    assert at.query_params["internal"] in ("out", ["out"])


def test_a_finding_is_a_whole_sentence_and_opens_to_its_partitions(opened):
    """No sentence is cut; the partitions behind a finding come only when it is opened."""
    at = opened("overview")
    labels = [block.label.replace("\\", "") for block in at.expander]

    assert any("**warning**" in label and "1 of 4 partitions with a leader is not led by" in label for label in labels)
    assert not any("behind-" in str(table.key) for table in tables(at))


def test_the_whole_layout_can_be_taken_along(opened):
    """As a table, as describe text and as a reassignment, also where hardly anything is told."""
    at = opened("overview", ClusterLayout.from_assignments({("orders", 0): [1, 2]}))

    assert not at.exception
    assert [button.proto.label for button in at.get("download_button")] == [
        "Layout as CSV",
        "Layout as Parquet",
        "As kafka-topics --describe",
        "As reassignment JSON",
    ]


def test_what_to_do_stands_at_the_end_with_a_way_to_each(opened):
    """Numbered, the best for its cost first; the link opens the plan page with the change as the what-if."""
    at = opened("overview")
    said = texts(at)

    assert not at.exception
    assert [header.value for header in at.header] == ["Findings", "What to do", "Export"]
    assert "1. **Run a preferred leader election** · 1 election, no data moves" in said
    assert said.index("**Run a preferred") < said.index("**Rebalance")

    at = through(at, "Preview", "leaders")

    assert not at.exception


def test_what_disks_have_no_room_for_is_said_where_it_is_advised(opened):
    """Beside what it would mend, before somebody opens it."""
    lists = {("t", row): [1, 2] for row in range(8)}
    layout = ClusterLayout.from_assignments(
        lists, brokers=[Broker(1), Broker(2), Broker(3)], size_bytes=dict.fromkeys(lists, 4e9)
    )
    at = opened("overview", layout, log_dirs=(LogDirectory(3, "/a", 10**12, 10**9),))

    assert "The plan needs more disk space than there is: broker 3 has 1.0 GB left" in texts(at)


def test_nothing_to_do_is_said(opened):
    """Nothing that is known helps where nothing is found."""
    lists = {("t", row): [row % 3, (row + 1) % 3] for row in range(3)}
    leaders = {key: ids[0] for key, ids in lists.items()}
    at = opened("overview", ClusterLayout.from_assignments(lists, leaders=leaders, in_sync=lists))

    assert "Nothing to do: no election and no plan known here fixes anything." in texts(at)


def test_of_a_large_layout_it_is_worked_out_when_asked(opened):
    """A button first, as plans of many partitions take a while; with a what-if shown there is no further advice."""
    lists = {("t", row): [row % 5, (row + 1) % 7 + 5] for row in range(30_001)}
    layout = ClusterLayout.from_assignments(lists)
    at = opened("overview", layout)
    assert "Rebalance" not in texts(at)

    at.button(key="advice-ask").click().run()

    assert "**Rebalance replicas and leaders**" in texts(at)
    at = opened("overview", wish=Wish(remove=(1,)))
    assert "What to do" not in [header.value for header in at.header]


def test_a_text_that_was_read_in_part_is_not_called_well(app):
    """A row that was not understood comes before any all-clear: what it tells is missing."""
    app.run()
    app.text_area(key="paste-main").set_value(
        "Topic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
        "Topic: orders\tPartition: zero\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    )
    next(button for button in app.button if button.form_id == "open-paste-main").click().run()

    assert not app.exception
    assert "and no warnings" not in texts(app)
    assert "1 row was not understood" in texts(app)


def test_log_directories_are_a_table_where_a_broker_has_several(opened):
    """With what each holds; no table where there is nothing to tell apart."""
    layout, _ = disks({"/a": [2, 1], "/b": [1]})
    at = opened("overview", layout)
    (shown,) = (one.value for one in at.dataframe if "directory" in one.value)

    assert not at.exception
    assert shown[["broker", "directory", "state", "replicas", "held"]].values.tolist() == [
        [1, "/a", "online", 2, "3.0 GB"],
        [1, "/b", "online", 1, "1.0 GB"],
    ]
    assert "Log directories" not in texts(opened("overview", ClusterLayout.from_assignments({("orders", 0): [1, 2]})))


def test_what_was_found_as_the_layout_was_read_is_listed_with_the_rest(opened):
    """As it is counted above: a quorum of which a rack holds too much, and two findings of one kind."""
    kinds = ("quorum_in_one_rack", "log_dir_full", "log_dir_full")
    found = [Finding(kind, Severity.ATTENTION, f"Sentence {at}.", brokers=(1, 2)) for at, kind in enumerate(kinds)]
    at = opened("overview", findings=tuple(found))
    labels = [one.label.replace("\\", "") for one in at.expander]

    assert not at.exception
    assert [sum(f"Sentence {n}." in label for label in labels) for n in range(3)] == [1, 1, 1]
