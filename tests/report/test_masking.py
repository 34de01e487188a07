"""Masked reports: no name anywhere, byte by byte; the same pseudonyms for the same key; a plan that stays the same."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
import pypdf
import pytest

from reseat.cli import main
from reseat.formats import Reading
from reseat.formats.tables.table import write_csv
from reseat.model import Broker, BrokerState, ClusterLayout, Finding, Gaps, Options, Severity, ShortTopic, Wish
from reseat.model.tiering import Tiering
from reseat.report import Matter, Report, ReportChoices, ReportPast, build
from reseat.report.drawing import png, svg
from reseat.report.gather import gather
from reseat.report.masks.names import KEY_BYTES, Masker, masked, unmasked
from reseat.report.matter import ALL
from reseat.report.writers.chat import write_chat
from reseat.report.writers.data import data_files
from reseat.report.writers.html import write_html
from reseat.report.writers.pdf import write_pdf
from reseat.report.writers.pptx import write_pptx

KEY = bytes(range(KEY_BYTES))
MADE = datetime(2026, 5, 4, tzinfo=UTC)
#: No word of a report; long enough that no encoding of something else holds them by chance.
TOPICS = ("zz-payroll-salaries", "acme.orders.v2", "__acme_internal", "mergers_secret", "zebra-läufe-订单")
RACKS = ("Frankfurt/Cage 7", "oslo-basement", "tokyo_dc3")
NAMES = (*TOPICS, *RACKS, *(f"kafka{n}.acme.example" for n in range(1, 7)), "/srv/acme/disk", "AcmeTopicIdentityXYZ12")
ALSO = ("acme-production", "acme-layout.txt", "acme_gone_topic", "acme_short_topic", "singapore-west")


def acme(topics: tuple[str, ...] = TOPICS) -> ClusterLayout:
    """Six brokers in three racks, everything told, one dead: every kind of finding that names something."""
    draw = np.random.default_rng(5)
    rows = 12 * len(topics)
    replicas = np.array([1 + draw.permutation(6)[:3] for _ in range(rows)])
    in_sync = np.ones(replicas.shape, np.bool_)
    in_sync[::5, 2] = False
    made = ClusterLayout.from_columns(
        topics=topics,
        topic_of=np.repeat(np.arange(len(topics)), 12),
        partition=np.tile(np.arange(12), len(topics)),
        replicas=replicas,
        brokers=[
            Broker(n, RACKS[n % 3], f"kafka{n}.acme.example", 9092, BrokerState.DEAD if n == 6 else BrokerState.ALIVE)
            for n in range(1, 7)
        ],
        leader=np.where(replicas[:, 0] == 6, replicas[:, 1], replicas[:, 0]),
        in_sync=in_sync & (replicas != 6),
        min_in_sync=np.full(len(topics), 2),
        log_dir=np.zeros(replicas.shape, np.int32),
        log_dirs=["/srv/acme/disk"],
        topic_ids=["AcmeTopicIdentityXYZ12", *(f"AcmeTopicIdentity{n:05}" for n in range(1, len(topics)))],
        size_bytes=draw.lognormal(18, 1, replicas.shape),
    )
    gaps = Gaps(True, (ShortTopic("acme_short_topic", 5, 1, (3,)),), 0, ("acme_gone_topic",), 0, accepted=True)
    return replace(made, gaps=gaps)


def matter_of(wish: Wish, layout: ClusterLayout | None = None) -> Matter:
    """What a report of it is made of, with a finding of reading and a past that name things."""
    found = Finding("odd_row", Severity.ATTENTION, f"Topic {TOPICS[0]} stands twice.", places=("acme-layout.txt, 3",))
    layout = layout or acme()
    past = ReportPast(
        taken_at=np.array(["2026-05-01", "2026-05-02"], "datetime64[s]"),
        series={"replica_spread": np.array([3.0, 5.0]), "size_bytes": np.array([1e9, 2e9])},
        events=((np.datetime64("2026-05-02", "s"), "Rack singapore-west is gone (brokers 8 and 9)."),),
        racks=("singapore-west",),
    )
    tiering = Tiering(tuple(sorted(TOPICS)), (1, 2, 3))
    reading = Reading(layout, "text", source="acme-layout.txt", findings=(found,), tiering=tiering)
    return gather(reading, layout, wish, cluster="acme-production", past=past)


def told_to(matter: Matter, audience: Literal["management", "operators"]) -> Report:
    """Its report with all chapters."""
    choices = ReportChoices(chapters=ALL, audience=audience, throttle=5e6, price_per_gb=0.02, made_at=MADE)
    return build(matter, choices)


def told_in_words(matter: Matter) -> dict[str, bytes]:
    """The files that have no figure."""
    told = told_to(matter, "operators")
    return {"operators.txt": write_chat(told).encode()} | dict(data_files(told))


def everything(matter: Matter) -> dict[str, bytes]:
    """Every file that can be made of it, opened: zipped parts apart, PDF text as text."""
    out: dict[str, bytes] = {}
    for audience in ("management", "operators"):
        told = told_to(matter, audience)
        out[f"{audience}.html"] = write_html(told).encode("utf-8", "surrogatepass")
        out[f"{audience}.txt"] = write_chat(told).encode()
        out |= {f"{audience}/{name}": data for name, data in data_files(told)}
    pages = write_pdf(told)
    reader = pypdf.PdfReader(io.BytesIO(pages))
    out["report.pdf"] = pages
    out["pdf text"] = "".join(page.extract_text() for page in reader.pages).replace("\n", "").encode()
    out["pdf told"] = repr((reader.metadata, reader.outline, reader.xmp_metadata)).encode()
    out |= unzipped("pptx", write_pptx(told))
    for one in (figure for chapter in told.chapters for figure in chapter.figures):
        out[f"{one.slug}.svg"] = svg(one).encode()
    out["one.png"] = png(told.chapters[1].figures[0])
    return out


def unzipped(name: str, data: bytes) -> dict[str, bytes]:
    """The parts of a zip file, and of those in it."""
    parts: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for one in archive.namelist():
            held = archive.read(one)
            parts[f"{name}/{one}"] = held
            if held.startswith(b"PK\x03\x04"):
                parts |= unzipped(f"{name}/{one}", held)
    return parts


def leaks(files: dict[str, bytes], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """(file, name) wherever a name stands, in UTF-8, UTF-16 or escaped as JSON, HTML or XML do."""
    found = []
    for file, data in files.items():
        for name in names:
            forms = {name.encode(), name.encode("utf-16-be"), name.encode("utf-16-le"), json.dumps(name)[1:-1].encode()}
            forms |= {name.encode("ascii", "xmlcharrefreplace"), name.replace(" ", "").encode()}
            found += [(file, name)] if any(form in data or form in file.encode() for form in forms) else []
    return found


def test_no_name_is_in_any_file() -> None:
    """Topics, racks, hosts, directories, ids, the cluster, its file, what was read wrong, what is missing, the past."""
    plain = told_in_words(matter_of(Wish(remove=(2,))))
    hidden = everything(masked(matter_of(Wish(remove=(2,))), Masker(KEY)))

    # The search finds them where they stand, so that finding none means something.
    assert {name for _, name in leaks(plain, (*TOPICS[:4], *RACKS, "acme-production", "singapore-west"))} == {
        *TOPICS[:4],
        *RACKS,
        "acme-production",
        "singapore-west",
    }
    assert leaks(hidden, (*NAMES, *ALSO)) == []
    assert leaks(hidden, ("acme", "Acme", "Frankfurt", "oslo")) == []


@pytest.mark.parametrize(
    "wish",
    [
        Wish(remove=(77,)),
        Wish(remove=(1, 2, 3, 4)),
        Wish(topics=(TOPICS[0], TOPICS[1]), replication_factor=9),
        Wish(topics=(TOPICS[0],), replication_factor=2),
        Wish(add=((9, RACKS[0]),)),
        Wish(remove=(2,), options=Options(pin=((TOPICS[0], 3), ("acme*", None), ("mergers_*", None)))),
        Wish(remove=(2,), options=Options(pin=(("merger*", 99),))),
        Wish(rebalance=True, add=((9, RACKS[0]),), options=Options(pin=(("zz-payroll-old", None),))),
        Wish(),
    ],
)
def test_nor_where_it_is_refused_or_another_change(wish: Wish) -> None:
    """A refusal names topics, an added broker a rack."""
    made = masked(matter_of(wish), Masker(KEY))
    told = build(made, ReportChoices(chapters=ALL, audience="operators", made_at=MADE))
    files = {"html": write_html(told).encode("utf-8", "surrogatepass"), "chat": write_chat(told).encode()}

    assert (made.refusal is None) == (matter_of(wish).refusal is None)
    assert leaks(files, (*NAMES, *ALSO, "acme", "Acme")) == []


def test_faults_and_findings_of_a_plan_lose_their_names() -> None:
    """In every form in which a sentence names a partition; what cannot be told apart is left out."""
    matter = matter_of(Wish(remove=(2,)))
    assert matter.plan is not None
    faults = (
        f"{TOPICS[1]}-7 has broker 3 twice.",
        f"Topic {TOPICS[0]} is not in the layout.",
        f"Topics {TOPICS[0]}, {TOPICS[1]} and {TOPICS[3]}.",
        f"Rack {RACKS[0]} has no broker left: kafka1.acme.example.",
        f"A name within x{RACKS[0]}y.",
    )
    plan = replace(
        matter.plan,
        certificate=replace(matter.plan.certificate, faults=faults),
        findings=(Finding("odd", Severity.NOTE, faults[0], topics=(TOPICS[1],), places=(TOPICS[1],)),),
    )
    made = masked(replace(matter, plan=plan), masker := Masker(KEY)).plan
    assert made is not None

    assert leaks({"said": "\n".join(made.certificate.faults).encode()}, (*NAMES, *ALSO)) == []
    assert made.certificate.faults[0] == f"{masker.topic(TOPICS[1])}-7 has broker 3 twice."
    assert leaks({"found": repr(made.findings).encode()}, NAMES) == []


def test_the_plan_is_the_one_of_the_real_names() -> None:
    """Which of equally good plans it is depends on names: partition by partition the masked one has the real lists."""
    matter, masker = matter_of(Wish(remove=(2,))), Masker(KEY)
    made = masked(matter, masker)
    assert matter.plan is not None
    assert made.plan is not None
    real, shown = matter.plan, made.plan
    pseudonym = {
        (masker.topic(topic), partition): lists for (topic, partition), lists in real.proposed.assignments().items()
    }

    assert shown.proposed.assignments() == pseudonym
    assert {(masker.topic(t), p): lists for (t, p), lists in real.current.assignments().items()} == (
        shown.current.assignments()
    )
    assert shown.certificate.moves == real.certificate.moves
    assert len(shown.moves) == len(real.moves)
    assert shown.moves.bytes is not None
    assert real.moves.bytes is not None
    assert shown.moves.bytes.sum() == pytest.approx(real.moves.bytes.sum())
    assert [one.kind for one in shown.certificate.cautions] == [one.kind for one in real.certificate.cautions]
    assert [one.kind for one in made.findings] == [one.kind for one in matter.findings]


def test_rows_keep_what_belongs_to_them() -> None:
    """Leaders, sizes, minima and order follow their topic into the new order of rows."""
    layout, masker = acme(), Masker(KEY)
    made = masked(Matter(layout=layout, source="x"), masker).layout
    for row in range(0, layout.partition_count, 7):
        topic = layout.topics[int(layout.topic_of[row])]
        there = made.row(masker.topic(topic), int(layout.partition[row]))
        assert there is not None
        assert made.leader_ids[there] == layout.leader_ids[row]
        assert made.replica_bytes is not None
        assert layout.replica_bytes is not None
        assert made.replica_bytes[there].tolist() == layout.replica_bytes[row].tolist()

    assert made.topics == tuple(sorted(made.topics))
    assert [b.id for b in made.brokers] == [b.id for b in layout.brokers]
    assert len(made.racks) == len(layout.racks)


def test_the_same_key_gives_the_same_names_and_another_key_others() -> None:
    """Also in another layout, so that this week's report can be laid beside the last one's."""
    one, again, other = Masker(KEY), Masker(KEY), Masker(KEY[::-1])
    masked(Matter(layout=acme(), source="x"), one)
    masked(Matter(layout=acme(TOPICS[:2]), source="x"), again)

    assert again.given.items() <= one.given.items()
    assert {other.topic(name) for name in TOPICS}.isdisjoint(one.given)
    assert other.topic("__acme_internal").startswith("__topic-")


def test_names_come_back_with_the_table() -> None:
    """Every pseudonym in a text, also with a partition behind it."""
    masker = Masker(KEY)
    said = f"{masker.topic(TOPICS[0])}-3 on {masker.rack(RACKS[0])} and topic-aaaaaaaaaa"

    assert unmasked(said, masker.names()) == f"{TOPICS[0]}-3 on {RACKS[0]} and topic-aaaaaaaaaa"


def test_pseudonyms_that_would_meet_get_longer() -> None:
    """Two names never share one."""
    masker = Masker(KEY)
    first = masker.topic("one")
    masker.given[masker_of_two := Masker(KEY).topic("two")] = ("topic", "somebody else")

    assert masker.topic("two") not in (first, masker_of_two)
    assert masker.topic("two").startswith(masker_of_two)


def test_a_topic_called_as_a_word_of_the_report_hides_no_sentence() -> None:
    """``replicas`` is a word of every sentence; it tells nothing of the topic."""
    masker = Masker(KEY)
    masker.topic("replicas")

    assert masker.sentence("92 replicas move.") == "92 replicas move."
    assert masker.sentence("replicas-3 has a fault.") == f"{masker.topic('replicas')}-3 has a fault."


def test_the_command_masks_every_file_and_keeps_the_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The key is made once, for its owner alone; the table translates back; nothing that is printed holds a name."""
    (tmp_path / "acme-layout.csv").write_bytes(write_csv(acme()))
    key, names = tmp_path / "mask.key", tmp_path / "names.csv"
    words = ["report", str(tmp_path / "acme-layout.csv"), "--remove", "2", "--cluster", "acme-production", "--mask"]
    words += ["--mask-key", str(key), "--mask-names", str(names), "--text", str(tmp_path / "chat.txt"), "--json"]
    words += ["--accept-incomplete"]
    assert main(words) == 0
    first = capsys.readouterr()
    made = key.read_bytes()
    assert main(words) == 0
    second = capsys.readouterr()

    assert first.out == second.out
    assert key.read_bytes() == made
    assert key.stat().st_mode & 0o077 == 0
    assert names.stat().st_mode & 0o077 == 0
    assert TOPICS[1] in names.read_text()
    assert leaks({"out": first.out.encode(), "chat": (tmp_path / "chat.txt").read_bytes()}, (*NAMES, *ALSO[:1])) == []
    assert leaks({"err": first.err.replace(str(tmp_path), "").encode()}, (*NAMES, "acme-production")) == []


def test_what_the_person_writes_may_hold_no_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A title with the cluster's name would undo the mask; nothing is written then, no key either."""
    (tmp_path / "layout.csv").write_bytes(write_csv(acme()))
    key = tmp_path / "mask.key"
    words = ["report", str(tmp_path / "layout.csv"), "--cluster", "acme-production", "--mask", "--mask-key", str(key)]

    assert main([*words, "--title", "Report of acme-production", "--text", str(tmp_path / "t")]) == 2
    assert "--title contains a name" in capsys.readouterr().err
    assert not key.exists()
    assert not (tmp_path / "t").exists()


def test_a_file_that_is_no_key_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may be the layout."""
    (tmp_path / "layout.csv").write_bytes(write_csv(acme()))
    (tmp_path / "precious").write_text("precious")
    words = ["report", str(tmp_path / "layout.csv"), "--mask", "--text", str(tmp_path / "t"), "--mask-key"]

    assert main([*words, str(tmp_path / "precious")]) == 2
    assert "not a key for masking" in capsys.readouterr().err
    assert (tmp_path / "precious").read_text() == "precious"
