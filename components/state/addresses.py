"""The address of a page: what it opens, what it tells of the page's choices, and following one that somebody came by.

The title of the browser's tab says the same in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.look import text
from components.state import follow, links, session, slots, store
from components.state.open_layout import OpenLayout
from components.state.opened import SessionState
from components.state.past import Past
from reseat.model import Wish
from reseat.model.edits import Edits

__all__ = [
    "arrive",
    "arrive_alone",
    "begin",
    "carried",
    "comes",
    "end",
    "full",
    "keep_title",
    "moment",
    "offer",
    "own",
    "own_part",
    "publish",
    "tell",
    "tell_all",
    "tell_layout",
    "title",
    "titled",
    "told",
    "what_if",
]

#: Links of a page that open something else; a session remembers as many.
_MOST_OFFERS = 500
#: Characters of a layout's name in the title of a tab.
_NAME = 60


def publish(own: Mapping[str, str] | None = None) -> None:
    """A page is drawn, or a part of it anew: let its address say what is open and all choices.

    Written once, at the end: each address that differs is a step of the browser's Back.

    Args:
        own: the page's choices beside those that its fields tell (``fields``), and then nothing else stays in the
            address; None: what it says and no field told stays. None is named as one of ``links``.
    """
    if own is not None:
        tell_all(own)
    # Told each time: a link from the page to itself is followed, but Streamlit leaves the browser's address as it was,
    # and there nothing happens where it says the same.
    _write(_opens(session.open_layout()) | told())


def tell_layout(open_layout: OpenLayout) -> None:
    """Let the address say what is open, as soon as it is; what it says of the page's own choices stays."""
    there = st.query_params.to_dict()
    query = session.shelve(open_layout) | own_part(there)
    if there != query:
        _write(query)


def _write(query: Mapping[str, str]) -> None:
    """Let the address say this. Nobody came by it, whatever links elsewhere lead to the same.

    Not told again is what a page was come by, until it is drawn: Streamlit's page takes an address at once, and changes
    to another page only when it has drawn that far. Where both come in one breath, the page that was left gets a step
    of Back that says what the next one opens.
    """
    now = store.state()
    now.offers.pop(frozenset(query.items()), None)
    if not query == now.coming == st.query_params.to_dict():
        st.query_params.from_dict(query)


def carried() -> dict[str, str]:
    """What a link inside the dashboard carries, so that a new tab opens the same layout and what-if."""
    return _opens(session.open_layout())


def moment(past: Past, wish: Wish | None = None) -> dict[str, str]:
    """What a link says that opens a moment of a cluster's history, with a what-if on it."""
    return links.to_query("", "", Edits(), wish or Wish(), past=past) | session.about_session()


def what_if(open_layout: OpenLayout, wish: Wish) -> dict[str, str]:
    """What a link says that opens what one looks at with another what-if, and shows what that leads to."""
    return session.shelve(replace(open_layout, wish=wish, after=True))


def _opens(open_layout: OpenLayout | None) -> dict[str, str]:
    if open_layout is not None:
        return session.shelve(open_layout)
    if session.pending_link() is None:
        return session.about_session()
    # It waits for its file, or its cluster: loading the page anew must not lose it.
    waits = {name: value for name, value in st.query_params.to_dict().items() if name in links.NAMES}
    return waits | session.about_session()


def full(open_layout: OpenLayout) -> str:
    """The whole address of what one looks at, on the page where one is; without the server where it is not known."""
    return f"{st.context.url or ''}?{urlencode(session.shelve(open_layout) | told())}"


def begin(title: str) -> str:
    """A page begins to be drawn: follow its address; returns the title of the browser's tab.

    Args:
        title: the page's.
    """
    arrive(title)
    return _tab(title)


def end(title: str) -> None:
    """A page is drawn: the title of the browser's tab says what it shows."""
    store.state().coming = None
    keep_title()
    st.set_page_config(page_title=_tab(title))


def _tab(title: str) -> str:
    """The page, with its view, and the layout or cluster that one looks at."""
    view, of = titled(title)
    open_layout = session.open_layout()
    name = of or ("" if open_layout is None else open_layout.name)
    return " · ".join(filter(None, (f"{title}: {view}" if view else title, text.visible(name, _NAME), "Reseat")))


def arrive(page: str) -> None:
    """A page begins to be drawn: look at what its address names, where somebody came by that address.

    Args:
        page: its title.
    """
    now, query = store.state(), st.query_params.to_dict()
    came = page != now.page
    now.page, now.telling, now.titling, now.arrived = page, {}, ("", ""), True
    followed = _follow_address(now, query)
    now.coming = query if came or followed or query == now.coming else None
    if not followed and came and own_part(query) != now.own.get(page, own_part(query)):
        now.returns += 1  # a link says something else than the page did as it was left
        slots.forget_addressed()
    now.own[page] = own_part(query)


def comes() -> bool:
    """Whether somebody comes by the page's address: from another page, by a link, or back; until it is drawn."""
    return store.state().coming is not None


def arrive_alone(page: str) -> None:
    """As ``arrive``, for a page that runs by itself, as under AppTest; else nothing: it has arrived."""
    if not store.state().arrived:
        arrive(page or str(store.page_script()))
    store.state().arrived = False


def _follow_address(now: SessionState, query: dict[str, str]) -> bool:
    """Where somebody came by an address, look at what it names; before anything is drawn. Says whether it is so.

    They did where the browser went back or forward, and where a link was clicked that opens something else (``offer``).
    Else the address is written and never read: what a person does in the page comes after what it was opened with.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not query:
        return False
    offered = frozenset(query.items())
    if not context.is_history_navigation and offered not in now.offers:
        return False
    # Once: in the page that it led to, what a person does comes after it.
    now.offers.pop(offered, None)
    now.returns += 1
    now.wall = store.WALL.items() <= query.items()
    slots.forget_addressed()
    follow.return_to(now, links.from_query(query))
    return True


def offer(query: Mapping[str, str]) -> None:
    """A link on a page leads to this address, which opens something else: who clicks it means that."""
    offers = store.state().offers
    offers[frozenset(query.items())] = None
    for oldest in list(offers)[:-_MOST_OFFERS]:
        del offers[oldest]


def own_part(query: Mapping[str, str]) -> dict[str, str]:
    """What an address says of its page's choices, beside what is open."""
    return {name: value for name, value in query.items() if name not in links.NAMES and name not in store.WALL}


def tell(name: str, said: str = "") -> None:
    """Let the page's address say this of a choice; nothing: it is as it comes up by itself."""
    store.state().telling[name] = said


def tell_all(choices: Mapping[str, str]) -> None:
    """Let the page's address say this of its choices, and what was told before; nothing else."""
    now = store.state()
    now.telling = dict.fromkeys(own_part(st.query_params.to_dict()), "") | now.telling | dict(choices)


def told() -> dict[str, str]:
    """What the page's address is to say of its choices: what it says, with what was told of them since."""
    now = store.state()
    own = {name: said for name, said in (own_part(st.query_params.to_dict()) | now.telling).items() if said}
    now.own[now.page] = own
    return own


def own(page: str) -> dict[str, str]:
    """What the address of a page said of its choices last, by the page's title."""
    return dict(store.state().own.get(page, {}))


def titled(page: str) -> tuple[str, str]:
    """What a page last said that it shows: its view, and whose, each empty where it is as by itself."""
    return store.state().titles.get(page, ("", ""))


def title(view: str = "", *, of: str = "") -> None:
    """Say what the page shows, for the title of the browser's tab.

    Args:
        view: which of its views; empty: the one that comes up by itself.
        of: the cluster, where it is not the layout looked at.
    """
    now = store.state()
    now.titling = (view or now.titling[0], of or now.titling[1])


def keep_title() -> None:
    """What was said of the open page's title holds from now on, also as it begins to be drawn again."""
    now = store.state()
    now.titles[now.page] = now.titling
