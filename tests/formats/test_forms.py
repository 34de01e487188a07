"""The tuple of forms: each form has its row, and a JSON document goes to the form it is of."""

from __future__ import annotations

from pathlib import Path

import pytest

from reseat.errors import InputRefused
from reseat.formats import read, reader
from reseat.formats.forms import FORMS
from reseat.formats.input.document import document
from reseat.formats.input.reading import LIMITS
from reseat.formats.text.form import DocumentForm, EachDocument, Form

DOCUMENTS = {
    "SnapshotForm": '{"reseat_snapshot": 2, "topics": {"name": []}, "partitions": {"topic": []}, "brokers": []}',
    "ZooKeeper": '{"version": 2, "partitions": {"0": [1, 2]}, "adding_replicas": {}}',
    "Reassignments": '{"version": 1, "partitions": [{"topic": "a", "partition": 0, "replicas": [1]}]}',
    "CruiseControl": '{"KafkaBrokerState": {}, "KafkaPartitionState": {"other": []}}',
    "Rest": '{"name": "a", "partitions": [{"partition": 0, "replicas": [{"broker": 1, "in_sync": true}]}]}',
    "PreferredElection": '{"partitions": [{"topic": "a", "partition": 0}]}',
    "KcatJson": '{"controllerid": 1, "brokers": [], "topics": [{"topic": "a", "partitions": []}]}',
    "TopicsToMove": '{"version": 1, "topics": [{"topic": "a"}]}',
    "Racks": '{"1": "a", "2": null}',
    "LogDirs": '{"version": 1, "brokers": [{"broker": 1, "logDirs": []}]}',
    "UnknownJson": '{"kind": "KafkaTopic"}',
}


def each() -> list[Form]:
    """All forms, those of single documents among them."""
    return [inner for form in FORMS for inner in (form.forms if isinstance(form, EachDocument) else (form,))]


def test_every_form_has_its_row() -> None:
    """A form that is written and not listed would never read anything."""
    written = {*Form.__subclasses__(), *DocumentForm.__subclasses__()} - {DocumentForm, EachDocument}

    assert {type(form) for form in each()} == written
    assert len(each()) == len(written)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_first_form_that_claims_a_document_is_its_own(name: str) -> None:
    """Keys that several forms have, such as those of a snapshot, go to the form that is asked first."""
    found = document(DOCUMENTS[name].encode(), 1, "text", LIMITS)

    assert next(type(form).__name__ for form in each() if form.claims(found)) == name


def _without(left_out: Form | None) -> tuple[Form, ...]:
    """All forms but one."""
    return tuple(
        EachDocument(*(inner for inner in form.forms if inner is not left_out))
        if isinstance(form, EachDocument)
        else form
        for form in FORMS
        if form is not left_out
    )


def _answers() -> list[object]:
    """What each sample is read as: its lists and findings, or why it is refused."""
    told: list[object] = []
    for text in sorted((Path(__file__).parent / "texts").glob("*.txt")):
        try:
            reading = read(text.read_bytes())
        except InputRefused as refused:
            told.append(str(refused))
        else:
            told.append((reading.kind, reading.layout.assignments(), len(reading.skipped), reading.tiering))
    return told


@pytest.mark.parametrize("form", each()[:-1], ids=lambda form: type(form).__name__)  # the last takes what is left
def test_every_form_has_a_sample(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the form one of the samples is answered otherwise: mutations and what is recognised start from them."""
    monkeypatch.setattr(reader, "FORMS", _without(None))
    before = _answers()
    monkeypatch.setattr(reader, "FORMS", _without(form))

    assert _answers() != before
