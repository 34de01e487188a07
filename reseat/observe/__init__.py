"""How a server is doing: whether it is ready, its numbers for Prometheus, its events as lines of a log.

May import: everything of the core but the CLI; not Streamlit.
"""
