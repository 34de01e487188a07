"""What every page is drawn with: colours and template, names made safe for Markdown, tables, notices.

May import: Streamlit, ``reseat``.
"""
