"""Learn: Kafka's mechanisms, one at a time, in the order in which they build on each other."""

import streamlit as st

from components.look import text
from components.shell import frame, navigation, tour
from components.state import addresses

open_layout = frame.standalone(with_strip=False)
frame.answer("Five mechanisms of Kafka, each as it computes them; nothing here touches a cluster.")
tour.begin_button("learn")
with st.container(key="lessons"):
    for number, place in enumerate(navigation.LESSONS, 1):
        with st.container(border=True, key=f"lesson-{place.address}"):
            st.header(f"{number}. {text.plain(place.title)}", anchor=False)
            st.markdown(text.plain(place.teaches))
            navigation.link(place, f"Open {place.title}")
addresses.publish({})
