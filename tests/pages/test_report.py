"""The Report page: choices that stand in the address, files that are made, names that are replaced."""

from __future__ import annotations

import functools
import hashlib
import re
import time
from base64 import b64encode

import pytest

from components.report.choices import ReportRequest, choices_of, from_query, to_query
from components.server import settings, visitor
from components.state.store import KEY
from reseat import planning
from reseat.access import Access, Person, SharedReports
from reseat.model import ClusterLayout, Wish
from reseat.planning import against_generate
from reseat.report import ChapterKind, Matter, ReportChoices, build, gather
from reseat.report.masks.files import key_file
from reseat.report.masks.names import KEY_BYTES
from reseat.report.matter import chapters_for
from reseat.report.writers.html import write_html
from reseat.report.writers.parts import WEB
from reseat.report.writers.talk import write_talk

from .conftest import address, small, texts


def test_what_one_chose_is_what_its_address_asks_for():
    """Every choice but the logo; what is as by itself is left out, and nonsense changes nothing."""
    request = ReportRequest(
        "operators", (ChapterKind.SUMMARY, ChapterKind.COST), "Drain 4", "Ann", 0.02, 50.0, mask=True, currency="CHF"
    )

    assert from_query(to_query(request)) == request
    assert from_query(to_query(ReportRequest(price=0.1234567, throttle=1234567.5))).throttle == 1234567.5
    assert to_query(ReportRequest()) == {}
    assert from_query({}) == ReportRequest()
    assert from_query({"audience": "cats", "price": "nan", "throttle": "-1", "chapters": "x"}) == ReportRequest(
        chapters=()
    )
    assert from_query({"chapters": "cost,summary,cost"}).chapters == (ChapterKind.SUMMARY, ChapterKind.COST)
    assert from_query(to_query(ReportRequest(chapters=()))).shown == ()


def test_choices_are_told_in_the_units_of_the_report():
    """MB a second become bytes a second; management is spared the list of every move."""
    choices = choices_of(ReportRequest(throttle=50.0, price=0.0, title="  ", currency="€ "), None)

    assert (choices.throttle, choices.price_per_gb, choices.title) == (50e6, 0.0, None)
    assert choices.currency == "€"
    assert choices_of(ReportRequest(currency=" "), None).currency == ReportChoices().currency
    assert ChapterKind.APPENDIX not in choices.chapters
    assert choices_of(ReportRequest("operators"), None).chapters == chapters_for("operators")


def test_the_report_of_a_what_if_can_be_looked_at_and_taken_along(opened):
    """Its sentence is the report's own; three files, a text for a chat, and what is behind each figure."""
    at = opened("report", wish=Wish(remove=(4,)))
    labels = [one.label for one in at.get("download_button")]

    assert not at.exception
    assert "broker 4" in texts(at)
    assert labels == ["HTML", "PDF", "PowerPoint", "PNG", "SVG", "CSV", "Parquet"]
    assert at.code[0].value.startswith("small: draining broker 4\nAmber. Draining broker 4 copies 1 replica (1.0 MB)")
    assert texts(at).startswith("Draining broker 4 copies 1 replica (1.0 MB), and no plan for it can move fewer.")
    assert len(at.get("iframe")) == 1


def test_a_what_if_that_cannot_be_is_a_report_too(opened):
    """Three brokers for three replicas: the reason stands first, and nothing fails."""
    lists = {("orders", 0): [1, 2, 3]}
    at = opened("report", ClusterLayout.from_assignments(lists), Wish(remove=(3,)))

    assert not at.exception
    assert "not possible" in texts(at)


def test_what_a_plan_stands_beside_is_found_once_for_plan_and_all_choices_of_the_report(opened, monkeypatch):
    """The curve that Plan draws, and for two reports one round of draws by each of Kafka's tools."""
    found = []

    def counted(function):
        @functools.wraps(function)
        def counting(*args, **told):
            found.append(function.__name__)
            return function(*args, **told)

        return counting

    curve, draws = counted(planning.whole_curve), counted(against_generate.against_generate)
    for module in (planning, gather):
        monkeypatch.setattr(module, "whole_curve", curve)
    for module in (against_generate, gather):
        monkeypatch.setattr(module, "against_generate", draws)
    at = opened("plan", wish=Wish(remove=(4,)))
    at.switch_page("pages/report.py").run()
    audience = next(one for one in at.segmented_control if one.key.startswith("report-audience"))
    audience.set_value("operators").run()

    assert not at.exception
    assert address(at)["audience"] == "operators"
    assert sorted(found) == [*["against_generate"] * 2, "whole_curve"]


def test_nothing_wished_is_a_report_of_the_present(opened):
    """No plan is needed; the chapters of a change are left out."""
    at = opened("report")

    assert not at.exception
    assert "What-if" not in texts(at)
    assert len(at.get("iframe")) == 1


def test_masked_files_name_no_topic_and_bring_their_key(opened):
    """Neither the page's own preview nor its text for a chat names a topic, host or rack; key and names go along."""
    at = opened("report", wish=Wish(remove=(4,)))
    at.toggle(key="report-mask").set_value(True).run()
    labels = [one.label for one in at.get("download_button")]

    assert not at.exception
    assert {"Key", "Names"} <= set(labels)
    document = at.get("iframe")[0].proto.srcdoc
    assert "topic-" in document
    assert "orders" not in document
    assert "_schemas" not in document


def test_an_upload_says_what_it_takes(opened):
    """Each said "400MB per file", of which a logo may have one; and slides that the sentence names were not offered."""
    at = opened("report")
    logo, slides = (at.file_uploader(key=f"report-{name}-file").proto for name in ("logo", "template"))

    assert (logo.max_upload_size_mb, slides.max_upload_size_mb) == (1, 50)
    assert set(slides.type) == {".pptx", ".potx"}


def test_slides_that_cannot_be_read_are_refused_where_they_are_uploaded(opened):
    """The sentence stands at the field; the PowerPoint is made with the neutral master instead of not at all."""
    at = opened("report")
    at.file_uploader(key="report-template-file").set_value(("own.pptx", b"text", "application/octet-stream")).run()

    assert not at.exception
    assert "The template is no PowerPoint file that can be read" in texts(at)
    assert at.session_state[KEY].kept["report-template"] == b""


def test_a_key_of_earlier_pseudonyms_names_everything_as_it_did(opened):
    """What is no key is refused and the session's own goes on; the one saved before counts at once."""
    at = opened("report", wish=Wish(remove=(4,)))
    at.toggle(key="report-mask").set_value(True).run()

    def use(data: bytes) -> bytes:
        at.file_uploader(key="report-key-file").set_value(("reseat-mask.key", data, "text/plain")).run()
        return at.session_state[KEY].kept["report-key"]

    own = at.session_state[KEY].kept["report-key"]

    assert use(b"none") == own
    assert "This is not a key for masking" in texts(at)
    assert use(key_file(b"k" * KEY_BYTES)) == b"k" * KEY_BYTES
    assert not at.exception


@pytest.mark.parametrize("script", sorted(WEB.glob("*.js")), ids=lambda file: file.name)
def test_the_pages_policy_lets_the_reports_own_script_run(script):
    """A frame inherits the page's policy; without the digest sorting and the talk's keys would do nothing."""
    digest = b64encode(hashlib.sha256(script.read_bytes()).digest()).decode()

    assert f"'sha256-{digest}'" in settings.HEADERS["Content-Security-Policy"]


def test_every_script_of_a_report_is_one_that_the_page_lets_run():
    """The file's and the talk's own policies name no digest that the page's policy lacks."""
    report = build(Matter(layout=small(), source="small"), ReportChoices())

    for document in (write_html(report), write_talk(report)):
        digests = re.findall(r"script-src ([^;]*);", document)[0].split()
        assert digests
        assert not [one for one in digests if one not in settings.HEADERS["Content-Security-Policy"]]


def test_a_read_only_link_is_made_shown_once_and_revoked(opened, monkeypatch, tmp_path):
    """Off unless a folder is named; the link opens what the page shows; revoked, it opens nothing."""
    at = opened("report")

    assert "Create link" not in [one.label for one in at.button]

    monkeypatch.setenv("RESEAT_LINKS", str(tmp_path / "links"))
    at.run().segmented_control(key="report-link-days").set_value(30).run()
    at.button(key="report-link-make").click().run()
    links = SharedReports(tmp_path / "links")
    token = next(one.value for one in at.code if "/shared/" in one.value).rpartition("/")[2]

    assert not at.exception
    assert links.open(token, time.time()).startswith("<!doctype html>")
    assert "Copy it now" in texts(at)

    (link,) = links.listed(time.time())
    assert round((link.expires_at - time.time()) / 86_400) == 30
    at.button(key=f"report-revoke-{link.id}").click().run()

    assert not at.exception
    assert links.listed(time.time()) == ()
    assert token not in texts(at)


def test_who_may_only_look_makes_no_link(opened, monkeypatch, tmp_path):
    """The page says who may, and a click on a button that was drawn before makes none."""
    monkeypatch.setenv("RESEAT_LINKS", str(tmp_path / "links"))
    at = opened("report")
    at_once, person = time.time(), "ben@example.org"
    access = Access(sign_in=True, allowed=("ada@example.org",))
    monkeypatch.setattr(visitor, "access", lambda: access)
    monkeypatch.setattr(
        visitor,
        "person",
        lambda shown="": Person("ben", person, True, signed_in=True, issued_at=at_once, expires_at=at_once + 60),
    )
    at.button(key="report-link-make").click().run()

    assert not at.exception
    assert "[operate] allowed" in texts(at)
    assert SharedReports(tmp_path / "links").listed(time.time()) == ()


def test_chapters_that_have_nothing_to_show_are_not_said_to_be_unchosen(opened, app):
    """Steps are those of a plan: without a what-if the chapter is chosen, and there is none."""
    app.query_params["chapters"] = "steps"
    at = opened("report")

    assert not at.exception
    assert "No chosen chapter has anything to show." in texts(at)
