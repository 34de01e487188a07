"""Report: the layout and the what-if told to people: a page, a file to send, slides, a talk."""

import streamlit as st

from components import addresses, frame, text
from components.report_choices import OWN, choices_of, to_query
from components.report_form import draw_form, key, logo, template
from components.report_made import Made, make
from components.report_take import draw_data, draw_downloads

#: Pixels of the preview: the strip, the sentence and it fit a screen.
_HEIGHT = 720
PAGE, TALK = "As a page", "Present"


def choose_view() -> str:
    """As a page or as a talk."""
    return st.segmented_control(
        "View",
        [PAGE, TALK],
        default=PAGE,
        required=True,
        key="report-view",
        label_visibility="collapsed",
        help="Present: a chapter a screen. Click into it, then F fills the screen, arrow keys go on, N shows the "
        "speaker's notes, Escape leaves.",
        width="content",
    )


def preview(made: Made, view: str) -> None:
    """The report as it will be sent, or as it is shown full screen."""
    with st.spinner("Drawing the report …", show_time=True):
        document = made.page if view == PAGE else made.talk
    st.iframe(document, height=_HEIGHT, alt=f"{view}: {made.report.title}")


seat = frame.page("Report", OWN, shows="change")
answer = st.container()
choices = draw_form(st.container())
masks = key() if choices.mask else None
made = make(seat, choices_of(choices, logo()), masks)
addresses.publish(seat, to_query(choices))
with answer:
    frame.answer(made.sentence)
if made.trouble:
    st.markdown(f":orange[:material/warning:] {text.plain(made.trouble)}")
with st.container(horizontal=True, vertical_alignment="center", key="report-take"):
    view = choose_view()
    draw_downloads(made, masks, template())
preview(made, view)
draw_data(made)
