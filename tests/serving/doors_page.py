"""A page that says which doors are open to who looks at it, one a line, and offers what it takes to open more."""

import streamlit as st

from components import operate_person, session, sign_in, visitor
from reseat.access import Door

for door in Door:
    answer = session.may(door)
    st.text(f"{door.name} {'open' if answer.may else 'closed'}: {answer.sentence}")
sign_in.draw_buttons("page")
operate_person.draw_way_in(visitor.access(), session.person())
