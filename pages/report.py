"""Report: the layout and the what-if told to people: a page, a file to send, slides, a talk."""

import streamlit as st

from components.look import text
from components.report.choices import choices_of, to_query
from components.report.form import draw_form, key, logo, template
from components.report.made import Made, make
from components.report.share import draw_share
from components.report.take import draw_data, draw_downloads
from components.shell import frame
from components.state import addresses, fields

#: Pixels of the preview: the strip, the sentence and it fit a screen.
_HEIGHT = 720
PAGE, TALK = "As a page", "Present"


def choose_view() -> str:
    """As a page or as a talk."""
    return fields.segments(
        "View",
        [PAGE, TALK],
        name="view",
        key="report-view",
        says={PAGE: "page", TALK: "talk"},
        label_visibility="collapsed",
        help="Present: one chapter per screen. Click into it, then F fills the screen, arrow keys move on, N shows the "
        "speaker's notes, Escape leaves.",
        width="content",
    )


def preview(made: Made, view: str) -> None:
    """The report as it will be sent, or as it is shown full screen."""
    with st.spinner("Drawing the report …", show_time=True):
        document = made.page if view == PAGE else made.talk
    st.iframe(document, height=_HEIGHT, alt=f"{view}: {made.report.title}")


open_layout = frame.page("Report", shows="change")
frame.needs_extra("report")
answer = st.container()
choices = draw_form(st.container())
masks = key() if choices.mask else None
made = make(open_layout, choices_of(choices, logo()), masks)
with answer:
    frame.answer(made.sentence)
if made.no_history:
    st.markdown(f":orange[:material/warning:] {text.plain(made.no_history)}")
with st.container(horizontal=True, vertical_alignment="center", key="report-take"):
    view = choose_view()
    draw_downloads(made, masks, template())
    draw_share(made)
preview(made, view)
draw_data(made)
addresses.title("" if view == PAGE else "talk")
addresses.publish(to_query(choices))
