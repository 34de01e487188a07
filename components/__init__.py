"""Streamlit drawing and widgets."""
