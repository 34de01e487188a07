"""How the web server is run: its headers and limits, who visits, and the first request of an address.

May import: Streamlit, ``reseat``.
"""
