"""Reports that open by a link: what a link opens, when it stops, and what is kept of it."""

from __future__ import annotations

import json
import os

import pytest

from reseat.access import Access, Door, SharedReports, ask, command_line_person
from reseat.access.shared_reports import MOST_LINKS
from reseat.errors import InputRefused, WriteRefused

NOW, DAY = 1_800_000_000.0, 86_400.0
DOCUMENT = "<!doctype html>\n<p>Größe\r\n"


@pytest.fixture
def links(tmp_path):
    """A folder of links that is not there yet, nor what it lies in."""
    return SharedReports(tmp_path / "data" / "links")


def made(links, *, seconds=DAY, title="lab"):
    """One link by Ada."""
    return links.make(DOCUMENT, title=title, who="ada", now=NOW, seconds=seconds)


def test_a_link_opens_the_document_as_it_was_until_it_expires(links):
    """To the very character; from the last second on nothing, and then its file goes with the next look."""
    token, link = made(links)

    assert links.open(token, NOW) == links.open(token, NOW + DAY - 1) == DOCUMENT
    assert links.open(token, NOW + DAY) is None
    assert links.listed(NOW) == (link,)
    assert links.listed(NOW + DAY) == ()
    assert links.open(token, NOW) is None


def test_a_revoked_link_opens_nothing_and_others_stay(links):
    """At the next use; to revoke it twice is no fault."""
    token, link = made(links)
    other, _ = made(links)
    links.revoke(link, who="bo")
    links.revoke(link, who="bo")

    assert links.open(token, NOW) is None
    assert links.open(other, NOW) == DOCUMENT


def test_links_that_cannot_be_listed_are_not_said_to_be_none(links, monkeypatch):
    """They open still: a folder closed to reading had none, and what was revoked in it went on to open."""
    token, link = made(links)

    def closed(*_):
        raise PermissionError(13, "Permission denied")

    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, closed)
    assert links.open(token, NOW) is not None
    for ask_for in (lambda: links.revoke(link, who="bo"), lambda: links.listed(NOW), lambda: made(links)):
        with pytest.raises(InputRefused, match="Permission denied"):
            ask_for()


def test_nothing_but_the_whole_secret_opens_a_link(links, tmp_path):
    """Not its id, not its hash, no part, no way out of the folder; and the folder's files do not tell it."""
    token, link = made(links)
    (file,) = (tmp_path / "data" / "links").iterdir()
    (tmp_path / "data" / "x.link").write_text(file.read_text())

    for guess in (link.id, file.stem, token[:-1], token + "A", "../x", "", "A" * 43):
        assert links.open(guess, NOW) is None
    assert token not in file.read_text() + file.name
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "data" / "links").stat().st_mode & 0o777 == 0o700


def test_a_file_that_is_none_opens_nothing(links, tmp_path):
    """Damaged or somebody else's: it is neither listed nor deleted."""
    token, _ = made(links)
    (file,) = (tmp_path / "data" / "links").iterdir()
    file.write_text("[]\nx")

    assert links.open(token, NOW) is None
    assert links.listed(NOW) == ()
    assert file.exists()


def test_each_link_is_told_in_the_audit_log_and_nothing_happens_without(links, tmp_path, monkeypatch):
    """Made, opened and revoked, by its id and never by its secret; a log that cannot be written stops all three."""
    log = tmp_path / "audit.jsonl"
    monkeypatch.setenv("RESEAT_AUDIT", str(log))
    token, link = made(links)
    links.open(token, NOW)
    monkeypatch.setenv("RESEAT_AUDIT", str(tmp_path / "none" / "audit.jsonl"))
    for act in (lambda: links.open(token, NOW), lambda: links.revoke(link, who="bo"), lambda: made(links)):
        with pytest.raises(WriteRefused):
            act()
    monkeypatch.setenv("RESEAT_AUDIT", str(log))

    assert links.listed(NOW) == (link,)

    links.revoke(link, who="bo")
    lines = [json.loads(line) for line in log.read_text().splitlines()]

    assert [(line["decision"], line["who"]) for line in lines] == [
        ("made", "ada"),
        ("opened", f"whoever has link {link.id}"),
        ("revoked", "bo"),
    ]
    assert token not in log.read_text()


def test_there_are_only_so_many(links):
    """One more is refused until one goes."""
    for _ in range(MOST_LINKS):
        made(links)
    with pytest.raises(InputRefused, match="revoke one first"):
        made(links)


def test_links_are_off_unless_a_folder_is_named_and_are_made_by_who_may_operate(tmp_path):
    """What is looked at behind a sign-in is let out by nobody who may only look."""
    listed = Access(sign_in=True, allowed=("x=1",), viewers=None)

    assert SharedReports.configured({}) is None
    assert SharedReports.configured({"RESEAT_LINKS": str(tmp_path)}) is not None
    assert Door.SHARE.right.value == "operate"
    assert ask(Door.SHARE, command_line_person("ada"), listed, NOW).may
