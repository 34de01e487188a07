"""What fields ask of their options."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_options_are_compared_with_the_address_only_where_it_names_some() -> None:
    """Each run of a page asked for the words of all brokers, 0.36 ms a thousand, to compare them with nothing."""

    def page() -> None:
        import streamlit as st

        from components.state import fields

        asked = st.session_state.setdefault("asked", [])
        said = {"a": "a", "b": "b"}
        fields.several("Some", ["a", "b"], name="some", key="some", says=lambda one: asked.append(one) or said[one])
        st.session_state.several = len(asked)
        asked.clear()
        fields.pills("Few", ["a", "b"], name="few", key="few", says=lambda one: asked.append(one) or said[one])
        st.session_state.pills = len(asked)

    app = AppTest.from_function(page).run()

    assert not app.exception
    assert app.session_state["several"] == app.session_state["pills"]
