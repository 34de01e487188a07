"""What Streamlit's links to pages lack: a new tab by Ctrl, Cmd or Shift, and who hears which page is open.

And what its popovers lack: that Tab leads into them.

May import: Streamlit. A Streamlit component (v2) of one real file, ``page_links.js``, which draws nothing; without it
every link still leads on.
"""

from __future__ import annotations

from pathlib import Path

from components.canvas.mount import mount

__all__ = ["page_links"]


def page_links() -> None:
    """See to the page's links from now on; to be called once a page, after the navigation."""
    mount(Path(__file__).parent)(key="page-links", height=1)
