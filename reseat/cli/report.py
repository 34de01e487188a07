"""``report``: a layout and a change told to people, as HTML, PDF, slides, figures, data and a text for chat."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from reseat.cli.files import Written, refuse_one_file_for_two, write_all
from reseat.cli.inputs import STANDARD_INPUT, layout_of, read_layout, reading_notes, text_of
from reseat.cli.masks import masker_of
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, note_lines, say, write_json, write_text
from reseat.cli.plan import refuse_options_that_do_nothing
from reseat.cli.wishes import wish_of
from reseat.errors import InputRefused, ReseatError, WishRefused
from reseat.existing import may_exist
from reseat.report import ChapterKind, Matter, Report, ReportChoices, ReportPast, build
from reseat.report.gather import gather, past_of
from reseat.report.logo import logo_kind
from reseat.report.masks.files import names_file
from reseat.report.masks.names import masked
from reseat.report.matter import chapters_for

if TYPE_CHECKING:
    from reseat.formats.input.reading import Reading
    from reseat.report.masks.names import Masker
    from reseat.schedule.estimate import ObservedRate

__all__ = ["report"]

#: Options that each name a file to write to.
_FILES = ("html", "pdf", "pptx", "text", "png", "svg", "mask_names")


def report(chosen: argparse.Namespace) -> int:
    """Write the report; see the command's ``--help``."""
    _refuse_what_does_not_go_together(chosen)
    masker, key = masker_of(chosen.mask_key) if chosen.mask else (None, None)
    logo = None if chosen.logo is None else _logo(chosen.logo)
    template = None if chosen.template is None else text_of(chosen.template)[0]
    past = _past(chosen)
    reading = read_layout(chosen)
    layout = layout_of(reading.layout, chosen)
    wish = wish_of(chosen, layout)
    beside = _beside(chosen)
    with working("Planning"):
        matter = gather(
            reading,
            layout,
            wish,
            cluster=chosen.cluster,
            version=chosen.kafka_version,
            past=past,
            rates=_rates(chosen, reading),
            beside=beside,
        )
    notes = reading_notes(reading, layout, wish.remove)
    if masker is not None:
        matter = _masked(matter, masker, chosen)
        notes = []  # they quote the input
    told = build(matter, _choices(chosen, logo))
    with working("Drawing"):
        files = list(_files(told, chosen, template))
    if key is not None:
        files.insert(0, key)  # a masked report without its key could not be translated back
    if masker is not None and chosen.mask_names:
        files.append(Written(chosen.mask_names, names_file(masker.names()), secret=True))
    chat = next((file for file in files if file.name == STANDARD_INPUT), None)
    if chosen.data:
        _make_folder(chosen.data)
    write_all([file for file in files if file is not chat])
    written = [file.name for file in files if file is not chat and not file.name.startswith(f"{chosen.data}/")]
    lines = _summary(told, written + ([f"{chosen.data}/"] if chosen.data else []), notes)
    if chat is not None:
        write_text(chat.data.decode())
        complain(*lines)
    elif chosen.json:
        write_json(_as_json(told))
        complain(*lines)
    else:
        say(*lines)
    if matter.refusal is not None:
        complain(f"reseat report: {matter.refusal}")
        return ExitCode.REFUSED
    return 0


def _refuse_what_does_not_go_together(chosen: argparse.Namespace) -> None:
    """Options that need or exclude each other; each refusal says why."""
    refuse_options_that_do_nothing(chosen)
    drawn = chosen.png or chosen.svg
    needs = (
        (chosen.figure and not drawn, "--figure needs --png or --svg, the file that it is drawn to."),
        (drawn and not chosen.figure, "--png and --svg draw one figure; --figure says which, and --json lists them."),
        (chosen.template and not chosen.pptx, "--template is for the slides; it needs --pptx."),
        (chosen.history and not chosen.cluster, "--history needs --cluster NAME, the cluster's name in the history."),
        (chosen.mask and not chosen.mask_key, "--mask needs --mask-key FILE: pseudonyms are made with a key."),
        (chosen.mask_key and not chosen.mask, "--mask-key goes with --mask; without it names are not changed."),
        (chosen.mask_names and not chosen.mask, "--mask-names goes with --mask; without it there are no pseudonyms."),
        (
            not any(getattr(chosen, name) for name in (*_FILES[:-1], "data")) and not chosen.json,
            "No output file: use --html, --pdf, --pptx, --text, --data, or --figure with --png or --svg.",
        ),
        (chosen.text == STANDARD_INPUT and chosen.json, "Only one text can be written to standard output."),
    )
    for does_not_go, why in needs:
        if does_not_go:
            raise InputRefused(why)
    for name in (*_FILES, "mask_key"):
        if getattr(chosen, name) == STANDARD_INPUT and name != "text":
            raise InputRefused(f"--{name.replace('_', '-')} cannot be written to standard output; name a file.")
    refuse_one_file_for_two(
        (*chosen.layout, chosen.racks, chosen.wish, chosen.logo, chosen.template),
        [(name.replace("_", "-"), getattr(chosen, name)) for name in (*_FILES, "mask_key")],
    )


def _choices(chosen: argparse.Namespace, logo: bytes | None) -> ReportChoices:
    kinds = chapters_for(chosen.audience) if chosen.chapters is None else tuple(map(ChapterKind, chosen.chapters))
    return ReportChoices(
        chapters=kinds,
        audience=chosen.audience,
        title=chosen.title,
        author=chosen.author,
        logo=logo,
        price_per_gb=chosen.price_per_gb,
        currency=chosen.currency,
        throttle=float(chosen.throttle) if chosen.throttle else None,
    )


def _beside(chosen: argparse.Namespace) -> bool:
    """Whether the chapter that sets the plan beside others is told at all."""
    return chosen.chapters is None or ChapterKind.WHY.value in chosen.chapters


def _logo(name: str) -> bytes:
    data, source = text_of(name)
    try:
        logo_kind(data)
    except InputRefused as error:
        raise InputRefused(error.sentence, source=source) from error
    return data


def _past(chosen: argparse.Namespace) -> ReportPast | None:
    if chosen.history is None:
        return None
    from reseat.history.read import History

    return past_of(History.open(chosen.history), chosen.cluster)


def _rates(chosen: argparse.Namespace, reading: Reading) -> tuple[ObservedRate, ...]:
    """What the journal's runs on this cluster showed; the journal that nobody named may be none, or another's."""
    from reseat.operate.journal.journal import Journal
    from reseat.operate.journal.schema import default_path
    from reseat.operate.observed import observed_rates

    cluster_id = reading.facts.get("cluster_id")
    if chosen.journal is None and (not cluster_id or not may_exist(default_path())):
        return ()
    if not cluster_id:
        raise InputRefused(
            "--journal needs an input that names its cluster, such as a snapshot.", source=reading.source
        )
    if chosen.journal is not None and not may_exist(chosen.journal):
        raise InputRefused("There is no such journal.", source=chosen.journal)
    try:
        with closing(Journal(chosen.journal)) as journal:
            return observed_rates(journal, str(cluster_id))
    except ReseatError:
        if chosen.journal is not None:
            raise
        return ()  # as on the page: an estimate is from the throttle then


def _masked(matter: Matter, masker: Masker, chosen: argparse.Namespace) -> Matter:
    """The matter under pseudonyms; what the person writes himself must not hold a name either."""
    made = masked(matter, masker)
    for option in ("title", "author"):
        words = getattr(chosen, option)
        if words and masker.sentence(words) != words:
            raise WishRefused(f"--{option} contains a name that --mask hides; rephrase it.")
    return made


def _files(told: Report, chosen: argparse.Namespace, template: bytes | None) -> Iterator[Written]:
    """Everything that is written, made; nothing is written yet."""
    if chosen.html:
        from reseat.report.writers.html import write_html

        yield Written(chosen.html, write_html(told).encode())
    if chosen.pdf:
        from reseat.report.writers.pdf import write_pdf

        yield Written(chosen.pdf, write_pdf(told))
    if chosen.pptx:
        from reseat.report.writers.pptx import write_pptx

        yield Written(chosen.pptx, write_pptx(told, template))
    if chosen.text:
        from reseat.report.writers.chat import write_chat

        yield Written(chosen.text, f"{write_chat(told)}\n".encode())
    if chosen.figure:
        from reseat.report.drawing import png, svg

        try:
            figure = told.figure(chosen.figure)
        except KeyError as error:
            known = ", ".join(one.slug for chapter in told.chapters for one in chapter.figures) or "none"
            raise WishRefused(f"No figure {chosen.figure!r} in this report; there are: {known}.") from error
        if chosen.png:
            yield Written(chosen.png, png(figure))
        if chosen.svg:
            yield Written(chosen.svg, svg(figure).encode())
    if chosen.data:
        from reseat.report.writers.data import data_files

        yield from (Written(f"{chosen.data}/{name}", data) for name, data in data_files(told))


def _make_folder(name: str) -> None:
    try:
        Path(name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputRefused(f"The folder cannot be created: {error.strerror or error}.", source=name) from error


def _summary(told: Report, written: list[str], notes: list[str]) -> list[str]:
    lines = [*(f"NOTE  {one}" for one in told.warnings), told.chapters[0].heading if told.chapters else told.title]
    lines += note_lines(notes)
    if written:
        lines += ["", f"Written: {', '.join(written)}"]
    return lines


def _as_json(told: Report) -> dict[str, object]:
    """What the report says, for scripts: the names of its figures and tables too."""
    return {
        "title": told.title,
        "warnings": list(told.warnings),
        "chapters": [
            {
                "chapter": one.kind.value,
                "heading": one.heading,
                "light": None if one.light is None else one.light.value,
                "text": list(one.text),
                "facts": [
                    {"label": fact.label, "shown": fact.shown, "detail": fact.detail, "value": _told(fact.value)}
                    for fact in one.facts
                ],
                "figures": [figure.slug for figure in one.figures],
                "tables": [table.slug for table in one.tables],
            }
            for one in told.chapters
        ],
    }


def _told(value: float) -> float | None:
    """A number, whole ones as such; nothing where it is not told."""
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 (NaN is not itself)
        return None
    return int(value) if float(value).is_integer() else value
