"""What one takes along of a report: files to send, words for a chat, and every figure with its data."""

from __future__ import annotations

import re

import streamlit as st

from components.look import text
from components.look.downloads import download
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
        for label, ending, make, words in (
            ("HTML", "html", lambda: made.page, "One file that opens anywhere, also offline"),
            ("PDF", "pdf", lambda: _pdf(made), "Pages to print, with contents and page numbers"),
            (
                "PowerPoint",
                "pptx",
                lambda: _pptx(made, template),
                "Slides with charts that can be edited, and notes for the speaker",
            ),
        ):
            download(label, f"{name}.{ending}", make, key=f"report-{ending}", words=words)
        if key is not None:
            download("Key", "reseat-mask.key", lambda: key_file(key), key="report-data-Key")
            download("Names", "reseat-names.csv", lambda: names_file(made.names), key="report-data-Names")
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

            download("PNG", f"{figure.slug}.png", lambda: png(figure), key="report-data-PNG")
            download("SVG", f"{figure.slug}.svg", lambda: svg(figure), key="report-data-SVG")
        download("CSV", f"{table.slug}.csv", lambda: csv_of(table), key="report-data-CSV")
        download("Parquet", f"{table.slug}.parquet", lambda: parquet_of(table), key="report-data-Parquet")
    if figure is not None:
        st.caption(text.plain(figure.says))
