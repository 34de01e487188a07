"""What one takes along of a report: files to send, words for a chat, and every figure with its data."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from components.look import text
from components.report.made import Made
from components.state import fields
from reseat.report.behind import csv_of, table_of
from reseat.report.masks.files import key_file, names_file
from reseat.report.writers.data import parquet_of

__all__ = ["draw_data", "draw_downloads"]


def draw_downloads(made: Made, key: bytes | None, template: bytes | None = None) -> None:
    """The report as files; each is made when it is clicked.

    Args:
        made: the report.
        key: by which names were replaced, to take along with what translates back; None: names are told.
        template: a company's own slides, whose master is taken.
    """
    name = re.sub(r"[^a-z0-9]+", "-", made.report.title.casefold()).strip("-")[:60] or "report"
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="report-files"):
        for label, ending, mime, make, words in (
            ("HTML", "html", "text/html", lambda: made.page, "One file that opens anywhere, also offline"),
            ("PDF", "pdf", "application/pdf", lambda: _pdf(made), "Pages to print, with contents and page numbers"),
            (
                "PowerPoint",
                "pptx",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
                lambda: _pptx(made, template),
                "Slides with charts that can be edited, and notes for the speaker",
            ),
        ):
            st.download_button(
                label,
                make,
                file_name=f"{name}.{ending}",
                mime=mime,
                on_click="ignore",
                icon=":material/download:",
                help=words,
                key=f"report-{ending}",
            )
        if key is not None:
            _file("Key", "reseat-mask.key", "text/plain", lambda: key_file(key))
            _file("Names", "reseat-names.csv", "text/csv", lambda: names_file(made.names))
        with st.popover("Text for a chat", icon=":material/chat:"):
            st.code(_chat(made), language=None, wrap_lines=True)


def _pdf(made: Made) -> bytes:
    from reseat.report.writers.pdf import write_pdf

    return write_pdf(made.report)


def _pptx(made: Made, template: bytes | None) -> bytes:
    from reseat.report.writers.pptx import write_pptx

    return write_pptx(made.report, template)


def _chat(made: Made) -> str:
    from reseat.report.writers.chat import write_chat

    return write_chat(made.report)


def draw_data(made: Made) -> None:
    """Every figure and table by itself: as a picture, and what is behind it."""
    figures = {one.title: one for chapter in made.report.chapters for one in chapter.figures}
    tables = {one.title: one for chapter in made.report.chapters for one in chapter.tables}
    if not figures and not tables:
        return
    st.header("Figures and their data", anchor=False)
    title = fields.select(
        "Figure or table", [*figures, *tables], name="figure", key="report-figure", label_visibility="collapsed"
    )
    figure = figures.get(title)
    table = tables[title] if figure is None else table_of(figure)
    with st.container(horizontal=True, key="report-data"):
        if figure is not None:
            from reseat.report.drawing import png, svg

            _file("PNG", f"{figure.slug}.png", "image/png", lambda: png(figure))
            _file("SVG", f"{figure.slug}.svg", "image/svg+xml", lambda: svg(figure))
        _file("CSV", f"{table.slug}.csv", "text/csv", lambda: csv_of(table))
        _file("Parquet", f"{table.slug}.parquet", "application/vnd.apache.parquet", lambda: parquet_of(table))
    if figure is not None:
        st.caption(text.plain(figure.says))


def _file(label: str, name: str, mime: str, make: Callable[[], str | bytes]) -> None:
    st.download_button(
        label,
        make,
        file_name=name,
        mime=mime,
        on_click="ignore",
        icon=":material/download:",
        key=f"report-data-{label}",
    )
