"""A page that says which doors are open to who looks at it, one a line, and offers what it takes to open more."""

import streamlit as st

from components.operate import person
from components.server import visitor
from components.shell import sign_in
from components.state import session
from reseat.access import Door

for door in Door:
    answer = session.may(door)
    st.text(f"{door.name} {'open' if answer.may else 'closed'}: {answer.sentence}")
sign_in.draw_buttons("page")
person.draw_way_in(visitor.access(), session.person())
